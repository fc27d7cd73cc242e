# SPDX-License-Identifier: Apache-2.0
"""Random numbers, as many as `line` has, and an order at random."""

OPERATIONS = {
    "normal": ("normal numbers", lambda xp, generator, line: xp.random_normal(generator, line.shape)[1]),
    "uniform": ("uniform numbers", lambda xp, generator, line: xp.random_uniform(generator, line.shape)[1]),
    "permutation": ("an order at random of a fourth", lambda xp, generator, line: xp.permutation(generator, len(line) // 4)),
}

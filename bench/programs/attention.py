# SPDX-License-Identifier: Apache-2.0
"""Attention of eight heads: softmax(q k^T / 8) v."""

STEPS = 1


def setup(xp, data, scale):
    shape = (8, data.side(scale) // 4, 64)
    queries, keys = (xp.put(data.uniform(shape, seed, -2, 2)) for seed in (1, 2))
    return queries, keys, xp.put(data.uniform(shape, 3)), None


def step(xp, queries, keys, values, _):
    scores = queries @ xp.swapaxes(keys, -1, -2) / 8
    return queries, keys, values, xp.softmax(scores) @ values


def checksum(xp, queries, keys, values, mixed):
    return 1000 * xp.std(mixed)

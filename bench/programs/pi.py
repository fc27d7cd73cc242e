# SPDX-License-Identifier: Apache-2.0
"""Pi from random points: the share of those in a quarter of a circle."""

STEPS = 1


def setup(xp, data, scale):
    return xp.generator(1), xp.zeros(scale << 20, dtype="float32"), None


def step(xp, generator, like, _):
    generator, x = xp.random_uniform(generator, like.shape)
    generator, y = xp.random_uniform(generator, like.shape)
    return generator, like, 4 * xp.mean(xp.astype(x * x + y * y < 1, "float32"))


def checksum(xp, generator, like, pi):
    return pi

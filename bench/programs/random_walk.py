# SPDX-License-Identifier: Apache-2.0
"""Walkers of 1024 random steps: where they are on each day, how far they come, who returns."""

STEPS = 1


def setup(xp, data, scale):
    return xp.put(data.uniform((scale * 1024, 1024), 1, -1, 1)), None, None, None, None


def step(xp, moves, mean, spread, farthest, above):
    paths = xp.cumsum(xp.sign(moves), axis=1)
    above = xp.mean(xp.astype(paths > 0, "float32"), axis=1)
    return moves, xp.mean(paths, axis=0), xp.std(paths, axis=0), xp.max(xp.abs(paths), axis=1), above


def checksum(xp, moves, mean, spread, farthest, above):
    return xp.mean(xp.abs(mean)) + xp.mean(spread) + xp.mean(farthest) + xp.mean(above)

# SPDX-License-Identifier: Apache-2.0
"""Lloyd's algorithm: each point goes to the nearest of 16 centres, each centre to the mean of its points."""

STEPS = 5


def setup(xp, data, scale):
    points = xp.put(data.uniform((scale * 65536, 8), 1))
    return points, points[:16]


def step(xp, points, centres):
    apart = points[:, None] - centres
    nearest = xp.argmin(xp.sum(apart * apart, axis=2), axis=1)
    counts = xp.count(nearest, 16)
    return points, xp.segment_sum(points, nearest, 16) / xp.astype(counts, "float32")[:, None]


def checksum(xp, points, centres):
    return xp.sum(centres * centres)

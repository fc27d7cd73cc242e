# SPDX-License-Identifier: Apache-2.0
"""The eight nearest of many points for each of 128 queries, by a product and topk."""

STEPS = 1


def setup(xp, data, scale):
    return xp.put(data.uniform((scale * 8192, 32), 1)), xp.put(data.uniform((128, 32), 2)), None


def step(xp, points, queries, _):
    lengths = xp.sum(points * points, axis=1)
    closeness = 2 * (queries @ points.T) - lengths
    return points, queries, xp.topk(closeness, 8)


def checksum(xp, points, queries, nearest):
    return xp.mean(nearest)

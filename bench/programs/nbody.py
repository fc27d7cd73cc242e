# SPDX-License-Identifier: Apache-2.0
"""Bodies that attract each other: all pairs, leapfrog."""

STEPS = 2


def setup(xp, data, scale):
    n = data.side(scale)
    places = xp.put(data.uniform((n, 3), 1, -1, 1))
    return places, xp.zeros_like(places), xp.put(data.uniform((n,), 2)) / n


def step(xp, places, speeds, masses):
    apart = places[None] - places[:, None]
    squares = xp.sum(apart * apart, axis=2) + 0.01
    pull = masses * squares**-1.5
    speeds = speeds + 0.01 * xp.sum(apart * pull[:, :, None], axis=1)
    return places + 0.01 * speeds, speeds, masses


def checksum(xp, places, speeds, masses):
    return xp.sum(speeds * speeds)

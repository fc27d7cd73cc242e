# SPDX-License-Identifier: Apache-2.0
"""Edges of an image: Sobel's gradients, their length, and the share of pixels above twice the mean."""

STEPS = 1


def setup(xp, data, scale):
    n = data.side(scale)
    return xp.put(data.uniform((n, n), 1)), None, None


def step(xp, image, edges, share):
    p, lo, mid, hi = image, slice(0, -2), slice(1, -1), slice(2, None)
    across = p[lo, hi] - p[lo, lo] + 2 * (p[mid, hi] - p[mid, lo]) + p[hi, hi] - p[hi, lo]
    down = p[hi, lo] - p[lo, lo] + 2 * (p[hi, mid] - p[lo, mid]) + p[hi, hi] - p[lo, hi]
    length = xp.sqrt(across * across + down * down)
    edges = length > 2 * xp.mean(length)
    return image, edges, xp.mean(xp.astype(edges, "float32"))


def checksum(xp, image, edges, share):
    return share

# SPDX-License-Identifier: Apache-2.0
"""The Mandelbrot set: how many of 50 iterations each point of a grid stays within a circle."""

STEPS = 1


def setup(xp, data, scale):
    n = data.side(scale)
    return xp.linspace(-2, 0.5, n, dtype="float32"), xp.linspace(-1.25, 1.25, n, dtype="float32"), None


def step(xp, across, up, _):
    x, y = xp.meshgrid(across, up, indexing="xy")
    re, im, counts = xp.zeros_like(x), xp.zeros_like(x), xp.astype(xp.zeros_like(x), "int32")
    for _ in range(50):
        within = re * re + im * im < 4
        new = re * re - im * im + x
        im = xp.where(within, 2 * re * im + y, im)
        re = xp.where(within, new, re)
        counts = counts + within
    return across, up, counts


def checksum(xp, across, up, counts):
    return xp.mean(xp.astype(counts, "float32"))

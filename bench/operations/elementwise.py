# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on arrays in the layouts that they have in programs."""

lo, mid, hi = slice(0, -2), slice(1, -1), slice(2, None)


def mandelbrot(xp, a, b):
    real, imaginary, count = a, b, a * 0
    for _ in range(20):
        inside = real * real + imaginary * imaginary < 4
        next_real = real * real - imaginary * imaginary + a
        imaginary = xp.where(inside, 2 * real * imaginary + b, imaginary)
        real = xp.where(inside, next_real, real)
        count = count + xp.astype(inside, "float32")
    return count


def small_steps(xp, row):
    for _ in range(20):
        row = row * 1.5
    return row


OPERATIONS = {
    "add": ("a + b", lambda xp, a, b: a + b),
    "add_row": ("a + a row", lambda xp, a, row: a + row),
    "add_col": ("a + a column", lambda xp, a, row: a + row[:, None]),
    "outer_add": ("a column + a row", lambda xp, row: row[:, None] + row),
    "add_T": ("a + b.T", lambda xp, a, b: a + b.T),
    "inner": ("twice what is not on the rim", lambda xp, a: a[mid, mid] * 2),
    "stencil5": ("four neighbours - 4 a", lambda xp, a: a[lo, mid] + a[hi, mid] + a[mid, lo] + a[mid, hi] - 4 * a[mid, mid]),
    "every2": ("twice every second column", lambda xp, a: a[:, ::2] * 2),
    "flip": ("twice a, backwards along both axes", lambda xp, a: xp.flip(a) * 2),
    "where": ("a where a mask says so, else b", lambda xp, mask, a, b: xp.where(mask, a, b)),
    "u8tof32": ("bytes * 0.5 in float32", lambda xp, bytes: xp.astype(bytes, "float32") * 0.5),
    "half": ("h * h + h in float16", lambda xp, half: half * half + half),
    "mandel20": ("20 steps of the Mandelbrot set", mandelbrot),
    "addsmall": ("20 steps on one row, each computed", small_steps),
}

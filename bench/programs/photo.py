# SPDX-License-Identifier: Apache-2.0
"""A photograph: grey from three bytes a pixel, gamma, a blur of 3 by 3, bytes again."""

import numpy as np

STEPS = 1


def setup(xp, data, scale):
    n = data.side(scale) // 2
    weights = xp.put(np.float32([0.299, 0.587, 0.114]))
    return xp.put(data.integers((n, n, 3), 1, 256, "uint8")), weights, None


def step(xp, photo, weights, _):
    grey = (xp.astype(photo, "float32") / 255) @ weights
    bright = xp.pad(grey ** (1 / 2.2), 1, mode="edge")
    rows = bright[:-2] + 2 * bright[1:-1] + bright[2:]
    blurred = (rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) / 16
    return photo, weights, xp.astype(xp.round(xp.clip(255 * blurred, 0, 255)), "uint8")


def checksum(xp, photo, weights, grey):
    return xp.mean(xp.astype(grey, "float32") ** 2)

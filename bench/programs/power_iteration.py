# SPDX-License-Identifier: Apache-2.0
"""The largest eigenvalue of a symmetric matrix by power iteration, until the host sees it settle."""

STEPS = 10


def setup(xp, data, scale):
    n = data.side(scale)
    matrix = data.uniform((n, n), 1)
    return xp.put((matrix + matrix.T) / 2), xp.zeros(n, dtype="float32") + 1, xp.zeros((), dtype="float32")


def step(xp, matrix, vector, value):
    image = matrix @ vector
    length = xp.sqrt(xp.sum(image * image))
    return matrix, image / length, length


def look(matrix, vector, value):
    return float(value)


def checksum(xp, matrix, vector, value):
    return value

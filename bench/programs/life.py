# SPDX-License-Identifier: Apache-2.0
"""Conway's Game of Life on a torus of bytes."""

STEPS = 10


def setup(xp, data, scale):
    n = data.side(scale)
    return (xp.put((data.uniform((n, n), 1) < 0.3).astype("uint8")),)


def step(xp, board):
    column = xp.roll(board, 1, 0) + board + xp.roll(board, -1, 0)
    neighbours = xp.roll(column, 1, 1) + column + xp.roll(column, -1, 1) - board
    return (xp.astype((neighbours == 3) | ((board == 1) & (neighbours == 2)), "uint8"),)


def checksum(xp, board):
    return xp.mean(xp.astype(board, "float32"))

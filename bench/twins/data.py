# SPDX-License-Identifier: Apache-2.0
"""Numbers from a hash of their places, as data.cpp makes them: every peer begins with the same."""

import numpy as np

_made = np.empty(0, np.float32)


def _numbers(count):
    """Numbers from 0 to 1 with 24 binary digits. They are made once and shared by all arrays."""
    global _made
    if count > len(_made):
        bits = np.arange(len(_made), count, dtype=np.uint32)
        bits = (bits ^ (bits >> np.uint32(16))) * np.uint32(0x7FEB352D)
        bits = (bits ^ (bits >> np.uint32(15))) * np.uint32(0x846CA68B)
        bits = (bits ^ (bits >> np.uint32(16))) >> np.uint32(8)
        _made = np.concatenate([_made, bits.astype(np.float32) * np.float32(2.0**-24)])
    return _made


def side(scale):
    """The side of a square of `scale` times 2^20 elements."""
    return 1024 * int(scale**0.5)


def uniform(shape, seed, low=0.0, high=1.0):
    """Uniform float32 numbers from low to high."""
    count, start = int(np.prod(shape)), seed * 10007
    values = _numbers(start + count)[start : start + count]
    return (np.float32(low) + (np.float32(high) - np.float32(low)) * values).reshape(shape)


def integers(shape, seed, high, dtype="int32"):
    """Uniform integers from 0 to high - 1."""
    return np.floor(uniform(shape, seed, 0, high)).astype(dtype)

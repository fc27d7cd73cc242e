#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times single operations and element-wise functions over another library: what koine_operations does over Koine.

usage: operations.py numpy|cupy|torch|jax [scale] [name...]
       operations.py list                                     names, what each is, and which library leaves it out

Prints "name cold_ms steady_ms checksum". Cold is the time of the first call, once its inputs are there, and steady the
median time of a call: of operations four are made before a wait, of functions one. SECONDS_EACH is how long each is
repeated (operations 0.15, functions 0.08).
"""

import functools
import inspect
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "twins"))
import data  # noqa: E402
import elementwise  # noqa: E402
import functions  # noqa: E402
import layouts  # noqa: E402
import ordering  # noqa: E402
import products  # noqa: E402
import random_numbers  # noqa: E402
import reductions  # noqa: E402
import subscripts  # noqa: E402
from inputs import Inputs  # noqa: E402
from run import Run, main  # noqa: E402

THEMES = (elementwise, layouts, reductions, products, ordering, subscripts, random_numbers)
OPERATIONS = {name: entry for theme in THEMES for name, entry in theme.OPERATIONS.items()}
# A function reads x and y in float32, or under the names x64 and y64 in float64.
FUNCTIONS = {
    f"{name}_{short}": (f"{words}, {dtype}", function, suffix)
    for short, dtype, suffix in (("f32", "float32", ""), ("f64", "float64", "64"))
    for name, (words, function) in functions.FUNCTIONS.items()
}
# Who leaves out what, and why: the table has a blank there.
UNKNOWN_SHAPE = "jitted, shapes cannot depend on values"
LEFT_OUT = {
    "mask": {"jax": UNKNOWN_SHAPE},
    "unique": {"jax": UNKNOWN_SHAPE},
    "addsmall": {"jax": "jitted, the steps would be one kernel"},
    "mm_f16": {"numpy": "its float16 products have no BLAS and take seconds"},
    "cbrt_f32": {"torch": "it has no cube root"},
    "cbrt_f64": {"torch": "it has no cube root"},
}


def described():
    """{name: (kind, words, "library: reason; ...")}"""
    kinds = {"operations": OPERATIONS, "functions": FUNCTIONS}
    return {
        name: (kind, entry[0], "; ".join(f"{who}: {why}" for who, why in LEFT_OUT.get(name, {}).items()))
        for kind, entries in kinds.items() for name, entry in entries.items()
    }


def sample(peer, result):
    """A mean of magnitudes, of some 2^16 elements in any case, in which places count."""
    flat = result.reshape(-1)
    values = np.abs(peer.host(flat[:: len(flat) // 65536 | 1])).astype(np.float64)
    weights = np.arange(len(values)) % 17 + 1.0
    return values @ weights / weights.sum()


@functools.cache
def inputs_of(peer, scale):
    peer.allow_float64()
    return Inputs(peer, data, scale)


def make(name, peer, scale):
    if peer.name in LEFT_OUT.get(name, {}):
        return None
    inputs = inputs_of(peer, scale)
    function, suffix = FUNCTIONS[name][1:] if name in FUNCTIONS else (OPERATIONS[name][1], "")
    steps, seconds = (1, 0.08) if name in FUNCTIONS else (4, 0.15)
    wanted = list(inspect.signature(function).parameters)[1:]
    given = [inputs[each + suffix] for each in wanted]
    step = peer.jit(lambda *arrays: function(peer, *arrays))
    result = None

    def call():
        nonlocal result
        for _ in range(steps):
            result = step(*given)
        peer.wait(result)

    return Run(steps, seconds, True, call, lambda: sample(peer, result))


if __name__ == "__main__":
    main(__doc__, described(), make)

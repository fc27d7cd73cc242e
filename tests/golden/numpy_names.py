#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes numpy_values.txt: what NumPy gives for the examples of tools/numpy_names.txt, in lines of JSON: the expression, the
kind of the elements (b, i, u, f, c, or s for a text), shape and values, of complex numbers both parts one after the other.
`ci/checks/check_generated --fix` makes docs/numpy.md and numpy_names.inc of them."""
import json
import pathlib
import sys
import tempfile

import numpy as np

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[1] / "tools"))
import make_numpy  # noqa: E402


def plain(result):
    """Kind, shape and values."""
    if isinstance(result, str):
        return ["s", [], result]
    if isinstance(result, int) and not isinstance(result, bool) and result > 2**63 - 1:
        return ["u", [], [result]]
    x = np.asarray(result)
    if x.dtype.kind == "c":
        parts = x.reshape(-1).view(x.real.dtype)
    else:
        parts = x.reshape(-1)
    # The shortest text that gives the number again in its own type.
    return [x.dtype.kind, list(x.shape), [float(str(p)) if p.dtype.kind == "f" else p.item() for p in parts]]


given, chapters = make_numpy.read_table()
lines = ["# Written by numpy_names.py: what NumPy gives for the examples of tools/numpy_names.txt"]
with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
    for number, row in enumerate(row for part in chapters.values() for row in part if row.numpy):
        names = {"np": np, "rng": np.random.default_rng(42), "path": f"{folder}/{number}.{'npz' if 'savez' in row.numpy else 'npy'}"}
        for name, (value, _) in given.items():
            names[name] = eval(value, {"np": np})
        *before, result = row.numpy.split("; ")
        try:
            exec("\n".join(before), names)
            lines.append(json.dumps([row.numpy, *plain(eval(result, names))]))
        except Exception as error:
            sys.exit(f"{row.numpy}: {error}")
(here / "numpy_values.txt").write_text("\n".join(lines) + "\n")

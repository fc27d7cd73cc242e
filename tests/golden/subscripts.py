#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes subscripts.inc: what NumPy makes of subscripts with arrays in them. Each row is one expression twice, in Python
and in C++; x is arange(60) in the shape (3, 4, 5), v arange(1000, ...) in the shape of the part."""
import pathlib

import numpy as np

x = np.arange(60).reshape(3, 4, 5)
one, two, grid = np.array([2, 0, -1]), np.array([1, 3, 1]), np.array([[0, 2], [-4, 1]])
column = np.array([[1], [2]])
last, none_at_all = np.array([4, 4, 0]), np.array([], dtype=np.int64)
rows, cells = np.array([True, False, True]), np.arange(20).reshape(4, 5) % 3 == 1
every, nowhere = np.arange(60).reshape(3, 4, 5) % 7 == 2, np.zeros((3, 4, 5), bool)
yes, no = np.array(True), np.array(False)  # masks without axes

# With `assigned`, positions that come twice.
SUBSCRIPTS = [
    ("x[one]", "x(one)"),
    ("x[grid]", "x(grid % 3)", "x[grid % 3]"),
    ("x[:, one]", "x(all, one)"),
    ("x[:, grid]", "x(all, grid)"),
    ("x[..., last]", "x(ellipsis, last)"),
    ("x[..., last, :]", "x(ellipsis, last % 4, all)", "x[..., last % 4, :]"),
    ("x[one, two]", "x(one, two)"),
    ("x[one, two, last]", "x(one, two, last)"),
    ("x[one, :, last]", "x(one, all, last)"),
    ("x[:, two, last]", "x(all, two, last)"),
    ("x[column, two]", "x(column, two)"),
    ("x[:, column, last]", "x(all, column, last)"),
    ("x[one, 1]", "x(one, 1)"),
    ("x[1, two]", "x(1, two)"),
    ("x[:, 1, last]", "x(all, 1, last)"),
    ("x[1, :, last]", "x(1, all, last)"),
    ("x[0, one]", "x(0, one)"),
    ("x[one, ..., 2]", "x(one, ellipsis, 2)"),
    ("x[np.newaxis, one]", "x(newaxis, one)"),
    ("x[one, np.newaxis, two]", "x(one, newaxis, two)"),
    ("x[:, np.newaxis, two, last]", "x(all, newaxis, two, last)"),
    ("x[::2, one, 1:4]", "x(slice(none, none, 2), one, slice(1, 4))"),
    ("x[::-1, :, last]", "x(slice(none, none, -1), all, last)"),
    ("x[one, ::-2, ::3]", "x(one, slice(none, none, -2), slice(none, none, 3))"),
    ("x[one, 3:1:-1, last]", "x(one, slice(3, 1, -1), last)"),
    ("x[one, 5:]", "x(one, slice(5, none))"),
    ("x[none_at_all]", "x(none_at_all)"),
    ("x[:, none_at_all, 2]", "x(all, none_at_all, 2)"),
    ("x[every]", "x(every)"),
    ("x[nowhere]", "x(nowhere)"),
    ("x[rows]", "x(rows)"),
    ("x[rows, 1]", "x(rows, 1)"),
    ("x[1, cells]", "x(1, cells)"),
    ("x[:, cells]", "x(all, cells)"),
    ("x[::-1, cells]", "x(slice(none, none, -1), cells)"),
    ("x[rows, :, ::2]", "x(rows, all, slice(none, none, 2))"),
    ("x[rows, [1, 2]]", "x(rows, pair)", "x[rows, pair]"),
    ("x[rows, ..., [1, 2]]", "x(rows, ellipsis, pair)", "x[rows, ..., pair]"),
    ("x[yes]", "x(yes)"),
    ("x[no]", "x(no)"),
    ("x[yes, one]", "x(yes, one)"),
    ("x[one, yes, two]", "x(one, yes, two)"),
    ("x[:, yes]", "x(all, yes)"),
    ("x[:, no, 1]", "x(all, no, 1)"),
    ("x[..., yes, last]", "x(ellipsis, yes, last)"),
    ("x[yes, :, 1:3]", "x(yes, all, slice(1, 3))"),
    ("x[1, :, yes]", "x(1, all, yes)"),
    ("x[rows, yes]", "x(rows, yes)"),
    ("x[yes, no]", "x(yes, no)"),
    ("x[np.newaxis, yes, 0]", "x(newaxis, yes, 0)"),
    ("x[..., cells.T[0]]", "x(ellipsis, cells.T()(0), all)", "x[..., cells.T[0], :]"),
]
pair = np.array([1, 2])


def text(array):
    return "V{" + ", ".join(str(int(value)) for value in np.ravel(array)) + "}"


lines = ["// SPDX-License-Identifier: Apache-2.0",
         "// Written by subscripts.py: KN_GOLDEN(subscript, shape of the part, its values, all values after assignment)"]
for python, cpp, *exact in SUBSCRIPTS:
    python = (exact or [python])[0]
    part = eval(python)
    target = x.copy()
    values = np.arange(1000, 1000 + part.size).reshape(part.shape)
    exec(python.replace("x[", "target[", 1) + " = values")
    lines.append(f"KN_GOLDEN(({cpp}), ({text(part.shape)}), ({text(part)}), ({text(target)}))")
pathlib.Path(__file__).with_suffix(".inc").write_text("\n".join(lines) + "\n")

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes pad.inc, signal.inc and interp.inc: what NumPy makes of them. Each row is one expression in C++ and
what it gives. Padding by wrap wider than the axis is left to the test's own loops: NumPy before 1.25 does not repeat
whole periods there."""
import pathlib

import numpy as np

folder = pathlib.Path(__file__).parent


def texts(array):
    return [f"(V{{{', '.join(str(int(value)) for value in values)}}})" for values in (array.shape, array.ravel())]


def write(name, rows):
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             "// Written by signal.py: KN_GOLDEN(call, shape of the result, its values)"]
    lines += [f"KN_GOLDEN(({call}), {', '.join(texts(result))})" for call, result in rows]
    (folder / name).write_text("\n".join(lines) + "\n")


line, grid, box, single = np.arange(1, 6), np.arange(6).reshape(2, 3), np.arange(12).reshape(2, 3, 2), np.array([7])
WIDTHS = [
    ("line", 2, "2"), ("line", (0, 3), "{0, 3}"), ("line", ((4, 1),), "{{4, 1}}"), ("grid", ((1, 0), (0, 2)), "{{1, 0}, {0, 2}}"),
    ("grid", (1, 2), "{1, 2}"), ("box", ((0, 1), (2, 0), (1, 1)), "{{0, 1}, {2, 0}, {1, 1}}"), ("grid", 0, "0"),
]
# Longer than the axes, some by several periods.
WIDE = [("line", (13, 22), "{13, 22}"), ("grid", ((5, 4), (7, 1)), "{{5, 4}, {7, 1}}"), ("single", (3, 4), "{3, 4}")]
rows = []
for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
    for name, widths, text in WIDTHS + (WIDE if mode != "wrap" else []):
        options = f'{{.mode = "{mode}"}}'
        rows.append((f"kn::pad({name}, {text}, {options})", np.pad(globals()[name], widths, mode)))
rows.append(("kn::pad(grid, 1)", np.pad(grid, 1)))
rows.append(("kn::pad(grid, 1, {.constant_values = -3})", np.pad(grid, 1, constant_values=-3)))
rows.append(("kn::pad(grid, 1, {.constant_values = line(2)})", np.pad(grid, 1, constant_values=line[2])))
rows.append(("kn::pad(line(kn::slice(0, 0)), {1, 2})", np.pad(line[:0], (1, 2))))
write("pad.inc", rows)

inputs = {"single": single, "pair": np.array([2, -1]), "three": np.array([1, -3, 2]), "four": np.array([0, 1, 5, -2]),
          "eleven": np.arange(11) * 5 % 7 - 2}
rows = []
for first, a in inputs.items():
    for second, b in inputs.items():
        for mode in ("full", "same", "valid"):
            for function in (np.convolve, np.correlate):
                call = f'kn::{function.__name__}({first}, {second}, {{.mode = "{mode}"}})'
                rows.append((call, function(a, b, mode)))
rows.append(("kn::convolve(eleven, three)", np.convolve(inputs["eleven"], inputs["three"])))
rows.append(("kn::correlate(eleven, three)", np.correlate(inputs["eleven"], inputs["three"])))
write("signal.inc", rows)

inf, nan = np.inf, np.nan
x = np.array([-inf, -1, 0, 0.5, 1, 1.25, 2, 3, 3.5, 4, 4.5, inf, nan])
xp, fp, jumps = np.array([0, 1, 2, 2, 4.0]), np.array([1, 3, -1, 5, 8.0]), np.array([1, inf, -inf, -inf, 8])
turned, waves = np.array([350, 10, -90, 120.0]), np.array([1, 2, 4, -3.0])
angles = np.array([-720, -350, 0, 5, 90, 200, 300, 355, 719.0])
rows = [("kn::interp(x, xp, fp)", np.interp(x, xp, fp)),
        ("kn::interp(x, xp, fp, {.left = -5, .right = 9})", np.interp(x, xp, fp, -5, 9)),
        ("kn::interp(x, xp, fp, {.left = x(-1)})", np.interp(x, xp, fp, nan)),
        ("kn::interp(x, xp, jumps)", np.interp(x, xp, jumps)),
        # Of one point alone NumPy gives its value for NaN too.
        ("kn::interp(x(kn::slice(0, -1)), xp(kn::slice(2, 3)), fp(kn::slice(0, 1)))", np.interp(x[:-1], [2], [1])),
        ("kn::interp(angles, turned, waves, {.period = 360})", np.interp(angles, turned, waves, period=360)),
        ("kn::interp(angles, turned, waves, {.left = 7, .period = -360})", np.interp(angles, turned, waves, 7, None, -360))]
lines = ["// SPDX-License-Identifier: Apache-2.0", "// Written by signal.py: KN_GOLDEN(call, its values)"]
lines += [f"KN_GOLDEN(({call}), (F{{{', '.join(str(value) for value in result)}}}))" for call, result in rows]
(folder / "interp.inc").write_text("\n".join(lines) + "\n")

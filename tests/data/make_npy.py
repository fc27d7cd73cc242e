#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the .npy files beside this script with NumPy itself. The tests know their values: element i of each, counted in
row-major order, is i - 2 where the type has negative numbers, else i; bools are i % 2; complex numbers have the imaginary part i / 2."""
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def values(dtype, shape):
    count = int(np.prod(shape, dtype=int))
    i = np.arange(count)
    kind = np.dtype(dtype).kind
    x = i % 2 if kind == "b" else i if kind == "u" else i - 2
    if kind == "c":
        x = x + 0.5j * i
    return x.astype(dtype).reshape(shape)


def write(name, array, version=(1, 0)):
    with open(HERE / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version)


for code in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"):
    write(f"little_{code}", values("<" + code, (2, 3)))
for code in ("i2", "u4", "i8", "f2", "f8", "c8"):
    write(f"big_{code}", values(">" + code, (2, 3)))
write("fortran_f4", np.asfortranarray(values("<f4", (2, 3, 4))))
write("fortran_big_i4", np.asfortranarray(values(">i4", (3, 2))))
write("scalar_f8", values("<f8", ()))
write("vector_i4", values("<i4", (5,)))
write("empty_f4", values("<f4", (3, 0, 2)))
write("version2_f4", values("<f4", (2, 3)), (2, 0))
write("version3_i8", values("<i8", (2, 3)), (3, 0))
write("records", np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f4")]))
write("text", np.array(["a", "bc"]))

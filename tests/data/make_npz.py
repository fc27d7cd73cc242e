#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the .npz files beside this script with NumPy and Python's zipfile, and into tests/fuzz/files/corpus/npz what no
library would write. Each holds `a`, int32 -2 to 3 in the shape (2, 3), and `b c`, 1000 zeros of float64. With the name of
a file that save_npz wrote it checks that file instead."""
import pathlib
import sys
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE.parent / "fuzz/files/corpus/npz"
ARRAYS = {"a": np.arange(-2, 4, dtype="<i4").reshape(2, 3), "b c": np.zeros(1000)}


def check(path):
    with np.load(path) as found:
        assert sorted(found) == sorted(ARRAYS), sorted(found)
        for name, array in ARRAYS.items():
            assert found[name].dtype == array.dtype and np.array_equal(found[name], array), name
    assert zipfile.ZipFile(path).testzip() is None


def main():
    if len(sys.argv) > 1:
        check(sys.argv[1])
        return
    np.savez(HERE / "stored.npz", **ARRAYS)
    np.savez_compressed(HERE / "deflated.npz", **ARRAYS)
    np.savez(HERE / "none.npz")
    with zipfile.ZipFile(HERE / "mixed.npz", "w") as archive:
        archive.comment = b"a comment, PK\5\6 in it"
        archive.writestr(zipfile.ZipInfo("a.npy"), (HERE / "little_i4.npy").read_bytes(), zipfile.ZIP_STORED)
        archive.writestr(zipfile.ZipInfo("big.npy"), (HERE / "big_f8.npy").read_bytes(), zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo("fortran.npy"), (HERE / "fortran_f4.npy").read_bytes(), zipfile.ZIP_DEFLATED)
    CORPUS.mkdir(exist_ok=True)
    with zipfile.ZipFile(CORPUS / "text.npz", "w") as archive:
        archive.writestr(zipfile.ZipInfo("notes.txt"), "no array")
    whole = (HERE / "deflated.npz").read_bytes()
    (CORPUS / "cut.npz").write_bytes(whole[: len(whole) // 2])
    # Two names for the same bytes; a directory that claims more than deflated bytes can be.
    second = whole.rindex(b"PK\1\2")
    overlap = bytearray(whole)
    overlap[second + 42 : second + 46] = bytes(4)
    (CORPUS / "overlap.npz").write_bytes(overlap)
    bomb = bytearray(whole)
    bomb[second + 24 : second + 28] = b"\xfe\xff\xff\xff"
    (CORPUS / "bomb.npz").write_bytes(bomb)


main()

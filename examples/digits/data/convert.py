#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns scikit-learn's digits.csv.gz into the images.npy and labels.npy beside this script.

usage: convert.py digits.csv.gz    (Debian: apt-get download python3-sklearn; dpkg -x python3-sklearn_*.deb .;
                                    it is usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz)
"""
import gzip
import pathlib
import sys

import numpy as np

here = pathlib.Path(__file__).resolve().parent
with gzip.open(sys.argv[1], "rt") as file:
    table = np.loadtxt(file, delimiter=",").astype(np.uint8)  # one image a line: 64 pixels of 0 to 16, the digit
np.save(here / "images.npy", table[:, :64].reshape(-1, 8, 8))
np.save(here / "labels.npy", table[:, 64].copy())

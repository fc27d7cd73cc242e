#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns CPython's audiotest.au and Matplotlib's grace_hopper.jpg into the voice.npy and photograph.npy beside this script.

usage: convert.py audiotest.au grace_hopper.jpg      needs numpy, pillow; README.md says where the two files come from
"""
import pathlib
import sys

import numpy as np
from PIL import Image

here = pathlib.Path(__file__).resolve().parent

# An .au file: a header whose second word says how long it is, then 8-bit mu-law (ITU-T G.711), which is stored inverted.
sound = pathlib.Path(sys.argv[1]).read_bytes()
code = ~np.frombuffer(sound[int.from_bytes(sound[4:8], "big"):], np.uint8)
size = (((code & 15).astype(np.int16) * 8 + 132) << (code >> 4 & 7)) - 132
np.save(here / "voice.npy", np.where(code & 128, -size, size).astype(np.int16))

pixels = np.asarray(Image.open(sys.argv[2]).convert("L"), np.float64)  # 600 x 512
blocks = pixels.reshape(300, 2, 256, 2).mean(axis=(1, 3))
np.save(here / "photograph.npy", np.rint(blocks).astype(np.uint8))

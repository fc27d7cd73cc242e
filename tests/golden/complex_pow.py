#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes complex_pow.inc: powers of complex numbers with large exponents, by mpmath with 400 bits."""
import math
import pathlib
import random
import struct

import mpmath

mpmath.mp.prec = 400
random.seed(13)


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def cases(largest):
    """Bases and exponents whose power is in range: |z| near 1, of usual size, huge and tiny."""
    for kind in ["whole", "whole", "real", "imaginary", "any"] * 12:
        size = random.choice([1 + random.uniform(-1e-3, 1e-3), random.uniform(0.1, 10), 10 ** random.uniform(-30, 30)])
        angle = random.uniform(-math.pi, math.pi)
        most = largest / abs(math.log(size)) * random.uniform(-1, 1)
        turn = random.uniform(-1, 1) * largest / 10
        exponent = {
            "whole": (float(round(max(min(most, 2**29), -(2**29)))), 0.0),
            "real": (most, 0.0),
            "imaginary": (0.0, turn),
            "any": (most / 2, turn),
        }[kind]
        yield (size * math.cos(angle), size * math.sin(angle)), exponent


lines = ["// SPDX-License-Identifier: Apache-2.0",
         "// Written by complex_pow.py: KN_GOLDEN(type, the base's parts, the exponent's, those of the power)"]
for name, largest, rounded in (("float", 85, single), ("double", 700, float)):
    for base, exponent in cases(largest):
        z, w = [mpmath.mpc(*map(rounded, pair)) for pair in (base, exponent)]
        power = mpmath.exp(w * mpmath.log(z))
        inputs = [float(part).hex() for part in (z.real, z.imag, w.real, w.imag)]
        parts = [mpmath.nstr(part, 25, min_fixed=1, max_fixed=0) + "L" for part in (power.real, power.imag)]
        lines.append(f"KN_GOLDEN({', '.join([name, *inputs, *parts])})")
pathlib.Path(__file__).with_suffix(".inc").write_text("\n".join(lines) + "\n")

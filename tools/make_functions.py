#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Computes the coefficients of Koine's own elementary functions, kernels/common/*.clh: polynomials through Chebyshev's
# nodes, which come within a factor of three of the best ones, in 70 digits by mpmath (Debian's python3-mpmath).
# usage: tools/make_functions.py [name ...]    prints, for each, its error and the coefficients from the lowest on
import struct
import sys

from mpmath import asin, atan, atanh, cos, erf, erfc, exp, floor, gamma, log, loggamma, mp, mpf, pi, polyval, psi, sin
from mpmath import sinh, sqrt

mp.dps = 70


def odd(f):
    """(f(x) / x - 1) / t as a function of t = x^2."""
    return lambda t: (f(sqrt(t)) / sqrt(t) - 1) / t


def far_erf(middle):
    return lambda u: log(erfc(u + middle)) / (u + middle)


def scaled_erfc(t):
    """exp(x^2) erfc(x) (1 + 2x), which changes little, less its value at 3, over t = (x - 3) / (x + 3)."""
    x = 3 * (1 + t) / (1 - t)
    return (exp(x * x) * erfc(x) * (1 + 2 * x) - exp(9) * erfc(3) * 7) / t


def near_lgamma(s):
    """log(gamma(2 + s)) without its zeros at 0 and -1."""
    return loggamma(2 + s) / (s * (s + 1)) if abs(s) > mpf(10) ** -25 else psi(0, mpf(2))


def stirling(u):
    """What Stirling's formula lacks of log(gamma(a)), times a, as a function of u = 1 / a^2."""
    a = 1 / sqrt(u)
    return (loggamma(a) - ((a - mpf(1) / 2) * log(a) - a + log(2 * pi) / 2)) * a


# name: function, from, to, degree for float32; the same for float64
EIGHTH = (pi / 4 * mpf("1.02")) ** 2
LOGS = (sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1)
LOG_TAIL = lambda f: (log(1 + f) - f + f * f / 2) / f**3 if abs(f) > mpf(10) ** -20 else mpf(1) / 3 - f / 4
EXP_TAIL = lambda r: (exp(r) - 1 - r) / r**2 if abs(r) > mpf(10) ** -20 else mpf(1) / 2 + r / 6
POLYNOMIALS = {
    "KN_SINE": [(odd(sin), 0, EIGHTH, 3), (odd(sin), 0, EIGHTH, 6)],
    "KN_COSINE": [(lambda t: (cos(sqrt(t)) - 1 + t / 2) / t**2, 0, EIGHTH, degree) for degree in (2, 6)],
    "KN_EXP_TAIL": [(EXP_TAIL, -0.35, 0.35, 5), (EXP_TAIL, -0.35, 0.35, 10)],
    "KN_LOG_TAIL": [(LOG_TAIL, *LOGS, 9), (LOG_TAIL, *LOGS, 20)],
    "KN_LOG2_TAIL": [(lambda t: (odd(atanh)(t) - mpf(1) / 3) / t, 0, 0.0296, degree) for degree in (2, 7)],
    "KN_SINH": [(odd(sinh), 0, 1, 3), (odd(sinh), 0, 1, 7)],
    "KN_ATAN": [(odd(atan), 0, 1, 10), (odd(atan), 0, 1, 20)],
    "KN_ASIN": [(odd(asin), 0, 0.25, 5), (odd(asin), 0, 0.25, 13)],
    "KN_ERF_NEAR": [(lambda t: erf(sqrt(t)) / sqrt(t) - 1, 0, end * end, degree) for end, degree in ((1, 6), (1.25, 15))],
    "KN_ERF_FAR": [(far_erf(mpf(2.5)), -1.5, 1.5, 8), (far_erf(mpf(3.625)), -2.375, 2.375, 22)],
    "KN_ERFC": [(scaled_erfc, mpf(-2.5) / 3.5, mpf(end - 3) / (end + 3), degree) for end, degree in ((10.2, 9), (27.5, 21))],
    "KN_LGAMMA": [(near_lgamma, -1, 1, 13), (near_lgamma, -1, 1, 28)],
    "KN_GAMMA": [(lambda s: gamma(2 + s), 0, 1, 8), (lambda s: gamma(2 + s), 0, 1, 17)],
    "KN_STIRLING": [(stirling, mpf(10) ** -28, mpf(1) / 36, 2), (stirling, mpf(10) ** -28, mpf(1) / 36, 7)],
}


def fitted(function, low, high, degree):
    """The polynomial through Chebyshev's nodes, by Newton's form, and its largest error at points between them."""
    low, high = mpf(low), mpf(high)
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * degree + 2)) for i in range(degree + 1)]
    differences = [function(x) for x in nodes]
    for j in range(1, degree + 1):
        for i in range(degree, j - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (nodes[i] - nodes[i - j])
    result = [mpf(0)] * (degree + 2)
    for i in range(degree, -1, -1):
        result = [(result[k - 1] if k else 0) - nodes[i] * result[k] for k in range(degree + 2)]
        result[0] += differences[i]
    result = result[: degree + 1]
    points = [low + (high - low) * (mpf(k) + mpf(1) / 3) / 400 for k in range(400)]
    return result, max(abs(function(x) - polyval(result[::-1], x)) for x in points)


def written(value, single):
    rounded = struct.unpack("f", struct.pack("f", float(value)))[0] if single else float(value)
    digits, exponent = rounded.hex().split("p")
    return digits.rstrip("0").rstrip(".") + "p" + exponent + ("f" if single else "")


def main():
    for name in sys.argv[1:] or POLYNOMIALS:
        for single, (function, low, high, degree) in zip((True, False), POLYNOMIALS[name]):
            coefficients, error = fitted(function, low, high, degree)
            print(f"{name}_{'float' if single else 'double'}: within 2^{float(log(error, 2)):.1f}")
            print("  " + ", ".join(written(c, single) for c in coefficients))
    if not sys.argv[1:]:
        bits = int(floor(2 / pi_of(1300) * mpf(2) ** 1184))
        print("kn_quarter_bits: " + ", ".join(f"0x{bits >> 1152 - 32 * i & 0xFFFFFFFF:08x}" for i in range(37)))


def pi_of(bits):
    mp.prec = bits
    return +pi


if __name__ == "__main__":
    main()

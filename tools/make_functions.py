#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Computes the coefficients of Koine's own elementary functions, kernels/common/*.clh: the polynomials whose largest
# error, as a part of the function's value, is least, by Remez' exchange in 60 digits (Debian's python3-mpmath).
# usage: tools/make_functions.py [name ...]    prints, for each, its error and the coefficients from the lowest on
import struct
import sys

from mpmath import asin, atan, atanh, cos, erf, erfc, exp, floor, gamma, log, loggamma, lu_solve, matrix, mp, mpf, pi
from mpmath import polyval, psi, sin, sinh, sqrt, tanh

mp.dps = 60
TINY = mpf(10) ** -12  # stands for 0 where a formula is 0 / 0 there


def odd(f):
    """(f(x) / x - 1) / t as a function of t = x^2."""
    return lambda t: (f(sqrt(t)) / sqrt(t) - 1) / t


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


def log_tail(f):
    return (log(1 + f) - f + f * f / 2) / f**3 if abs(f) > TINY else mpf(1) / 3 - f / 4


def exp_tail(r):
    return (exp(r) - 1 - r) / r**2 if abs(r) > TINY else mpf(1) / 2 + r / 6


def cosine(t):
    return (cos(sqrt(t)) - 1 + t / 2) / t**2


def near_erf(s):
    """erf(x) / x - 1 as a function of s = x^2 - 1."""
    x = sqrt(1 + s)
    return erf(x) / x - 1


def far_erf(u):
    """The fourth root of erfc(x) as a function of u = x - 7/4."""
    return sqrt(sqrt(erfc(u + ERF_MIDDLE)))


def error_of_far_erf(u):
    """How many times as large an error of far_erf(u) is in erf(x), as a part of it."""
    return 4 * far_erf(u) ** 3 / erf(u + ERF_MIDDLE)


def log2_tail(t):
    return (odd(atanh)(t) - mpf(1) / 3) / t


EIGHTH = (pi / 4 * mpf("1.02")) ** 2
EXPS = mpf("0.3467")
ERF_SPLIT, ERF_MIDDLE = mpf("1.28125"), mpf("1.75")
LOGS = (sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1)
# name: function, weight of its error, from, to, degree for float32; the same for float64
POLYNOMIALS = {
    "KN_SINE": [(odd(sin), lambda t: t, TINY, EIGHTH, degree) for degree in (2, 5)],
    "KN_COSINE": [(cosine, lambda t: t * t / cos(sqrt(t)), TINY, EIGHTH, degree) for degree in (2, 5)],
    "KN_EXP_TAIL": [(exp_tail, lambda r: r * r * exp(-r), -EXPS, EXPS, degree) for degree in (4, 9)],
    "KN_LOG_TAIL": [(log_tail, lambda f: f**3 / log(1 + f) if abs(f) > TINY else f * f, *LOGS, degree) for degree in (8, 18)],
    "KN_LOG2_TAIL": [(log2_tail, lambda t: t * t, TINY, 0.0296, degree) for degree in (2, 6)],
    "KN_SINH": [(odd(sinh), lambda t: t * sqrt(t) / sinh(sqrt(t)), TINY, 1, degree) for degree in (3, 6)],
    "KN_TANH": [(odd(tanh), lambda t: t * sqrt(t) / tanh(sqrt(t)), TINY, end * end, degree) for end, degree in ((1, 6), (0.9, 13))],
    "KN_ATAN": [(odd(atan), lambda t: t, TINY, 1, degree) for degree in (8, 19)],
    "KN_ASIN": [(odd(asin), lambda t: t, TINY, 0.25, degree) for degree in (4, 12)],
    "KN_ERF_NEAR": [(near_erf, lambda s: 1 / (1 + near_erf(s)), TINY - 1, ERF_SPLIT**2 - 1, degree) for degree in (7, 13)],
    "KN_ERF_FAR": [(far_erf, error_of_far_erf, ERF_SPLIT - ERF_MIDDLE, end - ERF_MIDDLE, degree) for end, degree in ((4, 7), (6, 19))],
    "KN_ERFC": [(scaled_erfc, abs, mpf(-2.5) / 3.5, mpf(end - 3) / (end + 3), degree) for end, degree in ((10.2, 9), (27.5, 20))],
    "KN_LGAMMA": [(near_lgamma, lambda s: 1 / near_lgamma(s), -1, 1, degree) for degree in (13, 28)],
    "KN_GAMMA": [(lambda s: gamma(2 + s), lambda s: 1 / gamma(2 + s), 0, 1, degree) for degree in (8, 17)],
    "KN_STIRLING": [(stirling, lambda u: 1, mpf(10) ** -28, mpf(1) / 36, degree) for degree in (2, 7)],
}


def fitted(function, weight, low, high, degree):
    """The polynomial p for which the largest weight(x) |function(x) - p(x)| at 800 points is least, and that error."""
    low, high = mpf(low), mpf(high)
    points = [(low + high) / 2 - (high - low) / 2 * cos(pi * (k + mpf(1) / 2) / 800) for k in range(800)]
    values, weights = [function(x) for x in points], [weight(x) for x in points]
    chosen = [round(799 * k / (degree + 1)) for k in range(degree + 2)]
    for _ in range(20):
        # The polynomial whose weighted errors at the chosen points are equal and alternate.
        rows = matrix([[points[i] ** k for k in range(degree + 1)] + [(-1) ** row / weights[i]] for row, i in enumerate(chosen)])
        *result, level = lu_solve(rows, matrix([values[i] for i in chosen]))
        errors = [w * (v - polyval(result[::-1], x)) for x, v, w in zip(points, values, weights)]
        # The largest error of each sign in turn; of those that are too many the smallest go, two at a time within.
        peaks = []
        for i, error in enumerate(errors):
            if peaks and errors[peaks[-1]] * error > 0:
                if abs(error) > abs(errors[peaks[-1]]):
                    peaks[-1] = i
            else:
                peaks.append(i)
        while len(peaks) > len(chosen):
            sizes = [abs(errors[i]) for i in peaks]
            if len(peaks) == len(chosen) + 1:
                del peaks[0 if sizes[0] < sizes[-1] else -1]
            else:
                at = min(range(len(peaks) - 1), key=lambda k: max(sizes[k], sizes[k + 1]))
                del peaks[at : at + 2]
        largest = max(abs(error) for error in errors)
        if largest < abs(level) * mpf("1.001") or len(peaks) < len(chosen):
            break
        chosen = peaks
    return result, largest


def written(value, single):
    rounded = struct.unpack("f", struct.pack("f", float(value)))[0] if single else float(value)
    digits, exponent = rounded.hex().split("p")
    return digits.rstrip("0").rstrip(".") + "p" + exponent + ("f" if single else "")


def main():
    for name in sys.argv[1:] or POLYNOMIALS:
        for single, (function, weight, low, high, degree) in zip((True, False), POLYNOMIALS[name]):
            coefficients, error = fitted(function, weight, low, high, degree)
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

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every function of linear algebra on every kind of matrix, size and type, by what must hold of its results, and beside
NumPy's and SciPy's answers where these say more; and Fourier transforms. Prints for each function and type the worst
error as a part of what is allowed, and where it was; fails if one is above 1.

usage: KOINE_DEVICE=... python ci/run/linalg_accuracy.py [size ...]     (koine on PYTHONPATH)
KERNELS=1 computes in reproducible scopes: by Koine's kernels rather than by LAPACK. FUNCTIONS="lu qr" is for these.

Errors are allowed 30 n eps of the norms that a backward error is measured by (docs/linalg.md), transforms
5 eps log2 n. An error that only a matrix of full rank rules out is expected of others.
"""
import functools
import os
import sys

import koine as kn
import numpy as np
import scipy.linalg

SIZES = [int(size) for size in sys.argv[1:]] or [1, 2, 3, 31, 32, 33, 100, 257, 1000]
TYPES = ("float32", "float64", "complex64", "complex128")
linalg, norm = kn.linalg, np.linalg.norm


def draw(rng, shape, dtype):
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x


@functools.lru_cache(maxsize=4)
def basis(which, n, letter):
    """Orthonormal columns, real or complex by the letter of the type's kind: made once for all functions and kinds."""
    return np.linalg.qr(draw(np.random.default_rng([which, n]), (n, n), letter + "8"))[0]


# ---- kinds: (rng, n, dtype) to a matrix in double, and for Hermitian ones the eigenvalues instead
def spectrum(kind, n, eps):
    rank = n // 2
    return {
        "random": None,
        "ill-conditioned": np.logspace(0, np.log10(eps) + 3.7, n),  # to 1e12 in float64, 2e3 in float32
        "deficient": np.where(np.arange(n) < rank, 1 + np.arange(n) / n, 0),
        "repeated": np.where(np.arange(n) < rank, 1.0, -2.0),
        "graded": 2.0 ** -np.minimum(np.arange(n), 40),
        "zero": np.zeros(n),
        "near overflow": None,
        "near underflow": None,
    }[kind]


KINDS = ("random", "ill-conditioned", "deficient", "repeated", "graded", "zero", "near overflow", "near underflow")
SINGULAR = ("deficient", "zero")


def scale_of(kind, dtype):
    """Powers of two, so that bringing them back rounds nothing."""
    most = np.log2(float(np.finfo(dtype).max))
    return {"near overflow": 2.0 ** (most // 2), "near underflow": 2.0 ** -(most // 2)}.get(kind, 1.0)


def general(kind, n, dtype, rng):
    values = spectrum(kind, n, np.finfo(dtype).eps)
    if values is None:
        return draw(rng, (n, n), dtype) * scale_of(kind, dtype)
    if kind == "graded":
        return draw(rng, (n, n), dtype) * values[:, None]
    return (basis(1, n, np.dtype(dtype).kind) * values) @ basis(2, n, np.dtype(dtype).kind)


def hermitian(kind, n, dtype, rng, definite=False):
    values = spectrum(kind, n, np.finfo(dtype).eps)
    if values is None:
        values = (1 + rng.random(n) if definite else rng.standard_normal(n)) * scale_of(kind, dtype)
    q = basis(1, n, np.dtype(dtype).kind)
    if kind == "graded" and definite:  # graded on both sides, which rounding leaves definite
        scales = 2.0 ** -np.minimum(np.arange(n), 20)
        a = (q * (1 + rng.random(n))) @ q.conj().T * np.outer(scales, scales)
        return (a + a.conj().T) / 2
    a = (q * (np.abs(values) if definite else values)) @ q.conj().T
    return (a + a.conj().T) / 2


# ---- what is checked: a function of a case gives pairs (error, what n eps of it is measured by)
class Case:
    def __init__(self, kind, n, dtype):
        self.kind, self.n, self.dtype = kind, n, np.dtype(dtype)
        self.rng = np.random.default_rng([n, KINDS.index(kind), TYPES.index(dtype)])
        self.eps = float(np.finfo(dtype).eps)

    def given(self, x):
        """A matrix as the type holds it, for Koine and, scaled near 1 by a power of two, in double for what is checked."""
        x = x.astype(self.dtype)
        return kn.asarray(x), self.wide(x)

    def wide(self, x, power=1):
        x = np.asarray(x)
        return x.astype(np.promote_types(x.dtype, np.float64)) / scale_of(self.kind, self.dtype) ** power

    def square(self):
        return self.given(general(self.kind, self.n, self.dtype, self.rng))

    def right(self, columns=3):
        x = draw(self.rng, (self.n, columns), self.dtype).astype(self.dtype)
        return kn.asarray(x), x.astype(np.promote_types(x.dtype, np.float64))


def orthonormal(q):
    return norm(q.conj().T @ q - np.eye(q.shape[1]), 2), 1


def cholesky(c):
    if c.kind in SINGULAR:
        return
    x, a = c.given(hermitian(c.kind, c.n, c.dtype, c.rng, definite=True))
    factor = c.wide(linalg.cholesky(x), 0.5)
    yield norm(factor @ factor.conj().T - a), norm(a)
    yield norm(np.triu(factor, 1)), 0


def lu(c):
    x, a = c.square()
    p, l, u = linalg.lu(x)
    p, l, u = c.wide(p, 0), c.wide(l, 0), c.wide(u)
    yield norm(p @ (l @ u) - a), norm(a)
    yield norm(np.tril(u, -1)) + norm(np.triu(l, 1)), 0
    yield (0 if np.abs(l).max() <= 1.415 else np.inf), 1


def qr(c):
    x, a = c.square()
    for mode in ("reduced", "complete"):
        for x1, a1 in ((x, a), (x[:, :(c.n + 1) // 2], a[:, :(c.n + 1) // 2])):
            q, r = linalg.qr(x1, mode=mode)
            q, r = c.wide(q, 0), c.wide(r)
            yield norm(q @ r - a1), norm(a1)
            yield orthonormal(q)
            yield norm(np.tril(r, -1)), 0


def eigh(c):
    x, a = c.given(hermitian(c.kind, c.n, c.dtype, c.rng))
    w, v = linalg.eigh(x)
    w, v = c.wide(w), c.wide(v, 0)
    yield norm(a @ v - v * w), norm(a)
    yield orthonormal(v)
    expected = scipy.linalg.eigvalsh(a)
    for values in (w, c.wide(linalg.eigvalsh(x))):
        yield np.abs(values - expected).max(), norm(a)


def svd(c):
    x, a = c.square()
    for x1, a1 in ((x, a), (x[:(c.n + 1) // 2], a[:(c.n + 1) // 2])):
        u, s, vh = linalg.svd(x1, full_matrices=False)
        u, s, vh = c.wide(u, 0), c.wide(s), c.wide(vh, 0)
        yield norm((u * s) @ vh - a1), norm(a1)
        yield orthonormal(u)
        yield orthonormal(vh.conj().T)
        expected = scipy.linalg.svdvals(a1)
        for values in (s, c.wide(linalg.svdvals(x1))):
            yield np.abs(values - expected).max(), norm(a1)


def eig(c):
    x, a = c.square()
    w, v = linalg.eig(x)
    w, v = c.wide(w), c.wide(v, 0)
    yield norm(a @ v - v * w), norm(a) * max(1, norm(v, 2))
    yield abs(w.sum() - np.trace(a)), norm(a) * np.sqrt(c.n)
    yield abs(c.wide(linalg.eigvals(x)).sum() - np.trace(a)), norm(a) * np.sqrt(c.n)


def schur(c):
    x, a = c.square()
    t, z = linalg.schur(x)
    t, z = c.wide(t), c.wide(z, 0)
    yield norm(a @ z - z @ t), norm(a)
    yield orthonormal(z)
    yield norm(np.tril(t, -2 if c.dtype.kind == "f" else -1)), 0


def ldl(c):
    x, a = c.given(hermitian(c.kind, c.n, c.dtype, c.rng))
    l, d, _ = linalg.ldl(x)
    l, d = c.wide(l, 0), c.wide(d)
    yield norm(l @ d @ l.conj().T - a), norm(a)


def solve(c):
    if c.kind in SINGULAR:
        return
    x, a = c.square()
    b, right = c.right()
    found = c.wide(linalg.solve(x, b), -1)
    yield norm(a @ found - right), norm(a) * norm(found) + norm(right)


def inv(c):
    if c.kind in SINGULAR:
        return
    x, a = c.square()
    found = c.wide(linalg.inv(x), -1)
    yield norm(a @ found - np.eye(c.n)), norm(a) * norm(found)


def solve_triangular(c):
    if c.kind in SINGULAR:
        return
    x, a = c.given(scipy.linalg.lu(general(c.kind, c.n, c.dtype, c.rng))[2])
    b, right = c.right()
    for lower in (False, True):
        found = c.wide(linalg.solve_triangular(x.mT if lower else x, b, lower=lower), -1)
        yield norm((a.T if lower else a) @ found - right), norm(a) * norm(found) + norm(right)


def determinants(c):
    x, a = c.square()
    singular_values = scipy.linalg.svdvals(a)
    sign, log = (np.asarray(part) for part in linalg.slogdet(x))
    if c.kind == "zero":
        yield abs(sign), 0
        yield (0 if log == -np.inf and np.asarray(linalg.det(x)) == 0 else np.inf), 1
        return
    condition = singular_values[0] / singular_values[-1] if singular_values[-1] > 0 else np.inf
    if not 30 * c.n * c.eps * condition < 0.1:
        return
    expected_sign, expected = np.linalg.slogdet(a)
    expected += c.n * np.log(scale_of(c.kind, c.dtype))
    measure = condition + abs(expected)
    yield abs(log - expected), measure
    yield abs(sign - expected_sign), measure
    if abs(expected) < 80:
        yield abs(np.asarray(linalg.det(x)) / (expected_sign * np.exp(expected)) - 1), measure


def lstsq(c):
    wide = general(c.kind, c.n, c.dtype, c.rng)
    x, a = c.given(np.vstack([wide, wide[: (c.n + 1) // 2] * 0.5]))
    right = draw(c.rng, (a.shape[0], 2), c.dtype).astype(c.dtype)
    found = c.wide(linalg.lstsq(x, kn.asarray(right)).x, -1)
    expected = scipy.linalg.lstsq(a, right, cond=c.eps * a.shape[0])[0]
    measure = norm(a) * max(norm(found), norm(expected)) + norm(right)
    yield max(0, norm(a @ found - right) - norm(a @ expected - right)), measure
    yield norm(a.conj().T @ (a @ found - right)), norm(a) * measure


def pinv(c):
    x, a = c.square()
    p = c.wide(linalg.pinv(x), -1)
    yield norm(a @ p @ a - a), norm(a) * max(1, norm(a) * norm(p))
    yield norm(p @ a @ p - p), norm(p) * max(1, norm(a) * norm(p))


def expm(c):
    a = general(c.kind, c.n, c.dtype, c.rng) / scale_of(c.kind, c.dtype)
    x, a = c.given(a / max(1, norm(a) / 4) * scale_of(c.kind, c.dtype))
    if c.kind == "near overflow":
        return
    e, back = (np.asarray(linalg.expm(each)) for each in (x, -x))
    wide = a * scale_of(c.kind, c.dtype)
    yield norm(e - scipy.linalg.expm(wide)), norm(e) * norm(back)


def fft(c):
    if c.kind != "random":
        return
    for n in (c.n, c.n * 16 + 1):
        x = draw(c.rng, n, c.dtype).astype(c.dtype)
        expected = np.fft.fft(x.astype(np.promote_types(x.dtype, np.float64)))
        found = np.asarray(kn.fft.fft(kn.asarray(x)))
        # Of 5 eps log2 n, where others have 30 n eps.
        yield norm(found - expected) * 30 * c.n, norm(expected) * 5 * max(1, np.log2(n))
        yield norm(np.asarray(kn.fft.ifft(kn.asarray(found))) - x) * 30 * c.n, norm(x) * 10 * max(1, np.log2(n))


FUNCTIONS = (cholesky, lu, qr, eigh, svd, eig, schur, ldl, solve, inv, solve_triangular, determinants, lstsq, pinv, expm,
             fft)


def worst_of(function, dtype):
    worst, where = 0.0, "-"
    for n in SIZES:
        for kind in KINDS:
            c = Case(kind, n, dtype)
            try:
                for error, measure in function(c):
                    allowed = 30 * n * c.eps * measure
                    part = 0 if error == 0 else float(error / allowed) if allowed > 0 else np.inf
                    if not part <= worst:  # NaN is worse than all
                        worst, where = part, f"{kind}, n = {n}"
            except kn.linalg.LinAlgError as error:
                worst, where = np.inf, f"{kind}, n = {n}: {error}"
    return worst, where


def main():
    wanted = os.environ.get("FUNCTIONS", "").split()
    failed = 0
    for function in FUNCTIONS:
        if wanted and function.__name__ not in wanted:
            continue
        for dtype in TYPES:
            worst, where = worst_of(function, dtype)
            failed += not worst <= 1
            print(f"{function.__name__:16} {dtype:10} {worst:8.3g} {'' if worst <= 1 else 'FAILED '} {where}", flush=True)
    print(f"linalg_accuracy: {failed} failed, on {kn.default_device()}")
    return failed > 0


if os.environ.get("KERNELS"):
    with kn.reproducible():
        sys.exit(main())
sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Linear algebra: products, norms, equations, least squares, factorisations, eigenvalues and singular values, by the names of the standard's extension linalg. Matrices are the last two axes; the axes before them
count them."""
from collections import namedtuple as _namedtuple

from . import _koine
from ._koine import _linalg, matmul, matrix_transpose, outer, tensordot, vecdot
from ._koine._linalg import (cholesky, cond, cross, det, diagonal, eigvals, eigvalsh, expm, inv, matrix_norm,
                             matrix_power, matrix_rank, pinv, solve, solve_triangular, svdvals, trace, vector_norm)

__all__ = ["LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh",
           "expm", "inv", "ldl", "lstsq", "lu", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv",
           "qr", "schur", "slogdet", "solve", "solve_triangular", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm"]


def __getattr__(name):
    # Made when it is first wanted, since NumPy is imported for it.
    if name == "LinAlgError":
        return _koine._linalg_error()
    if name == "norm":
        raise AttributeError("koine.linalg has no norm; write koine.linalg.vector_norm or matrix_norm")
    raise AttributeError(f"module 'koine.linalg' has no attribute {name!r}")


EigResult = _namedtuple("EigResult", ["eigenvalues", "eigenvectors"])
EighResult = _namedtuple("EighResult", ["eigenvalues", "eigenvectors"])
LDLResult = _namedtuple("LDLResult", ["lu", "d", "perm"])
LstsqResult = _namedtuple("LstsqResult", ["x", "residuals", "rank", "singular_values"])
LUResult = _namedtuple("LUResult", ["P", "L", "U"])
QRResult = _namedtuple("QRResult", ["Q", "R"])
SchurResult = _namedtuple("SchurResult", ["T", "Z"])
SlogdetResult = _namedtuple("SlogdetResult", ["sign", "logabsdet"])
SVDResult = _namedtuple("SVDResult", ["U", "S", "Vh"])


def eig(x, /):
    return EigResult(*_linalg._eig(x))


def eigh(x, /):
    return EighResult(*_linalg._eigh(x))


def ldl(x, /, *, lower=True, hermitian=True):
    return LDLResult(*_linalg._ldl(x, lower=lower, hermitian=hermitian))


def lstsq(x1, x2, /, *, rtol=None):
    return LstsqResult(*_linalg._lstsq(x1, x2, rtol=rtol))


def lu(x, /):
    return LUResult(*_linalg._lu(x))


def qr(x, /, *, mode="reduced"):
    return QRResult(*_linalg._qr(x, mode=mode))


def schur(x, /, *, output="real"):
    return SchurResult(*_linalg._schur(x, output=output))


def slogdet(x, /):
    return SlogdetResult(*_linalg._slogdet(x))


def svd(x, /, *, full_matrices=True):
    return SVDResult(*_linalg._svd(x, full_matrices=full_matrices))


for _function in (eig, eigh, ldl, lstsq, lu, qr, schur, slogdet, svd):
    _function.__doc__ = _koine._docstring("linalg." + _function.__name__)  # the headers'

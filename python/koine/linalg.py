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
    """The eigenvalues of square matrices, in no order that is promised, and eigenvectors of 2-norm 1, as columns, both
    complex."""
    return EigResult(*_linalg._eig(x))


def eigh(x, /):
    """The eigenvalues of real symmetric and complex Hermitian matrices, rising, and orthonormal eigenvectors, as columns.
    Only the lower triangle is read."""
    return EighResult(*_linalg._eigh(x))


def ldl(x, /, *, lower=True, hermitian=True):
    """The factors x = lu d lu^H of symmetric and Hermitian matrices, of which one triangle is read, or, without hermitian,
    x = lu d lu^T of complex symmetric ones: lu's rows make a triangle with ones on its diagonal in the order perm, and d has
    blocks of one or two rows."""
    return LDLResult(*_linalg._ldl(x, lower=lower, hermitian=hermitian))


def lstsq(x1, x2, /, *, rtol=None):
    """The least-squares solution of smallest norm of x1 x = x2, the squared norms of what is left of each column, the rank
    of x1 and its singular values. Those up to rtol times the largest count as 0."""
    return LstsqResult(*_linalg._lstsq(x1, x2, rtol=rtol))


def lu(x, /):
    """The factors x = P L U of Gaussian elimination with partial pivoting: a permutation, a lower triangle with ones on
    its diagonal, and an upper triangle."""
    return LUResult(*_linalg._lu(x))


def qr(x, /, *, mode="reduced"):
    """The factors x = Q R: orthonormal columns and an upper triangle. With mode="complete" Q is square."""
    return QRResult(*_linalg._qr(x, mode=mode))


def schur(x, /, *, output="real"):
    """Schur's form x = Z T Z^H: orthonormal columns and an upper triangle, which of a real matrix has blocks of two rows for
    pairs of complex eigenvalues, and none with output="complex"."""
    return SchurResult(*_linalg._schur(x, output=output))


def slogdet(x, /):
    """The signs of determinants and the logarithms of their magnitudes, which do not overflow."""
    return SlogdetResult(*_linalg._slogdet(x))


def svd(x, /, *, full_matrices=True):
    """The singular value decomposition x = U diag(S) Vh. The singular values fall; U and Vh are square, or, without
    full_matrices, have as many columns and rows as there are singular values."""
    return SVDResult(*_linalg._svd(x, full_matrices=full_matrices))

# SPDX-License-Identifier: Apache-2.0
"""Linear algebra: products, norms, eigenvalues of Hermitian matrices and singular values, by the names of the standard's
extension linalg. Matrices are the last two axes; the axes before them count them."""
from collections import namedtuple as _namedtuple

from . import _koine
from ._koine import _linalg, matmul, matrix_transpose, outer, tensordot, vecdot
from ._koine._linalg import (cond, cross, diagonal, eigvalsh, matrix_norm, matrix_power, matrix_rank, pinv, svdvals, trace,
                             vector_norm)

__all__ = ["LinAlgError", "cond", "cross", "diagonal", "eigh", "eigvalsh", "matmul", "matrix_norm", "matrix_power",
           "matrix_rank", "matrix_transpose", "outer", "pinv", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm"]


def __getattr__(name):
    # Made when it is first wanted, since NumPy is imported for it.
    if name == "LinAlgError":
        return _koine._linalg_error()
    raise AttributeError(f"module 'koine.linalg' has no attribute {name!r}")


EighResult = _namedtuple("EighResult", ["eigenvalues", "eigenvectors"])
SVDResult = _namedtuple("SVDResult", ["U", "S", "Vh"])


def eigh(x, /):
    """The eigenvalues of real symmetric and complex Hermitian matrices, rising, and orthonormal eigenvectors, as columns.
    Only the lower triangle is read."""
    return EighResult(*_linalg._eigh(x))


def svd(x, /, *, full_matrices=True):
    """The singular value decomposition x = U diag(S) Vh. The singular values fall; U and Vh are square, or, without
    full_matrices, have as many columns and rows as there are singular values."""
    return SVDResult(*_linalg._svd(x, full_matrices=full_matrices))

# SPDX-License-Identifier: Apache-2.0
"""What there is of the standard's extension linalg: products, diagonals and the norms of vectors. Decompositions and what
is made of them are not there yet."""
from math import inf

from . import _koine
from ._koine import matmul, matrix_transpose, outer, tensordot, vecdot

__all__ = ["LinAlgError", "diagonal", "matmul", "matrix_transpose", "outer", "tensordot", "trace", "vecdot", "vector_norm"]


def __getattr__(name):
    # Made when it is first wanted, since NumPy is imported for it.
    if name == "LinAlgError":
        return _koine._linalg_error()
    raise AttributeError(f"module 'koine.linalg' has no attribute {name!r}")


def diagonal(x, /, *, offset=0):
    """The elements of each matrix, the last two axes, on the diagonal that lies `offset` above the main one."""
    if x.ndim < 2:
        raise ValueError(f"[diagonal] needs an array of two axes or more, got shape {x.shape}")
    x = x[..., max(-offset, 0):, max(offset, 0):]
    size = min(x.shape[-2:])
    # Row after row, the next one is size + 1 further on.
    return x[..., :size, :size].reshape(*x.shape[:-2], size * size)[..., :: size + 1]


def trace(x, /, *, offset=0, dtype=None):
    """The sum of the elements of a diagonal of each matrix; see diagonal."""
    return _koine.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of the vectors along an axis, or along several as one: the ord-th root of the sum of the ord-th powers of
    magnitudes; for inf and -inf the largest and the smallest of these, for 0 how many are not zero."""
    if not _koine.isdtype(x.dtype, ("real floating", "complex floating")):
        raise TypeError(f"[vector_norm] takes floating types, got {x.dtype}")
    magnitude = abs(x)
    named = {"axis": axis, "keepdims": keepdims}
    if ord == inf:
        return _koine.max(magnitude, **named)
    if ord == -inf:
        return _koine.min(magnitude, **named)
    if ord == 0:
        return _koine.count_nonzero(x, **named).astype(magnitude.dtype)
    if ord == 1:
        return _koine.sum(magnitude, **named)
    if ord == 2:
        return _koine.sqrt(_koine.sum(magnitude * magnitude, **named))
    return _koine.sum(magnitude**ord, **named) ** (1 / ord)

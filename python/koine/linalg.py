# SPDX-License-Identifier: Apache-2.0
"""What there is of the standard's extension linalg: the products that the main namespace has, too."""
from ._koine import matmul, matrix_transpose, outer, tensordot, vecdot

__all__ = ["matmul", "matrix_transpose", "outer", "tensordot", "vecdot"]

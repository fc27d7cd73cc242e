// SPDX-License-Identifier: Apache-2.0
// koine::linalg: functions of matrices.
#pragma once

#include <koine/array.hpp>

namespace koine::linalg {

/// The exponentials of square matrices (…, N, N), the sums of x^k / k!, of the same shape: by Pade approximants of
/// degree 13, or 7 in single precision, of matrices that are divided by a power of two, and squared as often (Higham,
/// SIAM J. Matrix Anal. Appl. 26, 2005), as often as their powers ask for (Al-Mohy and Higham, SIAM J. Matrix Anal.
/// Appl. 31, 2009). How often that is depends on the values: norms of powers are computed, and waited for, when expm is
/// called; what follows is lazy. A matrix with a NaN or an infinity gives NaNs; what overflows gives infinities or
/// NaNs. Takes what cholesky takes; gives the same type, default_dtype() for integers and bool_. ShapeError for fewer
/// than two axes, LinAlgError for matrices that are not square, DTypeError for float16 and bfloat16.
KOINE_API Array expm(const Array& x);

}  // namespace koine::linalg

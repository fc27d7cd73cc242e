// SPDX-License-Identifier: Apache-2.0
// Least squares: what comes closest to solving equations that may be too many, too few or dependent.
#pragma once

#include <koine/array.hpp>
#include <koine/linalg_spectra.hpp>
#include <koine/options.hpp>

#include <optional>

namespace koine::linalg {

struct LstsqOptions {
  detail::Named names_only = detail::named;
  std::optional<Operand> rtol = std::nullopt;  ///< as of pinv
};
struct LstsqResult {
  Array x, residuals, rank, singular_values;
};
/// The least-squares solution of smallest 2-norm: of all x for which the 2-norm of x2 - x1 x is least, column by
/// column, by the singular value decomposition of x1 (Golub and Van Loan, Matrix Computations, 5.5). x1 is (…, M, N);
/// x2 is a vector, (M), where it has one axis, and else (…, M, K); the axes before broadcast. x is (…, N), or (…, N,
/// K). Besides: the squares of these norms, (…, K), where a vector's K is 1, also where NumPy leaves them out; how many
/// singular values of x1 are above `.rtol` times the largest, (…), int64; and the singular values, which fall,
/// (…, min(M, N)). Takes what svd takes; gives the common type, default_dtype() for integers and bool_, and norms and
/// singular values of a real type. ShapeError for an x1 of fewer than two axes, and where x2 or `.rtol` does not fit,
/// DTypeError for float16 and bfloat16.
KOINE_API LstsqResult lstsq(const Array& x1, const Array& x2, const LstsqOptions& options = {});

}  // namespace koine::linalg

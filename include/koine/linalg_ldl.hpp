// SPDX-License-Identifier: Apache-2.0
// koine::linalg: factors of symmetric and Hermitian matrices that need not be definite.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

namespace koine::linalg {

struct LdlOptions {
  detail::Named names_only = detail::named;
  bool lower = true;      ///< the lower triangle of x is read, and `lu` is one but for its rows; else the upper one
  bool hermitian = true;  ///< x of complex numbers is Hermitian; else it is symmetric
};
struct LdlResult {
  Array lu, d, perm;
};
/// The factors of x = lu d lu^H, or, for complex matrices with `.hermitian = false`, x = lu d lu^T, of real symmetric
/// and complex Hermitian or symmetric matrices (…, N, N), of which one triangle is read: `lu`, (…, N, N), whose rows
/// make a triangle with ones on its diagonal in the order `perm`, (…, N) of int64; `d`, (…, N, N), has blocks of one or
/// two rows on its diagonal and zeros beside them. With the pivots of Bunch and Kaufman (Math. Comp. 31, 1977), as
/// LAPACK's sytrf and hetrf. A singular matrix has a singular d. Lazy. Takes what cholesky takes; gives the same type,
/// default_dtype() for integers and bool_. ShapeError for fewer than two axes, LinAlgError for matrices that are not
/// square, DTypeError for float16 and bfloat16.
KOINE_API LdlResult ldl(const Array& x, const LdlOptions& options = {});

}  // namespace koine::linalg

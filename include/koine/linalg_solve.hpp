// SPDX-License-Identifier: Apache-2.0
// Equations and factorisations that end in finitely many steps: Cholesky, LU, QR, and what is made of them.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

#include <string_view>

namespace koine::linalg {

// Matrices are the last two axes; the axes before them count them. All of these are lazy. What only the values show, a
// singular matrix or one that is not positive definite, is a LinAlgError of whoever observes a result.

struct CholeskyOptions {
  detail::Named names_only = detail::named;
  bool upper = false;  ///< the factor U, where x = U^H U, of x's upper triangle
};
/// The lower triangular L of Hermitian, positive definite matrices (…, N, N), x = L L^H, with a positive diagonal and
/// zeros above. Only the lower triangle is read. Takes float32, float64, complex64, complex128, integers and bool_;
/// gives the same type, default_dtype() for integers and bool_. ShapeError for fewer than two axes, LinAlgError for
/// matrices that are not square or not positive definite, DTypeError for float16 and bfloat16.
KOINE_API Array cholesky(const Array& x, const CholeskyOptions& options = {});

struct LuResult {
  Array P, L, U;
};
/// The factors of x = P L U, by Gaussian elimination with partial pivoting: for (…, M, N) and K = min(M, N) the
/// permutation P, (…, M, M), L with ones on its diagonal and zeros above, (…, M, K), and U with zeros below its
/// diagonal, (…, K, N). A singular matrix has a zero on U's diagonal. Takes what cholesky takes; gives the same type,
/// default_dtype() for integers and bool_. ShapeError for fewer than two axes, DTypeError for float16 and bfloat16.
KOINE_API LuResult lu(const Array& x);

/// What x1 is to be multiplied by to give x2, by LU factorisations. x1 is (…, N, N); x2 is a vector, (N), where it has
/// one axis, and else (…, N, K); the axes before broadcast. Takes what cholesky takes; gives the common type,
/// default_dtype() for integers and bool_. LinAlgError where x1 is not square, or exactly singular; ShapeError where x2
/// does not fit, DTypeError for float16 and bfloat16.
KOINE_API Array solve(const Array& x1, const Array& x2);

struct SolveTriangularOptions {
  detail::Named names_only = detail::named;
  bool lower = false;          ///< the lower triangle of x1 instead of the upper one
  bool unit_diagonal = false;  ///< x1's diagonal is taken for ones
};
/// As solve, of triangular matrices x1, whose other triangle is not read. Takes what cholesky takes; gives what solve
/// gives. LinAlgError where x1 is not square, or has a zero on its diagonal; ShapeError where x2 does not fit,
/// DTypeError for float16 and bfloat16.
KOINE_API Array solve_triangular(const Array& x1, const Array& x2, const SolveTriangularOptions& options = {});

/// The inverses of square matrices (…, N, N), by LU factorisations. Takes what cholesky takes; gives the same type,
/// default_dtype() for integers and bool_. ShapeError for fewer than two axes, LinAlgError for matrices that are not
/// square, or exactly singular, DTypeError for float16 and bfloat16.
KOINE_API Array inv(const Array& x);

/// The determinants (…) of square matrices (…, N, N), by LU factorisations; 1 for matrices of no rows. Takes what
/// cholesky takes; gives the same type, default_dtype() for integers and bool_. ShapeError for fewer than two axes,
/// LinAlgError for matrices that are not square, DTypeError for float16 and bfloat16.
KOINE_API Array det(const Array& x);

struct SlogdetResult {
  Array sign, logabsdet;
};
/// The signs of determinants, of magnitude 1, or 0 for a singular matrix, and the logarithms of their magnitudes, -inf
/// for such, which do not overflow. Takes what cholesky takes; gives signs of the type that det gives, and logarithms
/// of a real type. ShapeError for fewer than two axes, LinAlgError for matrices that are not square, DTypeError for
/// float16 and bfloat16.
KOINE_API SlogdetResult slogdet(const Array& x);

struct QrOptions {
  detail::Named names_only = detail::named;
  std::string_view mode = "reduced";  ///< or "complete": Q is square
};
struct QrResult {
  Array Q, R;
};
/// The factors of x = Q R, by Householder reflections: for (…, M, N) and K = min(M, N) a Q with orthonormal columns,
/// (…, M, K), and R with zeros below its diagonal, (…, K, N); with `.mode = "complete"` they are (…, M, M) and
/// (…, M, N). R's diagonal may be negative. Takes what cholesky takes; gives the same type, default_dtype() for
/// integers and bool_. ShapeError for fewer than two axes, ValueError for other modes, DTypeError for float16 and
/// bfloat16.
KOINE_API QrResult qr(const Array& x, const QrOptions& options = {});

}  // namespace koine::linalg

// SPDX-License-Identifier: Apache-2.0
// koine::linalg: eigenvalues of Hermitian matrices, singular values, norms, and what is made of them.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>
#include <koine/shape.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace koine::linalg {

// Matrices are the last two axes; the axes before them count them. All of these are lazy. They take float32, float64,
// complex64 and complex128; integers and bool_ are converted to default_dtype(). What the device alone can notice is an
// error of whoever observes a result: LinAlgError for a NaN or an infinity in a matrix, and for an iteration that does
// not converge, with how far it came. On CPUs LAPACK computes, where there is one, else one-sided Jacobi rotations do,
// on every device: always so, and with the same bits, inside koine::reproducible.

struct EighResult {
  Array eigenvalues, eigenvectors;
};
/// The eigenvalues of real symmetric and complex Hermitian matrices (…, N, N), rising, as (…, N) of a real type, and as
/// many orthonormal eigenvectors, the columns of (…, N, N): x V = V diag(w). Only the lower triangle is read. An
/// eigenvector's sign, or phase, may be another on another device. Takes float32, float64, complex64, complex128,
/// integers and bool_; gives the same type, default_dtype() for integers and bool_. ShapeError for fewer than
/// two axes, LinAlgError for matrices that are not square, DTypeError for float16 and bfloat16.
KOINE_API EighResult eigh(const Array& x);
/// The eigenvalues alone, which eigh gives. Takes what eigh takes; gives a real type.
KOINE_API Array eigvalsh(const Array& x);

struct SvdOptions {
  detail::Named names_only = detail::named;
  bool full_matrices = true;  ///< U and Vh are square; else they have K columns and K rows
};
struct SvdResult {
  Array U, S, Vh;
};
/// The singular value decomposition of matrices (…, M, N): x = U diag(S) Vh, where S, of a real type, has K = min(M, N)
/// values from 0 on, which fall: (…, K). U is (…, M, M) and Vh (…, N, N), or (…, M, K) and (…, K, N): the columns of U
/// and the rows of Vh are orthonormal, also where singular values are 0. Signs, or phases, may be others on another
/// device. Takes what eigh takes; gives the same type, default_dtype() for integers and bool_. ShapeError for fewer
/// than two axes, DTypeError for float16 and bfloat16.
KOINE_API SvdResult svd(const Array& x, const SvdOptions& options = {});
/// The singular values alone, which svd gives: (…, K). Takes what svd takes; gives a real type.
KOINE_API Array svdvals(const Array& x);

struct PinvOptions {
  detail::Named names_only = detail::named;
  /// Singular values up to this part of the largest count as 0: a number, or an array that broadcasts to one for each
  /// matrix. By default the larger of M and N times the type's epsilon.
  std::optional<Operand> rtol = std::nullopt;
};
/// The pseudo-inverse of Moore and Penrose of matrices (…, M, N), through their singular values: (…, N, M). Takes what
/// svd takes; gives the same type, default_dtype() for integers and bool_. ShapeError for a `.rtol` that
/// does not broadcast.
KOINE_API Array pinv(const Array& x, const PinvOptions& options = {});

struct MatrixRankOptions {
  detail::Named names_only = detail::named;
  std::optional<Operand> rtol = std::nullopt;  ///< as of pinv
};
/// How many singular values are above `.rtol` times the largest. Takes what svd takes; gives int64.
/// ShapeError for a `.rtol` that does not broadcast.
KOINE_API Array matrix_rank(const Array& x, const MatrixRankOptions& options = {});

/// The condition number of each matrix (…, M, N): the largest singular value divided by the smallest, inf where that is
/// 0. Takes what svd takes; gives a real type. ShapeError for fewer than two axes, ValueError for matrices without
/// elements.
KOINE_API Array cond(const Array& x);

struct VectorNormOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;
  bool keepdims = false;
  double ord = 2;
};
/// The norm of the vectors along an axis, or along several as one, by default of the whole array: the `.ord`-th root of
/// the sum of the `.ord`-th powers of magnitudes; for inf and -inf the largest and the smallest of these, for 0 how
/// many are not 0. float16 and bfloat16 are computed in float32. Takes every type; gives the same, of complex numbers
/// that of their parts, default_dtype() for integers and bool_. IndexError for an axis out of range or named twice,
/// ValueError for an `.ord` that is NaN, and for inf and -inf of no elements.
KOINE_API Array vector_norm(const Array& x, const VectorNormOptions& options = {});

/// Which norm of a matrix: "fro", "nuc", or 1, -1, 2, -2, inf, -inf.
class MatrixOrd {
 public:
  MatrixOrd(const char* name) : name_(name) {}         // NOLINT: implicit by design
  MatrixOrd(std::string_view name) : name_(name) {}    // NOLINT
  MatrixOrd(const std::string& name) : name_(name) {}  // NOLINT
  template <class T>
    requires((std::integral<T> || std::floating_point<T>)&&!std::same_as<T, bool>)
  MatrixOrd(T number) : number_(static_cast<double>(number)) {}  // NOLINT

  /// Empty where it is a number.
  const std::string& name() const noexcept { return name_; }
  double number() const noexcept { return number_; }

 private:
  std::string name_;
  double number_ = 0;
};
struct MatrixNormOptions {
  detail::Named names_only = detail::named;
  bool keepdims = false;
  MatrixOrd ord = "fro";
};
/// A norm of each matrix (…, M, N): of Frobenius ("fro", the root of the sum of squared magnitudes), the sum of the
/// singular values ("nuc"), the largest and the smallest of them (2 and -2), the largest and the smallest sum of
/// magnitudes of a column (1 and -1) or of a row (inf and -inf). float16 and bfloat16 are computed in float32, and not
/// taken where singular values are needed. Takes every type; gives what vector_norm gives. ShapeError for fewer
/// than two axes, ValueError for another `.ord`, and for the largest and the smallest of no elements.
KOINE_API Array matrix_norm(const Array& x, const MatrixNormOptions& options = {});

}  // namespace koine::linalg

// SPDX-License-Identifier: Apache-2.0
// koine::linalg: products of matrices and vectors, and what is made of the elements of a matrix without factorising it.
#pragma once

#include <koine/array.hpp>
#include <koine/dtype.hpp>
#include <koine/linalg.hpp>
#include <koine/manipulation.hpp>
#include <koine/matmul_precision.hpp>
#include <koine/options.hpp>

#include <cstdint>
#include <optional>

namespace koine::linalg {

// The array API standard has these in its main namespace, too.
using koine::matmul;
using koine::matrix_transpose;
using koine::outer;
using koine::tensordot;
using koine::vecdot;

struct CrossOptions {
  detail::Named names_only = detail::named;
  std::int64_t axis = -1;  ///< of size 3
};
/// The cross product of vectors of three elements, which lie along one axis of both; the other axes broadcast. Takes
/// numeric types; gives their common type. ShapeError if the axis has another size or the other axes do not broadcast,
/// IndexError for an axis that one of them does not have, DTypeError for bool_.
KOINE_API Array cross(const Array& x1, const Array& x2, const CrossOptions& options = {});
inline Array cross(const Array& x1, const Array& x2, std::int64_t axis) { return cross(x1, x2, {.axis = axis}); }

struct DiagonalOptions {
  detail::Named names_only = detail::named;
  std::int64_t offset = 0;  ///< of the diagonal: above the main one, or below it where it is negative
};
/// The elements of a diagonal of each matrix, the last two axes: (…, M, N) gives (…, K), where K may be 0. A view.
/// Takes every type; gives the same type. ShapeError for fewer than two axes.
KOINE_API Array diagonal(const Array& x, const DiagonalOptions& options = {});

struct TraceOptions {
  detail::Named names_only = detail::named;
  std::int64_t offset = 0;  ///< as of diagonal
  std::optional<DType> dtype = std::nullopt;
};
/// The sum of the elements of a diagonal of each matrix, the last two axes. Takes every type; gives what sum gives.
/// ShapeError for fewer than two axes.
KOINE_API Array trace(const Array& x, const TraceOptions& options = {});

/// The product of n times the same square matrix (…, N, N), by squaring: some 2 log2(n) products; the identity for 0,
/// and for n below 0 the power -n of the inverse. Takes every type, for n below 0 those that inv takes; gives what
/// matmul, or inv, gives. ShapeError for fewer than two axes, LinAlgError for matrices that are not square, or, for n
/// below 0, exactly singular; DTypeError for float16 and bfloat16 and n below 0.
KOINE_API Array matrix_power(const Array& x, std::int64_t n);

}  // namespace koine::linalg

// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values: checks, the nodes, and what is made of them.
#include "api/build.hpp"
#include "api/choices.hpp"
#include "api/matrices.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/linalg.hpp>
#include <koine/linalg_eig.hpp>
#include <koine/linalg_lstsq.hpp>
#include <koine/linalg_spectra.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

namespace koine::linalg {
namespace {

/// The shape of the axes before the matrices, and others behind them.
Shape stacked(const Array& x, std::initializer_list<std::int64_t> sizes) {
  Shape shape(x.shape());
  shape.erase(shape.size() - 1);
  shape.erase(shape.size() - 1);
  for (const std::int64_t size : sizes) shape.push_back(size);
  return shape;
}

Array real_zeros(const Array& x, const Shape& shape) {
  return zeros(shape, {.dtype = graph::real_part(x.dtype()), .device = x.device()});
}

/// Columns of the identity for each matrix: vectors for no values.
Array axes_of(const Array& x, std::int64_t rows, std::int64_t columns) {
  return broadcast_to(eye(rows, columns, {.dtype = x.dtype(), .device = x.device()}), stacked(x, {rows, columns}));
}

EighResult hermitian(const Array& matrices, const char* function) {
  const base::NamedCall call(function);
  api::require_square(matrices, function);
  const Array x = api::factorable(matrices, function);
  const std::int64_t n = x.shape(-1);
  if (x.size() == 0) return {real_zeros(x, stacked(x, {n})), axes_of(x, n, n)};
  const std::vector<Array> results = api::results_of<graph::Op::eigh>(x, {function});
  return {results[0], results[1].mT()};
}

EigResult general(const Array& matrices, const char* function) {
  const base::NamedCall call(function);
  api::require_square(matrices, function);
  const Array x = api::factorable(matrices, function);
  if (x.size() == 0) {
    const DType type = graph::complex_of(graph::real_part(x.dtype()));
    const std::int64_t n = x.shape(-1);
    return {zeros(stacked(x, {n}), {.dtype = type, .device = x.device()}), axes_of(astype(x, type), n, n)};
  }
  const std::vector<Array> results = api::results_of<graph::Op::eig>(x, {function});
  return {results[0], results[1].mT()};
}

/// Vectors are computed where they are wanted.
SvdResult singular(const Array& matrices, bool vectors, bool full, const char* function) {
  const base::NamedCall call(function);
  api::require_matrices(matrices, function);
  const Array x = api::factorable(matrices, function);
  const std::int64_t m = x.shape(-2), n = x.shape(-1), k = std::min(m, n);
  if (x.size() == 0) {
    return {axes_of(x, m, full ? m : k), real_zeros(x, stacked(x, {k})), axes_of(x, full ? n : k, n)};
  }
  // The runners take matrices that are not tall.
  const bool tall = m > n;
  const std::vector<Array> results =
      api::results_of<graph::Op::svd>(tall ? api::adjoint(x) : x, {vectors, vectors && full, function});
  if (!vectors) return {x, results[0], x};
  if (tall) return {api::adjoint(results[2]), results[0], api::adjoint(results[1])};
  return {results[1], results[0], results[2]};
}

/// Which singular values are above rtol times the largest: those that count as more than 0.
Array counted(const Array& x, const Array& values, const std::optional<Operand>& rtol, std::string_view function) {
  if (rtol && !rtol->is_scalar() && !graph::broadcasts_to(rtol->array().shape(), stacked(x, {}))) {
    throw ShapeError(api::prefix(function) + "got an rtol of shape " + to_string(rtol->array().shape()) +
                     " for matrices of shape " + to_string(x.shape()) +
                     "; it broadcasts to the axes before the last two");
  }
  if (values.size() == 0) return values > 0;
  const Array largest = max(values, {.axis = -1, .keepdims = true});
  if (!rtol) {
    const double part = static_cast<double>(std::max(x.shape(-2), x.shape(-1))) * api::epsilon(values.dtype());
    return values > largest * part;
  }
  return values > largest * (rtol->is_scalar() ? *rtol : Operand(expand_dims(rtol->array(), -1)));
}

/// 1 over those that count, 0 for the others.
Array reciprocals(const Array& values, const Array& which) { return where(which, 1 / values, 0); }

}  // namespace

EighResult eigh(const Array& x) { return hermitian(x, "eigh"); }

Array eigvalsh(const Array& x) { return hermitian(x, "eigvalsh").eigenvalues; }

EigResult eig(const Array& x) { return general(x, "eig"); }

Array eigvals(const Array& x) { return general(x, "eigvals").eigenvalues; }

SvdResult svd(const Array& x, const SvdOptions& options) { return singular(x, true, options.full_matrices, "svd"); }

Array svdvals(const Array& x) { return singular(x, false, false, "svdvals").S; }

Array pinv(const Array& x, const PinvOptions& options) {
  const base::NamedCall call("pinv");
  const auto [U, S, Vh] = singular(x, true, false, "pinv");
  const Array inverse = reciprocals(S, counted(x, S, options.rtol, "pinv"));
  return matmul(api::adjoint(Vh) * expand_dims(inverse, -2), api::adjoint(U));
}

LstsqResult lstsq(const Array& x1, const Array& x2, const LstsqOptions& options) {
  const base::NamedCall call("lstsq");
  api::require_matrices(x1, "lstsq");
  const auto [matrices, right, vectors] = api::equations_of(x1, x2, "lstsq");
  const auto [U, S, Vh] = singular(matrices, true, false, "lstsq");
  const Array which = counted(matrices, S, options.rtol, "lstsq");
  const Array x = matmul(api::adjoint(Vh), expand_dims(reciprocals(S, which), -1) * matmul(api::adjoint(U), right));
  return {api::with_vectors(x, vectors), sum(square(abs(right - matmul(matrices, x))), {.axis = -2}),
          sum(which, {.axis = -1, .dtype = int64}), S};
}

Array matrix_rank(const Array& x, const MatrixRankOptions& options) {
  const base::NamedCall call("matrix_rank");
  const Array values = singular(x, false, false, "matrix_rank").S;
  return sum(counted(x, values, options.rtol, "matrix_rank"), {.axis = -1, .dtype = int64});
}

Array cond(const Array& x) {
  const base::NamedCall call("cond");
  const Array values = singular(x, false, false, "cond").S;
  const Array largest = max(values, {.axis = -1}), smallest = min(values, {.axis = -1});
  return where(smallest > 0, largest / smallest, std::numeric_limits<double>::infinity());
}

}  // namespace koine::linalg

// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of Hermitian matrices and singular values: checks, and the nodes.
#include "api/build.hpp"
#include "api/choices.hpp"
#include "api/matrices.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/linalg.hpp>
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

/// Results of matrices that have elements, in row-major order.
template <graph::Op op>
std::vector<Array> spectra(const Array& matrices, const graph::AttributesOf<op>& info) {
  const graph::NodeRef input = api::in_order(matrices.node());
  std::vector<Array> results;
  for (const graph::NodeRef& result :
       graph::make_results(op, api::chosen_place(input->place), {&input, 1}, graph::make_attributes<op>(info))) {
    results.push_back(api::pending(result));
  }
  return results;
}

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
  const std::vector<Array> results = spectra<graph::Op::eigh>(x, {function});
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
      spectra<graph::Op::svd>(tall ? api::adjoint(x) : x, {vectors, vectors && full, function});
  if (!vectors) return {x, results[0], x};
  if (tall) return {api::adjoint(results[2]), results[0], api::adjoint(results[1])};
  return {results[1], results[0], results[2]};
}

/// Singular values up to this count as 0: an axis of size 1 behind those that count matrices.
Array least(const Array& x, const Array& values, const std::optional<Operand>& rtol, std::string_view function) {
  const Array largest = max(values, {.axis = -1, .keepdims = true});
  if (!rtol) {
    return largest * (static_cast<double>(std::max(x.shape(-2), x.shape(-1))) * api::epsilon(values.dtype()));
  }
  if (rtol->is_scalar()) return largest * *rtol;
  const Array& part = rtol->array();
  if (!graph::broadcasts_to(part.shape(), stacked(x, {}))) {
    throw ShapeError(api::prefix(function) + "got an rtol of shape " + to_string(part.shape()) +
                     " for matrices of shape " + to_string(x.shape()) +
                     "; it broadcasts to the axes before the last two");
  }
  return largest * expand_dims(part, -1);
}

}  // namespace

EighResult eigh(const Array& x) { return hermitian(x, "eigh"); }

Array eigvalsh(const Array& x) { return hermitian(x, "eigvalsh").eigenvalues; }

SvdResult svd(const Array& x, const SvdOptions& options) { return singular(x, true, options.full_matrices, "svd"); }

Array svdvals(const Array& x) { return singular(x, false, false, "svdvals").S; }

Array pinv(const Array& x, const PinvOptions& options) {
  const base::NamedCall call("pinv");
  const SvdResult parts = singular(x, true, false, "pinv");
  if (parts.S.size() == 0) {
    return zeros(stacked(x, {x.shape(-1), x.shape(-2)}), {.dtype = parts.U.dtype(), .device = x.device()});
  }
  const Array inverse = where(parts.S > least(x, parts.S, options.rtol, "pinv"), 1 / parts.S, 0);
  return matmul(api::adjoint(parts.Vh) * expand_dims(inverse, -2), api::adjoint(parts.U));
}

Array matrix_rank(const Array& x, const MatrixRankOptions& options) {
  const base::NamedCall call("matrix_rank");
  const Array values = singular(x, false, false, "matrix_rank").S;
  if (values.size() == 0) return zeros(stacked(x, {}), {.dtype = int64, .device = x.device()});
  return sum(values > least(x, values, options.rtol, "matrix_rank"), {.axis = -1});
}

Array cond(const Array& x) {
  const base::NamedCall call("cond");
  const Array values = singular(x, false, false, "cond").S;
  const Array largest = max(values, {.axis = -1}), smallest = min(values, {.axis = -1});
  return where(smallest > 0, largest / smallest, std::numeric_limits<double>::infinity());
}

}  // namespace koine::linalg

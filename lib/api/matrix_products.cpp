// SPDX-License-Identifier: Apache-2.0
// koine::linalg's products, and diagonals.
#include "api/build.hpp"
#include "api/contraction.hpp"
#include "api/factorisations.hpp"
#include "api/matrices.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/linalg_products.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <numeric>
#include <string>

namespace koine::linalg {

Array cross(const Array& x1, const Array& x2, const CrossOptions& options) {
  const base::NamedCall call("cross");
  const DType type = api::common_type("cross", {x1, x2});
  if (is_bool(type)) throw DTypeError("[cross] does not take bool_; it takes numeric types");
  const auto vectors = [&](const Array& x) {
    const std::size_t axis = graph::normal_axis(options.axis, x.shape(), "cross");
    if (x.shape()[axis] != 3) {
      throw ShapeError("[cross] axis " + std::to_string(options.axis) + " of shape " + to_string(x.shape()) +
                       " has size " + std::to_string(x.shape()[axis]) + "; vectors must have three elements");
    }
    return axis + 1 == x.shape().size() ? astype(x, type) : moveaxis(astype(x, type), axis, -1);
  };
  const Array a = vectors(x1), b = vectors(x2);
  const auto from = [](const Array& x, std::int64_t first) {
    graph::ViewMap map = api::identity_map(x.shape());
    map.bounds = Shape::filled(x.shape().size(), 0);
    map.start[x.shape().size() - 1] = first;
    map.bounds[x.shape().size() - 1] = 3;
    return api::view(x.node(), x.shape(), map);
  };
  const Array product = from(a, 1) * from(b, 2) - from(a, 2) * from(b, 1);
  return options.axis == -1 ? product : moveaxis(product, -1, options.axis);
}

Array diagonal(const Array& x, const DiagonalOptions& options) {
  const base::NamedCall call("diagonal");
  api::require_matrices(x, "diagonal");
  const std::int64_t rows = x.shape(-2), columns = x.shape(-1);
  const std::int64_t down = std::clamp<std::int64_t>(-std::max(options.offset, -rows), 0, rows),
                     across = std::clamp<std::int64_t>(options.offset, 0, columns);
  const std::int64_t size = std::min(rows - down, columns - across);
  // Of one factor without sums a view, in its own type.
  api::Labels labels(x.shape().size());
  std::iota(labels.begin(), labels.end(), 0);
  labels.back() = static_cast<int>(x.ndim()) - 2;
  const api::Labels result(labels.begin(), labels.end() - 1);
  return api::contract({{x(ellipsis, slice(down, down + size), slice(across, across + size)), labels}}, result);
}

Array trace(const Array& x, const TraceOptions& options) {
  const base::NamedCall call("trace");
  api::require_matrices(x, "trace");
  return sum(diagonal(x, {.offset = options.offset}), {.axis = -1, .dtype = options.dtype});
}

Array matrix_power(const Array& x, std::int64_t n) {
  const base::NamedCall call("matrix_power");
  api::require_square(x, "matrix_power");
  const DType type = api::product_type("matrix_power", {x});
  if (n == 0) return broadcast_to(eye(x.shape(-1), {.dtype = type, .device = x.device()}), x.shape());
  Array square = n < 0 ? api::inverses(api::factorable(x, "matrix_power"), "matrix_power") : astype(x, type);
  std::optional<Array> product;
  for (;; square = matmul(square, square)) {
    if (n % 2 != 0) product = product ? matmul(*product, square) : square;
    n /= 2;
    if (n == 0) return *product;
  }
}

}  // namespace koine::linalg

// SPDX-License-Identifier: Apache-2.0
// Products of matrices and vectors.
#include "api/build.hpp"
#include "api/choices.hpp"
#include "api/matmul_precision.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/linalg.hpp>
#include <koine/manipulation.hpp>
#include <koine/matmul_precision.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

namespace koine {
namespace {

Shape batch_of(const Shape& shape) {
  Shape batch = shape;
  batch.erase(batch.size() - 1);
  batch.erase(batch.size() - 1);
  return batch;
}

/// Depths up to which a matrix by a vector is a sum of products, which joins the kernels of what it is made of and of
/// what reads it: weights of a colour's channels, lengths of vectors of three.
constexpr std::int64_t short_depth = 8;

/// The product of a (…, m, k) and b (…, k, n) as sums of products, which every device adds up in the same order.
Array sums_of_products(const Array& a, const Array& b, DType type) {
  const DType wide = graph::accumulation_type(type);
  const Array rows = expand_dims(astype(a, wide), -2), columns = expand_dims(astype(b, wide).mT(), -3);
  return astype(sum(rows * columns, {.axis = -1}), type);
}

/// The same of a vector and matrices, or another vector, without axes of size one.
Array sums_with_vector(const Array& x1, const Array& x2, DType type) {
  const DType wide = graph::accumulation_type(type);
  const Array rows = x2.ndim() == 1 ? x1 : x2.mT(), vector = x2.ndim() == 1 ? x2 : x1;
  return astype(sum(astype(rows, wide) * astype(vector, wide), {.axis = -1}), type);
}

Array multiply(const Array& x1, const Array& x2, graph::MatmulPrecision precision) {
  const DType type = api::product_type("matmul", {x1, x2});
  const auto refuse = [&](const std::string& why) {
    throw ShapeError("[matmul] shapes " + to_string(x1.shape()) + " and " + to_string(x2.shape()) +
                     " do not multiply: " + why);
  };
  if (x1.ndim() == 0 || x2.ndim() == 0) refuse("each needs at least one axis; use * for scalars");
  const Array a = x1.ndim() == 1 ? expand_dims(x1, 0) : x1, b = x2.ndim() == 1 ? expand_dims(x2, 1) : x2;
  if (a.shape(-1) != b.shape(-2)) {
    refuse("the last axis of the first has size " + std::to_string(a.shape(-1)) +
           ", the axis of the second that it meets has size " + std::to_string(b.shape(-2)));
  }
  Shape shape = graph::broadcast_shapes(batch_of(a.shape()), batch_of(b.shape()), "matmul");
  shape.push_back(a.shape(-2));
  shape.push_back(b.shape(-1));
  graph::check_sizes(shape, "matmul");
  // A single chain for each element would leave a device idle where a matrix meets a vector. What decides is the shapes
  // alone: where elements lie in memory may differ between devices.
  const auto is_vector = [&](std::int64_t lines, const Array& x) {
    return lines == 1 && x.ndim() == static_cast<std::int64_t>(shape.size()) && batch_of(x.shape()) == batch_of(shape);
  };
  const bool is_short = a.shape(-1) > 0 && a.shape(-1) <= short_depth && !is_complex(type);
  const bool sums = (api::choices().reproducible || is_short) && !is_integer(type) &&
                    (is_vector(a.shape(-2), b) || is_vector(b.shape(-1), a));
  if (sums && (x1.ndim() == 1 || x2.ndim() == 1)) return sums_with_vector(x1, x2, type);
  const Array product =
      sums ? sums_of_products(a, b, type)
           : api::pending(graph::Op::matmul, type, shape, {astype(a, type).node(), astype(b, type).node()},
                          graph::make_attributes<graph::Op::matmul>({precision}));
  if (x1.ndim() > 1 && x2.ndim() > 1) return product;
  if (x2.ndim() == 1) shape.erase(shape.size() - 1);
  if (x1.ndim() == 1) shape.erase(shape.size() - (x2.ndim() == 1 ? 1 : 2));
  return reshape(product, shape);
}

}  // namespace

Array matmul(const Array& x1, const Array& x2) {
  const base::NamedCall call("matmul");
  return multiply(x1, x2, api::chosen_precision());
}

Array matmul(const Array& x1, const Array& x2, const MatmulOptions& options) {
  const base::NamedCall call("matmul");
  return multiply(
      x1, x2,
      options.precision ? api::precision_of(*options.precision, "[matmul] .precision") : api::chosen_precision());
}

}  // namespace koine

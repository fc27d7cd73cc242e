// SPDX-License-Identifier: Apache-2.0
// Checks of stacks of matrices.
#include "api/matrices.hpp"

#include "api/build.hpp"
#include "base/dtypes.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/types.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace koine::api {

void require_matrices(const Array& x, std::string_view function) {
  if (x.ndim() >= 2) return;
  throw ShapeError(prefix(function) + "got shape " + to_string(x.shape()) +
                   "; matrices are the last two axes, so it takes two axes or more");
}

void require_square(const Array& x, std::string_view function) {
  require_matrices(x, function);
  if (x.shape(-2) == x.shape(-1)) return;
  throw LinAlgError(prefix(function) + "got shape " + to_string(x.shape()) +
                    "; it takes square matrices: the last two axes must have the same size");
}

Array factorable(const Array& x, std::string_view function) {
  const DType type = floating_type(x.dtype());
  if (base::is_half(type)) {
    throw DTypeError(prefix(function) + "does not take " + std::string(name(type)) +
                     "; it takes float32, float64, complex64 and complex128, and integers");
  }
  return astype(x, type);
}

Equations equations_of(const Array& x1, const Array& x2, std::string_view function) {
  if (x2.ndim() == 0) {
    throw ShapeError(prefix(function) + "x2 has no axes; it must be a vector, or have two axes or more");
  }
  const DType type = common_type(function, {x1, x2});
  const bool vectors = x2.ndim() == 1;
  const Array right = vectors ? expand_dims(x2, -1) : x2;
  if (right.shape(-2) != x1.shape(-2)) {
    throw ShapeError(prefix(function) + "x1 has shape " + to_string(x1.shape()) + ", x2 " + to_string(x2.shape()) +
                     "; x2 must have " + std::to_string(x1.shape(-2)) + (vectors ? " elements" : " rows"));
  }
  const auto stack_of = [](const Array& x) {
    return Shape(std::vector<std::int64_t>(x.shape().begin(), x.shape().end() - 2));
  };
  Shape shape = graph::broadcast_shapes(stack_of(x1), stack_of(right), function);
  shape.push_back(right.shape(-2));
  shape.push_back(right.shape(-1));
  return {factorable(astype(x1, type), function), broadcast_to(factorable(astype(right, type), function), shape),
          vectors};
}

Array with_vectors(const Array& x, bool vectors) { return vectors ? squeeze(x, -1) : x; }

Array adjoint(const Array& x) { return is_complex(x.dtype()) ? conj(x.mT()) : x.mT(); }

double epsilon(DType type) { return std::ldexp(1.0, 1 - base::row_of(graph::real_part(type)).digits); }

}  // namespace koine::api

// SPDX-License-Identifier: Apache-2.0
// Checks of stacks of matrices.
#include "api/matrices.hpp"

#include "api/build.hpp"
#include "base/dtypes.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/types.hpp>

#include <cmath>
#include <string>

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
  if (type == float16 || type == bfloat16) {
    throw DTypeError(prefix(function) + "does not take " + std::string(name(type)) +
                     "; it takes float32, float64, complex64 and complex128, and integers");
  }
  return astype(x, type);
}

Array adjoint(const Array& x) { return is_complex(x.dtype()) ? conj(x.mT()) : x.mT(); }

double epsilon(DType type) { return std::ldexp(1.0, 1 - base::row_of(graph::real_part(type)).digits); }

}  // namespace koine::api

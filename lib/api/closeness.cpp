// SPDX-License-Identifier: Apache-2.0
// Agreement of arrays, made of comparisons.
#include "api/build.hpp"

#include <koine/closeness.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/types.hpp>

namespace koine {
namespace {

const Shape& shape_of(const Operand& x) {
  static const Shape scalar;
  return x.is_scalar() ? scalar : x.array().shape();
}

void check_tolerance(double value, std::string_view option) {
  if (value >= 0) return;
  throw ValueError("[isclose] ." + std::string(option) + " is " + std::to_string(value) + "; it must be 0 or more");
}

/// |x - y|, of integers without wrapping.
Array distance(const Array& x, const Array& y) {
  if (!is_integer(x.dtype())) return abs(x - y);
  const Array wrapped = maximum(x, y) - minimum(x, y);
  const auto unsigned_twin = static_cast<DType>(static_cast<int>(x.dtype()) + 4);
  return is_signed_integer(x.dtype()) ? astype(wrapped, unsigned_twin) : wrapped;
}

Array both_nan(const Array& x, const Array& y) { return isnan(x) & isnan(y); }

}  // namespace

Array isclose(const Operand& x1, const Operand& x2, const ClosenessOptions& options) {
  check_tolerance(options.rtol, "rtol");
  check_tolerance(options.atol, "atol");
  const graph::Place place = api::common_place("isclose", {&x1, &x2});
  const DType common = api::common_type("isclose", {&x1, &x2});
  graph::broadcast_shapes(shape_of(x1), shape_of(x2), "isclose");
  const DType type = is_bool(common) ? uint8 : graph::accumulation_type(common);
  api::require_type(place, type, "isclose");
  const Array x(api::to_node(x1, type, place)), y(api::to_node(x2, type, place));
  // Integers are weighed in floating arithmetic once their difference is known.
  const DType wide = is_integer(type) ? graph::default_real : type;
  const Array size = abs(astype(y, wide)), gap = astype(distance(x, y), size.dtype());
  const Array near = gap <= size * options.rtol + options.atol;
  const Array close = (near & isfinite(y)) | (x == y);
  return options.equal_nan ? close | both_nan(x, y) : close;
}

bool allclose(const Operand& x1, const Operand& x2, const ClosenessOptions& options) {
  return all(isclose(x1, x2, options)).item<bool>();
}

bool array_equal(const Operand& x1, const Operand& x2, const ArrayEqualOptions& options) {
  const graph::Place place = api::common_place("array_equal", {&x1, &x2});
  const DType type = api::common_type("array_equal", {&x1, &x2});
  api::require_type(place, type, "array_equal");
  if (shape_of(x1) != shape_of(x2)) return false;
  const Array x(api::to_node(x1, type, place)), y(api::to_node(x2, type, place));
  const bool may_be_nan = !is_integer(type) && !is_bool(type);
  return all(options.equal_nan && may_be_nan ? (x == y) | both_nan(x, y) : x == y).item<bool>();
}

}  // namespace koine

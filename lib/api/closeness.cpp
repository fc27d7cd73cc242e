// SPDX-License-Identifier: Apache-2.0
// Agreement of arrays, made of comparisons.
#include "api/integers.hpp"

#include <koine/closeness.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/types.hpp>

#include <fmt/format.h>

namespace koine {
namespace {

void check_tolerance(double value, std::string_view option, std::string_view function) {
  if (value >= 0) return;
  throw ValueError(api::prefix(function) + fmt::format(".{} is {}; it must be 0 or more", option, value));
}

Array both_nan(const Array& x, const Array& y) { return isnan(x) & isnan(y); }

Array near(const Operand& x1, const Operand& x2, const ClosenessOptions& options, std::string_view function) {
  check_tolerance(options.rtol, "rtol", function);
  check_tolerance(options.atol, "atol", function);
  const graph::Place place = api::common_place(function, {&x1, &x2});
  const DType common = api::common_type(function, {&x1, &x2});
  graph::broadcast_shapes(api::shape_of(x1), api::shape_of(x2), function);
  const DType type = is_bool(common) ? uint8 : graph::accumulation_type(common);
  api::require_type(place, type, function);
  const Array x(api::to_node(x1, type, place)), y(api::to_node(x2, type, place));
  // Integers are weighed in floating arithmetic once their difference is known.
  const DType wide = is_integer(type) ? graph::default_real : type;
  const Array size = abs(astype(y, wide)), gap = astype(api::distance(x, y), size.dtype());
  const Array within = gap <= size * options.rtol + options.atol;
  const Array close = (within & isfinite(y)) | (x == y);
  return options.equal_nan ? close | both_nan(x, y) : close;
}

}  // namespace

Array isclose(const Operand& x1, const Operand& x2, const ClosenessOptions& options) {
  return near(x1, x2, options, "isclose");
}

bool allclose(const Operand& x1, const Operand& x2, const ClosenessOptions& options) {
  return all(near(x1, x2, options, "allclose")).item<bool>();
}

bool array_equal(const Operand& x1, const Operand& x2, const ArrayEqualOptions& options) {
  const graph::Place place = api::common_place("array_equal", {&x1, &x2});
  const DType type = api::common_type("array_equal", {&x1, &x2});
  api::require_type(place, type, "array_equal");
  if (api::shape_of(x1) != api::shape_of(x2)) return false;
  const Array x(api::to_node(x1, type, place)), y(api::to_node(x2, type, place));
  const bool may_be_nan = !is_integer(type) && !is_bool(type);
  return all(options.equal_nan && may_be_nan ? (x == y) | both_nan(x, y) : x == y).item<bool>();
}

}  // namespace koine

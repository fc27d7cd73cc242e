// SPDX-License-Identifier: Apache-2.0
// Agreement of arrays, made of comparisons.
#include "api/integers.hpp"

#include <koine/closeness.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/searching.hpp>
#include <koine/types.hpp>

#include <fmt/format.h>

namespace koine {
namespace {

void check_tolerance(double value, std::string_view option, std::string_view function) {
  if (value >= 0) return;
  throw ValueError(api::prefix(function) + fmt::format(".{} is {}; it must be 0 or more", option, value));
}

/// The distance of a signed number from one of uint64, in floating arithmetic: below 0 the sizes add up.
Array mixed_distance(const Array& x, const Array& y) {
  const auto real = [](const Array& a) { return astype(a, default_dtype()); };
  return where(x < 0, real(y) - real(x), real(api::distance(astype(x, uint64), y)));
}

Array both_nan(const Array& x, const Array& y) { return isnan(x) & isnan(y); }

Array near(const Operand& x1, const Operand& x2, const ClosenessOptions& options, std::string_view function) {
  const base::NamedCall call(function);
  check_tolerance(options.rtol, "rtol", function);
  check_tolerance(options.atol, "atol", function);
  const graph::Place place = api::common_place(function, {&x1, &x2});
  const api::Compared common = api::compared_types(function, x1, x2);
  graph::broadcast_shapes(api::shape_of(x1), api::shape_of(x2), function);
  const auto node = [&](const Operand& operand, DType own) {
    const DType type = is_bool(own) ? uint8 : graph::accumulation_type(own);
    api::require_type(place, type, function);
    return Array(api::to_node(operand, type, place));
  };
  const Array x = node(x1, common.x1), y = node(x2, common.x2);
  // Integers are weighed in floating arithmetic once their difference is known.
  const Array size = abs(astype(y, is_integer(y.dtype()) ? default_dtype() : y.dtype()));
  const Array exact = !common.mixed()      ? api::distance(x, y)
                      : common.x1 == int64 ? mixed_distance(x, y)
                                           : mixed_distance(y, x);
  const Array gap = astype(exact, size.dtype());
  const Array within = gap <= size * options.rtol + options.atol;
  const Array close = (within & isfinite(y)) | (x == y);
  return options.equal_nan ? close | both_nan(x, y) : close;
}

}  // namespace

Array isclose(Operand first, Operand second, const ClosenessOptions& options) {
  const Operand x1 = std::move(first), x2 = std::move(second);
  return near(x1, x2, options, "isclose");
}

bool allclose(const Operand& x1, const Operand& x2, const ClosenessOptions& options) {
  return all(near(x1, x2, options, "allclose")).item<bool>();
}

bool array_equal(const Operand& x1, const Operand& x2, const ArrayEqualOptions& options) {
  const base::NamedCall call("array_equal");
  const graph::Place place = api::common_place("array_equal", {&x1, &x2});
  const api::Compared types = api::compared_types("array_equal", x1, x2);
  api::require_type(place, types.x1, "array_equal");
  if (api::shape_of(x1) != api::shape_of(x2)) return false;
  const Array x(api::to_node(x1, types.x1, place)), y(api::to_node(x2, types.x2, place));
  const bool may_be_nan = !is_integer(types.x1) && !is_bool(types.x1);
  return all(options.equal_nan && may_be_nan ? (x == y) | both_nan(x, y) : x == y).item<bool>();
}

}  // namespace koine

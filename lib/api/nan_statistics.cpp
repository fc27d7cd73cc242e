// SPDX-License-Identifier: Apache-2.0
// Reductions that pass over NaN, made of reductions of what is put in its place.
#include "api/build.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/nan_statistics.hpp>
#include <koine/searching.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <limits>

namespace koine {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using Summation = Array(Operand, const SumOptions&);
using Reduction = Array(Operand, const ReductionOptions&);

bool may_be_nan(const Array& x) { return !is_integer(x.dtype()) && !is_bool(x.dtype()); }

Array without_nan(const Array& x, double instead) { return may_be_nan(x) ? where(isnan(x), instead, x) : x; }

/// How many elements are not NaN, in the type that a sum of x is divided in.
Array counted(const Array& x, const ReductionOptions& options) {
  return astype(count_nonzero(x == x, options), graph::real_part(x.dtype()));
}

Array sum_or_prod(Summation& reduce, double neutral, Operand&& operand, const SumOptions& options,
                  std::string_view function) {
  const base::NamedCall call(function);
  const Array x = api::array_of(std::move(operand), function);
  graph::normal_axes(options.axis, x.shape(), function);
  const DType type = api::sum_type(x, options.dtype, function);
  return reduce(without_nan(x, neutral), {.axis = options.axis, .dtype = type, .keepdims = options.keepdims});
}

/// The variance in the type it is accumulated in.
Array variance(const Array& x, const VarianceOptions& options) {
  const Array wide = astype(x, graph::accumulation_type(x.dtype()));
  const ReductionOptions kept{.axis = options.axis, .keepdims = true};
  const Array mean = sum(without_nan(wide, 0), {.axis = options.axis, .keepdims = true}) / counted(wide, kept);
  // A distance that is NaN, from an infinite mean, counts.
  const Array squares =
      sum(where(isnan(wide), 0, square(wide - mean)), {.axis = options.axis, .keepdims = options.keepdims});
  const Array divisor = counted(wide, {.axis = options.axis, .keepdims = options.keepdims}) - options.correction;
  return where(divisor > 0, squares / divisor, std::numeric_limits<double>::quiet_NaN());
}

Array extreme(Reduction& reduce, double lowest, Operand&& operand, const ReductionOptions& options,
              std::string_view function) {
  const base::NamedCall call(function);
  const Array x = api::array_of(std::move(operand), function);
  api::require_order(x.dtype(), function);
  api::need_elements(x, graph::normal_axes(options.axis, x.shape(), function), function);
  if (!may_be_nan(x)) return reduce(x, options);
  return where(any(x == x, options), reduce(without_nan(x, lowest), options), std::numeric_limits<double>::quiet_NaN());
}

/// The first position of what equals the extreme: NaN equals nothing.
Array position(Reduction& reduce, double lowest, Operand&& operand, const ArgOptions& options,
               std::string_view function) {
  const base::NamedCall call(function);
  const Array x = api::array_of(std::move(operand), function);
  api::require_order(x.dtype(), function);
  const auto axes = graph::normal_axes(options.axis, x.shape(), function);
  if (options.axis.given() && axes.size() != 1) {
    throw ValueError(api::prefix(function) + "takes one axis or none, got " + to_string(options.axis.axes()));
  }
  api::need_elements(x, axes, function);
  const std::int64_t count = api::count_of(x, axes);
  Shape line = x.shape();
  for (std::size_t axis = 0; options.axis.given() && axis < line.size(); ++axis) {
    if (axis != axes[0]) line[axis] = 1;
  }
  const Array positions = reshape(arange(count, {.dtype = int64, .device = x.device()}), line);
  const Array found = reduce(without_nan(x, lowest), {.axis = options.axis, .keepdims = true}) == x;
  const Array first = min(where(found, positions, count), {.axis = options.axis, .keepdims = options.keepdims});
  return where(first == count, -1, first);
}

}  // namespace

Array nansum(Operand x, const SumOptions& options) { return sum_or_prod(sum, 0, std::move(x), options, "nansum"); }
Array nanprod(Operand x, const SumOptions& options) { return sum_or_prod(prod, 1, std::move(x), options, "nanprod"); }

Array nanmean(Operand operand, const ReductionOptions& options) {
  const base::NamedCall call("nanmean");
  const Array x = api::array_of(std::move(operand), "nanmean");
  graph::normal_axes(options.axis, x.shape(), "nanmean");
  if (!may_be_nan(x)) return mean(x, options);
  const Array wide = astype(x, graph::accumulation_type(x.dtype()));
  const Array total = sum(without_nan(wide, 0), {.axis = options.axis, .keepdims = options.keepdims});
  return astype(total / counted(wide, options), x.dtype());
}

Array nanvar(Operand operand, const VarianceOptions& options) {
  const base::NamedCall call("nanvar");
  const Array x = api::real_array(std::move(operand), "nanvar");
  graph::normal_axes(options.axis, x.shape(), "nanvar");
  return may_be_nan(x) ? astype(variance(x, options), x.dtype()) : var(x, options);
}

Array nanstd(Operand operand, const VarianceOptions& options) {
  const base::NamedCall call("nanstd");
  const Array x = api::real_array(std::move(operand), "nanstd");
  graph::normal_axes(options.axis, x.shape(), "nanstd");
  return may_be_nan(x) ? astype(sqrt(variance(x, options)), x.dtype()) : std(x, options);
}

Array nanmax(Operand x, const ReductionOptions& options) {
  return extreme(max, -infinity, std::move(x), options, "nanmax");
}
Array nanmin(Operand x, const ReductionOptions& options) {
  return extreme(min, infinity, std::move(x), options, "nanmin");
}

Array nanargmax(Operand x, const ArgOptions& options) {
  return position(max, -infinity, std::move(x), options, "nanargmax");
}
Array nanargmin(Operand x, const ArgOptions& options) {
  return position(min, infinity, std::move(x), options, "nanargmin");
}

}  // namespace koine

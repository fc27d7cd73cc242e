// SPDX-License-Identifier: Apache-2.0
// Reductions: checks, types, and the moments made of sums.
#include "api/choices.hpp"
#include "api/integers.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <limits>

namespace koine {
namespace {

using graph::ReduceKind;

Array sum_or_prod(ReduceKind kind, Operand&& operand, const SumOptions& options, std::string_view function) {
  const base::NamedCall call(function);
  const Array x = api::array_of(std::move(operand), function);
  const auto axes = graph::normal_axes(options.axis, x.shape(), function);
  const DType type = api::sum_type(x, options.dtype, function);
  return api::reduced({kind, axes}, astype(x, type), options.keepdims, type);
}

Array extreme(ReduceKind kind, Operand&& operand, const ReductionOptions& options, std::string_view function) {
  const Array x = api::array_of(std::move(operand), function);
  api::require_order(x.dtype(), function);
  const auto axes = graph::normal_axes(options.axis, x.shape(), function);
  api::need_elements(x, axes, function);
  return api::reduced({kind, axes}, x, options.keepdims, x.dtype());
}

Array logical(ReduceKind kind, Operand&& operand, const ReductionOptions& options, std::string_view function) {
  const Array x = api::array_of(std::move(operand), function);
  const auto axes = graph::normal_axes(options.axis, x.shape(), function);
  const DType result = kind == ReduceKind::count_nonzero ? int64 : bool_;
  return api::reduced({kind, axes}, astype(x, bool_), options.keepdims, result);
}

Array position(ReduceKind kind, Operand&& operand, const ArgOptions& options, std::string_view function) {
  const Array x = api::array_of(std::move(operand), function);
  api::require_order(x.dtype(), function);
  const auto axes = graph::normal_axes(options.axis, x.shape(), function);
  if (options.axis.given() && axes.size() != 1) {
    throw ValueError(api::prefix(function) + "takes one axis or none, got " + to_string(options.axis.axes()));
  }
  api::need_elements(x, axes, function);
  return api::reduced({kind, axes}, x, options.keepdims, int64);
}

/// x in the type that means of it are accumulated in.
Array widened(const Array& x) { return astype(x, graph::accumulation_type(api::floating_type(x.dtype()))); }

/// The mean of x over `axes` as `type`; of floating x.
Array mean_of(const Array& x, const std::vector<std::size_t>& axes, bool keepdims, DType type) {
  return api::reduced({ReduceKind::mean, axes, static_cast<double>(api::count_of(x, axes))}, x, keepdims, type);
}

/// The distance of each element from the mean over `axes`, in the type that sums are accumulated in.
Array from_mean(const Array& x, const std::vector<std::size_t>& axes) {
  if (const auto mean = api::integer_mean(x, axes, true)) {
    return api::difference(astype(x, mean->whole.dtype()), mean->whole, mean->rest.dtype()) - mean->rest;
  }
  const Array wide = widened(x);
  return wide - mean_of(wide, axes, true, wide.dtype());
}

/// var or std (`root`). Moments are taken of what is read once, in an order that suits the device; distances from a
/// mean that is known, of integers, whose mean is exact, and where the order is the same on every device.
Array variance(Operand&& operand, const VarianceOptions& options, bool root) {
  const std::string_view function = root ? "std" : "var";
  const base::NamedCall call(function);
  const Array x = api::real_array(std::move(operand), function);
  const auto axes = graph::normal_axes(options.axis, x.shape(), function);
  const DType type = api::floating_type(x.dtype());
  const double divisor = std::max(static_cast<double>(api::count_of(x, axes)) - options.correction, 0.0);
  const bool floating = !is_integer(x.dtype()) && !is_bool(x.dtype());
  if (floating && !api::choices().reproducible) {
    return api::reduced({root ? ReduceKind::std : ReduceKind::var, axes, divisor}, x, options.keepdims, type);
  }
  // The squares of distances between integers of 64 bits add up to more than a float32 holds.
  const double scale = is_integer(x.dtype()) && size_of(x.dtype()) == 8 ? 0x1p32 : 1;
  Array distance = from_mean(x, axes);
  if (scale != 1) distance = distance / scale;
  const ReduceKind kind = root ? ReduceKind::root_mean_square : ReduceKind::mean_square;
  return api::reduced({kind, axes, divisor, root ? scale : scale * scale}, distance, options.keepdims, type);
}

}  // namespace

Array sum(Operand x, const SumOptions& options) { return sum_or_prod(ReduceKind::sum, std::move(x), options, "sum"); }
Array prod(Operand x, const SumOptions& options) {
  return sum_or_prod(ReduceKind::prod, std::move(x), options, "prod");
}
Array max(Operand x, const ReductionOptions& options) { return extreme(ReduceKind::max, std::move(x), options, "max"); }
Array min(Operand x, const ReductionOptions& options) { return extreme(ReduceKind::min, std::move(x), options, "min"); }
Array any(Operand x, const ReductionOptions& options) { return logical(ReduceKind::any, std::move(x), options, "any"); }

Array All::operator()(Operand x, const ReductionOptions& options) const {
  return logical(ReduceKind::all, std::move(x), options, "all");
}

Array All::operator()(Operand x, const Axis& axis) const {
  return (*this)(std::move(x), ReductionOptions{.axis = axis});
}

Array count_nonzero(Operand x, const ReductionOptions& options) {
  return logical(ReduceKind::count_nonzero, std::move(x), options, "count_nonzero");
}

Array argmax(Operand x, const ArgOptions& options) {
  return position(ReduceKind::argmax, std::move(x), options, "argmax");
}
Array argmin(Operand x, const ArgOptions& options) {
  return position(ReduceKind::argmin, std::move(x), options, "argmin");
}

Array mean(Operand operand, const ReductionOptions& options) {
  const base::NamedCall call("mean");
  const Array x = api::array_of(std::move(operand), "mean");
  const auto axes = graph::normal_axes(options.axis, x.shape(), "mean");
  if (const auto mean = api::integer_mean(x, axes, options.keepdims)) {
    return astype(mean->whole, mean->rest.dtype()) + mean->rest;
  }
  return mean_of(widened(x), axes, options.keepdims, api::floating_type(x.dtype()));
}

Array var(Operand x, const VarianceOptions& options) { return variance(std::move(x), options, false); }
Array std(Operand x, const VarianceOptions& options) { return variance(std::move(x), options, true); }

}  // namespace koine

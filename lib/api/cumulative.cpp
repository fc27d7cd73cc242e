// SPDX-License-Identifier: Apache-2.0
// Scans: checks and types.
#include "api/build.hpp"

#include <koine/creation.hpp>
#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

namespace koine {
namespace {

using graph::ReduceKind;

Array scanned(ReduceKind kind, const Array& x, std::size_t axis) {
  return api::pending(graph::Op::scan, x.dtype(), x.shape(), {x.node()},
                      graph::make_attributes<graph::Op::scan>({kind, axis}));
}

Array sums_or_products(ReduceKind kind, Operand&& operand, const CumulativeOptions& options, int initial,
                       std::string_view function) {
  const base::NamedCall call(function);
  const Array x = api::array_of(std::move(operand), function);
  const std::size_t axis = api::scanned_axis(options.axis, x.shape(), function);
  const Array result = scanned(kind, astype(x, api::sum_type(x, options.dtype, function)), axis);
  if (!options.include_initial) return result;
  Shape shape = x.shape();
  shape[axis] = 1;
  const Array first = full(shape, initial, {.dtype = result.dtype(), .device = x.device()});
  return concat({first, result}, {.axis = static_cast<std::int64_t>(axis)});
}

Array extremes(ReduceKind kind, Operand&& operand, const CumulativeExtremeOptions& options, std::string_view function) {
  const base::NamedCall call(function);
  const Array x = api::array_of(std::move(operand), function);
  api::require_order(x.dtype(), function);
  return scanned(kind, x, api::scanned_axis(options.axis, x.shape(), function));
}

}  // namespace

Array cumulative_sum(Operand x, const CumulativeOptions& options) {
  return sums_or_products(ReduceKind::sum, std::move(x), options, 0, "cumulative_sum");
}

Array cumulative_prod(Operand x, const CumulativeOptions& options) {
  return sums_or_products(ReduceKind::prod, std::move(x), options, 1, "cumulative_prod");
}

Array cumulative_max(Operand x, const CumulativeExtremeOptions& options) {
  return extremes(ReduceKind::max, std::move(x), options, "cumulative_max");
}

Array cumulative_min(Operand x, const CumulativeExtremeOptions& options) {
  return extremes(ReduceKind::min, std::move(x), options, "cumulative_min");
}

}  // namespace koine

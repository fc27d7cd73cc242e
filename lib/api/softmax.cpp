// SPDX-License-Identifier: Apache-2.0
// Sums of exponentials and shares of them, shifted so that none overflows.
#include "api/build.hpp"

#include <koine/elementwise.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

namespace koine {
namespace {

/// The largest elements, kept as axes of size one; 0 where there are no elements.
Array largest(const Array& x, const std::vector<std::size_t>& axes, const Axis& axis) {
  if (api::count_of(x, axes) > 0) return max(x, {.axis = axis, .keepdims = true});
  return sum(x, {.axis = axis, .keepdims = true});
}

}  // namespace

Array logsumexp(const Operand& operand, const ReductionOptions& options) {
  const Array x = api::real_floating(operand, "logsumexp");
  const auto axes = graph::normal_axes(options.axis, x.shape(), "logsumexp");
  const Array wide = astype(x, graph::accumulation_type(x.dtype()));
  const Array high = largest(wide, axes, options.axis);
  // An infinity is no shift: beside it all differences would be infinite or NaN.
  const Array shift = where(isfinite(high), high, 0);
  Array result = log(sum(exp(wide - shift), {.axis = options.axis, .keepdims = true})) + shift;
  if (!options.keepdims) {
    Shape shape = x.shape();
    for (std::size_t i = axes.size(); i-- > 0;) shape.erase(axes[i]);
    result = reshape(result, shape);
  }
  return astype(result, x.dtype());
}

Array softmax(const Operand& operand, const SoftmaxOptions& options) {
  const Array x = api::real_floating(operand, "softmax");
  const auto axes = graph::normal_axes(options.axis, x.shape(), "softmax");
  const Array wide = astype(x, graph::accumulation_type(x.dtype()));
  const Array power = exp(wide - largest(wide, axes, options.axis));
  return astype(power / sum(power, {.axis = options.axis, .keepdims = true}), x.dtype());
}

}  // namespace koine

// SPDX-License-Identifier: Apache-2.0
// Sums of exponentials and shares of them, shifted so that none overflows.
#include "api/choices.hpp"
#include "api/integers.hpp"

#include <koine/elementwise.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <optional>
#include <vector>

namespace koine {
namespace {

/// The largest elements, kept as axes of size one; 0 where there are no elements.
Array largest(const Array& x, const std::vector<std::size_t>& axes, const Axis& axis) {
  if (api::count_of(x, axes) > 0) return max(x, {.axis = axis, .keepdims = true});
  return sum(x, {.axis = axis, .keepdims = true});
}

/// x with its `axes` as one axis at the end, where they are several and the last ones: reductions of rows share a
/// kernel with what reads them.
std::optional<Array> as_rows(const Array& x, const std::vector<std::size_t>& axes) {
  if (axes.size() < 2 || axes.front() + axes.size() != x.shape().size()) return std::nullopt;
  Shape rows;
  for (std::size_t i = 0; i < axes.front(); ++i) rows.push_back(x.shape()[i]);
  rows.push_back(api::count_of(x, axes));
  return reshape(x, rows);
}

/// x less its largest elements, of integers that float32 does not hold; none for others, and for no elements.
std::optional<Array> shifted(const Array& x, const Axis& axis, std::string_view function) {
  if (!is_integer(x.dtype()) || size_of(x.dtype()) < 4) return std::nullopt;
  if (api::count_of(x, graph::normal_axes(axis, x.shape(), function)) == 0) return std::nullopt;
  return api::difference(x, max(x, {.axis = axis, .keepdims = true}), api::floating_type(x.dtype()));
}

}  // namespace

Array logsumexp(Operand given, const ReductionOptions& options) {
  const base::NamedCall call("logsumexp");
  const Array own = api::array_of(std::move(given), "logsumexp");
  if (const std::optional<Array> below = shifted(own, options.axis, "logsumexp")) {
    return logsumexp(*below, options) + astype(max(own, options), below->dtype());
  }
  const Array x = api::real_floating(own, "logsumexp");
  const auto axes = graph::normal_axes(options.axis, x.shape(), "logsumexp");
  Shape result_shape = x.shape();
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (options.keepdims) {
      result_shape[axes[i]] = 1;
    } else {
      result_shape.erase(axes[i]);
    }
  }
  if (const std::optional<Array> rows = as_rows(x, axes)) return reshape(logsumexp(*rows, {.axis = -1}), result_shape);
  if (api::choices().reproducible || x.node()->place.traits->cpu_loops()) {
    // Of sums, whose order is fixed; what is combined of two parts of a line is rounded by where they are divided. And
    // on a CPU, whose exponentials take longer than to read a line twice, and which has both sums without a compiler.
    const Array wide = astype(x, graph::accumulation_type(x.dtype())), top = largest(wide, axes, options.axis);
    const Array shift = where(isfinite(top), top, 0);
    const Array total = sum(exp(wide - shift), {.axis = options.axis, .keepdims = true});
    return reshape(astype(log(total) + shift, x.dtype()), result_shape);
  }
  Shape shape = x.shape();
  for (std::size_t i = axes.size(); i-- > 0;) shape.erase(axes[i]);
  const Array result = api::pending(graph::Op::reduce, x.dtype(), std::move(shape), {x.node()},
                                    graph::make_attributes<graph::Op::reduce>({graph::ReduceKind::logsumexp, axes}));
  return reshape(result, result_shape);
}

Array softmax(Operand given, const SoftmaxOptions& options) {
  const base::NamedCall call("softmax");
  const Array own = api::array_of(std::move(given), "softmax");
  if (const std::optional<Array> below = shifted(own, options.axis, "softmax")) return softmax(*below, options);
  const Array x = api::real_floating(own, "softmax");
  const auto axes = graph::normal_axes(options.axis, x.shape(), "softmax");
  const Array wide = astype(x, graph::accumulation_type(x.dtype()));
  if (const std::optional<Array> rows = as_rows(x, axes)) return reshape(softmax(*rows, {.axis = -1}), x.shape());
  const Array power = exp(wide - largest(wide, axes, options.axis));
  return astype(power / sum(power, {.axis = options.axis, .keepdims = true}), x.dtype());
}

}  // namespace koine

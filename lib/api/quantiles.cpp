// SPDX-License-Identifier: Apache-2.0
// Quantiles and counts by value: made of sorts and binary searches.
#include "api/build.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/sorting.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace koine {
namespace {

Array ordered_floating(const Operand& operand, std::string_view function) {
  const Array x = api::floating(operand, function);
  api::require_order(x.dtype(), function);
  return x;
}

/// The quantiles of fractions of 1, one array each.
std::vector<Array> quantiles(const Operand& operand, const std::vector<double>& fractions,
                             const ReductionOptions& options, std::string_view function) {
  const base::NamedCall call(function);
  const Array x = ordered_floating(operand, function);
  const auto axes = graph::normal_axes(options.axis, x.shape(), function);
  // The reduced axes last, as one.
  std::vector<std::size_t> order;
  Shape shape, kept = x.shape();
  for (std::size_t a = 0; a < x.shape().size(); ++a) {
    if (std::binary_search(axes.begin(), axes.end(), a)) continue;
    order.push_back(a);
    shape.push_back(x.shape()[a]);
  }
  for (const std::size_t a : axes) {
    order.push_back(a);
    kept[a] = 1;
  }
  api::need_elements(x, axes, function);
  const std::int64_t count = api::count_of(x, axes);
  Shape rows = shape;
  rows.push_back(count);
  const Array sorted = sort(reshape(x.ndim() == 0 ? x : permute_dims(x, order), rows));
  const DType wide = graph::accumulation_type(x.dtype());
  const auto at = [&](std::int64_t i) { return astype(sorted(ellipsis, i), wide); };
  const Array last = at(count - 1);
  std::vector<Array> results;
  for (const double q : fractions) {
    const double place = q * static_cast<double>(count - 1), below = std::floor(place), t = place - below;
    const auto first = static_cast<std::int64_t>(below);
    Array value = at(first);
    if (t > 0) {
      const Array next = at(first + 1), distance = next - value;
      value = where(equal(value, next), value, t < 0.5 ? value + distance * t : next - distance * (1 - t));
    }
    value = astype(where(isnan(last), last, value), x.dtype());
    results.push_back(options.keepdims ? reshape(value, kept) : value);
  }
  return results;
}

std::vector<double> fractions(std::vector<double> q, double whole, std::string_view function) {
  for (double& each : q) {
    if (!(each >= 0 && each <= whole)) {
      throw ValueError(api::prefix(function) + fmt::format("q is {}; it can be 0 to {}", each, whole));
    }
    each /= whole;
  }
  return q;
}

Array stacked(const Operand& x, const std::vector<double>& q, double whole, const ReductionOptions& options,
              std::string_view function) {
  const base::NamedCall call(function);
  if (q.empty()) throw ValueError(api::prefix(function) + "got no q; it needs at least one");
  return stack(quantiles(x, fractions(q, whole, function), options, function));
}

/// How many elements lie in the parts between edges.
Array counted(const Array& flat, const Array& edges) {
  const Array sorted = sort(flat);
  const Array below = searchsorted(sorted, edges(slice(none, -1)));
  const Array last = searchsorted(sorted, edges(slice(-1, none)), {.side = "right"});
  return concat({below(slice(1, none)), last}) - below;
}

}  // namespace

Array median(const Operand& x, const ReductionOptions& options) { return quantiles(x, {0.5}, options, "median")[0]; }

Array quantile(const Operand& x, double q, const ReductionOptions& options) {
  return quantiles(x, fractions({q}, 1, "quantile"), options, "quantile")[0];
}

Array quantile(const Operand& x, const std::vector<double>& q, const ReductionOptions& options) {
  return stacked(x, q, 1, options, "quantile");
}

Array percentile(const Operand& x, double q, const ReductionOptions& options) {
  return quantiles(x, fractions({q}, 100, "percentile"), options, "percentile")[0];
}

Array percentile(const Operand& x, const std::vector<double>& q, const ReductionOptions& options) {
  return stacked(x, q, 100, options, "percentile");
}

Array bincount(const Array& x, const BincountOptions& options) {
  const base::NamedCall call("bincount");
  if (!is_integer(x.dtype())) {
    throw DTypeError("[bincount] does not take " + std::string(name(x.dtype())) + "; it takes integers");
  }
  if (x.ndim() != 1) {
    throw ShapeError("[bincount] x has shape " + to_string(x.shape()) + "; it must have one axis");
  }
  if (options.minlength < 0) {
    throw ValueError("[bincount] minlength is " + std::to_string(options.minlength) + "; it cannot be below zero");
  }
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Array in_order = sort(x), sorted = astype(x.dtype() == uint64 ? minimum(in_order, most) : in_order, int64);
  std::int64_t length = options.minlength;
  if (x.size() > 0) {
    sorted.eval();
    const auto first = sorted(0).item<std::int64_t>(), last = sorted(-1).item<std::int64_t>();
    if (first < 0 || last == most) {
      throw ValueError("[bincount] x has " +
                       (first < 0 ? std::to_string(first) : "an element of " + std::to_string(last) + " or more") +
                       "; elements must be at least 0 and below " + std::to_string(most));
    }
    length = std::max(length, last + 1);
  }
  const Array numbers = arange(length, {.device = x.device()});
  return searchsorted(sorted, numbers, {.side = "right"}) - searchsorted(sorted, numbers);
}

HistogramResult histogram(const Array& x, const HistogramOptions& options) {
  const base::NamedCall call("histogram");
  if (options.bins < 1) {
    throw ValueError("[histogram] bins is " + std::to_string(options.bins) + "; it must be at least 1");
  }
  const Array flat = reshape(ordered_floating(x, "histogram"), {-1});
  const DType wide = graph::accumulation_type(flat.dtype());
  Array low, high;
  if (options.range) {
    const auto [first, last] = *options.range;
    if (!std::isfinite(first) || !std::isfinite(last) || !(first <= last)) {
      throw ValueError("[histogram] the range is " + std::to_string(first) + " to " + std::to_string(last) +
                       "; its ends must be finite, the first not above the last");
    }
    low = full({1}, first, {.dtype = wide, .device = x.device()});
    high = full({1}, last, {.dtype = wide, .device = x.device()});
  } else {
    if (x.size() == 0) throw ValueError("[histogram] has no range for no elements; name one by .range");
    low = astype(min(flat, {.axis = 0, .keepdims = true}), wide);
    high = astype(max(flat, {.axis = 0, .keepdims = true}), wide);
  }
  const Array same = equal(low, high), first = where(same, low - 0.5, low), last = where(same, high + 0.5, high);
  const Array part = astype(arange(options.bins + 1, {.device = x.device()}), wide) / static_cast<double>(options.bins);
  const Array edges = astype(where(equal(part, 1), last, first + (last - first) * part), flat.dtype());
  return {counted(flat, edges), edges};
}

HistogramResult histogram(const Array& x, const Array& edges) {
  const base::NamedCall call("histogram");
  api::require_order(x.dtype(), "histogram");
  api::require_order(edges.dtype(), "histogram");
  if (edges.ndim() != 1 || edges.size() < 2) {
    throw ShapeError("[histogram] the edges have shape " + to_string(edges.shape()) +
                     "; they must have one axis, of size two or more");
  }
  return {counted(reshape(x, {-1}), edges), edges};
}

}  // namespace koine

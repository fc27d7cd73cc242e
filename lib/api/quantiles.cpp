// SPDX-License-Identifier: Apache-2.0
// Quantiles and counts by value: made of selections, or of sorts and binary searches.
#include "api/integers.hpp"
#include "api/sorting.hpp"

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
#include <type_traits>
#include <utility>
#include <vector>

namespace koine {
namespace {

Array ordered(Operand&& operand, std::string_view function) {
  Array x = api::array_of(std::move(operand), function);
  api::require_order(x.dtype(), function);
  return x;
}

/// Where a quantile lies among `count` elements in order: behind the first by t of the way to the next.
struct Position {
  std::int64_t first;
  double t;
};

Position position_of(double q, std::int64_t count) {
  const double position = q * static_cast<double>(count - 1), below = std::floor(position);
  return {static_cast<std::int64_t>(below), position - below};
}

/// The ranks that quantiles are made of, and the last, which is a NaN where there is one; they rise.
std::vector<std::int64_t> ranks_of(const std::vector<double>& fractions, std::int64_t count) {
  std::vector<std::int64_t> ranks = {count - 1};
  for (const double q : fractions) {
    const auto [first, t] = position_of(q, count);
    ranks.push_back(first);
    if (t > 0) ranks.push_back(first + 1);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

/// The elements of rows by their ranks, of which some were named: selected, or all of them sorted.
class Ranked {
 public:
  Ranked(const Array& rows, std::vector<std::int64_t> ranks) : ranks_(std::move(ranks)), elements_(rows) {
    constexpr std::size_t most = 8;  // of kernels/select.cl
    selected_ = ranks_.size() <= most && api::selects(rows);
    if (!selected_) {
      elements_ = sort(rows);
      return;
    }
    Shape shape = rows.shape();
    shape[shape.size() - 1] = static_cast<std::int64_t>(ranks_.size());
    elements_ = api::pending(graph::Op::select, rows.dtype(), shape, {api::in_order(rows.node())},
                             graph::make_attributes<graph::Op::select>({ranks_}));
  }

  Array at(std::int64_t rank) const {
    const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
    return elements_(ellipsis, selected_ ? found - ranks_.begin() : rank);
  }

 private:
  std::vector<std::int64_t> ranks_;
  Array elements_;
  bool selected_;
};

/// The quantiles of fractions of 1, one array each.
std::vector<Array> quantiles(Operand&& operand, const std::vector<double>& fractions, const ReductionOptions& options,
                             std::string_view function) {
  const base::NamedCall call(function);
  const Array x = api::counting(ordered(std::move(operand), function));
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
  const Ranked ranked(reshape(x.ndim() == 0 ? x : permute_dims(x, order), rows), ranks_of(fractions, count));
  const DType type = api::floating_type(x.dtype()), wide = graph::accumulation_type(type);
  const Array last = astype(ranked.at(count - 1), wide);
  std::vector<Array> results;
  for (const double q : fractions) {
    const auto [first, t] = position_of(q, count);
    Array value =
        t > 0 ? api::between(ranked.at(first), ranked.at(first + 1), t, wide) : astype(ranked.at(first), wide);
    value = astype(where(isnan(last), last, value), type);
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

Array stacked(Operand&& x, const std::vector<double>& q, double whole, const ReductionOptions& options,
              std::string_view function) {
  const base::NamedCall call(function);
  if (q.empty()) throw ValueError(api::prefix(function) + "got no q; it needs at least one");
  return stack(quantiles(std::move(x), fractions(q, whole, function), options, function));
}

/// How many of the sorted elements are below each edge, or at it.
Array positions(const Array& sorted, const Array& edges, bool at) {
  const SearchSortedOptions options{.side = at ? "right" : "left"};
  if (!is_integer(sorted.dtype()) || !is_real_floating(edges.dtype())) return searchsorted(sorted, edges, options);
  // Integers stay what they are: an edge between two of them counts as one of the two.
  const IntegerInfo range = iinfo(sorted.dtype());
  const Array found = searchsorted(sorted, astype(at ? floor(edges) : ceil(edges), sorted.dtype()), options);
  const Array above = where(edges < static_cast<double>(range.min), 0, found);
  return where(edges >= std::ldexp(1.0, range.bits - (range.min < 0)), sorted.size(), above);
}

// More are counted by a sort.
constexpr std::int64_t most_bins = std::int64_t{1} << 31;

/// Each bin's lowest int64, and one above the highest of the last, for edges that are real.
Array bounds_of(const Array& edges) {
  // Beyond all integers that are counted so.
  constexpr double beyond = 1099511627776;  // 2^40
  const Array wide = clip(astype(edges, edges.dtype() == float64 ? float64 : float32), -beyond, beyond);
  // One more as an integer: a float32 of 2^24 and more has none.
  return concat({astype(ceil(wide(slice(none, -1))), int64), astype(floor(wide(slice(-1, none))), int64) + 1});
}

/// How many elements lie in the parts between edges.
Array counted(const Array& elements, const Array& edges) {
  const Array x = api::counting(elements);
  const bool real = is_real_floating(x.dtype()) && x.dtype() == edges.dtype();
  const bool whole = is_integer(x.dtype()) && size_of(x.dtype()) <= 4 && is_real_floating(edges.dtype());
  if ((real || whole) && x.size() <= std::numeric_limits<std::uint32_t>::max() && edges.size() < most_bins) {
    const Array counts = api::pending(
        graph::Op::histogram, uint32, {edges.size() - 1},
        {api::in_order(reshape(x, {-1}).node()), api::in_order((real ? edges : bounds_of(edges)).node())}, {});
    return astype(counts, int64);
  }
  const Array sorted = sort(reshape(x, {-1}));
  const Array below = positions(sorted, edges(slice(none, -1)), false);
  const Array last = positions(sorted, edges(slice(-1, none)), true);
  return concat({below(slice(1, none)), last}) - below;
}

struct Range {
  double first, last;
};

/// The value as an element of `type` on its outer side, for no element to lie beyond it.
template <class T>
double outward(T value, DType type, bool up) {
  if constexpr (!std::is_integral_v<T>) {
    return value;
  } else {
    const auto round = [&](auto real) -> double {
      using F = decltype(real);
      constexpr F limit = 2 * F(std::uint64_t{1} << 63) / (std::is_signed_v<T> ? 2 : 1);
      const bool above = real >= limit || static_cast<T>(real) > value;
      const bool below = real < limit && static_cast<T>(real) < value;
      if (up ? !below : !above) return real;
      return std::nextafter(real, up ? std::numeric_limits<F>::infinity() : -std::numeric_limits<F>::infinity());
    };
    return type == float64 ? round(static_cast<double>(value)) : round(static_cast<float>(value));
  }
}

/// From the smallest element to the largest, as `type`.
Range range_of(const Array& x, DType type) {
  if (x.size() == 0) throw ValueError("[histogram] has no range for no elements; name one by .range");
  const Array least = min(x), most = max(x);
  eval(least, most);
  const auto ends = [&]<class T>(T) {
    return Range{outward(least.item<T>(), type, false), outward(most.item<T>(), type, true)};
  };
  if (x.dtype() == uint64) return ends(std::uint64_t{});
  const Range range = is_integer(x.dtype()) ? ends(std::int64_t{}) : ends(double{});
  if (std::isfinite(range.first) && std::isfinite(range.last)) return range;
  throw ValueError(fmt::format("[histogram] the elements reach from {} to {}; name a finite range by .range",
                               range.first, range.last));
}

}  // namespace

Array median(Operand x, const ReductionOptions& options) {
  return quantiles(std::move(x), {0.5}, options, "median")[0];
}

Array quantile(Operand x, double q, const ReductionOptions& options) {
  return quantiles(std::move(x), fractions({q}, 1, "quantile"), options, "quantile")[0];
}

Array quantile(Operand x, const std::vector<double>& q, const ReductionOptions& options) {
  return stacked(std::move(x), q, 1, options, "quantile");
}

Array percentile(Operand x, double q, const ReductionOptions& options) {
  return quantiles(std::move(x), fractions({q}, 100, "percentile"), options, "percentile")[0];
}

Array percentile(Operand x, const std::vector<double>& q, const ReductionOptions& options) {
  return stacked(std::move(x), q, 100, options, "percentile");
}

HistogramResult histogram(const Array& x, const HistogramOptions& options) {
  const base::NamedCall call("histogram");
  if (options.bins < 1) {
    throw ValueError("[histogram] bins is " + std::to_string(options.bins) + "; it must be at least 1");
  }
  const DeviceTraits& device = *x.node()->place.traits;
  if (static_cast<std::uint64_t>(options.bins) >= device.max_allocation / sizeof(std::int64_t)) {
    throw ValueError("[histogram] bins is " + std::to_string(options.bins) +
                     "; the counts of as many do not fit the memory of " + device.selector);
  }
  api::require_order(x.dtype(), "histogram");
  const DType type = api::floating_type(x.dtype());
  Range range;
  if (options.range) {
    range = {options.range->first, options.range->second};
    const double most = finfo(type).max;
    if (!(range.first <= range.last) || range.first < -most || range.last > most) {
      throw ValueError(
          fmt::format("[histogram] the range is {} to {}; its ends must be finite as {}, the first not above the last",
                      range.first, range.last, name(type)));
    }
  } else {
    range = range_of(api::counting(x), type);
  }
  if (range.first == range.last) range = {range.first - 0.5, range.last + 0.5};
  const Array edges = linspace(range.first, range.last, options.bins + 1, {.dtype = type, .device = x.device()});
  return {counted(x, edges), edges};
}

HistogramResult histogram(const Array& x, const Array& edges) {
  const base::NamedCall call("histogram");
  api::require_order(x.dtype(), "histogram");
  api::require_order(edges.dtype(), "histogram");
  if (edges.ndim() != 1 || edges.size() < 2) {
    throw ShapeError("[histogram] the edges have shape " + to_string(edges.shape()) +
                     "; they must have one axis, of size two or more");
  }
  const Operand first(x), second(edges);
  (void)api::common_place("histogram", {&first, &second});
  if (!all(edges(slice(none, -1)) <= edges(slice(1, none))).item<bool>()) {
    throw ValueError("[histogram] an edge is below the one before it, or NaN; the edges must rise");
  }
  return {counted(x, edges), edges};
}

}  // namespace koine

// SPDX-License-Identifier: Apache-2.0
// Reductions of groups of rows: checks, types, and the ones made of others.
#include "api/segments.hpp"

#include "api/choices.hpp"
#include "api/integers.hpp"
#include "api/sorting.hpp"
#include "base/dtypes.hpp"
#include "exec/at_once.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/segments.hpp>
#include <koine/sorting.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace koine {
namespace {

using graph::SegmentKind;

/// How many groups there are, for ids that have been looked at by themselves.
std::int64_t count_of(const Array& ids, const SegmentOptions& options, const char* function) {
  if (options.count && *options.count < 0) {
    throw ValueError(api::prefix(function) + "count is " + std::to_string(*options.count) +
                     "; it cannot be below zero");
  }
  std::int64_t count = options.count.value_or(0);
  if (!options.count && ids.size() > 0) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() - 1;
    const Array largest = max(ids);
    const Array last = ids.dtype() == uint64 ? minimum(largest, most) : largest;
    count = std::min(std::max<std::int64_t>(last.item<std::int64_t>(), -1), most) + 1;
  }
  if (count == 0 && ids.size() > 0) {
    throw IndexError(api::prefix(function) + "there are " + std::to_string(ids.size()) + " ids and no groups" +
                     (options.count ? "" : ": no id is above -1"));
  }
  return count;
}

/// Ids that are known to name groups need not be reported.
graph::IdsAre ids_are(const Array& ids, std::int64_t groups) {
  const bool known = graph::bounds_of(*ids.node()).within(0, groups - 1);
  return known ? graph::IdsAre::known_positions : graph::IdsAre::groups;
}

void check_ids(const Array& ids, const char* function) {
  if (!is_integer(ids.dtype())) {
    throw DTypeError(api::prefix(function) + "ids are " + std::string(name(ids.dtype())) + "; they must be integers");
  }
  if (ids.ndim() != 1) {
    throw ShapeError(api::prefix(function) + "ids have shape " + to_string(ids.shape()) + "; they must have one axis");
  }
}

/// Everything but the values' type, which the caller makes fit.
api::Segments segments_of(SegmentKind kind, const Array& x, const Array& ids, const SegmentOptions& options,
                          const char* function) {
  const Operand first(x), second(ids);
  api::common_place(function, {&first, &second});
  check_ids(ids, function);
  if (x.ndim() == 0 || x.shape()[0] != ids.size()) {
    throw ShapeError(api::prefix(function) + "x has shape " + to_string(x.shape()) + " and there are " +
                     std::to_string(ids.size()) + " ids; there must be one for each row of x");
  }
  const std::int64_t count = count_of(ids, options, function);
  Shape shape = x.shape();
  shape[0] = count;
  graph::check_sizes(shape, function);
  return {x, ids, shape, {kind, count, function, ids_are(ids, count)}, std::nullopt, options.sorted};
}

Array extreme(SegmentKind kind, const Array& x, const Array& ids, const SegmentOptions& options, const char* function) {
  const base::NamedCall call(function);
  api::require_order(x.dtype(), function);
  return astype(
      api::reduced_by_ids(segments_of(kind, api::counting(x), ids, options, function), api::counting(x).dtype()),
      x.dtype());
}

// Integers that are read rather than reduced, and counts of them that are made as they are read.
constexpr std::int64_t few = 4096;

/// The least and the largest of some integers that int64 holds, `values` if they have been read.
std::pair<std::int64_t, std::int64_t> range_of(const Array& x, const std::vector<std::int64_t>& values) {
  if (!values.empty()) {
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    return {*least, *largest};
  }
  const Array least = min(x), largest = max(x);
  eval(least, largest);
  return {least.item<std::int64_t>(), largest.item<std::int64_t>()};
}

/// Sums of terms past this could need more than the words of kernels/common/exact_sum.clh.
constexpr std::int64_t most_terms = std::int64_t{1} << 33;

}  // namespace

Array api::reduced_by_ids(const Segments& segments, DType type) {
  Array values = segments.values, ids = segments.ids;
  const graph::Attributes attributes = graph::make_attributes<graph::Op::scatter_reduce>(segments.info);
  const bool one = values.size() == 1 && ids.size() != 1;
  if (segments.info.kind == SegmentKind::prod) {
    if (!segments.sorted) {
      const Ordered sorted = ordered(ids);
      ids = sorted.values;
      if (!one) values = take(values, sorted.positions, 0);
    }
    const DType wide = is_integer(type)      ? (is_unsigned_integer(type) ? uint64 : int64)
                       : base::is_half(type) ? float32
                                             : type;
    const Array product = pending(graph::Op::scatter_reduce, wide, segments.shape,
                                  {in_order(astype(values, wide).node()), in_order(ids.node())}, attributes);
    return astype(segments.start ? astype(*segments.start, wide) * product : product, type);
  }
  if (ids.size() > most_terms && !is_integer(type)) {
    throw ValueError(prefix(segments.info.name) + "got " + std::to_string(ids.size()) +
                     " values; it adds 2^33 at the most");
  }
  if (segments.start) {
    return pending(graph::Op::scatter_reduce, type, segments.shape,
                   {in_order(values.node()), in_order(ids.node()), in_order(segments.start->node())}, attributes);
  }
  return pending(graph::Op::scatter_reduce, type, segments.shape, {in_order(values.node()), in_order(ids.node())},
                 attributes);
}

Array segment_sum(const Array& x, const Array& ids, const SegmentOptions& options) {
  constexpr const char* function = "segment_sum";
  const base::NamedCall call(function);
  return api::reduced_by_ids(segments_of(SegmentKind::sum, x, ids, options, function),
                             api::sum_type(x, std::nullopt, function));
}

Array segment_prod(const Array& x, const Array& ids, const SegmentOptions& options) {
  constexpr const char* function = "segment_prod";
  const base::NamedCall call(function);
  return api::reduced_by_ids(segments_of(SegmentKind::prod, x, ids, options, function),
                             api::sum_type(x, std::nullopt, function));
}

Array segment_mean(const Array& x, const Array& ids, const SegmentOptions& options) {
  constexpr const char* function = "segment_mean";
  const base::NamedCall call(function);
  const api::Segments segments = segments_of(SegmentKind::sum, x, ids, options, function);
  const SegmentOptions counted{.count = segments.info.groups, .sorted = options.sorted};
  Shape column = Shape::filled(segments.shape.size(), 1);
  column[0] = segments.info.groups;
  const Array counts = reshape(segment_count(ids, counted), column);
  const auto sum = [&](const Array& values) { return segment_sum(values, ids, counted); };
  if (const auto mean = api::integer_mean(x, sum, counts, x.shape()[0])) {
    return astype(mean->whole, default_dtype()) + mean->rest;
  }
  // In a wider type than float16, in which sums that the mean has room for have none.
  const bool narrow = base::is_half(x.dtype());
  const Array total = sum(narrow ? astype(x, float32) : x);
  return astype(total / astype(counts, total.dtype()), x.dtype());
}

Array segment_max(const Array& x, const Array& ids, const SegmentOptions& options) {
  return extreme(SegmentKind::max, x, ids, options, "segment_max");
}

Array segment_min(const Array& x, const Array& ids, const SegmentOptions& options) {
  return extreme(SegmentKind::min, x, ids, options, "segment_min");
}

Array segment_count(const Array& ids, const SegmentOptions& options) {
  constexpr const char* function = "segment_count";
  const base::NamedCall call(function);
  check_ids(ids, function);
  const std::int64_t count = count_of(ids, options, function);
  graph::check_sizes({count}, function);
  const Array one(graph::make_constant(int64, {1, 1.0}, api::chosen_place(ids.node()->place)));
  return api::reduced_by_ids(
      {one, ids, {count}, {SegmentKind::sum, count, function, ids_are(ids, count)}, std::nullopt, options.sorted},
      int64);
}

Array bincount(const Array& x, const BincountOptions& options) {
  constexpr const char* function = "bincount";
  const base::NamedCall call(function);
  if (!is_integer(x.dtype())) {
    throw DTypeError("[bincount] does not take " + std::string(name(x.dtype())) + "; it takes integers");
  }
  if (x.ndim() != 1) {
    throw ShapeError("[bincount] x has shape " + to_string(x.shape()) + "; it must have one axis");
  }
  if (options.minlength < 0) {
    throw ValueError("[bincount] minlength is " + std::to_string(options.minlength) + "; it cannot be below zero");
  }
  if (options.weights && options.weights->shape() != x.shape()) {
    throw ShapeError("[bincount] x has shape " + to_string(x.shape()) + " and the weights " +
                     to_string(options.weights->shape()) + "; they must have the same");
  }
  std::int64_t length = options.minlength;
  // Of what its type, or what it is computed by, keeps within the counts nobody need look for the largest.
  const bool bounded = graph::bounds_of(*x.node()).within(0, length - 1);
  if (x.size() > 0 && !bounded) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const Array signed_ones = x.dtype() == uint64 ? minimum(x, most) : x;
    std::vector<std::int64_t> values;
    if (x.size() <= few) values = signed_ones.to_vector<std::int64_t>();
    const auto [first, last] = range_of(signed_ones, values);
    if (first < 0 || last == most) {
      throw ValueError("[bincount] x has " +
                       (first < 0 ? std::to_string(first) : "an element of " + std::to_string(last) + " or more") +
                       "; elements must be at least 0 and below " + std::to_string(most));
    }
    length = std::max(length, last + 1);
    if (!values.empty() && length <= few && !options.weights) {
      const graph::Place place = api::chosen_place(x.node()->place);
      if (graph::NodeRef made = exec::counted_at_once(*x.node(), values, length, place)) return Array(std::move(made));
    }
  }
  const SegmentOptions groups{.count = length};
  return options.weights ? segment_sum(*options.weights, x, groups) : segment_count(x, groups);
}

}  // namespace koine

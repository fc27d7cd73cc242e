// SPDX-License-Identifier: Apache-2.0
// Sets: made of sorts, scans, masks and binary searches.
#include "api/build.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/sets.hpp>
#include <koine/sorting.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

namespace koine {
namespace {

/// Equal elements side by side, and where each group of them begins.
struct Groups {
  Array sorted;
  Array first;  // whether an element is the first of its group
  Array begins;
};

/// Whether each element differs from the one before.
Array firsts_of(const Array& sorted) {
  const Array first = ones({1}, {.dtype = bool_, .device = sorted.device()});
  const Array rest = not_equal(sorted(slice(1, none)), sorted(slice(none, -1)));
  return concat({first, rest})(slice(none, sorted.size())).eval();
}

Groups groups_of(const Array& sorted) {
  const Array first = firsts_of(sorted);
  return {sorted, first, nonzero(first)[0]};
}

Array counts_of(const Groups& groups) {
  const Array end = full({1}, groups.sorted.size(), {.dtype = int64, .device = groups.sorted.device()});
  return concat({groups.begins(slice(1, none)), end})(slice(none, groups.begins.size())) - groups.begins;
}

/// The groups' numbers, from 0 on, for the elements as they lay before `order` sorted them.
Array inverse_of(const Groups& groups, const Array& order, const Shape& shape) {
  // Places that fit 32 bits are sorted in half the passes.
  const Array places = order.size() <= INT64_C(0xffffffff) ? astype(order, uint32) : order;
  return reshape(take(cumulative_sum(groups.first, {.dtype = int64}) - 1, argsort(places)), shape);
}

/// The flattened array; argsort(flat) and what it leads to.
struct Ordered {
  Array flat, order;
  Groups groups;
};

Ordered ordered(const Array& x, std::string_view function) {
  api::require_order(x.dtype(), function);
  const Array flat = reshape(x, {-1}).eval(), order = argsort(flat).eval();
  return {flat, order, groups_of(take(flat, order).eval())};
}

}  // namespace

Array isin(const Operand& x1, const Operand& x2, const IsinOptions& options) {
  const base::NamedCall call("isin");
  const graph::Place place = api::common_place("isin", {&x1, &x2});
  const DType type = api::common_type("isin", {&x1, &x2});
  api::require_order(type, "isin");
  const Array elements(api::to_node(x1, type, place));
  const Array list = sort(reshape(Array(api::to_node(x2, type, place)), {-1}));
  if (list.size() == 0) return full(elements.shape(), options.invert, {.dtype = bool_, .device = elements.device()});
  const Array nearest = take(list, minimum(searchsorted(list, elements), list.size() - 1));
  return options.invert ? not_equal(nearest, elements) : equal(nearest, elements);
}

UniqueAllResult unique_all(const Array& x) {
  const base::NamedCall call("unique_all");
  const Ordered o = ordered(x, "unique_all");
  return {take(o.groups.sorted, o.groups.begins), take(o.order, o.groups.begins),
          inverse_of(o.groups, o.order, x.shape()), counts_of(o.groups)};
}

UniqueInverseResult unique_inverse(const Array& x) {
  const base::NamedCall call("unique_inverse");
  const Ordered o = ordered(x, "unique_inverse");
  return {take(o.groups.sorted, o.groups.begins), inverse_of(o.groups, o.order, x.shape())};
}

UniqueCountsResult unique_counts(const Array& x) {
  const base::NamedCall call("unique_counts");
  api::require_order(x.dtype(), "unique_counts");
  const Groups groups = groups_of(sort(reshape(x, {-1})).eval());
  return {take(groups.sorted, groups.begins), counts_of(groups)};
}

Array unique_values(const Array& x) {
  const base::NamedCall call("unique_values");
  api::require_order(x.dtype(), "unique_values");
  const Array sorted = sort(reshape(x, {-1})).eval();
  return sorted(firsts_of(sorted));
}

}  // namespace koine

// SPDX-License-Identifier: Apache-2.0
// Sets: made of sorts, scans, masks and binary searches; of few elements on a card by one kernel.
#include "api/build.hpp"
#include "api/sorting.hpp"
#include "exec/unique.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/sets.hpp>
#include <koine/sorting.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <cmath>
#include <optional>

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
  const Array first = arange(sorted.size(), {.device = sorted.device()}) == 0;
  return logical_or(first, sorted != roll(sorted, 1)).eval();
}

Groups groups_of(const Array& sorted) {
  const Array first = firsts_of(sorted);
  return {sorted, first, nonzero(first)[0]};
}

Array counts_of(const Groups& groups) {
  const Array last = arange(groups.begins.size(), {.device = groups.begins.device()}) == groups.begins.size() - 1;
  return where(last, groups.sorted.size(), roll(groups.begins, -1)) - groups.begins;
}

/// The groups' numbers, from 0 on, for the elements as they lay before `order` sorted them; `first` says which of the
/// sorted ones begin a group.
Array inverse_of(const Array& first, const Array& order, const Shape& shape) {
  const Array numbers = cumulative_sum(first, {.dtype = int64}) - 1;
  const Array unwritten = api::unwritten(order.shape(), int64, order.node()->place, "unique");
  return reshape(api::written(unwritten, order, numbers), shape);
}

/// In the order of argsort, complex numbers by their real parts and then by their imaginary ones; what has a NaN comes
/// last.
api::Ordered ordered(const Array& flat) {
  if (!is_complex(flat.dtype())) return api::ordered(flat);
  const Array low = argsort(imag(flat)), high = where(isnan(flat), NAN, real(flat));
  const Array order = take(low, argsort(take(high, low))).eval();
  return {take(flat, order).eval(), order};
}

Array flattened(const Array& x) { return reshape(x, {-1}).eval(); }

/// The flattened elements in order.
Array sorted_of(const Array& x) { return is_complex(x.dtype()) ? ordered(flattened(x)).values : sort(flattened(x)); }

/// Of few elements of a real type on a card.
std::optional<exec::Unique> at_once(const Array& x, exec::UniqueWanted wanted, const char* function) {
  if (is_complex(x.dtype())) return std::nullopt;
  return exec::unique_at_once(flattened(x).node(), wanted, function);
}

/// Whether each of `elements` equals one of `list`: their groups, when all are sorted together.
Array in_groups_of(const Array& elements, const Array& list) {
  const Array both = concat({list, reshape(elements, {-1})}).eval();
  const api::Ordered sorted = ordered(both);
  const Array group = inverse_of(firsts_of(sorted.values), sorted.positions, both.shape());
  Array listed = zeros(both.shape(), {.dtype = bool_, .device = both.device()});
  listed(group(slice(none, list.size()))) = true;
  return take(listed, reshape(group(slice(list.size(), none)), elements.shape()));
}

/// The same for real types, by a search.
Array found_in(const Array& elements, const Array& list) {
  const Array sorted = sort(list);
  return equal(take(sorted, minimum(searchsorted(sorted, elements), list.size() - 1)), elements);
}

}  // namespace

Array isin(Operand given, Operand among, const IsinOptions& options) {
  const base::NamedCall call("isin");
  const Operand x1 = std::move(given), x2 = std::move(among);
  const graph::Place place = api::common_place("isin", {&x1, &x2});
  const api::Compared types = api::compared_types("isin", x1, x2);
  const Array elements(api::to_node(x1, types.x1, place));
  const Array list = reshape(Array(api::to_node(x2, types.x2, place)), {-1});
  if (list.size() == 0) return full(elements.shape(), options.invert, {.dtype = bool_, .device = elements.device()});
  const Array converted = astype(elements, types.x2);
  Array found = is_complex(types.x2) ? in_groups_of(converted, list) : found_in(converted, list);
  if (types.mixed()) found = found & (converted == elements);  // no other has become one of the list's by wrapping
  return options.invert ? !found : found;
}

UniqueAllResult unique_all(const Array& x) {
  const base::NamedCall call("unique_all");
  if (const auto found = at_once(x, {.positions = true, .inverse = true, .counts = true}, "unique_all")) {
    return {Array(found->values), Array(found->positions), reshape(Array(found->inverse), x.shape()),
            Array(found->counts)};
  }
  const api::Ordered sorted = ordered(flattened(x));
  const Groups groups = groups_of(sorted.values);
  return {take(groups.sorted, groups.begins), take(sorted.positions, groups.begins),
          inverse_of(groups.first, sorted.positions, x.shape()), counts_of(groups)};
}

UniqueInverseResult unique_inverse(const Array& x) {
  const base::NamedCall call("unique_inverse");
  if (const auto found = at_once(x, {.inverse = true}, "unique_inverse")) {
    return {Array(found->values), reshape(Array(found->inverse), x.shape())};
  }
  const api::Ordered sorted = ordered(flattened(x));
  const Groups groups = groups_of(sorted.values);
  return {take(groups.sorted, groups.begins), inverse_of(groups.first, sorted.positions, x.shape())};
}

UniqueCountsResult unique_counts(const Array& x) {
  const base::NamedCall call("unique_counts");
  if (const auto found = at_once(x, {.counts = true}, "unique_counts")) {
    return {Array(found->values), Array(found->counts)};
  }
  const Groups groups = groups_of(sorted_of(x));
  return {take(groups.sorted, groups.begins), counts_of(groups)};
}

Array unique_values(const Array& x) {
  const base::NamedCall call("unique_values");
  if (const auto found = at_once(x, {}, "unique_values")) return Array(found->values);
  const Array sorted = sorted_of(x);
  return sorted(firsts_of(sorted));
}

}  // namespace koine

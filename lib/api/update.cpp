// SPDX-License-Identifier: Apache-2.0
// Values brought together with a part of an array, where positions may repeat: x.at(...).add(values) and its like.
#include "api/integers.hpp"
#include "api/segments.hpp"
#include "api/sorting.hpp"
#include "api/subscript.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/sorting.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <algorithm>

namespace koine {
namespace {

using graph::SegmentKind;

constexpr const char* function = "at";
// An array so many times as long as the positions is left alone, but for what they name, unless it is short.
constexpr std::int64_t sparse = 8, shortest_left = 4096;

Array paired(SegmentKind kind, const Array& a, const Array& b) {
  switch (kind) {
    case SegmentKind::sum: return a + b;
    case SegmentKind::prod: return a * b;
    case SegmentKind::max: return maximum(a, b);
    default: return minimum(a, b);
  }
}

/// x of one axis, `at` and `values` likewise, or one value for all.
Array reduced_into(SegmentKind kind, const Array& x, const Array& at, const Array& values) {
  return api::reduced_by_ids({values, at, x.shape(), {kind, x.size(), function, true}, x}, x.dtype());
}

/// The same where positions are few beside x: those that are equal get a number, and x's elements there are brought
/// together with their values.
Array reduced_apart(SegmentKind kind, const Array& x, const Array& positions, const Array& values) {
  const auto [at, order] = api::ordered(positions);
  const Array begins = astype(at(slice(1, none)) != at(slice(none, -1)), int64);
  const Array numbers = cumulative_sum(begins, {.include_initial = true});
  const Array own =
      api::written(zeros(at.shape(), {.dtype = x.dtype(), .device = x.device()}), numbers, take(x, maximum(at, 0)));
  const Array sorted = values.size() == 1 ? values : take(values, order);
  const graph::ScatterReduceInfo info{kind, at.size(), function, true};
  const Array results = api::reduced_by_ids({sorted, numbers, at.shape(), info, own, true}, x.dtype());
  return api::written(x, at, take(results, numbers));
}

void update(Array& x, std::span<const Index> list, SegmentKind kind, const Operand& operand) {
  const base::NamedCall call(function);
  if (kind == SegmentKind::max || kind == SegmentKind::min) api::require_order(x.dtype(), function);
  const std::vector<Index> indices = api::with_arrays(list, x);
  const Array value = api::assigned_value(x, operand, function);
  const bool repeats = std::any_of(indices.begin(), indices.end(), [](const Index& index) {
    return index.array() != nullptr && !is_bool(index.array()->dtype);
  });
  if (!repeats) {
    Array part = x.get(indices);
    api::check_assigned(value.shape(), part.shape());
    part = paired(kind, part, value);  // no longer of x's memory, which can then be written in place
    return x.set(indices, std::move(part));
  }
  const Array at = api::positions_by_arrays(x, indices).flat;
  api::check_assigned(value.shape(), at.shape());
  if (at.size() == 0) return;
  // A single complex number is two for the kernel, which can repeat one.
  const bool one = value.size() == 1 && !is_complex(x.dtype());
  const Array values = reshape(one ? value : broadcast_to(value, at.shape()), -1), positions = reshape(at, -1);
  // Of bool_ the sum is OR, the product AND: the larger, and the smaller, as integers.
  const bool truth = is_bool(x.dtype());
  if (truth) kind = kind == SegmentKind::sum ? SegmentKind::max : kind == SegmentKind::prod ? SegmentKind::min : kind;
  const Array flat = api::counting(reshape(x, -1));
  const bool few = x.size() >= shortest_left && positions.size() < x.size() / sparse;
  const bool apart = kind == SegmentKind::prod || few;
  const Array result = apart ? reduced_apart(kind, flat, positions, api::counting(values))
                             : reduced_into(kind, flat, positions, api::counting(values));
  x = reshape(astype(result, x.dtype()), x.shape());
}

}  // namespace

void Update::add(const Operand& values) && { update(*array_, indices_, SegmentKind::sum, values); }
void Update::multiply(const Operand& values) && { update(*array_, indices_, SegmentKind::prod, values); }
void Update::max(const Operand& values) && { update(*array_, indices_, SegmentKind::max, values); }
void Update::min(const Operand& values) && { update(*array_, indices_, SegmentKind::min, values); }

}  // namespace koine

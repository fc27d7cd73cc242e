// SPDX-License-Identifier: Apache-2.0
// Values brought together with a part of an array, where positions may repeat: x.at(...).add(values) and its like.
#include "api/choices.hpp"
#include "api/integers.hpp"
#include "api/segments.hpp"
#include "api/sorting.hpp"
#include "api/subscript.hpp"
#include "exec/evaluate.hpp"
#include "exec/scatter_reduce.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/sorting.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <optional>

namespace koine {
namespace {

using graph::SegmentKind;

constexpr const char* function = "at";
// An array so many times as long as the positions is left alone, but for what they name, unless it is short. On a CPU
// it takes longer to order the positions.
constexpr std::int64_t sparse = 8, sparse_on_cpu = 20, shortest_left = 4096;

Array paired(SegmentKind kind, Array a, Array b) {
  switch (kind) {
    case SegmentKind::sum: return std::move(a) + std::move(b);
    case SegmentKind::prod: return std::move(a) * std::move(b);
    case SegmentKind::max: return maximum(std::move(a), std::move(b));
    default: return minimum(std::move(a), std::move(b));
  }
}

Array in_line(const Array& x) { return x.ndim() == 1 ? x : reshape(x, -1); }

/// Into rows of x, whose values come one after the other, or one value for all.
Array reduced_into(SegmentKind kind, const Array& x, const Array& at, graph::IdsAre are, const Array& values) {
  return api::reduced_by_ids({values, at, x.shape(), {kind, x.shape()[0], function, are}, x}, x.dtype());
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
  const graph::ScatterReduceInfo info{kind, at.size(), function, graph::IdsAre::known_positions};
  const Array results = api::reduced_by_ids({sorted, numbers, at.shape(), info, own, true}, x.dtype());
  return api::written(x, at, take(results, numbers));
}

void update(Array& x, std::span<const Index> indices, SegmentKind kind, Operand&& operand) {
  const base::NamedCall call(function);
  if (kind == SegmentKind::max || kind == SegmentKind::min) api::require_order(x.dtype(), function);
  if (api::has_lists(indices)) return update(x, api::with_arrays(indices, x), kind, std::move(operand));
  Array value = api::assigned_value(x, std::exchange(operand, false), function);
  // Positions along the first axis are ids as they stand.
  const std::optional<Array> leading = api::leading_positions(x, indices);
  if (leading && kind == SegmentKind::sum &&
      exec::add_at(x.node(), leading->node(), value.node(), api::chosen_place(x.node()->place))) {
    return;
  }
  const bool repeats = std::any_of(indices.begin(), indices.end(), [](const Index& index) {
    return index.array() != nullptr && !is_bool(index.array()->dtype);
  });
  if (!repeats) {
    Array part = x.get(indices);
    api::check_assigned(value.shape(), part.shape());
    // Neither is of x's memory any longer, which can then be written in place.
    part = paired(kind, std::move(part), std::move(value));
    return x.set(indices, std::move(part));
  }
  std::optional<Array> flat;
  Shape part;
  if (leading) {
    part = leading->shape();
    for (std::size_t axis = 1; axis < x.shape().size(); ++axis) part.push_back(x.shape()[axis]);
  } else {
    flat = api::positions_by_arrays(x, indices).flat;
    part = flat->shape();
  }
  api::check_assigned(value.shape(), part);
  const std::int64_t count = part.elements();
  if (count == 0) return;
  // A single complex number is two for the kernel, which can repeat one.
  const bool one = value.size() == 1 && !is_complex(x.dtype());
  // Of bool_ the sum is OR, the product AND: the larger, and the smaller, as integers.
  const bool truth = is_bool(x.dtype());
  if (truth) kind = kind == SegmentKind::sum ? SegmentKind::max : kind == SegmentKind::prod ? SegmentKind::min : kind;
  const bool whole = one || value.shape() == part;
  const Array start = api::counting(x), values = api::counting(in_line(whole ? value : broadcast_to(value, part)));
  const bool at_once = exec::updates_at_once(*x.node()->place.traits, is_complex(x.dtype()) ? 2 * count : count);
  const std::int64_t least = x.node()->place.traits->cpu_loops() ? sparse_on_cpu : sparse;
  const bool few = x.size() >= shortest_left && count < x.size() / least && !at_once;
  const bool apart = kind == SegmentKind::prod || few;
  Array result = start;
  if (leading && !apart) {
    result = reduced_into(kind, start, in_line(*leading), graph::IdsAre::positions, values);
  } else {
    const Array line = in_line(start), at = in_line(flat ? *flat : api::positions_by_arrays(x, indices).flat);
    result = apart ? reduced_apart(kind, line, at, values)
                   : reduced_into(kind, line, at, graph::IdsAre::known_positions, values);
  }
  result = astype(result, x.dtype());
  x = result.shape() == x.shape() ? result : reshape(result, x.shape());
}

}  // namespace

void Update::add(Operand values) && { update(*array_, indices_, SegmentKind::sum, std::move(values)); }
void Update::multiply(Operand values) && { update(*array_, indices_, SegmentKind::prod, std::move(values)); }
void Update::max(Operand values) && { update(*array_, indices_, SegmentKind::max, std::move(values)); }
void Update::min(Operand values) && { update(*array_, indices_, SegmentKind::min, std::move(values)); }

}  // namespace koine

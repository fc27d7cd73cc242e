// SPDX-License-Identifier: Apache-2.0
// Sorts and positions in sorted lists: checks, and the axis moved to the end.
#include "api/sorting.hpp"

#include "api/build.hpp"
#include "api/choices.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/sorting.hpp>
#include <koine/types.hpp>

#include <limits>

namespace koine {
namespace {

/// Sorts the last axis.
Array sorted(const Array& rows, graph::SortGives gives, bool descending) {
  const DType type = gives == graph::SortGives::positions ? int64 : rows.dtype();
  return api::pending(graph::Op::sort, type, rows.shape(), {api::in_order(rows.node())},
                      graph::make_attributes<graph::Op::sort>({gives, descending}));
}

/// x with its axis `axis`, which is in range, last.
Array with_last(const Array& x, std::size_t axis) { return axis + 1 == x.shape().size() ? x : moveaxis(x, axis, -1); }
/// The way back.
Array with_back(const Array& x, std::size_t axis) { return axis + 1 == x.shape().size() ? x : moveaxis(x, -1, axis); }

std::size_t sorted_axis(const Array& x, std::int64_t axis, std::string_view function) {
  api::require_order(x.dtype(), function);
  return graph::normal_axis(axis, x.shape(), function);
}

}  // namespace

api::Ordered api::ordered(const Array& rows, bool descending) {
  const graph::NodeRef input = in_order(rows.node());
  const std::vector<graph::NodeRef> results =
      graph::make_results(graph::Op::sort, chosen_place(input->place), {&input, 1},
                          graph::make_attributes<graph::Op::sort>({graph::SortGives::both, descending}));
  return {pending(results[0]), pending(results[1])};
}

bool api::selects(const Array& rows) {
  // Shorter rows are sorted as quickly; the kernels count elements in 31 bits.
  const std::int64_t size = rows.shape().back(), fewest = rows.node()->place.traits->cpu_loops() ? 256 : 1024;
  return size >= fewest && size < std::int64_t{1} << 31 && rows.size() > 0;
}

Array sort(const Array& x, const SortOptions& options) {
  const std::size_t axis = sorted_axis(x, options.axis, "sort");
  return with_back(sorted(with_last(x, axis), graph::SortGives::values, options.descending), axis);
}

Array argsort(const Array& x, const SortOptions& options) {
  const std::size_t axis = sorted_axis(x, options.axis, "argsort");
  return with_back(sorted(with_last(x, axis), graph::SortGives::positions, options.descending), axis);
}

Array partition(const Array& x, std::int64_t kth, const PartitionOptions& options) {
  const base::NamedCall call("partition");
  const std::int64_t size = x.shape()[sorted_axis(x, options.axis, "partition")];
  if (kth < -size || kth >= size) {
    throw IndexError("[partition] kth " + std::to_string(kth) + " is out of range for axis " +
                     std::to_string(options.axis) + " of size " + std::to_string(size) +
                     (size == 0 ? "" : "; it can be " + std::to_string(-size) + " to " + std::to_string(size - 1)));
  }
  return sort(x, {.axis = options.axis});
}

TopkResult topk(const Array& x, std::int64_t k, const TopkOptions& options) {
  const base::NamedCall call("topk");
  const std::size_t axis = sorted_axis(x, options.axis, "topk");
  const std::int64_t size = x.shape()[axis];
  if (k < 0 || k > size) {
    throw ValueError("[topk] k is " + std::to_string(k) + "; axis " + std::to_string(options.axis) + " of shape " +
                     to_string(x.shape()) + " has " + std::to_string(size) + " elements");
  }
  const Array rows = with_last(x, axis);
  if (k > 0 && k <= size / api::part_of_row && api::selects(rows)) {
    const graph::NodeRef input = api::in_order(rows.node());
    const std::vector<graph::NodeRef> chosen =
        graph::make_results(graph::Op::topk, api::chosen_place(input->place), {&input, 1},
                            graph::make_attributes<graph::Op::topk>({k, options.largest}));
    const Array values = api::pending(chosen[0]), positions = api::pending(chosen[1]);
    if (k == 1) return {with_back(values, axis), with_back(positions, axis)};
    const api::Ordered sorted = api::ordered(values, options.largest);
    return {with_back(sorted.values, axis), with_back(take_along_axis(positions, sorted.positions), axis)};
  }
  const api::Ordered sorted = api::ordered(rows, options.largest);
  const auto first = [&](const Array& all) {
    const Array part = all(ellipsis, slice(0, k));
    // A view would keep the memory of all.
    return with_back(k == size ? part : Array(graph::make_copy(part.node(), part.shape(), part.node()->place)), axis);
  };
  return {first(sorted.values), first(sorted.positions)};
}

Array searchsorted(const Array& x1, Operand given, const SearchSortedOptions& options) {
  const base::NamedCall call("searchsorted");
  const bool after = api::choice(options.side, {"left", "right"}, "searchsorted", "side") == 1;
  const Operand first(x1), x2 = std::move(given);
  const graph::Place place = api::common_place("searchsorted", {&first, &x2});
  const api::Compared types = api::compared_types("searchsorted", first, x2);
  api::require_order(types.x1, "searchsorted");
  if (x1.ndim() != 1) {
    throw ShapeError("[searchsorted] x1 has shape " + to_string(x1.shape()) + "; it must have one axis");
  }
  if (options.sorter && options.sorter->shape() != x1.shape()) {
    throw ShapeError("[searchsorted] the sorter has shape " + to_string(options.sorter->shape()) + ", x1 " +
                     to_string(x1.shape()) + "; they must be equal");
  }
  const Array list = astype(options.sorter ? take(x1, *options.sorter) : x1, types.x1);
  const graph::NodeRef own = api::to_node(x2, types.x2, place), sought = graph::make_cast(own, types.x1, place);
  const Array positions =
      api::pending(graph::Op::search, int64, sought->shape, place, {api::in_order(list.node()), api::in_order(sought)},
                   graph::make_attributes<graph::Op::search>({after}));
  if (!types.mixed()) return positions;
  // What the list's type does not hold stands before all of it, or behind.
  const bool low = types.x2 == int64;
  const Array outside = low ? Array(own) < 0 : Array(own) > std::numeric_limits<std::int64_t>::max();
  return where(outside, low ? 0 : list.size(), positions);
}

}  // namespace koine

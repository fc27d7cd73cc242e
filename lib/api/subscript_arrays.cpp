// SPDX-License-Identifier: Apache-2.0
// Subscripts with arrays of positions and masks in them, for reading and for assignment, by NumPy's rules: what they
// pick is brought to one array of positions along one axis, or, to assign, in the flattened array.
#include "api/build.hpp"
#include "api/choices.hpp"
#include "api/subscript.hpp"
#include "exec/compact.hpp"
#include "exec/evaluate.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace koine {
namespace {

constexpr const char* function = "subscript";

/// An array among the indices, over one axis or, if it is a mask, over as many as it has.
struct Entry {
  Array array;
  std::size_t source;  // its first axis in the array
  std::size_t axis;    // and in the part that the other indices name
  std::size_t axes;
  bool mask;
};

struct Indices {
  std::vector<Index> basic;  // whole axes in the entries' place
  std::vector<Entry> entries;
  bool neighbours;    // entries and integers stand side by side
  std::size_t first;  // the axis of the part where the first of those stands
};

bool is_picking(const Index& index) {
  return index.array() != nullptr || std::holds_alternative<std::int64_t>(index.value());
}

/// Throws DeviceError where an array and what indexes it are on different devices.
void require_one_device(const Array& x, const Array& index) {
  if (x.node()->place == index.node()->place) return;
  const Operand first(x), second(index);
  api::common_place(function, {&first, &second});
}

Entry entry_of(const graph::NodeRef& node, std::size_t source, std::size_t axis, const Array& x) {
  Entry entry{Array(node), source, axis, 1, is_bool(node->dtype)};
  require_one_device(x, entry.array);
  if (!entry.mask) {
    api::require_positions(entry.array, function);
    return entry;
  }
  entry.axes = node->shape.size();
  bool fits = source + entry.axes <= x.shape().size();
  Shape over;  // the axes that it stands for
  for (std::size_t i = 0; fits && i < entry.axes; ++i) {
    over.push_back(x.shape()[source + i]);
    fits = node->shape[i] == over[i] || node->shape[i] == 0;
  }
  if (!fits) {
    throw IndexError("[subscript] a mask of shape " + to_string(node->shape) + " does not fit shape " +
                     to_string(x.shape()) + " from axis " + std::to_string(source) + " on");
  }
  // By the standard a size of 0 fits every axis, and picks nothing of it.
  if (node->shape != over) entry.array = zeros(over, {.dtype = bool_, .device = x.device()});
  return entry;
}

Indices split(std::span<const Index> indices, const Array& x) {
  // Integers and slices name an axis each; what is wrong with their number is said where they are resolved.
  std::size_t named = 0;
  for (const Index& index : indices) {
    if (index.array() && is_bool(index.array()->dtype)) {
      named += index.array()->shape.size();
    } else if (std::holds_alternative<std::int64_t>(index.value()) || std::holds_alternative<Slice>(index.value())) {
      ++named;
    }
  }
  Indices result{{}, {}, true, 0};
  std::size_t source = 0, axis = 0;
  bool begun = false, ended = false;
  for (const Index& index : indices) {
    if (is_picking(index)) {
      if (!begun) result.first = axis;
      if (ended) result.neighbours = false;
      begun = true;
    } else {
      ended = begun;
    }
    if (index.array()) {
      const Entry& entry = result.entries.emplace_back(entry_of(index.array(), source, axis, x));
      result.basic.insert(result.basic.end(), entry.axes, Index(all));
      source += entry.axes;
      axis += entry.axes;
      continue;
    }
    result.basic.push_back(index);
    if (std::holds_alternative<std::int64_t>(index.value())) {
      ++source;
    } else if (std::holds_alternative<Ellipsis>(index.value())) {
      const std::size_t whole = x.shape().size() > named ? x.shape().size() - named : 0;
      source += whole;
      axis += whole;
    } else {
      ++axis;
      source += std::holds_alternative<Slice>(index.value()) ? 1 : 0;
    }
  }
  return result;
}

std::int64_t product(const Shape& shape, std::size_t first, std::size_t count) {
  std::int64_t result = 1;
  for (std::size_t i = first; i < first + count; ++i) result *= shape[i];
  return result;
}

/// The only array among the indices, where they name whole axes beside it.
const Entry* sole_entry(const Indices& indices, const Array& x, const api::Part& part) {
  if (indices.entries.size() != 1 || part.shape != x.shape()) return nullptr;
  const auto whole = [](const Index& index) {
    const auto* slice = std::get_if<Slice>(&index.value());
    return std::holds_alternative<Ellipsis>(index.value()) ||
           (slice && !slice->start && !slice->stop && slice->step == 1);
  };
  return std::all_of(indices.basic.begin(), indices.basic.end(), whole) ? &indices.entries[0] : nullptr;
}

/// Whether that is a mask over the leading axes.
bool is_leading_mask(const Entry* sole) { return sole && sole->mask && sole->source == 0; }

/// Offsets of what an entry picks along its axes, whose elements lie `stride` apart: below zero where it is out of
/// range. A mask without axes stands for an axis of size 1.
Array offsets_of(const Entry& entry, const Shape& shape, std::int64_t stride) {
  const std::int64_t size = product(shape, entry.source, entry.axes);
  if (entry.mask) return Array(exec::positions_of(reshape(entry.array, {-1}).node(), function)) * stride;
  const Array positions = api::positions_within(size, entry.array, {0, function, entry.source});
  return stride == 1 ? positions : positions * stride;
}

/// The sum of several, below zero where one is.
Array sum_of(const std::vector<Array>& offsets) {
  if (offsets.size() == 1) return offsets[0];
  Array sum = offsets[0], wrong = offsets[0] < 0;
  for (std::size_t k = 1; k < offsets.size(); ++k) {
    sum = sum + offsets[k];
    wrong = logical_or(wrong, offsets[k] < 0);
  }
  return where(wrong, -1, sum);
}

/// The axes that entries pick along, brought together: in front unless they are neighbours.
std::vector<std::int64_t> together(const Indices& indices, std::size_t axes) {
  std::vector<std::int64_t> order, rest;
  for (const Entry& entry : indices.entries) {
    for (std::size_t i = 0; i < entry.axes; ++i) order.push_back(static_cast<std::int64_t>(entry.axis + i));
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (std::find(order.begin(), order.end(), static_cast<std::int64_t>(axis)) == order.end()) {
      rest.push_back(static_cast<std::int64_t>(axis));
    }
  }
  const auto at = indices.neighbours ? static_cast<std::ptrdiff_t>(indices.first) : 0;
  rest.insert(rest.begin() + at, order.begin(), order.end());
  return rest;
}

/// x with what `mask`, over its leading axes, picks replaced by `value`.
Array set_by_mask(const Array& x, const Array& mask, const Array& value) {
  const std::size_t rest = x.shape().size() - mask.shape().size();
  Shape part;
  for (std::size_t i = mask.shape().size(); i < x.shape().size(); ++i) part.push_back(x.shape()[i]);
  Shape over = mask.shape();
  for (std::size_t i = 0; i < rest; ++i) over.push_back(1);
  const Array condition = reshape(mask, over);
  const bool each = value.shape().size() == rest + 1 && value.shape()[0] != 1;
  if (!each) {
    Array one = value;
    if (value.shape().size() == rest + 1) one = value(0);
    api::check_assigned(one.shape(), part);
    return where(condition, one, x);
  }
  part.insert(0, count_nonzero(mask).item<std::int64_t>());
  api::check_assigned(value.shape(), part);
  if (part[0] == 0) return x;
  const Array numbers = cumulative_sum(reshape(mask, {-1}).astype(int64)) - 1;
  return where(condition, take(value, reshape(maximum(numbers, 0), mask.shape()), {.axis = 0}), x);
}

}  // namespace

std::optional<Array> api::leading_positions(const Array& x, std::span<const Index> list) {
  const bool sole = list.size() == 1 && list[0].array() && !is_bool(list[0].array()->dtype) && x.ndim() > 0;
  if (!sole) return std::nullopt;
  std::optional<Array> positions(list[0].array());
  require_one_device(x, *positions);
  require_positions(*positions, function);
  return positions;
}

Array api::get_by_arrays(const Array& x, std::span<const Index> list) {
  const base::NamedCall call(function);
  if (const auto positions = leading_positions(x, list)) return picked(x, *positions, {0, function, 0});
  const Indices indices = split(list, x);
  const Part part = resolve(indices.basic, x.shape());
  const Entry* const sole = sole_entry(indices, x, part);
  if (is_leading_mask(sole) && sole->axes == x.shape().size()) {
    return Array(exec::compact(x.node(), sole->array.node(), function));
  }
  if (sole && !sole->mask) return picked(x, sole->array, {sole->source, function, sole->source});
  const std::vector<std::int64_t> order = together(indices, part.shape.size());
  const Array moved = permute_dims(view(x.node(), part.shape, part.map), order);
  const std::size_t at = indices.neighbours ? indices.first : 0;
  std::size_t axes = 0;
  for (const Entry& entry : indices.entries) axes += entry.axes;
  // One axis in place of all that are picked along.
  const std::int64_t size = product(moved.shape(), at, axes);
  Shape merged = moved.shape();
  for (std::size_t i = 0; i < axes; ++i) merged.erase(at);
  merged.insert(at, size);
  const Array rows = reshape(moved, merged);
  if (indices.entries.size() == 1 && !indices.entries[0].mask) {
    return picked(rows, indices.entries[0].array, {at, function, indices.entries[0].source});
  }
  std::vector<Array> offsets;
  std::int64_t stride = size;
  for (const Entry& entry : indices.entries) {
    const std::int64_t own = product(x.shape(), entry.source, entry.axes);
    stride = own > 0 ? stride / own : 0;
    offsets.push_back(offsets_of(entry, x.shape(), stride));
  }
  return picked(rows, sum_of(offsets), {at, function, indices.entries[0].source});
}

Array api::set_by_arrays(const Array& x, std::span<const Index> list, const Array& value) {
  const base::NamedCall call(function);
  std::optional<Entry> sole;
  if (auto positions = leading_positions(x, list)) {
    sole = Entry{std::move(*positions), 0, 0, 1, false};
  } else {
    const Indices indices = split(list, x);
    if (const Entry* const entry = sole_entry(indices, x, resolve(indices.basic, x.shape()))) sole = *entry;
  }
  if (sole && is_leading_mask(&*sole)) return set_by_mask(x, sole->array, value);
  if (sole && !sole->mask) {
    Shape part = x.shape();
    part.erase(sole->source);
    const Shape& picked = sole->array.shape();
    for (std::size_t i = 0; i < picked.size(); ++i) part.insert(sole->source + i, picked[i]);
    check_assigned(value.shape(), part);
    const graph::Place place = chosen_place(x.node()->place);
    if (exec::assign_at(x.node(), sole->source, sole->array.node(), value.node(), place)) return x;
  }
  const Positions at = positions_by_arrays(x, list);
  check_assigned(value.shape(), at.flat.shape());
  if (at.flat.size() == 0) return x;
  const bool repeats = at.repeats && value.size() > 1;
  if (repeats && at.flat.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw ValueError("[subscript] assigns " + std::to_string(at.flat.size()) +
                     " values by positions; it can assign 2^32 - 2 at a time");
  }
  return pending(graph::Op::scatter, x.dtype(), x.shape(),
                 {in_order(x.node()), at.flat.node(), broadcast_node(value.node(), at.flat.shape())},
                 graph::make_attributes<graph::Op::scatter>({repeats}));
}

api::Positions api::positions_by_arrays(const Array& x, std::span<const Index> list) {
  if (x.ndim() == 1) {
    const auto only = leading_positions(x, list);
    if (only) return {positions_within(x.size(), *only, {0, function, 0}), true};
  }
  const Indices indices = split(list, x);
  const Part part = resolve(indices.basic, x.shape());
  const Shape strides = graph::row_major_strides(x.shape());
  std::vector<Array> offsets;
  bool repeats = false;
  for (const Entry& entry : indices.entries) {
    offsets.push_back(offsets_of(entry, x.shape(), entry.axes == 0 ? 0 : strides[entry.source + entry.axes - 1]));
    repeats = repeats || !entry.mask;
  }
  Array position = sum_of(offsets);
  const Shape common = position.shape();
  // The shape of what is assigned to: the axes of the positions among those of the part that nothing is picked along.
  const std::vector<std::int64_t> order = together(indices, part.shape.size());
  const std::size_t at = indices.neighbours ? indices.first : 0;
  std::size_t axes = 0;
  for (const Entry& entry : indices.entries) axes += entry.axes;
  std::vector<std::size_t> kept;  // of the part
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i < at || i >= at + axes) kept.push_back(static_cast<std::size_t>(order[i]));
  }
  Shape shape = common;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    shape.insert(i < at ? i : i + common.size(), part.shape[kept[i]]);
  }
  std::int64_t start = 0;
  for (std::size_t i = 0; i < strides.size(); ++i) start += part.map.start[i] * strides[i];
  Shape alone = Shape::filled(shape.size(), 1);
  for (std::size_t i = 0; i < common.size(); ++i) alone[at + i] = common[i];
  position = reshape(position, alone);
  bool moved = start != 0;
  Array rest = full(Shape(), start, {.dtype = int64, .device = x.device()});
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::int64_t source = part.map.source[kept[i]], size = part.shape[kept[i]];
    if (source < 0 || size == 1) continue;
    Shape along = Shape::filled(shape.size(), 1);
    along[i < at ? i : i + common.size()] = size;
    const std::int64_t step = part.map.step[kept[i]] * strides[static_cast<std::size_t>(source)];
    rest = rest + reshape(arange(size, {.device = x.device()}) * step, along);
    moved = true;
  }
  if (moved) position = where(position < 0, -1, position + rest);
  return {broadcast_to(position, shape), repeats};
}

std::vector<Array> nonzero(const Array& x) {
  const base::NamedCall call("nonzero");
  if (x.shape().size() == 0) throw ShapeError("[nonzero] takes one axis or more, got an array without any");
  const Array mask = is_bool(x.dtype()) ? x : x != 0;
  const Array positions(exec::positions_of(mask.node(), "nonzero"));
  const Shape strides = graph::row_major_strides(x.shape());
  std::vector<Array> result;
  for (std::size_t axis = 0; axis < x.shape().size(); ++axis) {
    // The first axis has no remainder, the last one a stride of 1.
    Array along = strides[axis] > 1 ? floor_divide(positions, strides[axis]) : positions;
    if (axis > 0) along = remainder(along, std::max<std::int64_t>(x.shape()[axis], 1));
    result.push_back(along);
  }
  return result;
}

}  // namespace koine

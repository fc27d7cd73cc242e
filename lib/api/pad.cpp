// SPDX-License-Identifier: Apache-2.0
// pad: the array is put into memory of the new shape, then each axis in turn is continued by parts of what is there.
#include "api/build.hpp"

#include <koine/error.hpp>
#include <koine/manipulation.hpp>

#include <algorithm>

namespace koine {
namespace {

enum class PadMode { constant, edge, reflect, symmetric, wrap };

struct Width {
  std::int64_t before, after;
};

std::vector<Width> checked(const PadWidths& widths, const Shape& shape) {
  const auto& pairs = widths.widths();
  if (pairs.size() != 1 && pairs.size() != shape.size()) {
    throw ValueError("[pad] got " + std::to_string(pairs.size()) + " pairs of widths for shape " + to_string(shape) +
                     "; it takes one pair, or one for each axis");
  }
  std::vector<Width> result;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto& [before, after] = pairs[pairs.size() == 1 ? 0 : axis];
    result.push_back({before.value, after.value});
    if (before.value < 0 || after.value < 0) {
      throw ValueError("[pad] the widths of axis " + std::to_string(axis) + " are " + std::to_string(before.value) +
                       " and " + std::to_string(after.value) + "; they cannot be below zero");
    }
  }
  return result;
}

/// One axis of the result while it is continued. Of the axes before it everything is there, of those behind it the
/// input's extent.
struct Continued {
  Array& result;
  std::vector<Index> inside;  // of each axis what is there
  std::size_t axis;
  std::int64_t first, last;  // what is there of this axis: [first, last)

  std::vector<Index> part(std::int64_t from, std::int64_t to) const {
    std::vector<Index> indices = inside;
    indices[axis] = slice(from, to);
    return indices;
  }
  Array there(std::int64_t from, std::int64_t to, bool mirrored) const {
    const Array x = result.get(part(from, to));
    return mirrored ? flip(x, {.axis = axis}) : x;
  }
};

/// Continues an axis of `size` elements to all of its length. What is there grows by whole periods, so it doubles with
/// each step.
void continue_axis(Continued& c, std::int64_t size, PadMode mode) {
  const std::int64_t length = c.result.shape()[c.axis];
  if (mode == PadMode::reflect && size == 1) mode = PadMode::edge;
  if (mode == PadMode::edge) {
    c.result.set(c.part(0, c.first), c.there(c.first, c.first + 1, false));
    c.result.set(c.part(c.last, length), c.there(c.last - 1, c.last, false));
    return;
  }
  const bool mirrored = mode != PadMode::wrap;
  const std::int64_t skip = mode == PadMode::reflect ? 1 : 0, period = size - skip;
  // How far the next step can go; mirrors stand whole periods from the input's ends.
  const auto reach = [&] { return (c.last - c.first - skip) / period * period; };
  while (c.first > 0) {
    const std::int64_t count = std::min(c.first, reach());
    const std::int64_t from = mirrored ? c.first + skip : c.first + reach() - count;
    c.result.set(c.part(c.first - count, c.first), c.there(from, from + count, mirrored));
    c.first -= count;
  }
  while (c.last < length) {
    const std::int64_t count = std::min(length - c.last, reach());
    const std::int64_t to = mirrored ? c.last - skip : c.last - reach() + count;
    c.result.set(c.part(c.last, c.last + count), c.there(to - count, to, mirrored));
    c.last += count;
  }
}

}  // namespace

Array pad(const Array& x, const PadWidths& widths, const PadOptions& options) {
  const base::NamedCall call("pad");
  const auto mode = static_cast<PadMode>(
      api::choice(options.mode, {"constant", "edge", "reflect", "symmetric", "wrap"}, "pad", "mode"));
  const std::vector<Width> around = checked(widths, x.shape());
  Shape shape = x.shape();
  std::vector<Index> inside;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto [before, after] = around[axis];
    const std::int64_t size = shape[axis];
    for (const std::int64_t more : {before, after}) graph::lengthen(shape, axis, more, "pad");
    if (mode != PadMode::constant && size == 0 && shape[axis] > 0) {
      throw ValueError("[pad] axis " + std::to_string(axis) + " of shape " + to_string(x.shape()) +
                       " has no elements to continue; it can be padded with constants");
    }
    inside.push_back(slice(before, before + size));
  }
  if (const Shape& constant = api::shape_of(options.constant_values); !constant.empty()) {
    throw ShapeError("[pad] .constant_values has shape " + to_string(constant) +
                     "; it must be a scalar or an array without axes");
  }
  if (options.constant_values.is_scalar()) graph::require_fits(options.constant_values.scalar(), x.dtype(), "pad");
  graph::check_sizes(shape, "pad");
  Array result = api::unwritten(shape, x.dtype(), x.node()->place, "pad");
  result.set(inside, x);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t size = x.shape()[axis], before = around[axis].before;
    if (shape[axis] != size) {
      Continued c{result, inside, axis, before, before + size};
      if (mode == PadMode::constant) {
        result.set(c.part(0, before), options.constant_values);
        result.set(c.part(before + size, shape[axis]), options.constant_values);
      } else {
        continue_axis(c, size, mode);
      }
    }
    inside[axis] = all;
  }
  return result;
}

}  // namespace koine

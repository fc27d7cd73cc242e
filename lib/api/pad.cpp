// SPDX-License-Identifier: Apache-2.0
// pad: a view that goes beyond the ends of axes; constants take the place of what it finds there.
#include "api/build.hpp"
#include "api/subscript.hpp"

#include <koine/error.hpp>
#include <koine/manipulation.hpp>

#include <algorithm>

namespace koine {
namespace {

using Beyond = graph::ViewMap::Beyond;

struct Width {
  std::int64_t before = 0, after = 0;
};
using Widths = std::vector<Width>;  // of each axis

// Axes that one view goes beyond: each takes parameters of the kernels that read it.
constexpr std::size_t most_axes = 8;

Widths checked(const PadWidths& widths, const Shape& shape) {
  const auto& pairs = widths.widths();
  if (pairs.size() != 1 && pairs.size() != shape.size()) {
    throw ValueError("[pad] got " + std::to_string(pairs.size()) + " pairs of widths for shape " + to_string(shape) +
                     "; it takes one pair, or one for each axis");
  }
  Widths result;
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

/// How far an axis of `now` elements, made of `size`, goes on at once: no further than it mirrors or repeats all that
/// is there, so that each step has three pieces. What is not the last step is of whole periods, at whose ends the next
/// one goes on.
Width next_width(Width left, std::int64_t size, std::int64_t now, Beyond beyond) {
  const std::int64_t skip = beyond == Beyond::reflects ? 1 : 0, reach = now - skip, period = size - skip;
  if (beyond == Beyond::clamps || period == 0 || std::max(left.before, left.after) <= reach) return left;
  return {std::min(left.before, reach) / period * period, std::min(left.after, reach) / period * period};
}

/// x continued by `widths`, or by `value` where there is one.
Array continued(const Array& x, const Widths& widths, Beyond beyond, const graph::NodeRef& value) {
  graph::ViewMap map = api::identity_map(x.shape()), outside;
  map.bounds = Shape::filled(widths.size(), 0);
  map.beyond = beyond;
  outside.beyond = Beyond::tells;
  outside.step = map.step;
  Shape shape = x.shape(), each;
  for (std::size_t axis = 0; axis < widths.size(); ++axis) {
    const auto [before, after] = widths[axis];
    outside.source.push_back(-1);
    if (before == 0 && after == 0) continue;
    shape[axis] += before + after;
    map.start[axis] = -before;
    map.bounds[axis] = x.shape()[axis];
    outside.source[axis] = static_cast<std::int64_t>(each.size());
    outside.start.push_back(-before);
    outside.bounds.push_back(x.shape()[axis]);
    each.push_back(2);
  }
  const Array view = api::view(x.node(), shape, map);
  if (!value) return view;
  // Beyond any end: of 0 and 1 along each axis one is not 0.
  const graph::Place place = view.node()->place;
  const graph::NodeRef places = graph::make_view(graph::make_iota(each, place), shape, outside, place);
  return api::pending(graph::Op::where, x.dtype(), shape,
                      {graph::make_cast(places, DType::bool_, place), value, view.node()});
}

}  // namespace

Array pad(const Array& x, const PadWidths& widths, const PadOptions& options) {
  const base::NamedCall call("pad");
  const std::size_t mode =
      api::choice(options.mode, {"constant", "edge", "reflect", "symmetric", "wrap"}, "pad", "mode");
  const bool constant = mode == 0;
  constexpr Beyond rules[] = {Beyond::clamps, Beyond::clamps, Beyond::reflects, Beyond::mirrors, Beyond::wraps};
  const Beyond beyond = rules[mode];
  Widths left = checked(widths, x.shape());
  Shape shape = x.shape();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t size = shape[axis];
    for (const std::int64_t more : {left[axis].before, left[axis].after}) graph::lengthen(shape, axis, more, "pad");
    if (!constant && size == 0 && shape[axis] > 0) {
      throw ValueError("[pad] axis " + std::to_string(axis) + " of shape " + to_string(x.shape()) +
                       " has no elements to continue; it can be padded with constants");
    }
  }
  if (const Shape& values = api::shape_of(options.constant_values); !values.empty()) {
    throw ShapeError("[pad] .constant_values has shape " + to_string(values) +
                     "; it must be a scalar or an array without axes");
  }
  graph::check_sizes(shape, "pad");
  const Array value = api::assigned_value(x, options.constant_values, "pad");
  if (x.size() == 0) return broadcast_to(value, shape);
  Array result = x;
  while (result.shape() != shape) {
    Widths now(left.size());
    std::size_t axes = 0;
    for (std::size_t axis = 0; axis < left.size() && axes < most_axes; ++axis) {
      if (left[axis].before == 0 && left[axis].after == 0) continue;
      now[axis] = next_width(left[axis], x.shape()[axis], result.shape()[axis], beyond);
      left[axis].before -= now[axis].before;
      left[axis].after -= now[axis].after;
      ++axes;
    }
    result = continued(result, now, beyond, constant ? value.node() : nullptr);
  }
  return result;
}

}  // namespace koine

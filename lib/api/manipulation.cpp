// SPDX-License-Identifier: Apache-2.0
// Views that change shape and order, and concat and stack.
#include "api/build.hpp"
#include "api/choices.hpp"
#include "exec/evaluate.hpp"

#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/types.hpp>

#include <algorithm>

namespace koine {
namespace {

/// As many axes as the result will have, for axes to be counted in.
Shape with_new_axes(Shape shape, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) shape.push_back(1);
  return shape;
}

}  // namespace

Array reshape(const Array& x, const Shape& shape, const ReshapeOptions& options) {
  Shape target = shape;
  const auto open = std::count(target.begin(), target.end(), -1);
  const auto refuse = [&](const std::string& why) {
    throw ShapeError("[reshape] shape " + to_string(x.shape()) + " (" + std::to_string(x.size()) +
                     " elements) does not fit shape " + to_string(shape) + why);
  };
  if (open > 1) refuse(": only one size may be -1");
  if (open == 1) {
    auto& unknown = *std::find(target.begin(), target.end(), -1);
    unknown = 1;
    graph::check_sizes(target, "reshape");
    const std::int64_t known = target.elements();
    if (known == 0 || x.size() % known != 0) refuse(": the size -1 cannot follow from the rest");
    unknown = x.size() / known;
  }
  graph::check_sizes(target, "reshape");
  if (target.elements() != x.size()) refuse("");
  if (options.copy == false) {
    // What is computed lies in row-major order, but for views: where they lie is known once they are computed.
    if (x.node()->op == graph::Op::view) x.eval();
    graph::ViewMap map;
    map.reshape = true;
    if (x.node()->is_ready() && !apply(map, target, x.node()->layout)) {
      throw ValueError("[reshape] shape " + to_string(x.shape()) + " with its strides cannot become " +
                       to_string(target) + " without a copy; leave .copy open to allow one");
    }
  }
  const graph::NodeRef reshaped = api::reshape_node(x.node(), target);
  return api::pending(options.copy == true ? graph::make_copy(reshaped, target, api::place_of(x.device())) : reshaped);
}

Array permute_dims(const Array& x, const Axis& axes) {
  std::vector<std::size_t> order;
  for (std::int64_t axis : axes.axes()) order.push_back(graph::normal_axis(axis, x.shape(), "permute_dims"));
  std::vector<std::size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() != x.shape().size() || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw ShapeError("[permute_dims] axes " + to_string(axes.axes()) + " do not name each axis of shape " +
                     to_string(x.shape()) + " once");
  }
  return api::permuted(x, order);
}

Array matrix_transpose(const Array& x) {
  if (x.ndim() < 2) {
    throw ShapeError("[matrix_transpose] needs at least two axes, got shape " + to_string(x.shape()));
  }
  std::vector<std::size_t> axes = graph::normal_axes(none, x.shape(), "matrix_transpose");
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return api::permuted(x, axes);
}

Array expand_dims(const Array& x, const Axis& axis) {
  if (!axis.given()) throw ValueError("[expand_dims] needs the positions of the new axes; none were named");
  Shape result = with_new_axes(x.shape(), axis.axes().size());
  const auto added = graph::normal_axes(axis, result, "expand_dims");
  std::size_t from = 0;
  for (std::size_t a = 0; a < result.size(); ++a) {
    result[a] = std::binary_search(added.begin(), added.end(), a) ? 1 : x.shape()[from++];
  }
  return api::pending(api::reshape_node(x.node(), result));
}

Array squeeze(const Array& x, const Axis& axis) {
  if (!axis.given()) throw ValueError("[squeeze] needs the axes to remove; none were named");
  Shape shape = x.shape();
  const auto axes = graph::normal_axes(axis, shape, "squeeze");
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (shape[axes[i]] != 1) {
      throw ShapeError("[squeeze] axis " + std::to_string(axes[i]) + " of shape " + to_string(x.shape()) +
                       " has size " + std::to_string(shape[axes[i]]) + "; only axes of size 1 can be removed");
    }
    shape.erase(axes[i]);
  }
  return api::pending(api::reshape_node(x.node(), shape));
}

Array broadcast_to(const Array& x, const Shape& shape) {
  graph::check_sizes(shape, "broadcast_to");
  if (!graph::broadcasts_to(x.shape(), shape)) {
    throw ShapeError("[broadcast_to] shape " + to_string(x.shape()) + " does not broadcast to " + to_string(shape));
  }
  return api::pending(api::broadcast_node(x.node(), shape));
}

Shape broadcast_shapes(const std::vector<Shape>& shapes) {
  Shape result;
  for (const Shape& shape : shapes) result = graph::broadcast_shapes(result, shape, "broadcast_shapes");
  return result;
}

std::vector<Array> broadcast_arrays(const std::vector<Array>& arrays) {
  const base::NamedCall call("broadcast_arrays");
  Shape shape;
  for (const Array& x : arrays) shape = graph::broadcast_shapes(shape, x.shape(), "broadcast_arrays");
  std::vector<Array> result;
  for (const Array& x : arrays) result.push_back(broadcast_to(x, shape));
  return result;
}

Array moveaxis(const Array& x, const Axis& source, const Axis& destination) {
  std::vector<std::size_t> from, to;
  for (std::int64_t axis : source.axes()) from.push_back(graph::normal_axis(axis, x.shape(), "moveaxis"));
  for (std::int64_t axis : destination.axes()) to.push_back(graph::normal_axis(axis, x.shape(), "moveaxis"));
  graph::normal_axes(source, x.shape(), "moveaxis");  // refuses an axis named twice
  graph::normal_axes(destination, x.shape(), "moveaxis");
  if (from.size() != to.size() || !source.given()) {
    throw ValueError("[moveaxis] names " + std::to_string(from.size()) + " source and " + std::to_string(to.size()) +
                     " destination axes; they must be as many");
  }
  const std::size_t unset = x.shape().size();
  std::vector<std::size_t> order(x.shape().size(), unset);
  for (std::size_t i = 0; i < from.size(); ++i) order[to[i]] = from[i];
  std::size_t next = 0;
  for (std::size_t& axis : order) {
    if (axis != unset) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    axis = next++;
  }
  return api::permuted(x, order);
}

Array flip(const Array& x, const FlipOptions& options) {
  graph::ViewMap map = api::identity_map(x.shape());
  for (std::size_t axis : graph::normal_axes(options.axis, x.shape(), "flip")) {
    map.start[axis] = std::max<std::int64_t>(x.shape()[axis] - 1, 0);
    map.step[axis] = -1;
  }
  return api::view(x.node(), x.shape(), map);
}

Array concat(const std::vector<Array>& arrays, const ConcatOptions& options) {
  const base::NamedCall call("concat");
  const DType type = api::common_type("concat", arrays);
  if (!options.axis.given()) {
    std::vector<Array> flat;
    for (const Array& x : arrays) flat.push_back(reshape(x, {-1}));
    return concat(flat, {.axis = 0});
  }
  Shape shape = arrays[0].shape();
  const auto axes = graph::normal_axes(options.axis, shape, "concat");
  if (axes.size() != 1)
    throw ValueError("[concat] joins along one axis or none, got " + to_string(options.axis.axes()));
  const std::size_t axis = axes[0];
  shape[axis] = 0;
  for (const Array& x : arrays) {
    Shape rest = x.shape();
    const std::int64_t size = axis < rest.size() ? rest[axis] : 0;
    if (axis < rest.size()) rest[axis] = shape[axis];
    if (rest != shape) {
      throw ShapeError("[concat] shapes " + to_string(arrays[0].shape()) + " and " + to_string(x.shape()) +
                       " differ in another axis than " + std::to_string(axis));
    }
    graph::lengthen(shape, axis, size, "concat");
  }
  Array result = api::unwritten(shape, type, arrays[0].node()->place, "concat");
  std::vector<exec::Part> parts;
  std::int64_t at = 0;
  for (const Array& x : arrays) {
    graph::ViewMap map = api::identity_map(shape);
    map.start[axis] = at;
    at += x.shape()[axis];
    parts.push_back({std::move(map), x.shape(), x.node()});
  }
  exec::write_parts(result.node(), parts);
  return result;
}

Array stack(const std::vector<Array>& arrays, const StackOptions& options) {
  const base::NamedCall call("stack");
  api::common_type("stack", arrays);
  graph::normal_axis(options.axis, with_new_axes(arrays[0].shape(), 1), "stack");  // refuses one out of range
  std::vector<Array> expanded;
  for (const Array& x : arrays) {
    if (x.shape() != arrays[0].shape()) {
      throw ShapeError("[stack] shapes " + to_string(arrays[0].shape()) + " and " + to_string(x.shape()) +
                       " differ; all must be equal");
    }
    expanded.push_back(expand_dims(x, options.axis));
  }
  return concat(expanded, {.axis = options.axis});
}

std::vector<Array> unstack(const Array& x, const UnstackOptions& options) {
  const base::NamedCall call("unstack");
  const std::size_t axis = graph::normal_axis(options.axis, x.shape(), "unstack");
  x.eval();  // once, rather than with each part
  const graph::Node& whole = *x.node();
  const graph::Place place = api::chosen_place(whole.place);
  graph::Layout part = whole.layout;
  const std::int64_t step = part.strides[axis];
  part.shape.erase(axis);
  part.strides.erase(axis);
  std::vector<Array> parts;
  parts.reserve(static_cast<std::size_t>(x.shape()[axis]));
  for (std::int64_t i = 0; i < x.shape()[axis]; ++i, part.offset += step) {
    parts.emplace_back(graph::make_leaf(whole.dtype, part, whole.storage, place));
  }
  return parts;
}

}  // namespace koine

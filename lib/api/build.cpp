// SPDX-License-Identifier: Apache-2.0
// Checked construction of nodes.
#include "api/build.hpp"

#include "api/choices.hpp"
#include "base/first_use.hpp"
#include "base/with_type.hpp"
#include "exec/evaluate.hpp"
#include "runtime/context.hpp"

#include <koine/error.hpp>
#include <koine/types.hpp>

#include <algorithm>

namespace koine::api {

using graph::NodeRef;
using graph::Op;
using graph::Place;

Place place_of(const Device& device) {
  runtime::Context& context = runtime::Context::of(device);
  return chosen_place({&context, &context.traits()});
}

Place place_of(const std::optional<Device>& device) { return place_of(device ? *device : default_device()); }

Device device_of(const Place& place) { return Device(place.context->entry()); }

Place common_place(std::string_view function, std::initializer_list<const Operand*> operands) {
  const Place* first = nullptr;
  for (const Operand* operand : operands) {
    if (operand->is_scalar()) continue;
    const Place& place = operand->array().node()->place;
    if (!first) first = &place;
    if (place == *first) continue;
    throw DeviceError(prefix(function) + "the arrays are on different devices, " + first->traits->selector + " and " +
                      place.traits->selector + "; move one with to_device");
  }
  return first ? chosen_place(*first) : place_of(default_device());
}

void require_type(const Place& place, DType type, std::string_view function) {
  if ((type == DType::float64 || type == DType::complex128) && !place.traits->fp64) {
    throw DTypeError(prefix(function) + std::string(name(type)) + " needs double precision (cl_khr_fp64), which " +
                     place.traits->selector + " (" + place.traits->name + ") does not have; use " +
                     (type == DType::float64 ? "float32" : "complex64"));
  }
}

void require_order(DType type, std::string_view function) {
  if (!is_complex(type)) return;
  throw DTypeError(prefix(function) + "does not take " + std::string(name(type)) +
                   ", whose elements have no order; take the real part, the imaginary part or abs");
}

DType sum_type(const Array& x, const std::optional<DType>& chosen, std::string_view function) {
  const DType own = x.dtype();
  const DType type = chosen.value_or(is_unsigned_integer(own)          ? uint64
                                     : is_bool(own) || is_integer(own) ? graph::default_integer
                                                                       : own);
  if (is_bool(type)) {
    throw DTypeError(prefix(function) + "cannot accumulate in bool; use any or all, or an integer .dtype");
  }
  require_type(x.node()->place, type, function);
  return type;
}

DType floating_type(DType type) { return is_bool(type) || is_integer(type) ? default_dtype() : type; }

Array real_array(Operand operand, std::string_view function) {
  Array x = array_of(std::move(operand), function);
  if (!is_complex(x.dtype())) return x;
  throw DTypeError(prefix(function) + "does not take " + std::string(name(x.dtype())) + "; it takes real types");
}

Array real_floating(Operand operand, std::string_view function) {
  const Array x = real_array(std::move(operand), function);
  return astype(x, floating_type(x.dtype()));
}

std::int64_t count_of(const Array& x, const std::vector<std::size_t>& axes) {
  std::int64_t count = 1;
  for (std::size_t axis : axes) count *= x.shape()[axis];
  return count;
}

void need_elements(const Array& x, const std::vector<std::size_t>& axes, std::string_view function) {
  if (count_of(x, axes) > 0) return;
  throw ValueError(prefix(function) + "has no value for no elements: shape " + to_string(x.shape()) +
                   " has none along the axes to reduce");
}

const Shape& shape_of(const Operand& x) {
  static const Shape scalar;
  return x.is_scalar() ? scalar : x.array().shape();
}

DType common_type(std::string_view function, std::initializer_list<const Operand*> operands) {
  std::optional<DType> type;
  for (const Operand* operand : operands) {
    if (operand->is_scalar()) continue;
    const DType own = operand->array().dtype();
    type = type ? graph::promote(*type, own, function) : own;
  }
  const bool weak = type.has_value();
  for (const Operand* operand : operands) {
    if (!operand->is_scalar()) continue;
    if (weak) {
      type = graph::promote(*type, operand->scalar(), default_dtype(), function);
    } else {
      const DType own = graph::default_type(operand->scalar(), default_dtype());
      type = type ? graph::promote(*type, own, function) : own;
    }
  }
  return *type;
}

Compared compared_types(std::string_view function, const Operand& x1, const Operand& x2) {
  const auto type_beside = [](const Operand& x, const Operand& other) {
    if (!x.is_scalar()) return x.array().dtype();
    const DType own = graph::default_type(x.scalar(), default_dtype());
    const bool weak = is_integer(own) && !other.is_scalar() && is_integer(other.array().dtype());
    return weak && graph::fits(x.scalar(), other.array().dtype()) ? other.array().dtype() : own;
  };
  const DType a = type_beside(x1, x2), b = type_beside(x2, x1);
  if (!is_integer(a) || !is_integer(b)) {
    const DType common = common_type(function, {&x1, &x2});
    return {common, common};
  }
  if (graph::share_no_type(a, b)) return a == uint64 ? Compared{a, int64} : Compared{int64, b};
  const DType common = graph::promote(a, b, function);
  return {common, common};
}

DType common_type(std::string_view function, const std::vector<Array>& arrays) {
  if (arrays.empty()) throw ValueError(prefix(function) + "got no arrays; it needs at least one");
  DType type = arrays[0].dtype();
  const Operand first(arrays[0]);
  for (const Array& array : arrays) {
    type = graph::promote(type, array.dtype(), function);
    const Operand other(array);
    common_place(function, {&first, &other});
  }
  return type;
}

DType product_type(std::string_view function, const std::vector<Array>& arrays) {
  const DType type = common_type(function, arrays);
  return is_bool(type) ? graph::default_integer : type;
}

NodeRef to_node(const Operand& operand, DType type, const Place& place) {
  if (operand.is_scalar()) {
    return graph::make_constant(type, graph::constant_value(operand.scalar(), type), place);
  }
  return graph::make_cast(operand.array().node(), type, place);
}

Array array_of(Operand operand, std::string_view function) {
  return Array(to_node(operand, common_type(function, {&operand}), common_place(function, {&operand})));
}

Array pending(NodeRef node) {
  exec::bound_pending(node);
  return Array(std::move(node));
}

Array pending(Op op, DType type, Shape shape, const Place& place, std::initializer_list<NodeRef> inputs,
              graph::Attributes attributes) {
  return pending(
      graph::make_node(op, type, std::move(shape), place, {inputs.begin(), inputs.size()}, std::move(attributes)));
}

Array pending(Op op, DType type, Shape shape, std::initializer_list<NodeRef> inputs, graph::Attributes attributes) {
  const Place place = chosen_place((*inputs.begin())->place);
  return pending(op, type, std::move(shape), place, inputs, std::move(attributes));
}

Array view(const NodeRef& node, const Shape& shape, const graph::ViewMap& map) {
  // What reads a view of it all looks for what it is a view of.
  if (shape == node->shape && map == identity_map(shape)) return Array(node);
  return pending(graph::make_view(node, shape, map, chosen_place(node->place)));
}

graph::ViewMap identity_map(const Shape& shape) {
  graph::ViewMap map;
  map.start = Shape::filled(shape.size(), 0);
  map.step = Shape::filled(shape.size(), 1);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) map.source.push_back(static_cast<std::int64_t>(axis));
  return map;
}

Array permuted(const Array& x, const std::vector<std::size_t>& axes) {
  if (std::is_sorted(axes.begin(), axes.end())) return x;
  const NodeRef& node = x.node();
  if (node->is_ready()) {
    graph::Layout layout = node->layout;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      layout.shape[i] = node->layout.shape[axes[i]];
      layout.strides[i] = node->layout.strides[axes[i]];
    }
    return Array(graph::make_leaf(node->dtype, std::move(layout), node->storage, chosen_place(node->place)));
  }
  graph::ViewMap map = identity_map(x.shape());
  Shape shape = x.shape();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    map.source[i] = static_cast<std::int64_t>(axes[i]);
    shape[i] = x.shape()[axes[i]];
  }
  return view(x.node(), shape, map);
}

Array unwritten(const Shape& shape, DType type, const Place& place, std::string_view function) {
  graph::check_sizes(shape, function);
  auto node = graph::make_leaf(type, graph::row_major(shape), nullptr, place);
  const std::uint64_t bytes = static_cast<std::uint64_t>(shape.elements()) * size_of(type);
  node->storage = exec::queue_of(*node).allocate(bytes, function);
  return Array(std::move(node));
}

void copy_elements(const Array& x, void* target) {
  base::with_type(x.dtype(), [&]<class Tag>(Tag) {
    using T = typename Tag::type;
    x.copy_to(std::span(static_cast<T*>(target), static_cast<std::size_t>(x.size())));
  });
}

Array reduced(const graph::ReduceInfo& info, const Array& x, bool keepdims, DType result) {
  Shape shape = x.shape();
  for (std::size_t i = info.axes.size(); i-- > 0;) shape.erase(info.axes[i]);
  const Array value =
      pending(Op::reduce, result, std::move(shape), {x.node()}, graph::make_attributes<Op::reduce>(info));
  if (!keepdims) return value;
  Shape kept = x.shape();
  for (const std::size_t axis : info.axes) kept[axis] = 1;
  return pending(reshape_node(value.node(), kept));
}

std::size_t scanned_axis(const Axis& axis, const Shape& shape, std::string_view function) {
  if (!axis.given() && shape.size() == 1) return 0;
  if (axis.given() && axis.axes().size() == 1 && shape.size() > 0) {
    return graph::normal_axis(axis.axes()[0], shape, function);
  }
  throw ValueError(prefix(function) + (shape.size() == 0 ? "takes one dimension or more, got an array without any"
                                       : axis.given()    ? "takes one axis, got " + to_string(axis.axes())
                                                         : "needs an .axis for shape " + to_string(shape)));
}

std::size_t choice(std::string_view word, std::initializer_list<std::string_view> words, std::string_view function,
                   std::string_view option) {
  const auto* const at = std::find(words.begin(), words.end(), word);
  if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  std::string list;
  for (const std::string_view& each : words) {
    if (&each != words.begin()) list += &each == words.end() - 1 ? " or " : ", ";
    list += "\"" + std::string(each) + "\"";
  }
  throw ValueError(prefix(function) + std::string(option) + " is \"" + std::string(word) + "\"; it can be " + list);
}

NodeRef in_order(const NodeRef& node) {
  const bool ordered = node->is_ready() ? graph::is_row_major(node->layout) : node->op != Op::view;
  return ordered ? node : graph::make_copy(node, node->shape, chosen_place(node->place));
}

namespace {

/// The attributes of a view that is one element everywhere, made once for arrays of one axis.
graph::Attributes one_for_all(std::size_t axes) {
  const auto made = [&] {
    graph::ViewMap map;
    map.source = Shape::filled(axes, -1);
    map.step = Shape::filled(axes, 1);
    return graph::make_attributes<Op::view>(std::move(map));
  };
  static constinit base::FirstUse<const graph::Attributes> of_rows;
  return axes == 1 ? of_rows.get(made) : made();
}

}  // namespace

NodeRef broadcast_node(const NodeRef& node, const Shape& shape) {
  if (node->shape == shape) return node;
  if (node->shape.empty() && !node->is_ready()) {
    const Place place = chosen_place(node->place);
    return graph::make_node(Op::view, node->dtype, shape, place, {&node, 1}, one_for_all(shape.size()));
  }
  graph::ViewMap map;
  map.start = Shape::filled(node->shape.size(), 0);
  map.step = Shape::filled(shape.size(), 1);
  const std::size_t shift = shape.size() - node->shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool own = axis >= shift && (node->shape[axis - shift] != 1 || shape[axis] == 1);
    map.source.push_back(own ? static_cast<std::int64_t>(axis - shift) : -1);
  }
  return graph::make_view(node, shape, map, chosen_place(node->place));
}

NodeRef reshape_node(const NodeRef& node, const Shape& shape) {
  if (node->shape == shape) return node;
  graph::ViewMap map;
  const auto next = [](const Shape& sizes, std::size_t axis) {
    while (axis < sizes.size() && sizes[axis] == 1) ++axis;
    return axis;
  };
  // Axes of size 1 that come or go leave the others where they are, which any expression can be read through.
  std::size_t from = next(node->shape, 0), to = next(shape, 0);
  map.step = Shape::filled(shape.size(), 1);
  map.source = Shape::filled(shape.size(), -1);
  while (from < node->shape.size() && to < shape.size() && node->shape[from] == shape[to]) {
    map.source[to] = static_cast<std::int64_t>(from);
    from = next(node->shape, from + 1);
    to = next(shape, to + 1);
  }
  if (from == node->shape.size() && to == shape.size()) {
    map.start = Shape::filled(node->shape.size(), 0);
    return graph::make_view(node, shape, map, chosen_place(node->place));
  }
  map = graph::ViewMap();
  map.reshape = true;
  return graph::make_view(node, shape, map, chosen_place(node->place));
}

}  // namespace koine::api

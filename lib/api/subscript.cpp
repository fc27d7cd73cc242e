// SPDX-License-Identifier: Apache-2.0
// Subscripts: from a list of indices to a view, and assignment through one.
#include "api/subscript.hpp"

#include "api/build.hpp"
#include "api/choices.hpp"
#include "exec/evaluate.hpp"

#include <koine/array.hpp>
#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <optional>

namespace koine {
namespace {

using api::Part;

std::string at(std::size_t axis, const Shape& shape) {
  return "axis " + std::to_string(axis) + " of shape " + to_string(shape);
}

/// Python's rule: ends are clipped to the axis; a negative one counts from the end. Calls
/// range(axis, start, stride, count).
template <class Range>
void take_slice(const Slice& slice, std::size_t axis, const Shape& shape, Range range) {
  const std::int64_t size = shape[axis], step = slice.step;
  if (step == 0) throw ValueError("[subscript] the slice of " + at(axis, shape) + " has step 0; it must not be zero");
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto bound = [&](const std::optional<std::int64_t>& end, std::int64_t open) {
    if (!end) return open;
    return std::clamp(*end < 0 ? *end + size : *end, low, high);
  };
  const std::int64_t start = bound(slice.start, step > 0 ? low : high), stop = bound(slice.stop, step > 0 ? high : low);
  const std::int64_t span = step > 0 ? stop - start : start - stop;
  // Steps past the axis all mean "the first element"; clamping keeps the arithmetic below from overflowing.
  const std::int64_t stride = std::clamp<std::int64_t>(step, -size - 1, size + 1), length = std::abs(stride);
  const std::int64_t count = span > 0 ? (span + length - 1) / length : 0;
  range(axis, count ? start : 0, stride, count);
}

/// Goes through the indices, which name a part of an array of `shape`: position(axis, at), range(axis, start, stride,
/// count) and new_axis() of `names` are called in the order of the part's axes.
template <class Names>
void resolve_into(std::span<const Index> indices, const Shape& shape, Names& names) {
  std::size_t named = 0, ellipses = 0;
  for (const Index& index : indices) {
    if (std::holds_alternative<Ellipsis>(index.value())) {
      ++ellipses;
    } else if (!std::holds_alternative<NewAxis>(index.value())) {
      ++named;
    }
  }
  if (ellipses > 1) throw IndexError("[subscript] has " + std::to_string(ellipses) + " ellipses; it takes one at most");
  if (named > shape.size()) {
    throw IndexError("[subscript] names " + std::to_string(named) + " axes, but shape " + to_string(shape) + " has " +
                     std::to_string(shape.size()));
  }
  std::size_t axis = 0;
  const auto whole_axes = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, ++axis) names.range(axis, 0, 1, shape[axis]);
  };
  for (const Index& index : indices) {
    if (const auto* position = std::get_if<std::int64_t>(&index.value())) {
      const std::int64_t size = shape[axis];
      if (*position < -size || *position >= size) {
        throw IndexError("[subscript] index " + std::to_string(*position) + " is out of range for " + at(axis, shape) +
                         (size ? "; it can be " + std::to_string(-size) + " to " + std::to_string(size - 1)
                               : ", which has no elements"));
      }
      names.position(axis++, *position < 0 ? *position + size : *position);
    } else if (const auto* slice = std::get_if<Slice>(&index.value())) {
      take_slice(*slice, axis++, shape, [&](auto... range) { names.range(range...); });
    } else if (std::holds_alternative<NewAxis>(index.value())) {
      names.new_axis();
    } else {
      whole_axes(shape.size() - named);
    }
  }
  whole_axes(shape.size() - axis);
}

/// Of a part as a view of an array that may be pending.
struct ViewNames {
  Part& part;

  void position(std::size_t axis, std::int64_t at) { part.map.start[axis] = at; }
  void range(std::size_t axis, std::int64_t start, std::int64_t stride, std::int64_t count) {
    part.map.start[axis] = start;
    add_axis(static_cast<std::int64_t>(axis), stride, count);
  }
  void new_axis() { add_axis(-1, 0, 1); }

 private:
  void add_axis(std::int64_t source, std::int64_t step, std::int64_t size) {
    part.map.source.push_back(source);
    part.map.step.push_back(step);
    part.shape.push_back(size);
  }
};

/// Of a part of what lies in memory.
struct LayoutNames {
  const graph::Layout& whole;
  graph::Layout& part;

  void position(std::size_t axis, std::int64_t at) { part.offset += at * whole.strides[axis]; }
  void range(std::size_t axis, std::int64_t start, std::int64_t stride, std::int64_t count) {
    part.offset += start * whole.strides[axis];
    add_axis(count, stride * whole.strides[axis]);
  }
  void new_axis() { add_axis(1, 0); }

 private:
  void add_axis(std::int64_t size, std::int64_t stride) {
    part.shape.push_back(size);
    part.strides.push_back(stride);
  }
};

/// What applying the part's view to the layout gives, in one go.
graph::Layout layout_of_part(std::span<const Index> indices, const graph::Layout& whole) {
  graph::Layout part;
  part.offset = whole.offset;
  LayoutNames names{whole, part};
  resolve_into(indices, whole.shape, names);
  return part;
}

/// A number, or an array that is one and needs no conversion, as it is assigned to a part of an array.
std::optional<graph::ConstantValue> assigned_number(const Operand& value, const graph::Node& target) {
  if (value.is_scalar()) {
    graph::require_fits(value.scalar(), target.dtype, "subscript");
    return graph::constant_value(value.scalar(), target.dtype);
  }
  const graph::Node& node = *value.array().node();
  const bool is_number = node.op == graph::Op::constant && !node.is_ready();
  if (!is_number || node.dtype != target.dtype || !(node.place == target.place)) return std::nullopt;
  return node.get<graph::Op::constant>();
}

}  // namespace

Part api::resolve(std::span<const Index> indices, const Shape& shape) {
  Part part;
  part.map.start = Shape::filled(shape.size(), 0);
  ViewNames names{part};
  resolve_into(indices, shape, names);
  return part;
}

void api::check_assigned(const Shape& value, const Shape& part) {
  if (graph::broadcasts_to(value, part)) return;
  throw ShapeError("[subscript] shape " + to_string(value) + " does not broadcast to the shape " + to_string(part) +
                   " of the part it is assigned to");
}

bool api::has_arrays(std::span<const Index> indices) {
  return std::any_of(indices.begin(), indices.end(), [](const Index& index) { return index.array() != nullptr; });
}

bool api::has_lists(std::span<const Index> indices) {
  return std::any_of(indices.begin(), indices.end(), [](const Index& index) { return index.list() != nullptr; });
}

Index::Index(const Array& array) : value_(Slice{}), array_(array.node()) {}

std::vector<Index> api::with_arrays(std::span<const Index> indices, const Array& x) {
  std::vector<Index> result;
  for (const Index& index : indices) {
    if (const detail::IndexList* list = index.list()) {
      result.emplace_back(asarray(list->values, {.dtype = list->mask ? bool_ : int64, .device = x.device()}));
    } else {
      result.push_back(index);
    }
  }
  return result;
}

Array api::assigned_value(const Array& x, const Operand& value, std::string_view function) {
  if (value.is_scalar()) {
    graph::require_fits(value.scalar(), x.dtype(), function);
    return Array(to_node(value, x.dtype(), chosen_place(x.node()->place)));
  }
  const Operand target(x);
  common_place(function, {&value, &target});
  const Array& array = value.array();
  return array.dtype() == x.dtype() ? array : koine::astype(array, x.dtype());
}

Array Array::get(std::span<const Index> indices) const {
  if (api::has_lists(indices)) return get(api::with_arrays(indices, *this));
  if (api::has_arrays(indices)) return api::get_by_arrays(*this, indices);
  const graph::NodeRef& own = node();
  if (own->is_ready()) {
    return Array(graph::make_leaf(own->dtype, layout_of_part(indices, own->layout), own->storage,
                                  api::chosen_place(own->place)));
  }
  const Part part = api::resolve(indices, own->shape);
  return api::view(own, part.shape, part.map);
}

void Array::set(std::span<const Index> indices, Operand value) {
  if (api::has_lists(indices)) return set(api::with_arrays(indices, *this), std::move(value));
  const base::NamedCall call("subscript");
  if (!node_) node_ = node();
  if (node_->is_ready() && !api::has_arrays(indices)) {
    const auto number = assigned_number(value, *node_);
    if (number &&
        exec::assign_number(node_, layout_of_part(indices, node_->layout), *number, api::chosen_place(node_->place))) {
      return;
    }
  }
  graph::NodeRef source = api::assigned_value(*this, value, "subscript").node();
  value = Operand(false);  // who else holds it needs it later (exec::assign)
  if (api::has_arrays(indices)) {
    node_ = api::set_by_arrays(*this, indices, Array(std::move(source))).node_;
    return;
  }
  const Part part = api::resolve(indices, shape());
  api::check_assigned(source->shape, part.shape);
  exec::assign(node_, part.map, part.shape, std::move(source), api::chosen_place(node_->place));
}

void Subscript::operator=(const Subscript& value) && { std::move(*this) = Operand(Array(value)); }

void Subscript::operator=(Subscript&& value) && { std::move(*this) = Operand(value.take()); }

void Subscript::operator=(Operand value) && {
  source_ = Array();
  array_->set(indices_, std::move(value));
}

std::ostream& operator<<(std::ostream& out, const Subscript& x) { return out << Array(x); }

}  // namespace koine

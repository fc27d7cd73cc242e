// SPDX-License-Identifier: Apache-2.0
// What the public functions share: places, scalars as constants, checked construction of nodes.
#pragma once

#include "base/named_call.hpp"
#include "graph/infer.hpp"
#include "graph/node.hpp"

#include <koine/array.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koine::api {

/// Where arrays that this thread builds on `device` are computed.
graph::Place place_of(const Device& device);
graph::Place place_of(const std::optional<Device>& device);
Device device_of(const graph::Place& place);

/// Where this thread computes on the device that all arrays among the operands share, the default device for none;
/// DeviceError names two that differ.
graph::Place common_place(std::string_view function, std::initializer_list<const Operand*> operands);

/// Throws DTypeError for a type the device cannot compute with.
void require_type(const graph::Place& place, DType type, std::string_view function);

/// Throws DTypeError for complex types, whose elements have no order.
void require_order(DType type, std::string_view function);
/// What a sum or a product of x is accumulated in and gives: `chosen`, else int64 or uint64 for integers and bool_,
/// else x's type. DTypeError for bool_ and for a type that the device cannot compute with.
DType sum_type(const Array& x, const std::optional<DType>& chosen, std::string_view function);

/// Throws DTypeError where the elements are complex and the host asks for real ones.
void check_conversion(DType from, DType to, const char* function);

/// The type that integers and bool_ take where statistics are floating: float32; others as they are.
DType floating_type(DType type);
/// The operand as an array, with DTypeError for complex types.
Array real_array(Operand operand, std::string_view function);
/// The same in a floating type.
Array real_floating(Operand operand, std::string_view function);
/// How many elements of x go into each result of a reduction over `axes`.
std::int64_t count_of(const Array& x, const std::vector<std::size_t>& axes);
/// Throws ValueError if that is none.
void need_elements(const Array& x, const std::vector<std::size_t>& axes, std::string_view function);

/// The common type of the operands: scalars are weak.
DType common_type(std::string_view function, std::initializer_list<const Operand*> operands);
/// The types in which a comparison takes its operands: their common type twice, where a whole number that an array of
/// integers does not hold has its own type; or int64 and uint64, in either order, which have none.
struct Compared {
  DType x1, x2;
  bool mixed() const { return x1 != x2; }
};
Compared compared_types(std::string_view function, const Operand& x1, const Operand& x2);
/// The same of several arrays, which must be of one device; ValueError for none.
DType common_type(std::string_view function, const std::vector<Array>& arrays);
/// What sums of their products are counted in: the same, but int64 for bool_.
DType product_type(std::string_view function, const std::vector<Array>& arrays);

/// An operand's shape; a scalar has no axes.
const Shape& shape_of(const Operand& x);

/// The operand as a node of `type` at `place`; a scalar becomes a constant.
graph::NodeRef to_node(const Operand& operand, DType type, const graph::Place& place);
/// An array or a scalar as an array of its own type. Public functions take operands by value and pass them on like
/// this, so that nobody holds what was given once they return: `x(0) = sqrt(x(0))` then writes x's memory in place.
Array array_of(Operand operand, std::string_view function);

/// A new pending node as an Array; evaluated at once if the work behind it has grown past the limits.
Array pending(graph::NodeRef node);
Array pending(graph::Op op, DType type, Shape shape, const graph::Place& place,
              std::initializer_list<graph::NodeRef> inputs, graph::Attributes attributes = {});
/// The same where this thread computes on its inputs' device.
Array pending(graph::Op op, DType type, Shape shape, std::initializer_list<graph::NodeRef> inputs,
              graph::Attributes attributes = {});

/// A view of any node; a leaf where the node has been computed.
Array view(const graph::NodeRef& node, const Shape& shape, const graph::ViewMap& map);
/// The map that reads every element in place: what other maps start from.
graph::ViewMap identity_map(const Shape& shape);
/// x with its axes in another order.
Array permuted(const Array& x, const std::vector<std::size_t>& axes);
/// Memory of an array, to be written.
Array unwritten(const Shape& shape, DType type, const graph::Place& place, std::string_view function);
/// `node` repeated to `shape`, which it broadcasts to.
graph::NodeRef broadcast_node(const graph::NodeRef& node, const Shape& shape);
/// The node itself if its values will lie in row-major order, else a copy.
graph::NodeRef in_order(const graph::NodeRef& node);
/// `node` under another shape of as many elements.
graph::NodeRef reshape_node(const graph::NodeRef& node, const Shape& shape);

/// Writes the elements of x in row-major order to `target`, which has room for them. Waits for x.
void copy_elements(const Array& x, void* target);

/// Throws DTypeError unless the array is one of integers, as positions must be.
void require_positions(const Array& positions, std::string_view function);
/// x with `axis` replaced by the axes of `positions`, integers: the elements there.
Array picked(const Array& x, const Array& positions, graph::TakeInfo info);
/// Positions along an axis of `size` elements, counted from its beginning: below zero where they are out of range,
/// which is an error of what they are made into, with the message of `info`.
Array positions_within(std::int64_t size, const Array& positions, const graph::TakeInfo& info);
/// x, of one axis, with values at positions; where positions are equal, so are the values.
Array written(const Array& x, const Array& positions, const Array& values);

/// The reduction of x, in the type that it takes; the axes rise.
Array reduced(const graph::ReduceInfo& info, const Array& x, bool keepdims, DType result);
/// The axis that a scan of `shape` goes along, which may be left out for one dimension.
std::size_t scanned_axis(const Axis& axis, const Shape& shape, std::string_view function);

/// The number of `word` among `words`; ValueError lists them where it is none.
std::size_t choice(std::string_view word, std::initializer_list<std::string_view> words, std::string_view function,
                   std::string_view option);

inline std::string prefix(std::string_view function) { return "[" + std::string(function) + "] "; }

}  // namespace koine::api

// SPDX-License-Identifier: Apache-2.0
// What subscripts without and with arrays in them share.
#pragma once

#include "graph/node.hpp"

#include <koine/array.hpp>

#include <optional>
#include <span>
#include <vector>

namespace koine::api {

/// The part of an array that integers, slices, `newaxis` and `ellipsis` name.
struct Part {
  Shape shape;
  graph::ViewMap map;
};
Part resolve(std::span<const Index> indices, const Shape& shape);

/// Throws ShapeError unless a value's shape broadcasts to that of the part it is assigned to.
void check_assigned(const Shape& value, const Shape& part);

/// The indices with their lists as arrays on x's device.
std::vector<Index> with_arrays(std::span<const Index> indices, const Array& x);
/// What is assigned to x, in x's type. DTypeError for what does not fit it, DeviceError for an array of another device.
Array assigned_value(const Array& x, const Operand& value, std::string_view function);

/// Whether arrays are among the indices.
bool has_arrays(std::span<const Index> indices);
/// Whether one is a list of positions or truths, which with_arrays makes an array of.
bool has_lists(std::span<const Index> indices);
/// Reads a part that arrays of integers or masks name.
Array get_by_arrays(const Array& x, std::span<const Index> indices);
/// x with `value`, of x's type, at such a part.
Array set_by_arrays(const Array& x, std::span<const Index> indices, const Array& value);

/// The only index, where that is an array of positions.
std::optional<Array> leading_positions(const Array& x, std::span<const Index> indices);

/// The positions in the flattened array of what such a part is made of, in its shape. Below zero are those out of
/// range, which the array knows as its fault.
struct Positions {
  Array flat;
  bool repeats;  // perhaps: a mask's do not
};
Positions positions_by_arrays(const Array& x, std::span<const Index> indices);

}  // namespace koine::api

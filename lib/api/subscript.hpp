// SPDX-License-Identifier: Apache-2.0
// What subscripts without and with arrays in them share.
#pragma once

#include "graph/node.hpp"

#include <koine/array.hpp>

#include <span>

namespace koine::api {

/// The part of an array that integers, slices, `newaxis` and `ellipsis` name.
struct Part {
  Shape shape;
  graph::ViewMap map;
};
Part resolve(std::span<const Index> indices, const Shape& shape);

/// Throws ShapeError unless a value's shape broadcasts to that of the part it is assigned to.
void check_assigned(const Shape& value, const Shape& part);

/// Whether arrays are among the indices.
bool has_arrays(std::span<const Index> indices);
/// Reads a part that arrays of integers or masks name.
Array get_by_arrays(const Array& x, std::span<const Index> indices);
/// x with `value`, of x's type, at such a part.
Array set_by_arrays(const Array& x, std::span<const Index> indices, const Array& value);

}  // namespace koine::api

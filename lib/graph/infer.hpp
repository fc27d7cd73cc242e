// SPDX-License-Identifier: Apache-2.0
// Types and shapes of results: promotion, weak scalars, broadcasting, axes.
#pragma once

#include "graph/ops.hpp"

#include <koine/array.hpp>
#include <koine/dtype.hpp>
#include <koine/shape.hpp>

#include <string_view>
#include <vector>

namespace koine::graph {

inline constexpr DType default_integer = DType::int64;
/// The complex type of default_dtype()'s width.
DType default_complex();
/// Whether a scalar is a bool or an integer.
bool is_integral(const Scalar& scalar);

/// The type that both convert to (the standard's table; where it is silent, bool_ gives way to everything and an
/// integer gives way to a floating type). DTypeError for uint64 beside a signed integer, which share no type.
DType promote(DType a, DType b, std::string_view function);
/// The type of a weak scalar beside an array of `array`; ValueError for an integer that does not fit.
DType promote(DType array, const Scalar& scalar, std::string_view function);
/// Whether an integer type holds a scalar's value, if that is an integer.
bool holds(DType type, const Scalar& scalar);
/// Whether the types are uint64 and a signed integer, which share no type.
bool share_no_type(DType a, DType b);
/// The default type of a scalar's kind.
DType default_type(const Scalar& scalar);

/// The type a row computes in, given the common type of its inputs; DTypeError where it does not take that type.
DType compute_type(const OpInfo& row, DType common);
DType result_type(const OpInfo& row, DType compute);
/// What sums and means are accumulated in: small floats in float32, to be rounded once at the end.
DType accumulation_type(DType type);
/// float32 for complex64, float64 for complex128, itself for others.
DType real_part(DType type);

/// The shape both broadcast to; ShapeError names the function and both shapes.
Shape broadcast_shapes(const Shape& a, const Shape& b, std::string_view function);
/// Whether `from` broadcasts to `to` without changing `to`.
bool broadcasts_to(const Shape& from, const Shape& to);

/// An axis counted from the front; IndexError names the function, the axis and the shape.
std::size_t normal_axis(std::int64_t axis, const Shape& shape, std::string_view function);
/// The axes an option names, each once, in rising order; all of them for `none`.
std::vector<std::size_t> normal_axes(const Axis& axis, const Shape& shape, std::string_view function);

/// Throws ShapeError if a size is negative or the product passes 2^63 bytes.
void check_sizes(const Shape& shape, std::string_view function);

}  // namespace koine::graph

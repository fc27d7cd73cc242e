// SPDX-License-Identifier: Apache-2.0
// Types and shapes of results: promotion, weak scalars, broadcasting, axes. `real` is the floating type of what nothing
// else gives one, which is a thread's choice (koine::default_dtype): who infers for a call of its says it.
#pragma once

#include "graph/ops.hpp"

#include <koine/array.hpp>
#include <koine/dtype.hpp>
#include <koine/shape.hpp>

#include <complex>
#include <string_view>
#include <vector>

namespace koine::graph {

inline constexpr DType default_integer = DType::int64;
/// Calls `f` with a scalar's value in the C++ type of its kind.
template <class F>
auto visit(F&& f, const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::boolean: return f(scalar.integer() != 0);
    case Scalar::Kind::signed_integer: return f(scalar.integer());
    case Scalar::Kind::unsigned_integer: return f(scalar.unsigned_integer());
    case Scalar::Kind::real: return f(scalar.real());
    case Scalar::Kind::complex: break;
  }
  return f(std::complex<double>(scalar.real(), scalar.imaginary()));
}

/// The complex type whose parts are of a real floating type: complex64, but complex128 of float64.
DType complex_of(DType real);
/// Whether a scalar is a bool or an integer.
bool is_integral(const Scalar& scalar);

/// The type that both convert to (the standard's table; where it is silent, bool_ gives way to everything and an
/// integer gives way to a floating type). DTypeError for uint64 beside a signed integer, which share no type.
DType promote(DType a, DType b, std::string_view function);
/// The type of a weak scalar beside an array of `array`; ValueError for an integer that does not fit.
DType promote(DType array, const Scalar& scalar, DType real, std::string_view function);
/// Whether the types are uint64 and a signed integer, which share no type.
bool share_no_type(DType a, DType b);
/// Whether a real scalar, truncated, is in the range of an integer type; true of other types.
bool fits(const Scalar& scalar, DType type);
/// Throws unless an array of `type` can be given the scalar, a real number being truncated for integers: ValueError for
/// one outside the type's range, NaN among them, DTypeError for a complex number of a real type.
void require_fits(const Scalar& scalar, DType type, std::string_view function);
/// The operand; of an integer past the range of an integer type that range's end.
Operand clamped(const Operand& operand, DType type);
/// Whether `from` may become `to` in place: bool_, unsigned, signed, real floating and complex types each take what
/// stands before them, of any size.
bool same_kind(DType from, DType to);
/// The default type of a scalar's kind.
DType default_type(const Scalar& scalar, DType real);

/// The type a row computes in, given the common type of its inputs; DTypeError where it does not take that type.
DType compute_type(const OpInfo& row, DType common, DType real);
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

/// Throws ShapeError if a size is negative, or the bytes of as many elements pass 2^63. Sizes of 0 do not count, so
/// that no product of some of the sizes overflows either.
void check_sizes(const Shape& shape, std::string_view function);
/// The axis longer by `count`, which is 0 or more; ShapeError where 64 bits cannot hold that.
void lengthen(Shape& shape, std::size_t axis, std::int64_t count, std::string_view function);

}  // namespace koine::graph

// SPDX-License-Identifier: Apache-2.0
// Elements picked by arrays of positions.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>
#include <koine/shape.hpp>

namespace koine {

struct TakeOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;  ///< none: positions in the flattened array
};
/// The elements of `x` at `indices` along one axis: the result has the shape of x with that axis replaced by the axes
/// of `indices`. Indices are integers; those below zero count from the end. Only the device can notice that one is out
/// of range: the IndexError is thrown when a result that depends on it is observed (item, to_vector, copy_to, printing,
/// to_device). In a long chain of takes the evaluation itself may throw it. If such a result was assigned to a part of
/// an array, reading any part of that array throws. Takes every type; gives the same type. DTypeError for indices that
/// are not integers, IndexError for an axis out of range.
KOINE_API Array take(const Array& x, const Array& indices, const TakeOptions& options = {});
inline Array take(const Array& x, const Array& indices, const Axis& axis) { return take(x, indices, {.axis = axis}); }

struct TakeAlongAxisOptions {
  detail::Named names_only = detail::named;
  std::int64_t axis = -1;
};
/// The elements of `x` at `indices` along one axis, row by row: result[i, j, k] = x[i, indices[i, j, k], k] for axis 1.
/// What argsort and its like give picks what they sorted. x and `indices` have as many axes and broadcast but for that
/// one. Takes every type; gives the same type. Positions out of range, and errors, as with take; ShapeError for shapes
/// that do not fit.
KOINE_API Array take_along_axis(const Array& x, const Array& indices, const TakeAlongAxisOptions& options = {});
inline Array take_along_axis(const Array& x, const Array& indices, std::int64_t axis) {
  return take_along_axis(x, indices, {.axis = axis});
}

}  // namespace koine

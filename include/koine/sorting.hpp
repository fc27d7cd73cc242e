// SPDX-License-Identifier: Apache-2.0
// Elements in order.
#pragma once

#include <koine/array.hpp>
#include <koine/shape.hpp>

#include <cstdint>

namespace koine {

// Sorts are radix sorts: equally fast whatever the values, stable in both directions, and with the same result on every
// device. They take bool_ and every real type, NaN comes last in both directions, and they are lazy like any other
// operation. DTypeError for complex types, whose order the standard leaves undefined; IndexError for an axis out of
// range, as every axis is for an array without any.

struct SortOptions {
  std::int64_t axis = -1;
  bool descending = false;
  bool stable = true;  ///< accepted for the standard's sake: every sort is stable
};
/// The elements in rising order along one axis (falling with .descending). -0.0 comes before 0.0, after it with
/// .descending. NaN keep their bits, but their order among themselves is not defined.
KOINE_API Array sort(const Array& x, const SortOptions& options = {});
/// The positions of the elements in that order along one axis; those of equal elements rise, with .descending too. Both
/// zeros are equal, and so are all NaN. Result: int64.
KOINE_API Array argsort(const Array& x, const SortOptions& options = {});

}  // namespace koine

// SPDX-License-Identifier: Apache-2.0
// Positions of extremes, counts of non-zeros, and choice by a condition.
#pragma once

#include <koine/array.hpp>
#include <koine/reduction_options.hpp>

#include <vector>

namespace koine {

/// The position of the first largest element along one axis, or in the flattened array; the first NaN counts as the
/// largest. Result: int64. Real types; ValueError for no elements, IndexError for an axis out of range.
KOINE_API Array argmax(const Operand& x, const ArgOptions& options = {});
/// The position of the first smallest element; the first NaN counts as the smallest. Otherwise as argmax.
KOINE_API Array argmin(const Operand& x, const ArgOptions& options = {});
/// The number of elements that are not zero. Result: int64.
KOINE_API Array count_nonzero(const Operand& x, const ReductionOptions& options = {});

/// The positions of the elements that are not zero, in row-major order: for each axis an int64 array of one axis. Waits
/// for the device, as only it knows how many there are. ShapeError for an array without axes.
KOINE_API std::vector<Array> nonzero(const Array& x);

/// x1 where `condition` (any type, read as "is not zero") is true, x2 elsewhere. The three broadcast; x1 and x2 promote
/// to a common type.
KOINE_API Array where(const Operand& condition, const Operand& x1, const Operand& x2);

}  // namespace koine

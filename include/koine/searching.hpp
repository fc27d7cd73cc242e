// SPDX-License-Identifier: Apache-2.0
// Positions of extremes, positions in sorted lists, counts of non-zeros, and choice by a condition.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>
#include <koine/reduction_options.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace koine {

/// The position of the first largest element along one axis, or in the flattened array; the first NaN counts as the
/// largest. Takes real types and bool_; gives int64. ValueError for no elements, IndexError for an axis out of range.
KOINE_API Array argmax(Operand x, const ArgOptions& options = {});
inline Array argmax(Operand x, const Axis& axis) { return argmax(std::move(x), {.axis = axis}); }
/// The position of the first smallest element; the first NaN counts as the smallest. Takes real types and bool_; gives
/// int64. Otherwise as argmax.
KOINE_API Array argmin(Operand x, const ArgOptions& options = {});
inline Array argmin(Operand x, const Axis& axis) { return argmin(std::move(x), {.axis = axis}); }
/// The number of elements that are not zero. Takes every type; gives int64.
KOINE_API Array count_nonzero(Operand x, const ReductionOptions& options = {});
inline Array count_nonzero(Operand x, const Axis& axis) { return count_nonzero(std::move(x), {.axis = axis}); }

/// The positions of the elements that are not zero, in row-major order, for each axis an array of one axis. Waits for
/// the device, as only it knows how many there are. Takes every type; gives int64. ShapeError for an array without
/// axes.
KOINE_API std::vector<Array> nonzero(const Array& x);

struct SearchSortedOptions {
  detail::Named names_only = detail::named;
  std::string_view side = "left";              ///< or "right"
  std::optional<Array> sorter = std::nullopt;  ///< positions that put x1 in order, as argsort gives them
};
/// For each element of x2 the position in x1, which has one axis and is in rising order (or is under `.sorter`), before
/// which it can be put to keep the order: the first such position, or the last with `.side = "right"`. NaN stand behind
/// all numbers, as sort puts them. The result has x2's shape. Takes real types and bool_, of integers any two types;
/// gives int64. DTypeError for complex types, ShapeError for an x1 without just one axis, or a sorter of another shape,
/// ValueError for another side.
KOINE_API Array searchsorted(const Array& x1, Operand x2, const SearchSortedOptions& options = {});

/// x1 where `condition` (any type, read as "is not zero") is true, x2 elsewhere. The three broadcast. Takes every type;
/// gives the common type of x1 and x2.
KOINE_API Array where(Operand condition, Operand x1, Operand x2);

}  // namespace koine

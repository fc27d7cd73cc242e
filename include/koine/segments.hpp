// SPDX-License-Identifier: Apache-2.0
// Reductions of groups of rows that ids name.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

#include <cstdint>
#include <optional>

namespace koine {

// The rows of x, along its first axis, that share an id make a group, and the result has a row for each group: row k
// for id k. `ids` are integers of any type, of one axis as long as x's first, in any order. A result has the same bits
// on every run and, but for float products where a device rounds differently, on every device.
//
// DTypeError for ids that are not integers, ShapeError for ids that do not fit x, ValueError for a .count below zero.
// Only the device can notice an id below zero, or not below .count: the IndexError is thrown when a result that depends
// on it is observed, as with take.

struct SegmentOptions {
  detail::Named names_only = detail::named;
  std::optional<std::int64_t> count =
      std::nullopt;     ///< of groups; by default the largest id plus one, for which the call waits for the device
  bool sorted = false;  ///< each id is at least the one before, so that segment_prod need not sort them
};

/// The sum of each group, 0 for none. The exact sum, rounded once, but for what is below 2^-61 of its largest value
/// (2^-92 in float64). Takes every type; gives what sum gives.
KOINE_API Array segment_sum(const Array& x, const Array& ids, const SegmentOptions& options = {});
/// The mean of each group, NaN for none. Takes every type; gives the same type, default_dtype() for integers and bool_.
KOINE_API Array segment_mean(const Array& x, const Array& ids, const SegmentOptions& options = {});
/// The product of each group, 1 for none. Takes every type; gives what prod gives. float16 and bfloat16 accumulate in
/// float32. IndexError, when a result is observed, for ids that fall with .sorted.
KOINE_API Array segment_prod(const Array& x, const Array& ids, const SegmentOptions& options = {});
/// The largest of each group, NaN where one is; for no rows the smallest value of the type, which is -inf for floating
/// types. Takes real types and bool_; gives the same type.
KOINE_API Array segment_max(const Array& x, const Array& ids, const SegmentOptions& options = {});
/// The smallest of each group, NaN where one is; for no rows the largest value of the type, which is inf for floating
/// types. Takes real types and bool_; gives the same type.
KOINE_API Array segment_min(const Array& x, const Array& ids, const SegmentOptions& options = {});
/// How many rows each group has. Takes integers, the ids; gives int64.
KOINE_API Array segment_count(const Array& ids, const SegmentOptions& options = {});

}  // namespace koine

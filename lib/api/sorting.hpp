// SPDX-License-Identifier: Apache-2.0
// Sorted elements together with where they were: one sort gives both.
#pragma once

#include <koine/array.hpp>

namespace koine::api {

struct Ordered {
  Array values, positions;
};

/// The elements of each row in the order of argsort, and their positions. Real types and bool_.
Ordered ordered(const Array& rows, bool descending = false);

/// Whether elements of the rows' last axis are better found by their ranks than by a sort.
bool selects(const Array& rows);
/// A selection of the first elements is no larger than this part of a row: a sort of more is as quick.
inline constexpr std::int64_t part_of_row = 4;

}  // namespace koine::api

// SPDX-License-Identifier: Apache-2.0
// Moments on the host, in the order in which kernels/reduce_rows.cl and reduce_columns.cl take those of the same
// elements on a CPU.
#pragma once

#include "host/fold.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace koine::host {

/// How many values, their mean in two parts, and the sum of their squared distances from it (common/moments.clh).
enum class Moment : std::uint8_t { count, mean, rest, squares };
inline constexpr std::size_t moment_parts = 4;

/// Moments of elements of float32 or float64, as an array for each part: of rows, or with `columns` of neighbouring
/// columns of `kept` elements, `reduced` of each, for every block. `parts` are one array, the elements, of which
/// `chunk` vectors or rows are taken at once, or four, moments that a pass before left.
std::vector<std::vector<std::byte>> fold_moments(DType type, const FoldOrder& order, bool columns, std::size_t chunk,
                                                 std::size_t kept, std::size_t reduced,
                                                 std::span<const std::byte* const> parts);

}  // namespace koine::host

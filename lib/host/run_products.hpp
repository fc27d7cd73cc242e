// SPDX-License-Identifier: Apache-2.0
// Products of runs of equal ids on the host, with the bits of kernels/run_products.cl.
#pragma once

#include "device/traits.hpp"
#include "koine/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace koine::host {

/// Rows of a block, in kernels and on the host: a constant, since the order of multiplications follows from it.
inline constexpr std::size_t rows_of_block = 64;

/// Rows of `inner` values, and the groups that they are multiplied for: the ids, which rise, of `count` rows from
/// number `first` on, in `room` if they do not lie in memory so. Threads call it side by side.
struct RunsOfRows {
  DType type;  // an integer of 64 bits, float32, float64 or a complex one
  std::size_t rows, inner, groups;
  bool same;  // one value for all
  std::function<const std::int64_t*(std::size_t first, std::size_t count, std::int64_t* room)> read;
};

/// Bytes of room.
std::size_t room_of_products(const RunsOfRows& runs);

/// Writes the products of all groups, 1 of those without rows. Ids that name no group multiply nothing. Threads share
/// what is `work` elements by operations. Allocates nothing.
void multiply_runs(const DeviceTraits& traits, std::uint64_t work, const RunsOfRows& runs, const std::byte* values,
                   std::byte* products, std::byte* room);

}  // namespace koine::host

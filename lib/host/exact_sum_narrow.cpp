// SPDX-License-Identifier: Apache-2.0
// Sums of float32.
#include "host/exact_sum.hpp"

#include "host/blocks_by_ids.hpp"
#include "host/whole_terms.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <type_traits>

namespace koine::host {
namespace {

#define KN_BITS 32
#define KN_KEY std::uint32_t
#define KN_INFINITY 0x7f800000u
#define KN_WHOLE_TERMS of_float32
#include "host/exact_sum_text.hpp"

}  // namespace

std::size_t room_of_sums(const DeviceTraits& traits, const RowsByIds& rows, std::size_t size) {
  const std::size_t tables = most_tables(traits, rows),
                    whole = rows.entries() * (tables * sizeof(kn_wide) + (tables + 1) * sizeof(uint)) +
                            tables * sizeof(long);
  const auto in_blocks = [&]<class Value>(Value) {
    const BlocksByIds<Value> blocks(traits, rows);
    return blocks.suit() ? blocks.room() + traits.compute_units * WholeTable<long>::room(blocks.most_entries()) : 0;
  };
  return std::max(whole, size == 2   ? in_blocks(std::uint16_t{})
                         : size == 4 ? in_blocks(std::uint32_t{})
                                     : in_blocks(std::uint64_t{}));
}

void sum_by_ids(const DeviceTraits& traits, std::uint64_t work, const SumsByIds<std::uint32_t>& sums,
                std::uint32_t* results) {
  add_up(traits, work, sums, results);
}

}  // namespace koine::host

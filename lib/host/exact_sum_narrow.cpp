// SPDX-License-Identifier: Apache-2.0
// Sums of float32.
#include "host/exact_sum.hpp"

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

std::size_t room_of_sums(const DeviceTraits& traits, const RowsByIds& rows) {
  const std::size_t tables = most_tables(traits, rows);
  return rows.entries() * (tables * sizeof(kn_wide) + (tables + 1) * sizeof(uint)) + tables * sizeof(long);
}

void sum_by_ids(const DeviceTraits& traits, std::uint64_t work, const SumsByIds<std::uint32_t>& sums,
                std::uint32_t* results) {
  add_up(traits, work, sums, results);
}

}  // namespace koine::host

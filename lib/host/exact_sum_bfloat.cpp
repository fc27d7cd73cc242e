// SPDX-License-Identifier: Apache-2.0
// Sums of bfloat16.
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

#define KN_BITS 16
#define KN_KEY std::uint16_t
#define KN_INFINITY 0x7f80u
#define KN_WHOLE_TERMS of_bfloat16
#include "host/exact_sum_text.hpp"

}  // namespace

void sum_bfloat16s_by_ids(const DeviceTraits& traits, std::uint64_t work, const SumsByIds<std::uint16_t>& sums,
                          std::uint16_t* results) {
  add_up(traits, work, sums, results);
}

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// Sums of float32.
#include "host/exact_sum.hpp"

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace koine::host {
namespace {

#define KN_BITS 32
#define KN_KEY std::uint32_t
#define KN_INFINITY 0x7f800000u
#include "host/exact_sum_text.hpp"

}  // namespace

void sum_by_ids(const SumsByIds<std::uint32_t>& sums, std::uint32_t* results) { add_up(sums, results); }

}  // namespace koine::host

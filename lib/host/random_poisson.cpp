// SPDX-License-Identifier: Apache-2.0
// Poisson distributed counts of large means.
#include "host/random.hpp"
#include "host/random_laws.hpp"

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace koine::host {
namespace {

#define KN_ELEMENT KN_U64
#include "host/random_text.hpp"
#define KN_KIND KN_POISSON
#include <rejection.cl>

}  // namespace

void draw_poissons(const graph::RandomInfo& info, DType type, std::uint64_t first, std::size_t count,
                   std::uint64_t* to) {
  rejection_poisson(to, count_law<kn_counts>(info, type, first, count));
}

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// Random numbers of float64.
#include "host/random.hpp"

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace koine::host {
namespace {

#define KN_ELEMENT KN_F64
#include "host/random_text.hpp"

}  // namespace

double exponential_of(std::uint64_t word) { return -kn_log_uniform(word); }

void normals_of(std::uint64_t even, std::uint64_t odd, double numbers[2]) {
  const double2 both = kn_normals({even, odd});
  numbers[0] = both.even;
  numbers[1] = both.odd;
}

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// Random numbers of float64.
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

#define KN_ELEMENT KN_F64
#include "host/random_text.hpp"
#define KN_KIND KN_GAMMA
#include <rejection.cl>

}  // namespace

double exponential_of(std::uint64_t word) { return -kn_log_uniform(word); }

void normals_of(std::uint64_t even, std::uint64_t odd, double numbers[2]) {
  const double2 both = kn_normals({even, odd});
  numbers[0] = both.even;
  numbers[1] = both.odd;
}

void draw_gammas(const graph::RandomInfo& info, std::uint64_t first, std::size_t count, double* to) {
  rejection_gamma(to, gamma_law<kn_gamma>(info, first, count));
}

}  // namespace koine::host

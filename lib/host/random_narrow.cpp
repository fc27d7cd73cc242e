// SPDX-License-Identifier: Apache-2.0
// Random numbers of float32.
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

#define KN_ELEMENT KN_F32
#include "host/random_text.hpp"
#define KN_KIND KN_GAMMA
#include <rejection.cl>

}  // namespace

float exponential_of(std::uint32_t word) { return -kn_log_uniform(word); }

void normals_of(std::uint64_t words, float numbers[2]) {
  const ulong both = kn_normals(words);
  numbers[0] = as_float(static_cast<uint>(both));
  numbers[1] = as_float(static_cast<uint>(both >> 32));
}

void draw_gammas(const graph::RandomInfo& info, std::uint64_t first, std::size_t count, float* to) {
  rejection_gamma(to, gamma_law<kn_gamma>(info, first, count));
}

}  // namespace koine::host

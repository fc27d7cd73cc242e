// SPDX-License-Identifier: Apache-2.0
// The laws of float32 that host/random_lanes.hpp declares. To be included inside a namespace without a name.
#define KN_ELEMENT KN_F32
#include "host/random_text.hpp"
#define KN_KIND KN_GAMMA
#include <rejection.cl>

void normals(float* to, const std::uint64_t* words, std::size_t count) {
  for (std::size_t k = 0; k < count; k += 2) {
    const float2 both = as_float2(kn_normals(words[k / 2]));
    to[k] = both.even;
    to[k + 1] = both.odd;
  }
}

void exponentials(float* to, const std::uint64_t* words, std::size_t count) {
  for (std::size_t k = 0; k < count; k += 2) {
    const uint2 both = as_uint2(words[k / 2]);
    to[k] = -kn_log_uniform(both.even);
    to[k + 1] = -kn_log_uniform(both.odd);
  }
}

void gammas(float* to, const GammaLaw<float>& law) {
  rejection_gamma(to, {law.count, law.seed, law.first, law.d, law.c, law.power, law.scale});
}

// SPDX-License-Identifier: Apache-2.0
// The laws of float64 that host/random_lanes.hpp declares. To be included inside a namespace without a name.
#define KN_ELEMENT KN_F64
#include "host/random_text.hpp"
#define KN_KIND KN_GAMMA
#include <rejection.cl>

void normals(double* to, const std::uint64_t* words, std::size_t count) {
  for (std::size_t k = 0; k < count; k += 2) {
    const double2 both = kn_normals({words[k], words[k + 1]});
    to[k] = both.even;
    to[k + 1] = both.odd;
  }
}

void exponentials(double* to, const std::uint64_t* words, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) to[k] = -kn_log_uniform(words[k]);
}

void gammas(double* to, const GammaLaw<double>& law) {
  rejection_gamma(to, {law.count, law.seed, law.first, law.d, law.c, law.power, law.scale});
}

// SPDX-License-Identifier: Apache-2.0
// kernels/fft.cl and fft_cpu.cl: passes of each radix, lines side by side, a half on either side, and a convolution.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>

#include "support/devices.hpp"
#include "support/fourier.hpp"

namespace kn = koine;

TEST_CASE("each radix, and a prime") {
  for (const std::int64_t n : {1, 8, 12, 35, 143, 17}) kn::test::check_sums<float>(n);
  kn::test::check_real_sums<float>(6);
  if (kn::test::computes(kn::float64)) kn::test::check_sums<double>(10);
}

TEST_CASE("lines side by side") { kn::test::check_lines<float>({2, 6, 3}, 1, 5); }

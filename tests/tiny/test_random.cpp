// SPDX-License-Identifier: Apache-2.0
// kernels/random.cl and kernels/rejection.cl: each kind of number, from the middle of a block too.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <limits>

#include "support/draws.hpp"

using namespace koine::test;

TEST_CASE("uniform, integer and normal numbers") {
  const Sizes sizes = {3, 37, 448};
  check_uniform<float>(24, sizes);
  check_uniform<double>(53, sizes);
  check_uniform<koine::bfloat16_t>(8, sizes);
  check_integers<std::uint8_t>(0, 256, sizes);
  check_integers<std::int64_t>(-5, std::numeric_limits<std::int64_t>::max(), sizes);
  check_normal<float>(1e-6L, sizes);
  check_normal<double>(2e-15L, sizes);
  check_normal<koine::float16_t>(0x1p-9L, sizes);
}

TEST_CASE("numbers that are proposed until one is accepted") {
  koine::random::Generator g(seed);
  const std::vector<float> exponentials = g.exponential({37}).to_vector<float>();
  const std::vector<float> gammas = koine::random::Generator(seed).gamma(2.5, {37}).to_vector<float>();
  const auto counts = koine::random::Generator(seed).poisson(300, {37}).to_vector<std::int64_t>();
  const auto happened = koine::random::Generator(seed).binomial(800, 0.375, {37}).to_vector<std::int64_t>();
  for (std::uint64_t i = 0; i < 37; ++i) {
    CHECK(exponentials[i] == doctest::Approx(static_cast<double>(exponential<float>(i, seed))));
    CHECK(gammas[i] == doctest::Approx(static_cast<double>(gamma<float>(i, seed, 2.5))));
    CHECK(counts[i] == poisson(i, seed, 300));
    CHECK(happened[i] == binomial(i, seed, 800, 0.375));
  }
}

// SPDX-License-Identifier: Apache-2.0
// kernels/random.cl: each kind of number, from the middle of a block too.
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

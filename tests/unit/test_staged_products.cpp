// SPDX-License-Identifier: Apache-2.0
// Which products go through local memory because one side has few lines, over an invented device.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "exec/matmul_routes.hpp"
#include "support/invented_products.hpp"

using koine::DeviceTraits;
using namespace koine::test::products;

TEST_CASE("few lines of a great depth, and long matrices by narrow ones, go through local memory") {
  DeviceTraits card = hopper;
  card.compute_units = 132;
  const auto staged = [&](koine::DType type, std::int64_t m, std::int64_t n, std::int64_t k) {
    MatmulProblem p = problem(type, m, n, k);
    const bool is = route(card, p) == MatmulRoute::many;
    p.fixed = true;  // one order of the sums
    CHECK(route(card, p) != MatmulRoute::many);
    return is;
  };
  for (const koine::DType type : {koine::float32, koine::float64, koine::complex64, koine::complex128, koine::int32}) {
    CAPTURE(std::string(koine::name(type)));
    CHECK(staged(type, 3, 3, 1 << 19));
    CHECK(staged(type, 23, 23, 1 << 19));
    CHECK_FALSE(staged(type, 23, 23, 8000));
    CHECK(staged(type, 1 << 19, 23, 23));
    CHECK(staged(type, 23, 1 << 19, 23));
    CHECK_FALSE(staged(type, 1 << 19, 5, 6));   // a work-item reads a line by itself
    CHECK_FALSE(staged(type, 20'000, 23, 23));  // too few of them
    CHECK_FALSE(staged(type, 1 << 19, 100, 23));
  }
  CHECK_FALSE(staged(koine::complex128, 64, 64, 1 << 18));
  CHECK_FALSE(staged(koine::float32, 64, 64, 1 << 19));  // matrix units, or multiply-adds of whole tiles
  CHECK_FALSE(staged(koine::float32, 1 << 19, 24, 24));  // tall tiles
  CHECK(koine::exec::staged_depth(card, problem(koine::float64, 23, 23, 1 << 19)) == 1024);
  CHECK(koine::exec::staged_depth(card, problem(koine::float64, 23, 23, 1 << 24)) == 4096);
  CHECK(koine::exec::staged_depth(card, problem(koine::float64, 23, 23, 20'003)) == 72);
}

// SPDX-License-Identifier: Apache-2.0
// kernels/scatter_reduce.cl and run_products.cl: tables in local and in global memory, of one word and of several, and
// runs that cross blocks.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;

TEST_CASE("sums and extremes of few groups and of many") {
  for (const std::int64_t groups : {3, 9000}) {
    const Array ids = kn::asarray(std::vector<std::int32_t>{2, 0, 2, 1, 2});
    const Array x = kn::asarray(std::vector<float>{1.5f, -2, 0x1p-40f, 3, -1.5f});
    const auto first = [&](const Array& all) { return all(kn::slice(3)); };
    check_array<float>(first(kn::segment_sum(x, ids, {.count = groups})), {3}, {-2, 3, 0x1p-40f});
    check_array<float>(first(kn::segment_max(x, ids, {.count = groups})), {3}, {-2, 3, 1.5f});
    const Array whole = kn::asarray(std::vector<std::int64_t>{1, 2, std::int64_t{1} << 40, 4, -5});
    check_array<std::int64_t>(first(kn::segment_sum(whole, ids, {.count = groups})), {3},
                              {2, 4, (std::int64_t{1} << 40) - 4});
    check_array<std::int64_t>(first(kn::segment_min(whole, ids, {.count = groups})), {3}, {2, 4, -5});
    if (!kn::test::computes(kn::float64)) continue;
    check_array<double>(first(kn::segment_sum(x.astype(kn::float64), ids, {.count = groups})), {3},
                        {-2, 3, static_cast<double>(0x1p-40f)});
  }
}

TEST_CASE("rows are added to an array") {
  Array x = kn::ones({3, 2});
  x.at({1, 1, 0}).add(kn::asarray(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}));
  check_array<float>(x, {3, 2}, {6, 7, 5, 7, 1, 1});
}

TEST_CASE("products of runs that cross blocks") {
  std::vector<std::int32_t> ids(150, 1);
  std::vector<float> values(150, 1);
  ids[0] = 0;
  ids[149] = 2;
  values[10] = values[70] = values[140] = 3;
  check_array<float>(kn::segment_prod(kn::asarray(values), kn::asarray(ids)), {3}, {1, 27, 1});
}

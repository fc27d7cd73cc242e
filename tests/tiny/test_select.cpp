// SPDX-License-Identifier: Apache-2.0
// kernels/select.cl, select_rows.cl, topk.cl, histogram.cl and order_ties.cl: rows that are taken whole, one that
// several blocks share, bins of a group's own and bins in global memory, keys whose upper halves agree.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/arrays.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;

namespace {

/// 0 to count - 1 in no order.
std::vector<float> numbers(std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i * 7919 % count));
  return values;
}

void check_selections(std::int64_t count) {
  CAPTURE(count);
  const Array x = kn::asarray(numbers(count));
  const kn::TopkResult top = kn::topk(x, 3);
  const auto last = static_cast<float>(count - 1);
  check_array<float>(top.values, {3}, {last, last - 1, last - 2});
  check_array<float>(x(top.indices), {3}, {last, last - 1, last - 2});
  check_array<float>(kn::median(x), {}, {last / 2});
}

}  // namespace

TEST_CASE("rows that are taken whole, and one that several blocks share") {
  check_selections(1500);
  check_selections(33'001);
}

TEST_CASE("bins of a group's own, and in global memory") {
  const Array x = kn::asarray(numbers(3000));
  for (const std::int64_t bins : {3, 3000}) {
    const std::vector<std::int64_t> each(static_cast<std::size_t>(bins), 3000 / bins);
    const std::pair<double, double> range = {0, 3000};
    check_array(kn::histogram(x, {.bins = bins, .range = range}).counts, {bins}, each);
  }
}

TEST_CASE("a permutation that sorts halves of its keys") {
  const std::int64_t count = 1 << 14;
  auto order = kn::random::Generator(1).permutation(count).to_vector<std::int64_t>();
  std::sort(order.begin(), order.end());
  for (std::int64_t i = 0; i < count; ++i) REQUIRE(order[static_cast<std::size_t>(i)] == i);
}

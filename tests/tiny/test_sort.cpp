// SPDX-License-Identifier: Apache-2.0
// kernels/sort_rows.cl, sort_blocks.cl and search.cl: short rows of which many share a group, a row that fills one,
// rows of several blocks; values and places, keys of each size, places beside keys in one word and apart from them.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;

namespace {

/// Numbers from 0 to 99 in no order, which every type holds exactly.
template <class T>
void check_sorts(std::int64_t rows, std::int64_t count, bool descending) {
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  CAPTURE(rows);
  CAPTURE(count);
  std::vector<T> values, sorted;
  std::vector<std::int64_t> places;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<int> line;
    for (std::int64_t i = 0; i < count; ++i) line.push_back(static_cast<int>((row + i * 7919) % 10'007 % 100));
    std::vector<std::int64_t> order(line.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
      const int a = line[static_cast<std::size_t>(i)], b = line[static_cast<std::size_t>(j)];
      return descending ? b < a : a < b;
    });
    const auto number = [](int v) { return static_cast<T>(static_cast<float>(v)); };
    for (const int v : line) values.push_back(number(v));
    for (const std::int64_t at : order) sorted.push_back(number(line[static_cast<std::size_t>(at)]));
    places.insert(places.end(), order.begin(), order.end());
  }
  const Array x = kn::asarray(values, {rows, count});
  check_array<T>(kn::sort(x, {.descending = descending}), {rows, count}, sorted);
  check_array(kn::argsort(x, {.descending = descending}), {rows, count}, places);
}

}  // namespace

TEST_CASE("rows that share a group, and one that fills it") {
  check_sorts<std::uint8_t>(40, 9, false);
  check_sorts<std::int16_t>(3, 300, true);
  check_sorts<float>(300, 5, false);
  check_sorts<float>(1, 3000, true);
  check_sorts<double>(2, 900, true);
  check_sorts<std::int64_t>(2, 1, false);
}

TEST_CASE("rows of several blocks") {
  check_sorts<std::uint8_t>(1, 4700, false);
  check_sorts<float>(1, 4200, true);
  check_sorts<std::int64_t>(2, 2100, false);
  // Longer than what a CPU's work-item sorts by itself.
  check_sorts<std::uint8_t>(1, 17'000, false);
}

TEST_CASE("places in a sorted list") {
  for (const kn::DType type : {kn::uint8, kn::int16, kn::float32, kn::int64}) {
    const Array list = kn::floor_divide(kn::arange(100), 2).astype(type), wanted = kn::arange(60).astype(type);
    std::vector<std::int64_t> left, right;
    for (std::int64_t i = 0; i < 60; ++i) {
      left.push_back(std::min<std::int64_t>(2 * i, 100));
      right.push_back(std::min<std::int64_t>(2 * i + 2, 100));
    }
    check_array(kn::searchsorted(list, wanted), {60}, left);
    check_array(kn::searchsorted(list, wanted, {.side = "right"}), {60}, right);
  }
}

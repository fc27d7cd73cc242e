// SPDX-License-Identifier: Apache-2.0
// Sorting digit by digit, against std::stable_sort.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "exec/sort_digits.hpp"

namespace {

struct Item {
  std::uint64_t key;
  std::size_t position;

  friend bool operator==(const Item&, const Item&) = default;
};

/// Keys differ in the bits of `mask` alone, if at all.
void check(int threads, std::size_t parts, std::size_t count, std::uint64_t mask) {
  CAPTURE(threads);
  CAPTURE(parts);
  CAPTURE(count);
  CAPTURE(mask);
  std::mt19937_64 random(count + parts);
  std::vector<Item> expected(count), one(count), two(count), result(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = {(random() & mask) | (0xa5a5a5a5a5a5a5a5 & ~mask), i};
  const std::vector<Item> items = expected;
  std::stable_sort(expected.begin(), expected.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
  std::vector<koine::exec::DigitCounts> counts(parts);
  std::vector<int> loaded(count), finished(count);
  koine::exec::sort_by_digits(
      threads, std::span(counts), count, one.data(), two.data(), [](const Item& item) { return item.key; },
      [&](std::size_t first, std::size_t last, Item* to) {
        for (std::size_t i = first; i < last; ++i) {
          to[i] = items[i];
          ++loaded[i];
        }
      },
      [&](std::size_t at, const Item& item) {
        result[at] = item;
        ++finished[at];
      });
  CHECK(result == expected);
  CHECK(loaded == std::vector<int>(count, 1));
  CHECK(finished == std::vector<int>(count, 1));
}

}  // namespace

TEST_CASE("rows of every number of parts and digits are sorted, and equal keys keep their order") {
  constexpr std::uint64_t masks[] = {
      0, 1, 0xff, 0x3ff, 0xffff0000, 0xff00ff, std::uint64_t{1} << 63, 0x8000000000000001, ~std::uint64_t{0}};
  for (const std::size_t parts : {1, 2, 3, 8}) {
    for (const std::size_t count : {1, 2, 255, 1000, 5003}) {
      for (const std::uint64_t mask : masks) check(1, parts, count, mask);
    }
  }
}

TEST_CASE("threads share the parts of a row") {
  for (const std::uint64_t mask : {std::uint64_t{0x7f}, ~std::uint64_t{0}}) check(3, 12, 200'000, mask);
}

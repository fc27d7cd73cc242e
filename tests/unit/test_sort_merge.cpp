// SPDX-License-Identifier: Apache-2.0
// Merging sorted parts, against std::sort.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "exec/sort_merge.hpp"

using koine::exec::merge_parts;
using koine::exec::start_of;

namespace {

/// Of few different values there are many equal ones.
void check(std::size_t parts, std::size_t count, std::uint32_t different) {
  CAPTURE(parts);
  CAPTURE(count);
  CAPTURE(different);
  std::mt19937 random(static_cast<unsigned>(count + parts));
  std::vector<std::uint32_t> items(count), other(count), result(count);
  for (std::uint32_t& item : items) item = static_cast<std::uint32_t>(random()) % different;
  std::vector<std::uint32_t> expected = items;
  std::sort(expected.begin(), expected.end());
  for (std::size_t part = 0; part < parts; ++part) {
    std::sort(items.begin() + static_cast<std::ptrdiff_t>(start_of(part, parts, count)),
              items.begin() + static_cast<std::ptrdiff_t>(start_of(part + 1, parts, count)));
  }
  std::vector<int> finished(count);
  merge_parts(3, parts, count, items.data(), other.data(),
              [&](const std::uint32_t* from, std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i) {
                  result[i] = from[i];
                  ++finished[i];
                }
              });
  CHECK(result == expected);
  CHECK(finished == std::vector<int>(count, 1));
}

}  // namespace

TEST_CASE("parts of every number and length are merged") {
  for (const std::size_t parts : {2, 4, 8, 16, 32}) {
    for (const std::size_t count : {1, 2, 3, 15, 16, 17, 100, 8191, 8192, 8193, 40'000}) {
      for (const std::uint32_t different : {1u, 7u, 1u << 30}) check(parts, count, different);
    }
  }
}

TEST_CASE("one run stands before the other") {
  for (const bool swapped : {false, true}) {
    std::vector<int> items(20'000), other(items.size()), result(items.size()), expected(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      expected[i] = static_cast<int>(i);
      items[i] = static_cast<int>(swapped ? (i + items.size() / 2) % items.size() : i);
    }
    merge_parts(2, 2, items.size(), items.data(), other.data(),
                [&](const int* from, std::size_t first, std::size_t last) {
                  std::copy(from + first, from + last, result.begin() + static_cast<std::ptrdiff_t>(first));
                });
    CHECK(result == expected);
  }
}

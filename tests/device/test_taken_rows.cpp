// SPDX-License-Identifier: Apache-2.0
// Whole rows taken by their positions: of any number of vectors, and parts of long rows by a card's groups.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::counted;
using kn::test::numbered;
using kn::test::on_each_device;

TEST_CASE("rows that are no whole number of vectors are taken and put") {
  on_each_device([] {
    const Array table = numbered<float>({40, 70}), weights = numbered<float>({70});
    const Array rows = counted(33, [](std::int64_t i) { return i * 7 % 40; });
    const auto got = (kn::take(table, rows, {.axis = 0}) + weights).to_vector<float>();
    const Array at = kn::reshape(counted(33 * 70, [](std::int64_t i) { return i * 13 % 2800; }), {33, 70});
    const auto single = (kn::take(table, at) + weights).to_vector<float>();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 33 * 70; ++i) {
      wrong += got[std::size_t(i)] != static_cast<float>(i / 70 * 7 % 40 * 70 + i % 70 + i % 70);
      wrong += single[std::size_t(i)] != static_cast<float>(i * 13 % 2800 + i % 70);
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("rows of whole vectors are taken, which begin at vectors or beside them") {
  on_each_device([] {
    constexpr std::int64_t count = 33;
    const Array rows = counted(
        count, [](std::int64_t i) { return i * 7 % 40; }, kn::int32);
    // Cards take the last two by parts of rows: by whole groups of vectors, and with a rest.
    for (const std::int64_t columns : {64, 68, 72, 2048, 8260}) {
      for (const std::int64_t first : {0, 1, 4, 8}) {
        CAPTURE(columns);
        CAPTURE(first);
        const std::int64_t width = columns + 8;
        const Array table = numbered<float>({40, width});
        const Array part = table(kn::all, kn::slice(first, first + columns));
        const auto got = kn::take(part, rows, {.axis = 0}).to_vector<float>();
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < count * columns; ++i) {
          wrong += got[std::size_t(i)] != static_cast<float>(i / columns * 7 % 40 * width + first + i % columns);
        }
        CHECK(wrong == 0);
      }
    }
  });
}

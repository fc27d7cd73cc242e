// SPDX-License-Identifier: Apache-2.0
// Element-wise operations past 2^24 elements, where positions no longer fit a float; of bytes, so that memory stays
// small.
#include "support/devices.hpp"

#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

using namespace koine::test;
namespace kn = koine;

TEST_CASE("sizes past 2^24") {
  constexpr std::int64_t count = (std::int64_t{1} << 24) + 37;
  std::vector<std::uint8_t> values(count);
  for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i * 7 + (i >> 16));

  on_each_device([&] {
    const kn::Array x = kn::asarray(values);
    SUBCASE("one after another") {
      const std::vector<std::uint8_t> got = (x + 3).to_vector<std::uint8_t>();
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < count; ++i) wrong += got[i] != static_cast<std::uint8_t>(values[i] + 3);
      CHECK(wrong == 0);
    }
    SUBCASE("beside themselves from the end") {
      const std::vector<std::uint8_t> got = (x ^ x(kn::slice(kn::none, kn::none, -1))).to_vector<std::uint8_t>();
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < count; ++i) wrong += got[i] != (values[i] ^ values[count - 1 - i]);
      CHECK(wrong == 0);
    }
    SUBCASE("broadcast to a matrix") {
      constexpr std::int64_t rows = 4099, columns = 4111;
      const kn::Array column = kn::reshape(x(kn::slice(rows)), {rows, 1}), row = x(kn::slice(columns));
      const std::vector<std::uint8_t> got = (column * row).to_vector<std::uint8_t>();
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          wrong += got[i * columns + j] != static_cast<std::uint8_t>(values[i] * values[j]);
        }
      }
      CHECK(wrong == 0);
    }
    SUBCASE("positions made on the device") {
      const std::vector<std::uint8_t> got = kn::arange(count).astype(kn::uint8).to_vector<std::uint8_t>();
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < count; ++i) wrong += got[i] != static_cast<std::uint8_t>(i);
      CHECK(wrong == 0);
    }
  });
}

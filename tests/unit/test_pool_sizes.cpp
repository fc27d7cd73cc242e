// SPDX-License-Identifier: Apache-2.0
// Capacities of the pool, and the small text and hash helpers that messages and caches rely on.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "runtime/pool.hpp"

using koine::runtime::pool_capacity;

TEST_CASE("capacities are padded, monotonous and waste at most a quarter") {
  CHECK(pool_capacity(0) == 256);
  CHECK(pool_capacity(1) == 256);
  CHECK(pool_capacity(257) == 384);
  CHECK(pool_capacity(1025) == 1280);
  std::uint64_t before = 0;
  for (std::uint64_t bytes = 0; bytes < (std::uint64_t{3} << 20); bytes += bytes < 5000 ? 1 : 997) {
    const std::uint64_t capacity = pool_capacity(bytes);
    REQUIRE(capacity % 128 == 0);
    REQUIRE(capacity >= bytes);
    REQUIRE(capacity >= before);
    REQUIRE(capacity <= std::max<std::uint64_t>(256, (bytes + 127) / 128 * 128 * 5 / 4));
    REQUIRE(pool_capacity(capacity) == capacity);
    before = capacity;
  }
  const std::uint64_t huge = (std::uint64_t{35} << 30) + 1;
  CHECK(pool_capacity(huge) - huge < 65536);
}

TEST_CASE("of held blocks of a size the one that came last is taken first: a cache may still have it") {
  using koine::runtime::Block;
  for (const std::uint64_t capacity : {std::uint64_t{1} << 10, std::uint64_t{8} << 20}) {
    koine::runtime::Pool pool(std::uint64_t{1} << 30);
    std::byte places[3];
    for (std::byte& place : places) {
      REQUIRE(pool.reserve(capacity));
      Block block{nullptr, capacity, {}};
      block.host = &place;
      pool.give_back(std::move(block));
    }
    const auto taken = [&] { return pool.take_held(capacity, [](const auto&) { return true; })->host; };
    CHECK(taken() == &places[2]);
    CHECK(taken() == &places[1]);
    CHECK(taken() == &places[0]);  // so that none is left to be released to a driver
    CHECK(pool.stats().held == 0);
  }
}

TEST_CASE("sizes are read and written as people do") {
  using koine::base::bytes_text;
  using koine::base::parse_bytes;
  CHECK(bytes_text(0) == "0 bytes");
  CHECK(bytes_text(1) == "1 byte");
  CHECK(bytes_text(1023) == "1023 bytes");
  CHECK(bytes_text(1 << 20) == "1 MiB");
  CHECK(bytes_text((1 << 20) - 1) == "1.0 MiB");
  CHECK(bytes_text(std::uint64_t{3} << 29) == "1.5 GiB");
  CHECK(parse_bytes("90%", 1000) == 900);
  CHECK(parse_bytes("8GiB", 0) == std::uint64_t{8} << 30);
  CHECK(parse_bytes(" 512 MB ", 0) == std::uint64_t{512} << 20);
  CHECK(parse_bytes("1.5g", 0) == std::uint64_t{3} << 29);
  CHECK(parse_bytes("4096", 0) == 4096);
  for (const char* bad : {"", "x", "-1", "101%", "8 apples", "GiB", "1e30", "nan"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_bytes(bad, 1000).has_value());
  }
}

TEST_CASE("hashes differ for texts that differ a little") {
  std::set<std::uint64_t> seen;
  std::set<std::string> names;
  for (int length = 0; length < 70; ++length) {
    for (int at = 0; at <= length; ++at) {
      std::string text(static_cast<std::size_t>(length), '\0');
      if (at < length) text[static_cast<std::size_t>(at)] = 'x';
      seen.insert(koine::base::hash64(text));
      names.insert(koine::base::hash128_hex(text));
    }
  }
  CHECK(seen.size() == 70 * 71 / 2);
  CHECK(names.size() == seen.size());
}

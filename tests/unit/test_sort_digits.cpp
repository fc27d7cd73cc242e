// SPDX-License-Identifier: Apache-2.0
// Sorting digit by digit, by buckets and by counting, against std::stable_sort.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "exec/key_span.hpp"
#include "exec/sort_counts.hpp"
#include "exec/sort_digits.hpp"

using koine::exec::KeySpan;
using koine::exec::span_of_keys;

namespace {

constexpr int low = 20;  // items have their positions below
using Items = std::vector<std::uint64_t>;

std::uint64_t number_of(std::uint64_t item) { return item >> low; }
int bits_of(const Items& items) {
  return static_cast<int>(std::bit_width(number_of(*std::max_element(items.begin(), items.end()))));
}

/// Numbers of the bits of `mask`, in order of nothing; and the same in order.
struct Row {
  Items items, ordered;

  Row(std::size_t count, std::uint64_t mask) : items(count) {
    std::mt19937_64 random(count + mask);
    for (std::size_t i = 0; i < count; ++i) items[i] = (random() & mask) << low | i;
    ordered = items;
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](std::uint64_t a, std::uint64_t b) { return number_of(a) < number_of(b); });
  }
};

void check_digits(int threads, std::size_t parts, const Row& row) {
  const std::size_t count = row.items.size();
  CAPTURE(threads);
  CAPTURE(parts);
  CAPTURE(count);
  Items one(count), two(count), result(count);
  std::vector<koine::exec::DigitCounts> counts(parts);
  std::vector<int> loaded(count), finished(count);
  const auto load = [&](std::size_t first, std::size_t last, std::uint64_t* to) {
    for (std::size_t i = first; i < last; ++i) {
      to[i] = row.items[i];
      ++loaded[i];
    }
  };
  koine::exec::sort_by_digits(threads, std::span(counts), count, low, bits_of(row.items), one.data(), two.data(), load,
                              [&](std::uint64_t*, std::size_t at, std::uint64_t item) {
                                result[at] = item;
                                ++finished[at];
                              });
  CHECK(result == row.ordered);
  CHECK(loaded == std::vector<int>(count, 1));
  CHECK(finished == std::vector<int>(count, 1));
  // What is put into the free buffer is where the function says.
  const std::uint64_t* const there = koine::exec::sort_by_digits(
      threads, std::span(counts), count, low, bits_of(row.items), one.data(), two.data(), load,
      [&](std::uint64_t* free, std::size_t at, std::uint64_t item) { free[at] = item; });
  CHECK(std::equal(row.ordered.begin(), row.ordered.end(), there));
}

/// Whether it was sorted.
bool check_buckets(int threads, std::size_t parts, const Row& row) {
  const std::size_t count = row.items.size();
  CAPTURE(threads);
  CAPTURE(parts);
  CAPTURE(count);
  Items one(count), two(count), result(count);
  std::vector<koine::exec::DigitCounts> counts(parts);
  std::vector<int> finished(count);
  const bool sorted = koine::exec::sort_by_buckets(
      threads, std::span(counts), count, low, bits_of(row.items), one.data(), two.data(),
      [&](std::size_t first, std::size_t last, std::uint64_t* to) {
        std::copy(&row.items[first], &row.items[first] + (last - first), to + first);
      },
      [](std::size_t, std::uint64_t* items, std::size_t some) { std::sort(items, items + some); },
      [&](std::size_t, const std::uint64_t* items, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          result[i] = items[i];
          ++finished[i];
        }
      });
  CHECK(result == (sorted ? row.ordered : Items(count)));
  CHECK(finished == std::vector<int>(count, sorted ? 1 : 0));
  return sorted;
}

template <class Key>
void check_counts(int threads, std::vector<Key> keys, std::size_t values) {
  CAPTURE(threads);
  CAPTURE(keys.size());
  CAPTURE(values);
  const auto key_at = [&](std::size_t i) { return keys[i]; };
  const KeySpan<Key> span = span_of_keys<Key>(threads, keys.size(), Key(values - 1), key_at);
  REQUIRE(std::size_t{span.greatest_number()} < values);
  std::vector<std::uint32_t> counters(koine::exec::counters_of(threads, values), 77);
  std::vector<Key> result(keys.size());
  std::vector<int> filled(keys.size());
  koine::exec::sort_by_counts(threads, keys.size(), span, counters.data(), key_at,
                              [&](std::size_t first, std::size_t last, Key key) {
                                for (std::size_t i = first; i < last; ++i) {
                                  result[i] = key;
                                  ++filled[i];
                                }
                              });
  std::sort(keys.begin(), keys.end());
  CHECK(result == keys);
  CHECK(filled == std::vector<int>(keys.size(), 1));
}

template <class Key, class Make>
std::vector<Key> keys_of(std::size_t count, Make make) {
  std::mt19937_64 random(count);
  std::vector<Key> keys(count);
  for (Key& key : keys) key = static_cast<Key>(make(random()));
  return keys;
}

constexpr std::uint64_t masks[] = {0, 1, 0xff, 0x3ff, 0x7ff, 0xfff, 0xffff0000, 0xff00ff, 0xfffffffffff};

}  // namespace

TEST_CASE("rows of every number of parts and digits are sorted, and equal keys keep their order") {
  for (const std::uint64_t mask : masks) {
    for (const std::size_t count : {1, 2, 255, 1000, 5003, 20'000}) {
      const Row row(count, mask);
      for (const std::size_t parts : {1, 2, 3, 8}) check_digits(1, parts, row);
    }
  }
}

TEST_CASE("threads share the parts of a row, with digits of any width") {
  for (const std::uint64_t mask : {std::uint64_t{0x7f}, std::uint64_t{0x7ff}, std::uint64_t{0xfffffffffff}}) {
    for (const std::size_t count : {100'000, 600'000}) check_digits(3, 12, Row(count, mask));
  }
}

TEST_CASE("digits are as wide as a pass less is worth") {
  using koine::exec::digit_bits;
  CHECK(digit_bits(32, 1 << 18, 8, 8) == 11);  // 11, 11, 10
  CHECK(digit_bits(32, 1 << 20, 8, 8) == 8);   // more than the second cache
  CHECK(digit_bits(10, 1 << 20, 8, 8) == 10);  // but one pass
  CHECK(digit_bits(12, 1 << 18, 8, 8) == 6);   // two of them
  CHECK(digit_bits(10, 1 << 12, 8, 1) == 8);   // few items
  CHECK(digit_bits(0, 1 << 20, 8, 8) == 8);
}

TEST_CASE("buckets of the highest digit are sorted by another sort, unless they are uneven") {
  for (const std::size_t parts : {1, 2, 3, 8}) {
    for (const std::size_t count : {20'000, 70'001}) {
      for (const int threads : {1, 2, 3}) {
        CHECK(check_buckets(threads, parts, Row(count, 0xffffffff)));
        CHECK(check_buckets(threads, parts, Row(count, 0xf000000f)));
        CHECK(check_buckets(threads, parts, Row(count, 0x800000ff)) == (threads == 1));  // half of the items, nearly
      }
    }
  }
}

TEST_CASE("keys of few values are counted") {
  for (const int threads : {1, 3}) {
    for (const std::size_t count : {1, 2, 63, 64, 65, 1001, 100'000}) {
      check_counts<std::uint32_t>(threads, keys_of<std::uint32_t>(count, [](auto x) { return x % 10 + 0x7ffffffb; }),
                                  10);
      check_counts<std::uint64_t>(
          threads, keys_of<std::uint64_t>(count, [](auto x) { return (x % 3 << 50) - (std::uint64_t{1} << 50); }),
          1 << 15);
      check_counts<std::uint16_t>(threads, keys_of<std::uint16_t>(count, [](auto x) { return x; }), 1 << 16);
      check_counts<std::uint32_t>(threads, keys_of<std::uint32_t>(count, [](auto) { return ~0U; }), 1);
      check_counts<std::uint32_t>(threads, keys_of<std::uint32_t>(count, [](auto x) { return (x % 1000) << 13; }),
                                  1000);
    }
  }
}

TEST_CASE("a span says by how few bits keys can be told apart") {
  const std::uint32_t keys[] = {0x12003400, 0x12003800, 0x12004000};
  const auto key_at = [&](std::size_t i) { return keys[i]; };
  const auto span = span_of_keys<std::uint32_t>(1, 3, ~0U, key_at);
  CHECK(span.least == 0x12003400);
  CHECK(span.greatest == 0x12004000);
  CHECK(span.same() == 10);
  CHECK(span.bits(10) == 2);
  for (const std::uint32_t key : keys) CHECK(span.key(span.number(key, 10), 10) == key);
  CHECK(span.greatest_number() == 3);
  // Where keys lie too far apart it may end early, and says so: by the first ones, and by any.
  CHECK(span_of_keys<std::uint32_t>(1, 3, 2, key_at).greatest_number() > 2);
  for (const std::size_t far : {std::size_t{3}, std::size_t{70'000}, std::size_t{99'999}}) {
    std::vector<std::uint32_t> many(100'000, 5);
    many[far] = 1'000'000;
    CHECK(span_of_keys<std::uint32_t>(2, many.size(), 100, [&](std::size_t i) { return many[i]; }).greatest_number() >
          100);
  }
  CHECK(KeySpan<std::uint16_t>::any().bits(0) == 16);
}

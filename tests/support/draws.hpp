// SPDX-License-Identifier: Apache-2.0
// random::Generator against what its numbers are by definition.
#pragma once

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "support/devices.hpp"
#include "support/random_reference.hpp"

namespace koine::test {

/// The key of the streams that tests draw from.
inline constexpr std::uint64_t seed = 0x0123456789abcdef;
/// From the start, from within a block, from beyond 2^32 blocks.
inline constexpr std::uint64_t counters[] = {0, 2, 3, (std::uint64_t{1} << 34) - 6};
/// How many numbers each check draws at once.
using Sizes = std::vector<std::int64_t>;

// Of that stream:
inline std::uint32_t word(std::uint64_t index) { return word(index, seed); }
inline std::uint64_t two_words(std::uint64_t index) { return two_words(index, seed); }

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// How many elements differ in their bits.
template <class T, class Expected>
std::int64_t differing(const Array& x, Expected expected) {
  const std::vector<T> got = x.to_vector<T>();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < got.size(); ++i) count += bits_of(got[i]) != bits_of(expected(i));
  return count;
}

/// FNV-1a over the bytes: one number that any other bit changes.
template <class T>
std::uint64_t fingerprint(const Array& x) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const T value : x.to_vector<T>()) {
    for (std::uint64_t bits = bits_of(value), i = 0; i < sizeof(T); ++i) {
      hash = (hash ^ (bits >> (8 * i) & 0xff)) * 0x100000001b3;
    }
  }
  return hash;
}

template <class T>
void check_uniform(int digits, const Sizes& sizes) {
  CAPTURE(name(dtype_of<T>));
  if (!computes(dtype_of<T>)) return;
  for (const std::uint64_t counter : counters) {
    for (const std::int64_t size : sizes) {
      CAPTURE(counter);
      CAPTURE(size);
      random::Generator g(seed, counter);
      const Array x = g.uniform({size}, {.dtype = dtype_of<T>});
      CHECK(x.shape() == Shape{size});
      CHECK(x.dtype() == dtype_of<T>);
      const std::uint64_t first = first_draw<T>(counter);
      CHECK(differing<T>(x, [&](std::uint64_t i) { return uniform<T>(first + i, seed, digits); }) == 0);
      CHECK(g.counter() == (first + static_cast<std::uint64_t>(size)) * (wide<T> ? 2 : 1));
    }
  }
}

template <class T>
void check_integers(std::int64_t low, std::int64_t high, const Sizes& sizes) {
  CAPTURE(name(dtype_of<T>));
  CAPTURE(low);
  CAPTURE(high);
  for (const std::uint64_t counter : counters) {
    for (const std::int64_t size : sizes) {
      CAPTURE(counter);
      CAPTURE(size);
      random::Generator g(seed, counter);
      const Array x = g.integers(low, high, {size}, {.dtype = dtype_of<T>});
      CHECK(x.dtype() == dtype_of<T>);
      const std::uint64_t first = first_draw<T>(counter);
      CHECK(differing<T>(x, [&](std::uint64_t i) { return integer<T>(first + i, seed, low, high); }) == 0);
    }
  }
}

template <class T>
void check_normal(long double tolerance, const Sizes& sizes) {
  CAPTURE(name(dtype_of<T>));
  if (!computes(dtype_of<T>)) return;
  for (const std::uint64_t counter : counters) {
    for (const std::int64_t size : sizes) {
      CAPTURE(counter);
      CAPTURE(size);
      random::Generator g(seed, counter);
      const Array x = g.normal({size}, {.dtype = dtype_of<T>});
      const std::vector<T> got = x.to_vector<T>();
      const std::uint64_t first = first_draw<T>(counter);
      long double worst = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        worst = std::max(worst, std::abs(static_cast<long double>(got[i]) - normal<T>(first + i, seed)));
      }
      CHECK(worst <= tolerance);
    }
  }
}

}  // namespace koine::test

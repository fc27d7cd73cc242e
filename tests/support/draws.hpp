// SPDX-License-Identifier: Apache-2.0
// random::Generator against what its numbers are by definition: Random123's Philox bit for bit, and Box and Muller's
// method in long double.
#pragma once

#include <Random123/philox.h>
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <type_traits>
#include <vector>

#include "support/devices.hpp"

namespace koine::test {

/// The key of the streams that tests draw from.
inline constexpr std::uint64_t seed = 0x0123456789abcdef;
/// From the start, from within a block, from beyond 2^32 blocks.
inline constexpr std::uint64_t counters[] = {0, 2, 3, (std::uint64_t{1} << 34) - 6};
/// How many numbers each check draws at once.
using Sizes = std::vector<std::int64_t>;

/// Word `index` of the stream, by Random123.
inline std::uint32_t word(std::uint64_t index, std::uint64_t key = seed) {
  using Philox = r123::Philox4x32_R<10>;
  const std::uint64_t block = index / 4;
  const Philox::ctr_type counter = {{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0, 0}};
  const Philox::key_type keys = {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}};
  return Philox()(counter, keys)[index % 4];
}

/// Words 2 · index and 2 · index + 1.
inline std::uint64_t two_words(std::uint64_t index) {
  return word(2 * index) | static_cast<std::uint64_t>(word(2 * index + 1)) << 32;
}

/// The upper half of a 128-bit product.
inline std::uint64_t upper_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a1 = a >> 32, a0 = a & 0xffffffff, b1 = b >> 32, b0 = b & 0xffffffff;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffff);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

template <class T>
inline constexpr bool wide = std::is_integral_v<T> || std::is_same_v<T, double>;

/// The first draw that a generator at `counter` makes.
template <class T>
std::uint64_t first_draw(std::uint64_t counter) {
  return wide<T> ? (counter + 1) / 2 : counter;
}

/// The normal number of a draw, in long double.
template <class T>
long double normal(std::uint64_t draw) {
  const std::uint64_t even = draw & ~std::uint64_t{1};
  const bool is_double = std::is_same_v<T, double>;
  const long double a = is_double ? static_cast<long double>(two_words(even)) : word(even);
  const long double b = is_double ? static_cast<long double>(two_words(even + 1)) : word(even + 1);
  const long double scale = is_double ? 0x1p-64L : 0x1p-32L;
  const long double radius = std::sqrt(-2 * std::log((a + 0.5L) * scale));
  const long double angle = 2 * std::numbers::pi_v<long double> * (b * scale);
  return radius * (draw % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

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
      CHECK(differing<T>(x, [&](std::uint64_t i) {
              if constexpr (wide<T>) return std::ldexp(static_cast<double>(two_words(first + i) >> 11), -53);
              return T(std::ldexp(static_cast<float>(word(first + i) >> (32 - digits)), -digits));
            }) == 0);
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
      const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
      const std::uint64_t first = first_draw<T>(counter);
      CHECK(differing<T>(x, [&](std::uint64_t i) {
              return static_cast<T>(static_cast<std::uint64_t>(low) + upper_product(two_words(first + i), range));
            }) == 0);
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
        worst = std::max(worst, std::abs(static_cast<long double>(got[i]) - normal<T>(first + i)));
      }
      CHECK(worst <= tolerance);
    }
  }
}

}  // namespace koine::test

// SPDX-License-Identifier: Apache-2.0
// The numbers of a random stream in plain C++: Random123's Philox, and Box and Muller's method in long double.
#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

namespace koine::test {

/// Word `index` of the stream, by Random123.
inline std::uint32_t word(std::uint64_t index, std::uint64_t key) {
  using Philox = r123::Philox4x32_R<10>;
  const std::uint64_t block = index / 4;
  const Philox::ctr_type counter = {{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0, 0}};
  const Philox::key_type keys = {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}};
  return Philox()(counter, keys)[index % 4];
}

/// Words 2 · index and 2 · index + 1.
inline std::uint64_t two_words(std::uint64_t index, std::uint64_t key) {
  return word(2 * index, key) | static_cast<std::uint64_t>(word(2 * index + 1, key)) << 32;
}

/// The upper half of a 128-bit product.
inline std::uint64_t upper_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a1 = a >> 32, a0 = a & 0xffffffff, b1 = b >> 32, b0 = b & 0xffffffff;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffff);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

template <class T>
constexpr bool wide = std::is_integral_v<T> || std::is_same_v<T, double>;

/// The first draw that a generator at `counter` makes.
template <class T>
std::uint64_t first_draw(std::uint64_t counter) {
  return wide<T> ? (counter + 1) / 2 : counter;
}

/// The number of a draw from 0 to below 1, of so many binary digits.
template <class T>
T uniform(std::uint64_t draw, std::uint64_t key, int digits) {
  if constexpr (wide<T>) {
    return std::ldexp(static_cast<T>(two_words(draw, key) >> (64 - digits)), -digits);
  } else {
    return T(std::ldexp(static_cast<float>(word(draw, key) >> (32 - digits)), -digits));
  }
}

/// The integer of a draw from `low` to below `high`.
template <class T>
T integer(std::uint64_t draw, std::uint64_t key, std::int64_t low, std::int64_t high) {
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  return static_cast<T>(static_cast<std::uint64_t>(low) + upper_product(two_words(draw, key), range));
}

/// The normal number of a draw, in long double.
template <class T>
long double normal(std::uint64_t draw, std::uint64_t key) {
  const std::uint64_t even = draw & ~std::uint64_t{1};
  const bool is_double = std::is_same_v<T, double>;
  const long double a = is_double ? static_cast<long double>(two_words(even, key)) : word(even, key);
  const long double b = is_double ? static_cast<long double>(two_words(even + 1, key)) : word(even + 1, key);
  const long double scale = is_double ? 0x1p-64L : 0x1p-32L;
  const long double radius = std::sqrt(-2 * std::log((a + 0.5L) * scale));
  const long double angle = 2 * std::numbers::pi_v<long double> * (b * scale);
  return radius * (draw % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

}  // namespace koine::test

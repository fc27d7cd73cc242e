// SPDX-License-Identifier: Apache-2.0
// The numbers of a random stream in plain C++: Random123's Philox, and the laws' methods in long double.
#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

namespace koine::test {

/// Block `block` of Random123's Philox, of the counter (block, other).
inline r123::Philox4x32_R<10>::ctr_type block(std::uint64_t block, std::uint64_t other, std::uint64_t key) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  return r123::Philox4x32_R<10>()({{low(block), low(block >> 32), low(other), low(other >> 32)}},
                                  {{low(key), low(key >> 32)}});
}

/// Word `index` of the stream.
inline std::uint32_t word(std::uint64_t index, std::uint64_t key) { return block(index / 4, 0, key)[index % 4]; }

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

/// (word + 1/2) / 2^32, or of two words.
inline long double inside(std::uint32_t word) { return (word + 0.5L) * 0x1p-32L; }
inline long double inside(std::uint64_t words) { return (static_cast<long double>(words) + 0.5L) * 0x1p-64L; }

/// Word i, or words 2 i and 2 i + 1, of a block: what a float or a double is made of.
template <class T>
auto part(const r123::Philox4x32_R<10>::ctr_type& block, std::size_t i) {
  if constexpr (std::is_same_v<T, double>) {
    return block[2 * i] | static_cast<std::uint64_t>(block[2 * i + 1]) << 32;
  } else {
    return block[i];
  }
}

/// Number `which` of the two that Box and Muller make of a and b.
template <class Word>
long double normal_of(Word a, Word b, std::size_t which) {
  const long double turn = static_cast<long double>(b) * (sizeof(Word) == 8 ? 0x1p-64L : 0x1p-32L);
  const long double radius = std::sqrt(-2 * std::log(inside(a)));
  const long double angle = 2 * std::numbers::pi_v<long double> * turn;
  return radius * (which == 0 ? std::cos(angle) : std::sin(angle));
}

/// The normal number of a draw, in long double.
template <class T>
long double normal(std::uint64_t draw, std::uint64_t key) {
  const std::uint64_t even = draw & ~std::uint64_t{1};
  if constexpr (std::is_same_v<T, double>) {
    return normal_of(two_words(even, key), two_words(even + 1, key), draw % 2);
  } else {
    return normal_of(word(even, key), word(even + 1, key), draw % 2);
  }
}

/// The exponential number of mean 1 of a draw.
template <class T>
long double exponential(std::uint64_t draw, std::uint64_t key) {
  if constexpr (std::is_same_v<T, double>) {
    return -std::log(inside(two_words(draw, key)));
  } else {
    return -std::log(inside(word(draw, key)));
  }
}

/// The gamma number of scale 1 at a place, as Marsaglia and Tsang write it.
template <class T>
long double gamma(std::uint64_t place, std::uint64_t key, double shape) {
  constexpr std::uint64_t second = std::uint64_t{1} << 32;
  const long double d = (shape < 1 ? shape + 1 : shape) - 1.0L / 3, c = 1 / std::sqrt(9 * d);
  const long double boost =
      shape < 1 ? std::exp(std::log(inside(part<T>(block(place, second, key), 0))) / static_cast<long double>(shape))
                : 1;
  for (std::uint64_t proposal = 0;; ++proposal) {
    const std::uint64_t round = proposal / 2 + 1;
    const auto words = block(place, round, key);
    const long double x = normal_of(part<T>(words, 0), part<T>(words, 1), proposal % 2);
    const long double u = std::is_same_v<T, double> ? inside(part<T>(block(place, round | second, key), proposal % 2))
                                                    : inside(words[2 + proposal % 2]);
    const long double v = std::pow(1 + c * x, 3.0L);
    if (v > 0 && std::log(u) < x * x / 2 + d - d * v + d * std::log(v)) return d * v * boost;
  }
}

/// A count at a place by Hörmann's transformed rejection: `height` is the hat's constant, `top` what proposals are
/// rounded down from, `log_probability` up to what belongs to the height.
template <class F>
std::int64_t count(std::uint64_t place, std::uint64_t key, long double a, long double b, long double squeeze,
                   long double height, long double top, F log_probability) {
  for (std::uint64_t proposal = 0;; ++proposal) {
    const auto words = block(place, proposal / 2 + 1, key);
    const long double u = (static_cast<std::int32_t>(words[proposal % 2 * 2]) + 0.5L) * 0x1p-32L;
    const long double v = inside(words[proposal % 2 * 2 + 1]), left = 0.5L - std::abs(u);
    const long double k = std::floor((2 * a / left + b) * u + top);
    if (left >= 0.07L && v <= squeeze) return static_cast<std::int64_t>(k);
    if (k >= 0 && std::log(v * height / (a / (left * left) + b)) <= log_probability(k)) {
      return static_cast<std::int64_t>(k);
    }
  }
}

inline std::int64_t poisson(std::uint64_t place, std::uint64_t key, double lam) {
  const long double mean = lam, b = 0.931L + 2.53L * std::sqrt(mean), a = -0.059L + 0.02483L * b;
  return count(place, key, a, b, 0.9277L - 3.6224L / (b - 2), 1.1239L + 1.1328L / (b - 3.4L), mean + 0.43L,
               [&](long double k) { return -mean + k * std::log(mean) - std::lgamma(k + 1); });
}

/// For p up to 1/2.
inline std::int64_t binomial(std::uint64_t place, std::uint64_t key, std::int64_t trials, double probability) {
  const long double n = static_cast<long double>(trials), p = probability, deviation = std::sqrt(n * p * (1 - p));
  const long double b = 1.15L + 2.53L * deviation, a = -0.0873L + 0.0248L * b + 0.01L * p;
  const auto log_probability = [&](long double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
           (n - k) * std::log1p(-p);
  };
  const long double most = log_probability(std::floor((n + 1) * p));
  return count(place, key, a, b, 0.92L - 4.2L / b, (2.83L + 5.1L / b) * deviation, n * p + 0.5L, [&](long double k) {
    return k > n ? -std::numeric_limits<long double>::infinity() : log_probability(k) - most;
  });
}

}  // namespace koine::test

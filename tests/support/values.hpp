// SPDX-License-Identifier: Apache-2.0
// The points at which the operations of a type are tested: every pair of special values, then random ones of all sizes.
#pragma once

#include "support/reference.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace koine::test {

template <class T>
struct Points {
  std::vector<T> x1, x2;
};

using Random = std::mt19937_64;

/// Specials. Neighbouring lanes of a vector get 1e8 beside 0.001, since some drivers' vector functions share a branch.
template <class T>
std::vector<T> special_values() {
  std::vector<T> values;
  if constexpr (std::is_same_v<T, bool>) {
    values = {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    constexpr int width = 8 * sizeof(T);
    for (const int i : {0, 1, 2, 3, 7, 10, -1, -2, -7, width, width - 1, width + 1})
      values.push_back(static_cast<T>(i));
    for (const int i : {0, 1}) {
      values.push_back(static_cast<T>(Limits::min() + i));
      values.push_back(static_cast<T>(Limits::max() - i));
    }
  } else if constexpr (is_real_float<T>) {
    constexpr long double infinity = std::numeric_limits<long double>::infinity();
    const long double sizes[] = {0.0L,
                                 1.0L,
                                 0.5L,
                                 1.5L,
                                 2.0L,
                                 2.5L,
                                 3.0L,
                                 0.1L,
                                 0.001L,
                                 0.0078L,
                                 10.0L,
                                 88.0L,
                                 100.0L,
                                 1e8L,
                                 1e30L,
                                 1.57079632679489662L,
                                 largest<T>(),
                                 smallest_normal<T>(),
                                 smallest<T>(),
                                 1 + epsilon<T>(),
                                 1 - epsilon<T>() / 2,
                                 infinity};
    for (const long double size : sizes) {
      values.push_back(from_wide<T>(size));
      values.push_back(from_wide<T>(-size));
    }
    values.push_back(from_wide<T>(std::numeric_limits<long double>::quiet_NaN()));
  } else {
    using P = typename T::value_type;
    const P infinity = std::numeric_limits<P>::infinity(), nan = std::numeric_limits<P>::quiet_NaN();
    const P parts[] = {0, P(-0.0), 1, -1, P(0.5), P(-2.5), P(0.001), P(1e8), P(-1e-20), infinity, -infinity, nan};
    for (const P real : parts) {
      for (const P imag : parts) values.emplace_back(real, imag);
    }
  }
  return values;
}

template <class T>
T random_value(Random& random) {
  if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<T>(random()) >> (random() % (8 * sizeof(T))));
  } else if constexpr (is_real_float<T>) {
    std::uniform_real_distribution<double> unit(-1, 1);
    switch (random() % 4) {
      case 0: return from_wide<T>(unit(random));
      case 1: return from_wide<T>(10 * unit(random));
      case 2: return from_wide<T>(100 * unit(random));
      default: {
        const double exponent = std::abs(unit(random)) * (Format<T>::max_exponent - Format<T>::min_exponent);
        return from_wide<T>(
            std::scalbn(static_cast<long double>(unit(random)), Format<T>::min_exponent + int(exponent)));
      }
    }
  } else {
    using P = typename T::value_type;
    std::uniform_real_distribution<double> unit(-1, 1);
    switch (random() % 4) {
      case 0: {  // near the unit circle, where logarithms cancel
        const double angle = 4 * unit(random), size = 1 + 1e-3 * unit(random);
        return {P(size * std::cos(angle)), P(size * std::sin(angle))};
      }
      case 1: return {P(3 * unit(random)), P(3 * unit(random))};
      case 2: return {P(80 * unit(random)), P(80 * unit(random))};
      default: {
        const int most = Format<P>::max_exponent - 8;
        return {P(std::scalbn(unit(random), int(most * unit(random)))),
                P(std::scalbn(unit(random), int(most * unit(random))))};
      }
    }
  }
}

/// All pairs of special values in a fixed random order, with random values up to `count` points between them.
template <class T>
Points<T> points(std::size_t count) {
  Random random(7);
  const std::vector<T> specials = special_values<T>();
  std::vector<std::pair<T, T>> pairs;
  // Complex specials are many, and mostly unary operations care: each is paired with a few others.
  const std::size_t partners = is_complex_float<T> ? 3 : specials.size();
  for (std::size_t i = 0; i < specials.size(); ++i) {
    for (std::size_t j = 0; j < partners; ++j)
      pairs.emplace_back(specials[i], specials[(i * (j + 1) + j) % specials.size()]);
  }
  while (pairs.size() < count) pairs.emplace_back(random_value<T>(random), random_value<T>(random));
  std::shuffle(pairs.begin(), pairs.end(), random);
  Points<T> result;
  for (const auto& [x1, x2] : pairs) {
    result.x1.push_back(x1);
    result.x2.push_back(x2);
  }
  return result;
}

}  // namespace koine::test

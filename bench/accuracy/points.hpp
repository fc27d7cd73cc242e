// SPDX-License-Identifier: Apache-2.0
// The inputs at which the accuracy of element-wise functions is measured: every value of a 16-bit type; of wider types
// random ones of every exponent, ordinary ones, and the neighbourhoods where functions are hard.
#pragma once

#include "support/values.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace koine::accuracy {

using test::Points;
using test::Random;

/// A finite number of random bits: every exponent is as likely.
template <class T>
T any_bits(Random& random) {
  if constexpr (test::is_small_float<T>) {
    return T::from_bits(static_cast<std::uint16_t>(random()));
  } else {
    const long double unit = std::scalbn(static_cast<long double>(random()), -64) + 1;
    const int span = test::Format<T>::max_exponent - test::Format<T>::min_exponent + 1;
    const int exponent = test::Format<T>::min_exponent + static_cast<int>(random() % static_cast<std::uint64_t>(span));
    return test::from_wide<T>(std::scalbn(random() % 2 ? unit : -unit, exponent));
  }
}

/// Near a zero, a pole, a root or a turning point of some function.
template <class T>
T hard_place(Random& random) {
  using std::numbers::pi_v;
  const auto whole = static_cast<long double>(static_cast<std::int64_t>(random() % 401) - 200);
  const long double centers[] = {0, 1, -1, 1.4616321449683623L, pi_v<long double>, 0.5L};
  long double center = centers[random() % std::size(centers)];
  switch (random() % 4) {
    case 0: center = whole; break;
    case 1: center = whole * pi_v<long double> / 2; break;
    case 2: center = std::scalbn(whole, static_cast<int>(random() % 30)) * pi_v<long double> / 2; break;
    default: break;
  }
  const long double away = std::scalbn(1.0L, -static_cast<int>(random() % (test::Format<T>::digits + 2)));
  return test::from_wide<T>(center + (random() % 2 ? away : -away) * (center == 0 ? 1 : std::abs(center)));
}

template <class T>
T ordinary(Random& random) {
  constexpr long double spans[] = {1, 10, 100, 1000};
  const long double unit = std::scalbn(static_cast<long double>(random()), -63) - 1;
  return test::from_wide<T>(unit * spans[random() % std::size(spans)]);
}

template <class T>
T any_point(Random& random) {
  switch (random() % 3) {
    case 0: return any_bits<T>(random);
    case 1: return ordinary<T>(random);
    default: return hard_place<T>(random);
  }
}

/// The special values of the tests, then `count` points; a 16-bit type has each of its values among x1.
template <class T>
Points<T> points(std::size_t count) {
  Random random(11);
  Points<T> result = test::points<T>(0);
  if constexpr (test::is_small_float<T>) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      result.x1.push_back(T::from_bits(static_cast<std::uint16_t>(bits)));
      result.x2.push_back(any_point<T>(random));
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      result.x1.push_back(any_point<T>(random));
      // Half of the partners are of their size, so that sums cancel and quotients are near one.
      result.x2.push_back(random() % 2
                              ? any_point<T>(random)
                              : test::from_wide<T>(static_cast<long double>(result.x1.back()) *
                                                   (1 + std::scalbn(static_cast<long double>(random()), -70))));
    }
  }
  return result;
}

}  // namespace koine::accuracy

// SPDX-License-Identifier: Apache-2.0
// The inputs at which the accuracy of element-wise functions is measured: every value of a 16-bit type; of wider types
// random ones of every exponent, ordinary ones, the neighbourhoods where functions are hard, and for each function more
// in the range where it is neither simple nor out of range, and around its zeros.
#pragma once

#include "support/values.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <type_traits>
#include <vector>

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

/// Where a function is worth a closer look: from `low` to `high`, in float and in double, and around `zeros`, from
/// which values just beside them on all are drawn.
struct Hard {
  std::string_view function;
  double low, high, low_double, high_double;
  std::vector<long double> zeros = {};
};

/// The zeros of lgamma: 1, 2, and two between poles below -2.
inline std::vector<long double> zeros_of_lgamma() {
  std::vector<long double> zeros = {1, 2};
  for (int n = 3; n <= 20; ++n) {
    const long double low = n == 3 ? -2.6L : -n + 0.5L;  // lgamma is below 0 there
    for (const long double pole : {static_cast<long double>(-n), static_cast<long double>(1 - n)}) {
      long double above = pole, below = low;
      for (int i = 0; i < 200; ++i) {
        const long double middle = (above + below) / 2;
        (std::lgamma(middle) > 0 ? above : below) = middle;
      }
      zeros.push_back(below);
    }
  }
  return zeros;
}

inline const Hard& hard_places(std::string_view function) {
  static const std::vector<Hard> table = {
      {"acos", -1, 1, -1, 1, {1}},
      {"acosh", 1, 4, 1, 4, {1}},
      {"asin", -1, 1, -1, 1},
      {"asinh", -4, 4, -4, 4},
      {"atan", -8, 8, -8, 8},
      {"atanh", -1, 1, -1, 1, {1, -1}},
      {"cos", -8, 8, -8, 8},
      {"cosh", -90, 90, -711, 711},
      {"erf", -4, 4, -6, 6},
      {"erfc", -4, 10.1, -6, 27.3},
      {"exp", -104, 89, -746, 710},
      {"exp2", -150, 128, -1075, 1024},
      {"expm1", -18, 89, -38, 710},
      {"lgamma", -40, 10, -40, 10, zeros_of_lgamma()},
      {"log", 0, 4, 0, 4, {1}},
      {"log10", 0, 4, 0, 4, {1}},
      {"log1p", -1, 4, -1, 4, {-1}},
      {"log2", 0, 4, 0, 4, {1}},
      {"sigmoid", -104, 18, -746, 38},
      {"sin", -8, 8, -8, 8},
      {"sinc", -8, 8, -8, 8},
      {"sinh", -90, 90, -711, 711},
      {"tan", -8, 8, -8, 8},
      {"tanh", -10, 10, -20, 20},
      {"tgamma", -42, 35.1, -184, 171.7},
  };
  static const Hard anywhere{"", -2, 2, -2, 2};
  for (const Hard& row : table) {
    if (row.function == function) return row;
  }
  return anywhere;
}

/// More of a function's first inputs: half of them anywhere in its range, half beside its zeros, if it has some.
template <class T>
Points<T> closer_points(std::string_view function, std::size_t count) {
  Random random(12);
  Points<T> result;
  if constexpr (test::is_small_float<T>) return result;
  const Hard& hard = hard_places(function);
  constexpr bool twice = std::is_same_v<T, double>;
  const long double low = twice ? hard.low_double : hard.low, high = twice ? hard.high_double : hard.high;
  for (std::size_t i = 0; i < count; ++i) {
    const long double share = std::scalbn(static_cast<long double>(random()), -64);
    long double x = low + (high - low) * share;
    if (!hard.zeros.empty() && random() % 2) {
      const long double zero = hard.zeros[random() % hard.zeros.size()];
      x = zero * (1 + (share - 0.5L) * std::scalbn(1.0L, -static_cast<int>(random() % test::Format<T>::digits)));
    }
    result.x1.push_back(test::from_wide<T>(x));
    result.x2.push_back(ordinary<T>(random));
  }
  return result;
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

// SPDX-License-Identifier: Apache-2.0
// Rounding and ulps of every floating type in long double, written for the tests alone, and how a result is judged.
#pragma once

#include <koine/dtype.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace koine::test {

template <class T>
inline constexpr bool is_real_float =
    std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t> || std::is_floating_point_v<T>;
template <class T>
inline constexpr bool is_complex_float =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
/// Types with half the digits of the float that they are computed in.
template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;

/// Significant binary digits and the exponent of the smallest normal number, 1.0 having exponent 0.
template <class T>
struct Format {
  static constexpr int digits = std::numeric_limits<T>::digits, min_exponent = std::numeric_limits<T>::min_exponent - 1,
                       max_exponent = std::numeric_limits<T>::max_exponent - 1;
};
template <>
struct Format<float16_t> {
  static constexpr int digits = 11, min_exponent = -14, max_exponent = 15;
};
template <>
struct Format<bfloat16_t> {
  static constexpr int digits = 8, min_exponent = -126, max_exponent = 127;
};

template <class T>
long double largest() {
  return std::scalbn(2 - std::scalbn(1.0L, 1 - Format<T>::digits), Format<T>::max_exponent);
}
template <class T>
long double smallest_normal() {
  return std::scalbn(1.0L, Format<T>::min_exponent);
}
template <class T>
long double smallest() {
  return std::scalbn(1.0L, Format<T>::min_exponent - Format<T>::digits + 1);
}
template <class T>
long double epsilon() {
  return std::scalbn(1.0L, 1 - Format<T>::digits);
}

/// The distance between neighbours of type T around x.
template <class T>
long double ulp(long double x) {
  const int exponent =
      x == 0 || !std::isfinite(x) ? Format<T>::min_exponent : std::max(std::ilogb(x), Format<T>::min_exponent);
  return std::scalbn(1.0L, exponent - Format<T>::digits + 1);
}

/// x rounded to the nearest value of type T, halves to even.
template <class T>
long double rounded(long double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const long double unit = ulp<T>(x), result = std::nearbyint(x / unit) * unit;
  return std::abs(result) > largest<T>() ? std::copysign(std::numeric_limits<long double>::infinity(), x) : result;
}

template <class T>
T from_wide(long double x) {
  if constexpr (is_small_float<T>) {
    return T(static_cast<float>(rounded<T>(x)));
  } else {
    return static_cast<T>(rounded<T>(x));
  }
}

/// How far a result may be off: in ulps of the larger of the wanted value and `scale`.
struct Tolerance {
  double ulps = 0;
  bool zero_sign = true;
  long double scale = 0;
  bool one_infinity = false;  // a complex number with an infinite part is infinite, whatever the other part
  bool by_part = false;       // each part of a complex number is right by itself
  bool any = false;           // nothing is promised
  long double absolute = 0;   // what a result may be off by however small it is
};

/// Whether `got`, a value of type T, is near enough to `want`, which has more digits.
template <class T>
bool near(long double got, long double want, Tolerance tolerance) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  const long double nearest = rounded<T>(want);
  if (got == nearest) return got != 0 || !tolerance.zero_sign || std::signbit(got) == std::signbit(nearest);
  if (tolerance.absolute != 0 && std::abs(got - want) <= tolerance.absolute) return true;
  if (tolerance.ulps == 0) return false;
  if (std::isinf(got) || std::isinf(nearest)) {  // near the end of the range either is right
    const long double edge = largest<T>() * (1 - tolerance.ulps * epsilon<T>());
    return std::signbit(got) == std::signbit(want) && std::abs(got) >= edge && std::abs(want) >= edge;
  }
  return std::abs(got - want) <= tolerance.ulps * ulp<T>(std::max(std::abs(want), tolerance.scale));
}

/// The same for complex numbers: the error of either part counts in ulps of the larger part, unless by_part. Where an
/// input is not finite, signs are free, as C99 leaves many of them.
template <class T>
bool near(std::complex<long double> got, std::complex<long double> want, Tolerance tolerance, bool finite_input) {
  if (tolerance.one_infinity && (std::isinf(rounded<T>(want.real())) || std::isinf(rounded<T>(want.imag())))) {
    return std::isinf(got.real()) || std::isinf(got.imag());
  }
  const long double parts[2][2] = {{got.real(), want.real()}, {got.imag(), want.imag()}};
  for (const auto& [g, w] : parts) {
    if (!tolerance.by_part && !std::isinf(rounded<T>(w)))
      tolerance.scale = std::max(tolerance.scale, std::isnan(w) ? 0.0L : std::abs(w));
  }
  for (const auto& [g, w] : parts) {
    if (finite_input ? !near<T>(g, w, tolerance) : !near<T>(std::abs(g), std::abs(w), tolerance)) return false;
  }
  return true;
}

}  // namespace koine::test

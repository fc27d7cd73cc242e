// SPDX-License-Identifier: Apache-2.0
// What each row of the op table should give, in plain C++: one lambda for each, called by the row's name. Integers come
// as they are, real numbers as long double, complex ones as std::complex<long double>; a lambda that depends on the
// type itself takes a Tag of it first.
#pragma once

#include "support/numbers.hpp"

#include <cstdint>
#include <functional>
#include <numbers>
#include <utility>

namespace koine::test {

template <class T>
struct Tag {
  using type = T;
};

template <class T>
struct WideOf {
  using type = T;
};
template <class T>
  requires is_real_float<T>
struct WideOf<T> {
  using type = long double;
};
template <class T>
  requires is_complex_float<T>
struct WideOf<T> {
  using type = std::complex<long double>;
};
template <class T>
using Wide = typename WideOf<T>::type;

template <class T>
Wide<T> widened(T x) {
  if constexpr (is_small_float<T>) {
    return static_cast<long double>(static_cast<float>(x));
  } else {
    return static_cast<Wide<T>>(x);
  }
}

template <class W>
inline constexpr bool is_wide_complex = std::is_same_v<W, std::complex<long double>>;

/// Integer arithmetic modulo 2^bits; for float and double the arithmetic of the type itself, so that no sum is rounded
/// twice; long double's for the small types, whose results fit it exactly.
template <class T, class F>
Wide<T> computed_in(F f, Wide<T> x, Wide<T> y) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(f(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
  } else if constexpr (is_small_float<T>) {
    return f(x, y);
  } else if constexpr (is_real_float<T>) {
    return static_cast<T>(f(static_cast<T>(x), static_cast<T>(y)));
  } else {
    using P = typename T::value_type;
    return {static_cast<P>(f(static_cast<P>(x.real()), static_cast<P>(y.real()))),
            static_cast<P>(f(static_cast<P>(x.imag()), static_cast<P>(y.imag())))};
  }
}

namespace reference {

using C = std::complex<long double>;

#define KN_STD(name) inline constexpr auto name = [](auto x) { return std::name(x); };
#define KN_STD2(name) inline constexpr auto name = [](auto x, auto y) { return std::name(x, y); };
#define KN_COMPARE(name, op) inline constexpr auto name = [](auto x, auto y) -> bool { return x op y; };
#define KN_IN_TYPE(name, op) \
  inline constexpr auto name = []<class T>(Tag<T>, Wide<T> x, Wide<T> y) { return computed_in<T>(op{}, x, y); };
#define KN_WHOLE(name)                               \
  inline constexpr auto name = [](auto x) {          \
    if constexpr (std::is_integral_v<decltype(x)>) { \
      return x;                                      \
    } else {                                         \
      return std::name(x);                           \
    }                                                \
  };
#define KN_CLASS(name, integers, join)                     \
  inline constexpr auto name = [](auto x) -> bool {        \
    if constexpr (std::is_integral_v<decltype(x)>) {       \
      return integers;                                     \
    } else if constexpr (is_wide_complex<decltype(x)>) {   \
      return std::name(x.real()) join std::name(x.imag()); \
    } else {                                               \
      return std::name(x);                                 \
    }                                                      \
  };

KN_STD(acos)
KN_STD(acosh)
KN_STD(asin)
KN_STD(asinh)
KN_STD(atan)
KN_STD2(atan2)
KN_STD(atanh)
KN_STD2(copysign)
KN_STD(cbrt)
KN_STD(cos)
KN_STD(cosh)
KN_STD(erf)
KN_STD(erfc)
KN_STD(exp)
KN_STD(exp2)
KN_STD2(hypot)
KN_STD(lgamma)
KN_STD(log)
KN_STD(sin)
KN_STD(sinh)
KN_STD(tan)
KN_STD(tanh)
KN_STD(tgamma)
KN_COMPARE(equal, ==)
KN_COMPARE(greater, >)
KN_COMPARE(greater_equal, >=)
KN_COMPARE(less, <)
KN_COMPARE(less_equal, <=)
KN_COMPARE(not_equal, !=)
KN_COMPARE(logical_and, &&)
KN_COMPARE(logical_or, ||)
KN_COMPARE(logical_xor, !=)
KN_IN_TYPE(add, std::plus<>)
KN_IN_TYPE(subtract, std::minus<>)
KN_IN_TYPE(bitwise_and, std::bit_and<>)
KN_IN_TYPE(bitwise_or, std::bit_or<>)
KN_IN_TYPE(bitwise_xor, std::bit_xor<>)
KN_WHOLE(ceil)
KN_WHOLE(floor)
KN_WHOLE(trunc)
KN_CLASS(isfinite, true, &&)
KN_CLASS(isinf, false, ||)
KN_CLASS(isnan, false, ||)

#undef KN_STD
#undef KN_STD2
#undef KN_COMPARE
#undef KN_IN_TYPE
#undef KN_WHOLE
#undef KN_CLASS

inline constexpr auto abs = []<class T>(Tag<T>, Wide<T> x) {
  if constexpr (std::is_integral_v<T>) {
    return x < 0 ? computed_in<T>(std::minus<>{}, T(0), x) : x;
  } else {
    return std::abs(x);
  }
};

inline constexpr auto bitwise_left_shift = []<class T>(Tag<T>, T x, T count) {
  if (std::cmp_less(count, 0) || std::cmp_greater_equal(count, 8 * sizeof(T))) return T(0);
  return static_cast<T>(static_cast<std::uint64_t>(x) << static_cast<int>(count));
};

inline constexpr auto bitwise_right_shift = []<class T>(Tag<T>, T x, T count) {
  if (std::cmp_less(count, 0) || std::cmp_greater_equal(count, 8 * sizeof(T))) return static_cast<T>(x < 0 ? -1 : 0);
  return static_cast<T>(x >> static_cast<int>(count));
};

inline constexpr auto bitwise_invert = []<class T>(Tag<T>, T x) {
  if constexpr (std::is_same_v<T, bool>) {
    return !x;
  } else {
    return static_cast<T>(~x);
  }
};

inline constexpr auto conj = [](auto x) {
  if constexpr (is_wide_complex<decltype(x)>) {
    return std::conj(x);
  } else {
    return x;
  }
};

inline constexpr auto real = [](auto x) {
  if constexpr (is_wide_complex<decltype(x)>) {
    return x.real();
  } else {
    return x;
  }
};

inline constexpr auto imag = [](auto x) {
  if constexpr (is_wide_complex<decltype(x)>) {
    return x.imag();
  } else {
    return decltype(x)(0);
  }
};

// NumPy's product: the plain formula, whatever the special values.
inline constexpr auto multiply = []<class T>(Tag<T>, Wide<T> x, Wide<T> y) -> Wide<T> {
  if constexpr (is_complex_float<T>) {
    using P = typename T::value_type;
    const P a = P(x.real()), b = P(x.imag()), c = P(y.real()), d = P(y.imag());
    return {a * c - b * d, a * d + b * c};
  } else {
    return computed_in<T>(std::multiplies<>{}, x, y);
  }
};

inline constexpr auto square = []<class T>(Tag<T> tag, Wide<T> x) { return multiply(tag, x, x); };

// By a number without imaginary part the parts are divided; else C99's quotient.
inline constexpr auto divide = []<class T>(Tag<T>, Wide<T> x, Wide<T> y) -> Wide<T> {
  if constexpr (is_complex_float<T>) {
    return y.imag() == 0 ? C(x.real() / y.real(), x.imag() / y.real()) : x / y;
  } else {
    return computed_in<T>(std::divides<>{}, x, y);
  }
};

inline constexpr auto reciprocal = []<class T>(Tag<T> tag, Wide<T> x) { return divide(tag, Wide<T>(1), x); };

inline constexpr auto expm1 = [](auto z) {
  if constexpr (is_wide_complex<decltype(z)>) {
    const long double x = z.real(), y = z.imag(), h = std::sin(y / 2);
    if (!std::isfinite(x) || !std::isfinite(y) || x > 1000) return std::exp(z) - C(1);
    return C(std::expm1(x) * std::cos(y) - 2 * h * h, y == 0 ? y : std::exp(x) * std::sin(y));
  } else {
    return std::expm1(z);
  }
};

inline constexpr auto log1p = [](auto z) {
  if constexpr (is_wide_complex<decltype(z)>) {
    const long double x = z.real(), y = z.imag(), s = 2 * x + x * x + y * y;
    const long double modulus = std::abs(s) < 0.5L ? std::log1p(s) / 2 : std::log(C(1 + x, y)).real();
    return C(y == 0 && x >= -1 ? std::log1p(x) : modulus, std::atan2(y, 1 + x));
  } else {
    return std::log1p(z);
  }
};

inline constexpr auto log2 = [](auto x) {
  if constexpr (is_wide_complex<decltype(x)>) {
    return C(std::log(x).real() / std::log(2.0L), std::log(x).imag() / std::log(2.0L));
  } else {
    return std::log2(x);
  }
};

inline constexpr auto log10 = [](auto x) {
  if constexpr (is_wide_complex<decltype(x)>) {
    return C(std::log(x).real() / std::log(10.0L), std::log(x).imag() / std::log(10.0L));
  } else {
    return std::log10(x);
  }
};

inline constexpr auto sqrt = []<class T>(Tag<T>, Wide<T> x) -> Wide<T> {
  if constexpr (std::is_same_v<T, double>) {
    return std::sqrt(static_cast<double>(x));
  } else {
    return std::sqrt(x);
  }
};

// The standard's table: the sign of a zero is that of the quotient, and an infinite x1 stays infinite.
inline constexpr auto floor_divide = []<class T>(Tag<T>, Wide<T> x, Wide<T> y) -> Wide<T> {
  if constexpr (std::is_integral_v<T>) {
    if (y == 0) return 0;
    if (std::cmp_equal(y, -1)) return computed_in<T>(std::minus<>{}, T(0), x);
    const T quotient = static_cast<T>(x / y);
    return static_cast<T>(x % y != 0 && (x < 0) != (y < 0) ? quotient - 1 : quotient);
  } else {
    if (std::isinf(x) && std::isinf(y)) return x - x;
    if (std::isnan(x) || std::isnan(y) || y == 0 || std::isinf(x)) return x / y;
    const bool negative = std::signbit(x) != std::signbit(y);
    if (x == 0 || std::isinf(y)) return x != 0 && negative ? -1.0L : negative ? -0.0L : 0.0L;
    const long double rest = std::fmod(x, y), quotient = std::nearbyint((x - rest) / y);
    const long double result = rest != 0 && negative ? quotient - 1 : quotient;
    return result == 0 ? (negative ? -0.0L : 0.0L) : result;
  }
};

inline constexpr auto remainder = []<class T>(Tag<T>, Wide<T> x, Wide<T> y) -> Wide<T> {
  if constexpr (std::is_integral_v<T>) {
    if (y == 0 || std::cmp_equal(y, -1)) return 0;
    const T rest = static_cast<T>(x % y);
    return static_cast<T>(rest != 0 && (x < 0) != (y < 0) ? rest + y : rest);
  } else {
    const long double rest = std::fmod(x, y);
    if (std::isnan(rest)) return rest;
    if (rest == 0) return std::copysign(0.0L, y);
    return std::signbit(rest) == std::signbit(y) ? rest : computed_in<T>(std::plus<>{}, rest, y);
  }
};

inline constexpr auto logaddexp = [](long double x, long double y) {
  const long double high = std::fmax(x, y), low = std::fmin(x, y);
  if (std::isnan(x) || std::isnan(y)) return x + y;
  return std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
};

inline constexpr auto logical_not = [](bool x) { return !x; };

inline constexpr auto maximum = [](auto x, auto y) {
  if (x != x || y != y) return x != x ? x : y;
  return x < y ? y : x;
};

inline constexpr auto minimum = [](auto x, auto y) {
  if (x != x || y != y) return x != x ? x : y;
  return y < x ? y : x;
};

inline constexpr auto negative = []<class T>(Tag<T>, Wide<T> x) -> Wide<T> {
  if constexpr (std::is_integral_v<T>) {
    return computed_in<T>(std::minus<>{}, T(0), x);
  } else {
    return -x;
  }
};

inline constexpr auto nextafter = []<class T>(Tag<T>, long double x, long double y) -> long double {
  if (std::isnan(x) || std::isnan(y)) return x + y;
  if (x == y) return y;
  if (x == 0) return std::copysign(smallest<T>(), y);
  if (std::isinf(x)) return std::copysign(largest<T>(), x);
  const bool away = std::abs(y) > std::abs(x) && std::signbit(x) == std::signbit(y);
  // Just below a power of two, neighbours are half as far apart as above it, if they are not subnormal.
  const long double size = std::abs(x), unit = ulp<T>(size), between = size - unit / 2;
  const long double step = !away && rounded<T>(between) == between ? unit / 2 : unit;
  return std::copysign(rounded<T>(away ? size + step : size - step), x);
};

inline constexpr auto positive = [](auto x) { return x; };

inline constexpr auto pow = []<class T>(Tag<T>, Wide<T> x, Wide<T> y) -> Wide<T> {
  if constexpr (std::is_integral_v<T>) {
    if (y < 0) return static_cast<T>(x == 1 ? 1 : std::cmp_equal(x, -1) ? (y % 2 == 0 ? 1 : -1) : 0);
    std::uint64_t result = 1, power = static_cast<std::uint64_t>(x);
    for (auto n = static_cast<std::uint64_t>(y); n != 0; n /= 2, power *= power) {
      if (n % 2 == 1) result *= power;
    }
    return static_cast<T>(result);
  } else if constexpr (is_complex_float<T>) {
    if (y == C(0)) return 1;
    if (x == C(0)) return y.real() > 0 ? C(0) : C(NAN, NAN);
    return std::exp(y * std::log(x));
  } else {
    // glibc's powl(-inf, -2^63) is inf; its pow is right, and rounds neither an infinity nor what an element is.
    return std::isinf(x) ? std::pow(static_cast<double>(x), static_cast<double>(y)) : std::pow(x, y);
  }
};

inline constexpr auto round = [](auto x) {
  if constexpr (is_wide_complex<decltype(x)>) {
    return C(std::nearbyint(x.real()), std::nearbyint(x.imag()));
  } else if constexpr (std::is_integral_v<decltype(x)>) {
    return x;
  } else {
    return std::nearbyint(x);
  }
};

inline constexpr auto sign = [](auto x) {
  if constexpr (is_wide_complex<decltype(x)>) {
    const auto direction = [](long double part) { return std::copysign(std::isinf(part) ? 1.0L : 0.0L, part); };
    if (x == C(0)) return C(0);
    // Of an infinite number the direction, which is not known where both parts are infinite.
    const bool one_infinite = std::isinf(x.real()) != std::isinf(x.imag()) && !std::isnan(x.real() + x.imag());
    return one_infinite ? C(direction(x.real()), direction(x.imag())) : x / std::abs(x);
  } else {
    return x != x ? x : decltype(x)((x > 0) - (x < 0));
  }
};

inline constexpr auto deg2rad = [](long double x) { return x * (std::numbers::pi_v<long double> / 180); };
inline constexpr auto rad2deg = [](long double x) { return x * (180 / std::numbers::pi_v<long double>); };
inline constexpr auto rsqrt = [](long double x) { return 1 / std::sqrt(x); };
inline constexpr auto sigmoid = [](long double x) { return 1 / (1 + std::exp(-x)); };

inline constexpr auto sinc = [](long double x) {
  if (x == 0) return 1.0L;
  // sin(πx) by the distance from the nearest integer, which is exact.
  const long double whole = std::nearbyint(x), sine = std::sin(std::numbers::pi_v<long double> * (x - whole));
  return (std::fmod(whole, 2.0L) == 0 ? sine : -sine) / (std::numbers::pi_v<long double> * x);
};

inline constexpr auto signbit = [](long double x) { return std::signbit(x); };

}  // namespace reference

/// A row's bounds in ulps: of real types what OpenCL's full profile allows, and at least 4 where it allows any error;
/// of complex types, of the larger part.
struct Bound {
  double single, twice, complex;
  bool flushes = false;  ///< subnormal numbers may be taken for 0 and given as 0
};

inline Bound bound_of(std::string_view op) {
  struct Row {
    std::string_view op;
    Bound bound;
  };
  static constexpr Bound elementary{4, 4, 12};
  static constexpr Row rows[] = {
      {"abs", {0, 0, 5}},        {"acos", elementary},     {"acosh", elementary},       {"asin", elementary},
      {"asinh", elementary},     {"atan", {6, 6, 12}},     {"atan2", {7, 7, 0}},        {"atanh", {6, 6, 12}},
      {"cbrt", elementary},      {"cos", elementary},      {"cosh", elementary},        {"deg2rad", {2, 2, 0}},
      {"divide", {3, 0, 8}},     {"erf", {16, 16, 0}},     {"erfc", {16, 16, 0}},       {"exp", elementary},
      {"exp2", elementary},      {"expm1", elementary},    {"floor_divide", {2, 2, 0}}, {"hypot", {5, 5, 0}},
      {"lgamma", {16, 16, 0}},   {"log", elementary},      {"log10", elementary},       {"log1p", elementary},
      {"log2", elementary},      {"logaddexp", {6, 6, 0}}, {"pow", {17, 17, 64}},       {"rad2deg", {2, 2, 0}},
      {"reciprocal", {3, 0, 8}}, {"rsqrt", elementary},    {"sigmoid", {6, 6, 0}},      {"sign", {0, 0, 4}},
      {"sin", elementary},       {"sinc", {8, 8, 0}},      {"sinh", elementary},        {"sqrt", {4, 0, 8}},
      {"tan", {6, 6, 16}},       {"tanh", {6, 6, 16}},     {"tgamma", {16, 16, 0}},
  };
  for (const Row& row : rows) {
    if (row.op == op) return row.bound;
  }
  return {0, 0, 0};
}

}  // namespace koine::test

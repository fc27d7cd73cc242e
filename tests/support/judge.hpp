// SPDX-License-Identifier: Apache-2.0
// What an element-wise operation computes in and gives, by the op table's own words, and whether a result is right.
#pragma once

#include "support/reference.hpp"

#include <complex>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

namespace koine::test {

// The table's own words, as types, so that they can be looked at while compiling.
namespace domain {
enum Domain { any, numeric, real, real_or_bool, floating, real_floating, integer, bits, logical };
}
namespace result {
enum Result { same, boolean, real };
}

/// The type that an operation computes in, given the type of its inputs; void where it does not take them.
template <domain::Domain D, class T>
constexpr auto compute_type() {
  constexpr bool whole = std::is_integral_v<T>, is_bool = std::is_same_v<T, bool>, complex = is_complex_float<T>;
  if constexpr (D == domain::logical) {
    return Tag<bool>{};
  } else if constexpr ((D == domain::numeric && is_bool) || (D == domain::real && (is_bool || complex)) ||
                       (D == domain::real_or_bool && complex) || (D == domain::real_floating && complex) ||
                       (D == domain::integer && (!whole || is_bool)) || (D == domain::bits && !whole)) {
    return Tag<void>{};
  } else if constexpr ((D == domain::floating || D == domain::real_floating) && whole) {
    return Tag<float>{};
  } else {
    return Tag<T>{};
  }
}

template <class T>
struct PartOf {
  using type = T;
};
template <class P>
struct PartOf<std::complex<P>> {
  using type = P;
};

template <result::Result R, class C>
using ResultType =
    std::conditional_t<R == result::boolean, bool, std::conditional_t<R == result::real, typename PartOf<C>::type, C>>;

template <class C, class T>
Wide<C> input_of(T x) {
  if constexpr (std::is_same_v<C, bool>) {
    return x != T(0);
  } else if constexpr (std::is_integral_v<T>) {
    return widened(static_cast<C>(x));
  } else {
    return widened(x);
  }
}

inline std::string shown(std::complex<long double> x) {
  std::ostringstream out;
  out.precision(21);
  if (x.imag() == 0 && !std::signbit(x.imag())) {
    out << x.real();
  } else {
    out << x;
  }
  return out.str();
}
inline std::string shown(std::int64_t x) { return std::to_string(x); }
inline std::string shown(std::uint64_t x) { return std::to_string(x); }
template <class T>
std::string shown(T x) {
  if constexpr (std::is_integral_v<T>) {
    return shown(static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(x));
  } else {
    return shown(std::complex<long double>(widened(x)));
  }
}

template <class W>
bool is_below(W x, long double limit) {
  if constexpr (is_wide_complex<W>) {
    return is_below(x.real(), limit) || is_below(x.imag(), limit);
  } else {
    return x != 0 && std::abs(static_cast<long double>(x)) < limit;
  }
}

inline bool all_finite() { return true; }
template <class W, class... More>
bool all_finite(W x, More... more) {
  if constexpr (is_wide_complex<W>) {
    return std::isfinite(x.real()) && std::isfinite(x.imag()) && all_finite(more...);
  } else {
    return all_finite(more...);
  }
}

/// What a result may be off by, at the inputs x.
template <class R, class C, class... W>
Tolerance tolerance_at(std::string_view op, const Bound& bound, W... x) {
  Tolerance tolerance;
  if (bound.flushes) {
    using Part = typename PartOf<C>::type;
    tolerance.absolute = std::is_same_v<Part, double> ? smallest_normal<double>() : smallest_normal<float>();
    tolerance.any = (is_below(x, tolerance.absolute) || ...);
  }
  if constexpr (is_complex_float<C>) {
    tolerance.ulps = bound.complex;
    // The elementary functions promise each part and the signs of zero; in these, parts may cancel.
    const bool elementary = op != "divide" && op != "reciprocal" && op != "pow" && op != "expm1";
    tolerance.by_part = elementary;
    tolerance.zero_sign = elementary && op != "sign";
    tolerance.one_infinity = op == "pow" || ((op == "divide" || op == "reciprocal") && !all_finite(x...));
    if constexpr (sizeof...(W) == 2) {
      // An imaginary exponent magnifies what log z lost, and so does any exponent in the reference, exp(w log z); there
      // is nothing left to compare where that is a turn.
      if (op == "pow") {
        const auto size = [](auto z, auto w) { return std::abs(w * std::log(z)); }(x...);
        const auto turns = [](auto, auto w) { return std::abs(w.imag()); }(x...);
        const long double rounding = std::numeric_limits<long double>::epsilon() / epsilon<typename C::value_type>();
        const auto lost = static_cast<double>(8 * turns + 2 * rounding * size);
        tolerance.ulps = std::isfinite(lost) ? 16 + lost : 16;
        tolerance.any = tolerance.any || tolerance.ulps * epsilon<typename C::value_type>() > 0.1L || !all_finite(x...);
      }
    }
  } else {
    tolerance.ulps = std::is_same_v<C, double> ? bound.twice : bound.single;
    if (is_small_float<C>) tolerance.ulps = std::min(tolerance.ulps, 1.0);
    tolerance.zero_sign = op != "maximum" && op != "minimum" && op != "sinc";
    if constexpr (sizeof...(W) == 1 && is_real_float<C>) {
      // It crosses 0, below 0 as the difference of larger values.
      if (op == "lgamma") tolerance.scale = (std::max(1.0L, std::abs(std::lgamma(std::abs(x)))), ...);
    }
    if constexpr (sizeof...(W) == 2 && is_real_float<C>) {
      // The sum of a number and a logarithm that may cancel.
      if (op == "logaddexp") {
        for (const long double size : {std::abs(x)...})
          tolerance.scale = std::max(tolerance.scale, std::isinf(size) ? 0 : size);
      }
    }
  }
  return tolerance;
}

/// Whether a result is right; R is its type, C the type computed in.
template <class R, class C, class F, class... W>
bool right(std::string_view op, const Bound& bound, const F& reference, R got, std::string* wanted, W... x) {
  const auto want = [&] {
    if constexpr (std::is_invocable_v<const F&, Tag<C>, W...>) {
      return reference(Tag<C>{}, x...);
    } else {
      return reference(x...);
    }
  }();
  bool ok = false;
  if constexpr (std::is_integral_v<R>) {
    ok = got == static_cast<R>(want);
  } else if constexpr (is_complex_float<R>) {
    const Tolerance tolerance = tolerance_at<R, C>(op, bound, x...);
    ok = tolerance.any || near<typename R::value_type>(widened(got), want, tolerance, all_finite(x...));
  } else {
    const Tolerance tolerance = tolerance_at<R, C>(op, bound, x...);
    ok = tolerance.any || near<R>(widened(got), want, tolerance);
  }
  if (!ok) *wanted = shown(want);
  return ok;
}

}  // namespace koine::test

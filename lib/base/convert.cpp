// SPDX-License-Identifier: Apache-2.0
// Conversion of element values on the host.
#include "base/convert.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/with_type.hpp"

namespace koine::base {
namespace {

template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;
template <class T>
inline constexpr bool is_short_float = std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;

/// The nearest float that keeps a second rounding, to 16 bits, from going wrong: toward zero, last bit set if inexact.
float odd_float(double value) {
  // Out of a float's range the conversion itself would be undefined.
  constexpr float largest = std::numeric_limits<float>::max();
  if (std::fabs(value) > largest && !std::isinf(value)) return value < 0 ? -largest : largest;
  float result = static_cast<float>(value);
  if (static_cast<double>(result) == value || std::isnan(result)) return result;
  if (std::fabs(static_cast<double>(result)) > std::fabs(value)) result = std::nextafter(result, 0.0f);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(result) | 1u);
}

template <class To, class Real>
To real_to(Real value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != Real(0);
  } else if constexpr (is_short_float<To>) {
    if constexpr (std::is_same_v<Real, double>) return To(odd_float(value));
    return To(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<Real>) {
    if (std::isnan(value)) return 0;
    // The type's ends as floating values: the upper one may round up to a power of two just outside.
    if (value >= static_cast<Real>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    if (value <= static_cast<Real>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
To element_to(From value) {
  if constexpr (is_short_float<From>) {
    return element_to<To>(static_cast<float>(value));
  } else if constexpr (is_complex_type<To>) {
    using Part = typename To::value_type;
    if constexpr (is_complex_type<From>) {
      return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else {
      return To(static_cast<Part>(value), Part(0));
    }
  } else if constexpr (is_complex_type<From>) {
    if constexpr (std::is_same_v<To, bool>) return value != From(0);
    return real_to<To>(value.real());
  } else {
    return real_to<To>(value);
  }
}

}  // namespace

void convert(const void* from, DType from_type, void* to, DType to_type, std::size_t count) {
  if (from_type == to_type) {
    if (count) std::memcpy(to, from, count * size_of(from_type));
    return;
  }
  with_type(from_type, [&](auto from_tag) {
    using From = typename decltype(from_tag)::type;
    with_type(to_type, [&](auto to_tag) {
      using To = typename decltype(to_tag)::type;
      const auto* source = static_cast<const From*>(from);
      auto* target = static_cast<To*>(to);
      for (std::size_t i = 0; i < count; ++i) target[i] = element_to<To>(source[i]);
    });
  });
}

}  // namespace koine::base

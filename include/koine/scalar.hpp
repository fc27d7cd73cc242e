// SPDX-License-Identifier: Apache-2.0
// Scalar: a C++ number where an array could stand.
#pragma once

#include <koine/dtype.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace koine {

/// Types that become a Scalar: the element types and every other arithmetic type.
template <class T>
concept ScalarLike =
    std::is_arithmetic_v<T> || std::same_as<T, float16_t> || std::same_as<T, bfloat16_t> || detail::ComplexNumber<T>;

/// A C++ scalar as a function sees it: its kind and its value. It is weak: beside an array it takes the array's type
/// where its kind fits, and otherwise the default type of its own kind (see default_dtype).
class Scalar {
 public:
  enum class Kind : std::uint8_t { boolean, signed_integer, unsigned_integer, real, complex };

  template <ScalarLike T>
  Scalar(T value) {  // NOLINT: implicit by design
    if constexpr (std::same_as<T, bool>) {
      kind_ = Kind::boolean;
      integer_ = value;
    } else if constexpr (std::signed_integral<T>) {
      kind_ = Kind::signed_integer;
      integer_ = value;  // NOLINT: int8 is a number
    } else if constexpr (std::integral<T>) {
      kind_ = Kind::unsigned_integer;
      unsigned_ = value;
    } else if constexpr (detail::ComplexNumber<T>) {
      kind_ = Kind::complex;
      real_ = value.real();
      imaginary_ = value.imag();
    } else {
      kind_ = Kind::real;
      real_ = static_cast<double>(value);
    }
  }

  Kind kind() const noexcept { return kind_; }
  /// Of a boolean or a signed integer.
  std::int64_t integer() const noexcept { return integer_; }
  /// Of an unsigned integer.
  std::uint64_t unsigned_integer() const noexcept { return unsigned_; }
  /// Of a real or a complex number.
  double real() const noexcept { return real_; }
  /// Of a complex number.
  double imaginary() const noexcept { return imaginary_; }

 private:
  Kind kind_;
  union {
    std::int64_t integer_;
    std::uint64_t unsigned_;
    double real_;
  };
  double imaginary_ = 0;
};

}  // namespace koine

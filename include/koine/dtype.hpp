// SPDX-License-Identifier: Apache-2.0
// Element types: the run-time DType, the C++ type of each, and the two 16-bit floating types.
#pragma once

#include <koine/export.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

namespace koine {

/// The type of an array's elements. Compare with the constants below: `x.dtype() == koine::float32`.
enum class DType : std::uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};

inline constexpr int dtype_count = 15;

inline constexpr DType bool_ = DType::bool_;
inline constexpr DType int8 = DType::int8;
inline constexpr DType int16 = DType::int16;
inline constexpr DType int32 = DType::int32;
inline constexpr DType int64 = DType::int64;
inline constexpr DType uint8 = DType::uint8;
inline constexpr DType uint16 = DType::uint16;
inline constexpr DType uint32 = DType::uint32;
inline constexpr DType uint64 = DType::uint64;
inline constexpr DType float16 = DType::float16;
inline constexpr DType bfloat16 = DType::bfloat16;
inline constexpr DType float32 = DType::float32;
inline constexpr DType float64 = DType::float64;
inline constexpr DType complex64 = DType::complex64;
inline constexpr DType complex128 = DType::complex128;

/// The standard's name of the type: "float32", "bool", "complex64".
KOINE_API std::string_view name(DType type) noexcept;
KOINE_API std::ostream& operator<<(std::ostream& out, DType type);

/// Bytes of one element in device memory.
constexpr std::size_t size_of(DType type) noexcept {
  constexpr std::uint8_t bytes[dtype_count] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return bytes[static_cast<int>(type)];
}

constexpr bool is_bool(DType t) noexcept { return t == DType::bool_; }
constexpr bool is_signed_integer(DType t) noexcept { return t >= DType::int8 && t <= DType::int64; }
constexpr bool is_unsigned_integer(DType t) noexcept { return t >= DType::uint8 && t <= DType::uint64; }
constexpr bool is_integer(DType t) noexcept { return t >= DType::int8 && t <= DType::uint64; }
constexpr bool is_real_floating(DType t) noexcept { return t >= DType::float16 && t <= DType::float64; }
constexpr bool is_complex(DType t) noexcept { return t >= DType::complex64; }

/// IEEE 754 binary16, named as in C++23. Stored in 16 bits, computed in float; rounds to nearest even.
class float16_t {
 public:
  float16_t() = default;
  KOINE_API explicit float16_t(float value) noexcept;
  KOINE_API operator float() const noexcept;
  static constexpr float16_t from_bits(std::uint16_t bits) noexcept {
    float16_t result{};
    result.bits_ = bits;
    return result;
  }
  constexpr std::uint16_t bits() const noexcept { return bits_; }

 private:
  std::uint16_t bits_ = 0;
};

/// bfloat16: the upper half of a float, named as in C++23. Computed in float; rounds to nearest even.
class bfloat16_t {
 public:
  bfloat16_t() = default;
  KOINE_API explicit bfloat16_t(float value) noexcept;
  operator float() const noexcept { return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16); }
  static constexpr bfloat16_t from_bits(std::uint16_t bits) noexcept {
    bfloat16_t result{};
    result.bits_ = bits;
    return result;
  }
  constexpr std::uint16_t bits() const noexcept { return bits_; }

 private:
  std::uint16_t bits_ = 0;
};

namespace detail {
/// std::complex<float>, std::complex<double>, and other types of two such parts. (Known by what they have, since
/// <complex> takes a compiler as long as the rest of Koine.)
template <class T>
concept ComplexNumber = requires(const T& z) {
  typename T::value_type;
  requires std::same_as<typename T::value_type, float> || std::same_as<typename T::value_type, double>;
  { z.real() } -> std::convertible_to<typename T::value_type>;
  { z.imag() } -> std::convertible_to<typename T::value_type>;
  requires sizeof(T) == 2 * sizeof(typename T::value_type);
};

template <class T>
struct DTypeOf;  // left undefined for types that are no element type

template <DType Value>
struct DTypeIs {
  static constexpr DType value = Value;
};
template <>
struct DTypeOf<bool> : DTypeIs<DType::bool_> {};
template <>
struct DTypeOf<float16_t> : DTypeIs<DType::float16> {};
template <>
struct DTypeOf<bfloat16_t> : DTypeIs<DType::bfloat16> {};
template <>
struct DTypeOf<float> : DTypeIs<DType::float32> {};
template <>
struct DTypeOf<double> : DTypeIs<DType::float64> {};
template <ComplexNumber T>
struct DTypeOf<T> : DTypeIs<sizeof(T) == 8 ? DType::complex64 : DType::complex128> {};

// By size and signedness, so that long and long long both find their type.
template <std::integral T>
  requires(!std::same_as<T, bool>)
struct DTypeOf<T> {
  static constexpr int step = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  static constexpr DType value =
      static_cast<DType>(static_cast<int>(std::is_signed_v<T> ? DType::int8 : DType::uint8) + step);
};
}  // namespace detail

/// A C++ type that can be an array's element.
template <class T>
concept Element = requires {
  detail::DTypeOf<std::remove_cv_t<T>>::value;
};

/// The DType of a C++ type: `dtype_of<float>` is float32.
template <Element T>
inline constexpr DType dtype_of = detail::DTypeOf<std::remove_cv_t<T>>::value;

/// The real floating type of numbers that nothing else gives a type: literals, scalars, what zeros, linspace and the
/// like create, random numbers, and what functions such as sin and mean make of integers. Complex ones take the complex
/// type of that width. float32 unless this thread is in a DTypeScope or set_default_dtype() was called.
KOINE_API DType default_dtype() noexcept;
/// Makes float32 or float64 the default of all threads that are in no DTypeScope. ValueError for another type.
KOINE_API void set_default_dtype(DType dtype);

/// Makes float32 or float64 this thread's default while the scope lives. Scopes nest. ValueError for another type.
class KOINE_API DTypeScope {
 public:
  explicit DTypeScope(DType dtype);
  ~DTypeScope();
  DTypeScope(const DTypeScope&) = delete;
  DTypeScope& operator=(const DTypeScope&) = delete;

 private:
  DType before_;
};

}  // namespace koine

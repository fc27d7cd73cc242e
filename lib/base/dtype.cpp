// SPDX-License-Identifier: Apache-2.0
// Names of the element types, and rounding to the 16-bit ones.
#include <koine/dtype.hpp>

#include <ostream>

#include "base/dtypes.hpp"

namespace koine {

std::string_view name(DType type) noexcept { return base::row_of(type).name; }

std::ostream& operator<<(std::ostream& out, DType type) { return out << name(type); }

float16_t::float16_t(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t a = bits & 0x7fffffffu;
  if (a > 0x7f800000u) {
    bits_ = static_cast<std::uint16_t>(sign | 0x7e00u);  // NaN
  } else if (a >= 0x477ff000u) {
    bits_ = static_cast<std::uint16_t>(sign | 0x7c00u);  // from 65520 on: infinity
  } else if (a < 0x38800000u) {
    // Below 2^-14 the values are multiples of 2^-24, the spacing of floats around a half.
    const float shifted = std::bit_cast<float>(a) + 0.5f;
    bits_ = static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  } else {
    const std::uint32_t rounded = a + 0xfffu + ((a >> 13) & 1u);
    bits_ = static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
  }
}

float16_t::operator float() const noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits_ & 0x8000u) << 16, a = bits_ & 0x7fffu;
  if (a >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((a & 0x3ffu) << 13));
  if (a >= 0x400u) return std::bit_cast<float>(sign | ((a + (112u << 10)) << 13));
  const float magnitude = static_cast<float>(a) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

bfloat16_t::bfloat16_t(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  bits_ = static_cast<std::uint16_t>((nan ? bits | 0x400000u : bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace koine

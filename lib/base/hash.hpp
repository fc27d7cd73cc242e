// SPDX-License-Identifier: Apache-2.0
// Fast hashes of bytes, the same on every machine: for tables in memory and for names of cache files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace koine::base {

/// A 64-bit hash, about a nanosecond for each 8 bytes or less.
std::uint64_t hash64(const void* bytes, std::size_t size, std::uint64_t seed = 0) noexcept;
inline std::uint64_t hash64(std::string_view text, std::uint64_t seed = 0) noexcept {
  return hash64(text.data(), text.size(), seed);
}

/// Both halves of a product of 128 bits.
inline std::uint64_t hash_mix(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Odd constants with about half of their bits set, from the digits of pi.
inline constexpr std::uint64_t hash_k0 = 0x243f6a8885a308d3, hash_k1 = 0x13198a2e03707345, hash_k2 = 0xa4093822299f31d1;

/// Mixes a value into a hash, for building one from parts.
inline std::uint64_t hash_combine(std::uint64_t hash, std::uint64_t value) noexcept {
  return hash_mix(hash ^ hash_k0, value ^ hash_k1) ^ hash;
}

/// 128 bits as 32 hexadecimal digits: names that must not collide.
std::string hash128_hex(std::string_view text);

/// Hash for unordered containers with std::string keys that are looked up by std::string_view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return static_cast<std::size_t>(hash64(text)); }
};

}  // namespace koine::base

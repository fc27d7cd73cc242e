// SPDX-License-Identifier: Apache-2.0
// Hashes by 64x64→128-bit multiplication, 16 bytes a step.
#include "base/hash.hpp"

#include <array>
#include <cstdio>
#include <cstring>

namespace koine::base {

namespace {

std::uint64_t load(const unsigned char* bytes, std::size_t size) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  return value;
}

}  // namespace

std::uint64_t hash64(const void* bytes, std::size_t size, std::uint64_t seed) noexcept {
  const auto* at = static_cast<const unsigned char*>(bytes);
  std::uint64_t state = hash_mix(seed ^ hash_k0, hash_k1);
  std::size_t left = size;
  for (; left > 16; at += 16, left -= 16) state = hash_mix(load(at, 8) ^ hash_k1, load(at + 8, 8) ^ state);
  const std::uint64_t low = load(at, left < 8 ? left : 8);
  const std::uint64_t high = left > 8 ? load(at + 8, left - 8) : 0;
  state = hash_mix(low ^ hash_k1, high ^ state ^ hash_k2);
  return hash_mix(state ^ hash_k2, size ^ hash_k1);
}

std::string hash128_hex(std::string_view text) {
  std::array<char, 33> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(hash64(text, hash_k1)),
                static_cast<unsigned long long>(hash64(text, hash_k2)));
  return digits.data();
}

}  // namespace koine::base

// SPDX-License-Identifier: Apache-2.0
// Numbers of random laws, block by block.
#include "host/random.hpp"

#include "base/dtypes.hpp"
#include "host/functions.hpp"
#include "host/instructions.hpp"
#include "host/random_lanes.hpp"
#include "host/random_laws.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace koine::host {
namespace {

using graph::RandomInfo;
using graph::RandomKind;

const RandomLanes& lanes() {
#ifdef KOINE_HOST_X86
  if (instructions() == Instructions::avx512) return random_avx512;
  if (instructions() == Instructions::avx2) return random_avx2;
#endif
  return random_plain;
}

template <class T>
const RandomLaws<T>& laws() {
  constexpr bool narrow = sizeof(T) == sizeof(float);
#ifdef KOINE_HOST_X86
  if (instructions() != Instructions::plain) {
    if constexpr (narrow)
      return narrow_laws_fused;
    else
      return wide_laws_fused;
  }
#endif
  if constexpr (narrow)
    return narrow_laws;
  else
    return wide_laws;
}

constexpr std::size_t blocks_at_once = 64;

template <class T>
UniformLaw<T> law_of(const RandomInfo& info, DType type) {
  return {base::row_of(type).digits, static_cast<T>(info.start), static_cast<T>(info.scale), static_cast<T>(info.last)};
}

template <class T>
T scaled(const RandomInfo& info, T number) {
  return std::fma(number, static_cast<T>(info.scale), static_cast<T>(info.start));
}

/// The numbers that whole blocks make: four of a block, and of other types than float two.
void make(const RandomInfo& info, DType type, const std::uint64_t* words, std::size_t blocks, float* to) {
  const std::size_t count = 4 * blocks;
  if (info.kind == RandomKind::uniform) return lanes().uniform_floats(to, words, count, law_of<float>(info, type));
  (info.kind == RandomKind::normal ? laws<float>().normals : laws<float>().exponentials)(to, words, count);
  for (std::size_t k = 0; k < count; ++k) to[k] = scaled(info, to[k]);
}
void make(const RandomInfo& info, DType type, const std::uint64_t* words, std::size_t blocks, double* to) {
  const std::size_t count = 2 * blocks;
  if (info.kind == RandomKind::uniform) return lanes().uniform_doubles(to, words, count, law_of<double>(info, type));
  (info.kind == RandomKind::normal ? laws<double>().normals : laws<double>().exponentials)(to, words, count);
  for (std::size_t k = 0; k < count; ++k) to[k] = scaled(info, to[k]);
}
void make(const RandomInfo& info, DType, const std::uint64_t* words, std::size_t blocks, std::uint64_t* to) {
  // The upper half of a product of 128 bits.
  __extension__ using Product = unsigned __int128;
  for (std::size_t k = 0; k < 2 * blocks; ++k) {
    to[k] = static_cast<std::uint64_t>(static_cast<Product>(words[k]) * info.range >> 64) +
            static_cast<std::uint64_t>(info.low);
  }
}

template <class T>
void draw_numbers(const RandomInfo& info, DType type, std::uint64_t first, std::size_t count, T* to) {
  constexpr std::uint64_t in_block = sizeof(T) == sizeof(float) ? 4 : 2;
  std::uint64_t words[2 * blocks_at_once];
  T numbers[in_block * blocks_at_once];
  std::uint64_t number = info.first_word / (4 / in_block) + first;
  for (std::size_t some; count > 0; number += some, to += some, count -= some) {
    const std::size_t skipped = number % in_block;
    some = std::min(count, in_block * blocks_at_once - skipped);
    const std::size_t blocks = (skipped + some + in_block - 1) / in_block;
    lanes().words(words, number / in_block, info.seed, blocks);
    const bool whole = some == in_block * blocks;
    make(info, type, words, blocks, whole ? to : numbers);
    if (!whole) std::copy_n(numbers + skipped, some, to);
  }
}

}  // namespace

bool draws_in_vectors(const RandomInfo& info) {
  return info.kind == RandomKind::uniform || info.kind == RandomKind::integers;
}

std::uint64_t draw_cost(const RandomInfo& info) {
  return draws_in_vectors(info) ? 6 : info.kind <= RandomKind::exponential ? 30 : 200;
}

namespace {

/// Of a law by rejection the numbers from a position on.
template <class T>
void reject(const RandomInfo& info, DType, std::uint64_t position, std::size_t count, T* to) {
  laws<T>().gammas(to, gamma_law<GammaLaw<T>>(info, position, count));
}
void reject(const RandomInfo& info, DType type, std::uint64_t position, std::size_t count, std::uint64_t* to) {
  info.kind == RandomKind::poisson ? draw_poissons(info, type, position, count, to)
                                   : draw_binomials(info, type, position, count, to);
}

}  // namespace

void draw(const RandomInfo& info, DType type, std::uint64_t first, std::size_t count, std::byte* to) {
  const auto as = [&]<class T>(T) {
    T* const numbers = reinterpret_cast<T*>(to);
    if (info.kind >= RandomKind::gamma) {
      return reject(info, type, info.first_word / info.words(type) + first, count, numbers);
    }
    draw_numbers(info, type, first, count, numbers);
  };
  is_integer(type) ? as(std::uint64_t{}) : type == DType::float64 ? as(double{}) : as(float{});
}

void draw_elements(const RandomInfo& info, DType type, std::uint64_t first, std::size_t count, std::byte* to) {
  // In memory as in registers.
  if (size_of(type) == (is_integer(type) ? 8 : size_in_registers(type))) {
    return draw(info, type, first, count, to);
  }
  constexpr std::size_t at_once = 256;
  alignas(8) std::byte drawn[at_once * sizeof(std::uint64_t)];
  const std::size_t size = size_of(type), number = static_cast<std::size_t>(type);
  for (std::size_t some = 0; count > 0; first += some, count -= some, to += some * size) {
    some = std::min(at_once, count);
    draw(info, type, first, some, drawn);
    const void* const from[] = {drawn, nullptr, nullptr};
    if (!is_integer(type)) {
      functions().casts[static_cast<std::size_t>(type == DType::float64 ? type : DType::float32)][number](drawn, from,
                                                                                                          some);
      functions().stores[number](to, from, some);
      continue;
    }
    for (std::size_t k = 0; k < some; ++k) std::memcpy(to + k * size, drawn + k * sizeof(std::uint64_t), size);
  }
}

}  // namespace koine::host

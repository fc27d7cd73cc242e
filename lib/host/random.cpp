// SPDX-License-Identifier: Apache-2.0
// Numbers of random laws, block by block.
#include "host/random.hpp"

#include "base/dtypes.hpp"
#include "host/functions.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace koine::host {
namespace {

using graph::RandomInfo;
using graph::RandomKind;

/// The numbers of a block, before they are scaled: four, and of type double two.
void draw_block(const RandomInfo& info, DType type, const RandomBlock& block, float numbers[4]) {
  if (info.kind == RandomKind::normal) {
    normals_of(block.even, numbers);
    normals_of(block.odd, numbers + 2);
    return;
  }
  // Uniform in [0, 1), with as many bits as the type holds exactly.
  const int digits = base::row_of(type).digits;
  for (std::uint64_t k = 0; k < 4; ++k) {
    const std::uint32_t word = block.word(k);
    numbers[k] = info.kind == RandomKind::exponential
                     ? exponential_of(word)
                     : static_cast<float>(word >> (32 - digits)) * (1.0f / static_cast<float>(1 << digits));
  }
}
void draw_block(const RandomInfo& info, DType, const RandomBlock& block, double numbers[2]) {
  if (info.kind == RandomKind::normal) return normals_of(block, numbers);
  for (int k = 0; k < 2; ++k) {
    const std::uint64_t word = k == 0 ? block.even : block.odd;
    numbers[k] =
        info.kind == RandomKind::exponential ? exponential_of(word) : static_cast<double>(word >> 11) * 0x1p-53;
  }
}
void draw_block(const RandomInfo& info, DType, const RandomBlock& block, std::uint64_t numbers[2]) {
  // The upper half of a product of 128 bits.
  __extension__ using Product = unsigned __int128;
  const auto number = [&](std::uint64_t word) {
    return static_cast<std::uint64_t>(static_cast<Product>(word) * info.range >> 64) +
           static_cast<std::uint64_t>(info.low);
  };
  numbers[0] = number(block.even);
  numbers[1] = number(block.odd);
}

template <class T>
T scaled(const RandomInfo& info, T number) {
  const T result = std::fma(number, static_cast<T>(info.scale), static_cast<T>(info.start));
  return info.kind == RandomKind::uniform ? std::min(result, static_cast<T>(info.last)) : result;
}
std::uint64_t scaled(const RandomInfo&, std::uint64_t number) { return number; }

template <class T>
void draw_numbers(const RandomInfo& info, DType type, std::uint64_t first, std::size_t count, T* to) {
  constexpr std::uint64_t in_block = sizeof(T) == sizeof(float) ? 4 : 2;
  T numbers[in_block];
  const std::uint64_t begin = info.first_word / (4 / in_block) + first;
  for (std::uint64_t number = begin; number < begin + count; ++number) {
    if (number == begin || number % in_block == 0) {
      draw_block(info, type, random_block(number / in_block, info.seed), numbers);
    }
    *to++ = scaled(info, numbers[number % in_block]);
  }
}

}  // namespace

bool draws(const RandomInfo& info) { return info.kind <= RandomKind::exponential; }

void draw(const RandomInfo& info, DType type, std::uint64_t first, std::size_t count, std::byte* to) {
  if (info.kind == RandomKind::integers) {
    draw_numbers(info, type, first, count, reinterpret_cast<std::uint64_t*>(to));
  } else if (type == DType::float64) {
    draw_numbers(info, type, first, count, reinterpret_cast<double*>(to));
  } else {
    draw_numbers(info, type, first, count, reinterpret_cast<float*>(to));
  }
}

void draw_elements(const RandomInfo& info, DType type, std::uint64_t first, std::size_t count, std::byte* to) {
  constexpr std::size_t at_once = 256;
  alignas(8) std::byte drawn[at_once * sizeof(std::uint64_t)];
  const std::size_t size = size_of(type), number = static_cast<std::size_t>(type);
  for (std::size_t some = 0; count > 0; first += some, count -= some, to += some * size) {
    some = std::min(at_once, count);
    draw(info, type, first, some, drawn);
    const void* const from[] = {drawn, nullptr, nullptr};
    if (info.kind != RandomKind::integers) {
      functions().casts[static_cast<std::size_t>(type == DType::float64 ? type : DType::float32)][number](drawn, from,
                                                                                                          some);
      functions().stores[number](to, from, some);
      continue;
    }
    for (std::size_t k = 0; k < some; ++k) std::memcpy(to + k * size, drawn + k * sizeof(std::uint64_t), size);
  }
}

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// Room for vectors in a driver's memory, which need not begin at a multiple of their size.
#pragma once

#include "base/rounding.hpp"

#include <cstddef>
#include <cstdint>

namespace koine::host {

/// Bytes of the longest vectors: that many more are asked for.
inline constexpr std::size_t vector_bytes = 64;

/// The first multiple of vector_bytes in the memory.
inline std::byte* aligned(void* memory) {
  return reinterpret_cast<std::byte*>(base::round_up(reinterpret_cast<std::uintptr_t>(memory), vector_bytes));
}

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// Device memory: how much is used, how much the pool holds, and a limit.
#pragma once

#include <cstdint>

#include "koine/device.hpp"
#include "koine/export.hpp"

namespace koine {

/// The state of a device's memory pool, in bytes.
struct MemoryStats {
  std::uint64_t in_use = 0;  ///< held by arrays and by pending work
  std::uint64_t held = 0;    ///< free in the pool, ready for the next array without asking the driver
  std::uint64_t peak = 0;    ///< the most that was ever in use at once
  std::uint64_t limit = 0;   ///< the most that in_use and held together may grow to
};

/// The state of a device's memory pool. A device that has not been used yet has nothing in use.
KOINE_API MemoryStats memory_stats(const Device& device);

/// Bounds what the pool takes from the device. Memory that is held free beyond the limit is released at once. Arrays
/// stay; memory that they give back later is released at the next allocation if it is beyond the limit.
KOINE_API void set_memory_limit(const Device& device, std::uint64_t bytes);

}  // namespace koine

// SPDX-License-Identifier: Apache-2.0
// How many more programs a process can take where the driver never gives back what it mapped for one.
#pragma once

#include <cstdint>
#include <mutex>

#include "device/traits.hpp"

namespace koine::runtime {

/// Linux ends a process that has used up its memory mappings in a driver's code, where nobody can help it any more; so
/// no program is made past the last part of them. All of this only where the driver has that quirk.
class ProgramRoom {
 public:
  explicit ProgramRoom(const DeviceTraits& traits) : traits_(traits) {}

  /// Before a program is made. Tells KOINE_LOG=jit when half of the mappings are taken, and again when half of the rest
  /// are, and so on. Throws OutOfMemory where too few are left.
  void take();

 private:
  const DeviceTraits& traits_;
  std::mutex mutex_;             // of what follows
  std::uint64_t uncounted_ = 0;  // programs until the mappings are counted again
  std::uint64_t told_left_ = 0;  // how many were left when the log was told
};

}  // namespace koine::runtime

// SPDX-License-Identifier: Apache-2.0
// Work-groups of a launch that wait for what others of it tell them.
#pragma once

#include <cstdint>
#include <optional>

#include "exec/programs.hpp"
#include "runtime/queue.hpp"

namespace koine::exec {

/// What kernels/common/lanes.clh may take of a device.
struct Warps {
  explicit Warps(const DeviceTraits& traits);

  std::optional<int> lanes, redux;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_LANES", lanes);
    v.define("KN_REDUX", redux);
  }
};

/// What such groups of a device need (kernels/common/spread.clh). Nothing may keep a group from starting for which
/// others wait already: they are a fourth of what the device runs at once, whoever else uses it will end, and of those
/// that wait so only one launch is under way at a time, since all write the same memory, by which queues keep the
/// order.
class SideBySide {
 public:
  /// That of the queue's device; null where it is not promised that groups run at the same time, or a trial, which this
  /// asks for, finds otherwise.
  static SideBySide* of(Programs& programs, runtime::Queue& queue);

  explicit SideBySide(std::uint64_t groups) : groups_(groups) {}
  /// How many groups of a launch may wait for each other: two at least.
  std::uint64_t groups() const noexcept { return groups_; }
  /// How many words there are.
  static constexpr std::uint64_t words = 65536;

  /// The words, and the first of so many numbers that none of them has.
  struct Told {
    const runtime::Buffer& words;
    std::uint64_t first;
  };
  /// For who holds the evaluation mutex.
  Told told(runtime::Queue& queue, std::uint64_t numbers);

 private:
  const std::uint64_t groups_;
  runtime::BufferRef memory_;
  std::uint64_t next_ = 0;
};

}  // namespace koine::exec

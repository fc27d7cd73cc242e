// SPDX-License-Identifier: Apache-2.0
// Long rows sorted in one sweep for each digit, on devices whose groups may wait for each other.
#pragma once

#include "exec/programs.hpp"
#include "exec/sort.hpp"
#include "runtime/queue.hpp"

#include <cstdint>
#include <string_view>

namespace koine::exec {

/// Rows of keys that lie one after another, and where they go.
struct SortedRows {
  std::uint64_t count, rows, offset, flip;
  const runtime::Buffer& from;
  runtime::BufferRef values, positions;  // those that are wanted
  /// Where the spec says so, words from an offset on that move along: they come to `positions`.
  const runtime::Buffer* payload = nullptr;
  std::uint64_t payload_offset = 0;
  std::uint32_t lowest = 0;  // the lowest digit of eight bits that counts
};

/// The kernels of kernels/sort_sweep.cl.
class SortSweep {
 public:
  /// Whether the device can do so, and rows of that many elements fit the kernels' counters.
  static bool suits(const DeviceTraits& traits, std::uint64_t count);

  /// Asks for all kernels.
  SortSweep(Programs& programs, runtime::Queue& queue, const SortSpec& spec);

  /// The same results as those of the other kernels that sort.
  void run(const SortedRows& rows, std::string_view function) const;

 private:
  runtime::Queue& queue_;
  const SortSpec spec_;
  const std::uint64_t key_, tile_;  // bytes; elements
  runtime::KernelRef digits_, plan_, sweep_;
};

}  // namespace koine::exec

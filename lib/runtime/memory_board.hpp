// SPDX-License-Identifier: Apache-2.0
// Memory statistics that another process can read: `koine monitor` makes a file, names it by KOINE_MONITOR, and each
// pool writes its state there as it changes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "device/traits.hpp"
#include "koine/memory.hpp"

namespace koine::runtime {

/// What one pool tells. A pool writes under its lock; readers take each number as it comes.
struct BoardEntry {
  std::atomic<std::uint64_t> process;                    ///< whose pool it is; 0 while the entry is free
  std::atomic<std::uint64_t> in_use, held, peak, limit;  ///< as in MemoryStats
  std::atomic<std::uint64_t> peak_taken;                 ///< the most that was in use and held at once
  std::array<char, 48> selector;                         ///< of the device; ends with a zero

  void write(const MemoryStats& stats) noexcept;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The file. Entries are never given back, so that the peaks of processes that have ended stay readable.
struct Board {
  std::array<char, 8> kind;             ///< "koinemm1", whose last character is the format's version
  std::atomic<std::uint64_t> left_out;  ///< pools that found no free entry
  std::array<BoardEntry, 512> entries;
};

/// Takes a mapping away.
struct Unmap {
  void operator()(Board* board) const noexcept;
};
using BoardRef = std::unique_ptr<Board, Unmap>;

/// Makes the file, which only this user can read and write, and maps it. Throws IoError.
BoardRef make_board(const std::string& path);

/// An entry for a pool of this device in the file that KOINE_MONITOR names; null if it names none, or one that is not a
/// board of this user's alone, which the log tells (KOINE_LOG=memory). It stays valid until the process ends.
BoardEntry* claim_board_entry(const DeviceTraits& traits) noexcept;

}  // namespace koine::runtime

// SPDX-License-Identifier: Apache-2.0
// The memory pool of a context: size classes, reuse in queue order, a limit, statistics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "koine/memory.hpp"
#include "runtime/buffer.hpp"
#include "runtime/memory_board.hpp"

namespace koine::runtime {

/// The capacity that a request gets: never less than 256, a multiple of 128, and a power of two or one of the three
/// steps between two of them up to 1 MiB; whole 64 KiB above that.
std::uint64_t pool_capacity(std::uint64_t bytes) noexcept;

/// The same for a request that fits a limit only without rounding up: as small as a block of its class may be.
std::uint64_t pool_capacity_exact(std::uint64_t bytes) noexcept;

class Pool {
 public:
  explicit Pool(std::uint64_t limit) noexcept { stats_.limit = limit; }
  ~Pool() { trim(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// A held block that fits without wasting more than an eighth, counted as in use; none if there is none whose uses
  /// `suits` says yes to, or the limit has been lowered and what is held must go.
  std::optional<Block> take_held(std::uint64_t capacity, const std::function<bool(const Uses&)>& suits);
  /// Counts `capacity` as in use before the driver is asked, so that threads cannot pass the limit together. Releases
  /// held blocks to make room; false if the limit is passed all the same.
  bool reserve(std::uint64_t capacity);
  /// Undoes a reserve() whose allocation failed.
  void cancel(std::uint64_t capacity) noexcept;
  /// Takes a block back. Calls no driver, unless the host has no memory to remember the block.
  void give_back(Block block) noexcept;
  /// Releases all that is held to the driver.
  void trim();

  MemoryStats stats() const;
  void set_limit(std::uint64_t bytes);
  /// From now on the statistics are written to this entry whenever they change. Null: to none.
  void publish(BoardEntry* entry);

 private:
  /// Holds the lock while something changes, and publishes what became of it.
  class Change {
   public:
    explicit Change(Pool& pool) : pool_(pool), lock_(pool.mutex_) {}
    ~Change() {
      if (pool_.published_ != nullptr) pool_.published_->write(pool_.stats_);
    }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    Pool& pool_;
    const std::lock_guard<std::mutex> lock_;
  };

  static constexpr std::size_t small_classes = 49;  // 256 bytes to 1 MiB in quarter steps

  /// Releases held blocks, large ones first, until no more than `until` bytes are held. The lock is held.
  void release_held(std::uint64_t until);

  mutable std::mutex mutex_;
  std::array<std::vector<Block>, small_classes> small_;
  std::multimap<std::uint64_t, Block> large_;  // by capacity
  MemoryStats stats_;
  BoardEntry* published_ = nullptr;
};

}  // namespace koine::runtime

// SPDX-License-Identifier: Apache-2.0
// Stacks of small matrices on CPUs: lanes of vectors, whose blocks the threads of a command share.
#pragma once

#include "exec/factors.hpp"
#include "exec/host_run.hpp"
#include "host/aligned.hpp"
#include "host/parts.hpp"
#include "host/small_systems.hpp"
#include "runtime/host_command.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace koine::exec {

/// How blocks of a stack are shared.
template <class T>
class SmallSystemBlocks {
 public:
  /// `elements` of room, and so many multiplications, for each matrix.
  SmallSystemBlocks(const runtime::Queue& queue, std::int64_t matrices, std::int64_t elements, std::int64_t work)
      : traits_(queue.traits()),
        blocks_((matrices + host::small_systems<T>().lanes - 1) / host::small_systems<T>().lanes),
        each_(host::small_systems<T>().lanes * elements),
        work_(matrices * work),
        threads_(std::max<std::int64_t>(
            1, std::min<std::int64_t>({traits_.compute_units, base::usable_cores(), blocks_}))) {}

  /// Bytes of room for all threads, wherever a driver's memory begins.
  std::uint64_t room() const { return static_cast<std::uint64_t>(threads_ * each_) * sizeof(T) + host::vector_bytes; }

  /// Enqueues a command in which share() is called.
  void enqueue(runtime::HostCommand& command, runtime::HostCommand::Function function) const {
    multiplied_at_once(traits_, static_cast<double>(work_)) ? command.run_small(std::move(function))
                                                            : command.run(std::move(function));
  }

  /// Calls do_block(number, room of its thread) for each block.
  template <class Block>
  void share(void* room, const Block& do_block) const {
    host::Parts parts(static_cast<std::size_t>(blocks_));
    std::atomic<std::int64_t> threads{0};
    T* const all = reinterpret_cast<T*>(host::aligned(room));
    host::share(traits_, static_cast<std::uint64_t>(work_), parts, [&] {
      T* const own = all + threads.fetch_add(1, std::memory_order_relaxed) * each_;
      for (std::size_t block; parts.take(block);) do_block(static_cast<std::int64_t>(block), own);
    });
  }

 private:
  const DeviceTraits& traits_;
  const std::int64_t blocks_, each_, work_, threads_;
};

}  // namespace koine::exec

// SPDX-License-Identifier: Apache-2.0
// Copying with several threads: starting them costs some 20 microseconds each, so only large copies get them.
#include "runtime/host_copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "base/parallel.hpp"

namespace koine::runtime {

namespace {

// Small enough that the threads end together, large enough that taking one costs nothing beside it.
constexpr std::uint64_t piece_bytes = std::uint64_t{2} << 20;
// Each thread has at least this much to copy.
constexpr std::uint64_t bytes_each = std::uint64_t{8} << 20;

}  // namespace

void host_copy(void* to, const void* from, std::uint64_t bytes) {
  // How many cores there are is a system call, which takes longer than a small copy.
  const std::uint64_t most = bytes / bytes_each;
  const int threads = most < 2 ? 1 : static_cast<int>(std::min<std::uint64_t>(base::cores(), most));
  if (threads < 2) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return;
  }
  std::atomic<std::uint64_t> next{0};
  base::in_parallel(threads, [&] {
    for (std::uint64_t at; (at = next.fetch_add(piece_bytes, std::memory_order_relaxed)) < bytes;) {
      std::memcpy(static_cast<std::byte*>(to) + at, static_cast<const std::byte*>(from) + at,
                  std::min(piece_bytes, bytes - at));
    }
  });
}

}  // namespace koine::runtime

// SPDX-License-Identifier: Apache-2.0
// Threads that live for one copy. Starting them costs some 20 microseconds each, so only large copies get them.
#include "runtime/host_copy.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/signals.hpp"

namespace koine::runtime {

namespace {

// Eight threads fill the link to the fastest of today's cards; more only take cores from the program.
constexpr int most_threads = 8;
// Small enough that the threads end together, large enough that taking one costs nothing beside it.
constexpr std::uint64_t piece_bytes = std::uint64_t{2} << 20;
// Each thread has at least this much to copy.
constexpr std::uint64_t bytes_each = std::uint64_t{8} << 20;

}  // namespace

int copy_threads() noexcept {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  // The set is too small for machines with more than 1024 cores, which have enough of them.
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return most_threads;
  return std::clamp(CPU_COUNT(&cores), 1, most_threads);
}

void in_parallel(int threads, const std::function<void()>& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto guarded = [&]() noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    others.reserve(static_cast<std::size_t>(std::max(threads - 1, 0)));
    const base::SignalsBlocked blocked;
    for (int i = 1; i < threads; ++i) others.emplace_back(guarded);
  } catch (const std::system_error&) {  // no more threads: those that there are do the work
  } catch (const std::bad_alloc&) {
  }
  guarded();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

void host_copy(void* to, const void* from, std::uint64_t bytes) {
  const int threads = static_cast<int>(std::min<std::uint64_t>(copy_threads(), bytes / bytes_each));
  if (threads < 2) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return;
  }
  std::atomic<std::uint64_t> next{0};
  in_parallel(threads, [&] {
    for (std::uint64_t at; (at = next.fetch_add(piece_bytes, std::memory_order_relaxed)) < bytes;) {
      std::memcpy(static_cast<std::byte*>(to) + at, static_cast<const std::byte*>(from) + at,
                  std::min(piece_bytes, bytes - at));
    }
  });
}

}  // namespace koine::runtime

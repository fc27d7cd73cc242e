// SPDX-License-Identifier: Apache-2.0
// Threads that live for one piece of work. Starting them costs some 20 microseconds each.
#include "base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/signals.hpp"

namespace koine::base {

int usable_cores() noexcept {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  // The set is too small for machines with more than 1024 cores, which have enough of them.
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return CPU_SETSIZE;
  return std::max(CPU_COUNT(&cores), 1);
}

int cores() noexcept {
  // Eight threads fill the link to the fastest of today's cards; more only take cores from the program.
  constexpr int most = 8;
  return std::min(usable_cores(), most);
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
    const SignalsBlocked blocked;
    for (int i = 1; i < threads; ++i) others.emplace_back(guarded);
  } catch (const std::system_error&) {  // no more threads: those that there are do the work
  } catch (const std::bad_alloc&) {
  }
  guarded();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace koine::base

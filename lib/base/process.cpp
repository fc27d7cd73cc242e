// SPDX-License-Identifier: Apache-2.0
// Counts forks in the child, where a counter is all that may be touched safely.
#include "base/process.hpp"

#include <pthread.h>

namespace koine::base {

void watch_forks() {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { detail::process_generation.fetch_add(1, std::memory_order_relaxed); });
}

}  // namespace koine::base

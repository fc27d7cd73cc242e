// SPDX-License-Identifier: Apache-2.0
// Sharing a step among the calling thread and others.
#pragma once

#include "base/parallel.hpp"
#include "device/traits.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

namespace koine::host {

/// Parts of a step, which threads take one after the other. Their sizes are constants of those who make them: some
/// thousand elements, beside which taking a part costs little, and whose memory the second cache of any processor
/// holds. The thread that makes them takes the first ones and others the last, so that each goes along memory of its
/// own, which its core's caches may still hold from the step before.
class Parts {
 public:
  explicit Parts(std::size_t count) : count_(count) {}
  /// Whether there is one left, whose number is then `part`.
  bool take(std::size_t& part) {
    if (taken_.fetch_add(1, std::memory_order_relaxed) >= count_) return false;
    part = std::this_thread::get_id() == maker_ ? first_++ : count_ - 1 - last_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  std::size_t count() const { return count_; }

 private:
  const std::thread::id maker_ = std::this_thread::get_id();
  std::atomic<std::size_t> taken_{0}, last_{0};
  std::size_t first_ = 0;
  const std::size_t count_;
};

/// Calls `work()` on as many threads as so many elements by operations are worth, no more than there are parts.
template <class Work>
void share(const DeviceTraits& traits, std::uint64_t amount, const Parts& parts, const Work& work) {
  std::uint64_t threads =
      std::min<std::uint64_t>({amount / traits.tuning.thread_work, traits.compute_units, parts.count()});
  if (threads > 1) threads = std::min<std::uint64_t>(threads, static_cast<unsigned>(base::usable_cores()));
  if (threads <= 1) return work();
  base::share_work(static_cast<int>(threads), std::ref(work));
}

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// What is made at its first use and never destroyed: without a lock, which a fork on another thread would leave held in
// the child for ever, and safe to use while static objects die.
#pragma once

#include <atomic>
#include <memory>

namespace koine::base {

/// Threads that come at once may each make one, and all get the same. A static object of constant initialization.
template <class T>
class FirstUse {
 public:
  T& get() {
    return get([] { return T(); });
  }
  /// The value; `make()`, which gives it, is called if there is none yet. What it throws leaves none.
  template <class Make>
  T& get(Make make) {
    if (T* const made = made_.load(std::memory_order_acquire)) return *made;
    std::unique_ptr<T> mine(new T(make()));
    T* others = nullptr;
    if (!made_.compare_exchange_strong(others, mine.get(), std::memory_order_acq_rel)) return *others;
    return *mine.release();
  }

 private:
  std::atomic<T*> made_{nullptr};
};

}  // namespace koine::base

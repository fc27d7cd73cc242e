// SPDX-License-Identifier: Apache-2.0
// Tells a forked child from its parent without a system call each time.
#pragma once

#include <atomic>
#include <cstdint>

namespace koine::base {

namespace detail {
inline constinit std::atomic<std::uint32_t> process_generation{0};
}

/// A number that differs between a process and its forked children. OpenCL drivers do not survive a fork, so whatever
/// owns driver state remembers this number and compares.
inline std::uint32_t process_generation() noexcept {
  return detail::process_generation.load(std::memory_order_relaxed);
}

/// Whether this is the thread that main() runs on.
bool on_main_thread() noexcept;

/// Starts counting forks; called before the first driver is touched.
void watch_forks();

/// Whether static objects are being destroyed, after which drivers must not be called: known once watch_forks() has
/// run. Those that are younger than that, and die before an exit() on another thread than main's tells, do not see it.
bool process_ending() noexcept;

/// Around calls that a driver must not be in while its static objects die: loading it, and compiling. The main thread's
/// exit() waits for those on other threads before it destroys anything, and later ones wait for the process to end.
/// Neither waits for more than some seconds.
class HoldExit {
 public:
  HoldExit() noexcept;
  ~HoldExit();
  HoldExit(const HoldExit&) = delete;
  HoldExit& operator=(const HoldExit&) = delete;
};

}  // namespace koine::base

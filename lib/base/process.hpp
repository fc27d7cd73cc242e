// SPDX-License-Identifier: Apache-2.0
// Tells a forked child from its parent without a system call each time.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/hold_forks.hpp"
#include "base/signals.hpp"

namespace koine::base {

namespace detail {
inline constinit std::atomic<std::uint32_t> process_generation{0};
inline constinit std::atomic<bool> drivers_gone{false}, compiler_gone{false};
}  // namespace detail

/// A number that differs between a process and its forked children. OpenCL drivers do not survive a fork, so whatever
/// owns driver state remembers this number and compares.
inline std::uint32_t process_generation() noexcept {
  return detail::process_generation.load(std::memory_order_relaxed);
}

/// Whether this is the thread that main() runs on.
bool on_main_thread() noexcept;

/// Called before the first driver is touched, and before a compiler in this process first runs: what is told by that at
/// the end of the process comes after the end of the objects that those make.
void watch_end();
void watch_compiler_end();

/// From now on a forked child that calls exit() ends without what its drivers do at the end of a process: after all
/// handlers of atexit() and all static objects, with its status, its streams flushed.
void skip_drivers_end_in_children() noexcept;

/// Whether static objects are being destroyed, for which no driver need be called any more: known once watch_end() has
/// run. Those that are younger than that, and die before an exit() on another thread than main's tells, do not see it.
bool process_ending() noexcept;

/// Whether all is destroyed that is younger than watch_end(), the drivers' objects among it: no driver may be called.
inline bool drivers_gone() noexcept { return detail::drivers_gone.load(std::memory_order_relaxed); }

/// The same of watch_compiler_end(): nothing may be compiled.
inline bool compiler_gone() noexcept { return detail::compiler_gone.load(std::memory_order_relaxed); }

/// For a thread that finds the drivers or the compiler gone: if another one ends the process, waits for that, though
/// not for more than some seconds.
void await_end() noexcept;

/// Around calls that a driver must not be in while its static objects die: loading it, compiling, and for some drivers
/// every one. The main thread's exit() waits for those on other threads before it destroys anything, and later ones
/// wait for the process to end. Neither waits for more than some seconds.
class HoldExit {
 public:
  explicit HoldExit(bool needed = true) noexcept : needed_(needed) {
    if (needed_) begin();
  }
  ~HoldExit() {
    if (needed_) end();
  }
  HoldExit(const HoldExit&) = delete;
  HoldExit& operator=(const HoldExit&) = delete;

  /// Whether the process is ending on another thread, and has not ended in the time that this one waited.
  bool late() const noexcept { return late_; }

 private:
  void begin() noexcept;
  static void end() noexcept;

  const bool needed_;
  bool late_ = false;
};

/// Around what loads a driver or its compiler: no signal's handler interrupts it, no process that it starts dies of a
/// signal to all of the process' group, no thread that it starts takes the program's signals; HandlersKept, HoldForks,
/// and HoldExit.
class Undisturbed {
 private:
  const HoldForks forks_;
  const SignalsBlocked blocked_;
  const HandlersKept handlers_;
  const HoldExit hold_;
};

/// For the thread that ends the process, in a handler of atexit(): does for an exit() on any thread what HoldExit says
/// of the main thread's.
void wait_for_holds() noexcept;

}  // namespace koine::base

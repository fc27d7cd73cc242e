// SPDX-License-Identifier: Apache-2.0
// Counts forks in the child, where a counter is all that may be touched safely, and holds up the process' end.
#include "base/process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

namespace koine::base {

namespace {

constinit std::atomic<int> holds{0};
constinit std::atomic<bool> ending{false}, statics_die{false};
constinit thread_local int own_holds = 0;
constinit std::atomic<int> loading{0};
constinit thread_local int own_loading = 0;
constinit thread_local bool ends_process = false;

/// Until done() or, lest anything hang, for some seconds.
template <class Done>
void wait_until(Done done, std::chrono::seconds most = std::chrono::seconds(5)) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + most;
  while (!done() && Clock::now() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// exit() destroys the thread-local objects of its thread before any static one: the one moment to wait at. A handler
/// of atexit() would come too late, after all that were registered later, the driver's among them.
struct WaitsAtExit {
  ~WaitsAtExit() {
    if (!on_main_thread()) return;
    wait_for_holds();
    statics_die.store(true);
  }
};
thread_local WaitsAtExit waits_at_exit;

// Registers the destructor with the thread that loads the library, which is the main one as a rule.
[[maybe_unused]] const void* const registered_here = &waits_at_exit;

// When the library is loaded: at the first use it would take a lock, which a fork at that moment would copy.
[[maybe_unused]] const int counts_forks =
    pthread_atfork([] { wait_until([] { return loading.load() <= own_loading; }, std::chrono::seconds(1)); }, nullptr,
                   [] {
                     detail::process_generation.fetch_add(1, std::memory_order_relaxed);
                     holds.store(own_holds);  // the other threads are not here
                     loading.store(own_loading);
                   });

constinit std::optional<int> exit_status;       // known of processes, and children of such, that ask for it
constinit std::uint32_t generation_to_end = 0;  // the process that its drivers' end is for, not for children

/// The loader calls this past everything else of the process, and before the drivers, which were loaded later.
[[gnu::destructor]] void end_child() {
  if (!exit_status || generation_to_end == process_generation()) return;
  std::fflush(nullptr);
  _exit(*exit_status);
}

}  // namespace

void skip_drivers_end_in_children() noexcept {
  [[maybe_unused]] static const int told = [] {
    generation_to_end = process_generation();
    return on_exit([](int status, void*) { exit_status = status; }, nullptr);
  }();
}

bool on_main_thread() noexcept { return getpid() == gettid(); }

void watch_end() {
  [[maybe_unused]] static const int told = std::atexit([] {
    ends_process = true;
    statics_die.store(true);  // for an exit() on another thread than main's
    detail::drivers_gone.store(true);
  });
}

void watch_compiler_end() {
  [[maybe_unused]] static const int told = std::atexit([] {
    ends_process = true;
    detail::compiler_gone.store(true);
  });
}

void await_end() noexcept {
  if (!ends_process) wait_until([] { return false; });
}

bool process_ending() noexcept { return statics_die.load(std::memory_order_relaxed); }

void wait_for_holds() noexcept {
  ends_process = true;
  ending.store(true);
  wait_until([] { return holds.load() <= own_holds; });
}

HoldForks::HoldForks() noexcept {
  loading.fetch_add(1);
  ++own_loading;
}

HoldForks::~HoldForks() {
  loading.fetch_sub(1);
  --own_loading;
}

void HoldExit::begin() noexcept {
  holds.fetch_add(1);
  if (own_holds++ > 0 || !ending.load() || ends_process) return;
  holds.fetch_sub(1);
  wait_until([] { return false; });
  holds.fetch_add(1);
  late_ = true;
}

void HoldExit::end() noexcept {
  holds.fetch_sub(1);
  --own_holds;
}

}  // namespace koine::base

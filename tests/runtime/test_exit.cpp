// SPDX-License-Identifier: Apache-2.0
// The end of a process that has work under way, and arrays that outlive main.
#include <doctest/doctest.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "runtime/launch.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/sanitizer.hpp"

namespace kn = koine;
using kn::runtime::BufferRef;
using kn::runtime::Context;
using kn::runtime::Launch;
using kn::test::check_child;
using kn::test::run_slowly;

namespace {

kn::test::Running last_event;

// Destroyed while the process ends.
kn::Array global;

std::atomic<int> rounds{0};
std::atomic<std::int64_t> global_sum{0};

/// Threads that never stop: element-wise kernels, reductions and transfers.
void start_threads() {
  for (int t = 0; t < 3; ++t) {
    std::thread([t] {
      thread_local kn::Array x;
      x = kn::arange(1000) + t;
      for (;;) {
        x = (x + 1).eval();
        if (kn::sum(x).item<std::int64_t>() < 0) break;
        global_sum = x(0).item<std::int64_t>();
        ++rounds;
      }
    }).detach();
  }
}

void wait_for_work() {
  while (rounds < 20) std::this_thread::yield();
}

int end_deep(const kn::Array& x, int depth) {
  const kn::Array y = x + depth;
  if (depth > 0) return end_deep(y, depth - 1) + static_cast<int>(y.size());
  if (y(0).item<int>() == 200 * 201 / 2) std::exit(0);
  return 1;
}

/// A context of the default device, as if its driver could not be called by other threads while the process ends.
Context& context_that_dies() {
  static Context& context = []() -> Context& {
    auto& entry = *new kn::cl::DeviceEntry(kn::default_device().record());
    entry.traits.quirks.calls_crash_at_exit = true;
    return *new Context(entry, ::cl::Context(entry.device));  // like all contexts, never destroyed
  }();
  return context;
}

std::atomic<int> calls{0};

/// Calls the driver without end.
void call_for_ever() {
  Context& context = context_that_dies();
  const BufferRef buffer = context.queue().allocate(4, "test");
  for (const int value = 5;; ++calls) context.queue().write(*buffer, 0, &value, sizeof value, "test");
}

/// A thread that its destructor joins, and what ended the thread.
struct Joined {
  std::thread thread;
  std::string reason;
  ~Joined() {
    thread.join();
    if (!reason.starts_with("[test] the process is ending") || calls == 0) _exit(7);
  }
};

/// A fault that needs a certain moment shows now and then: in one of many usual runs.
void repeat(const std::string& test_case) {
  for (int time = 0; time < (kn::test::all_variants() ? 3 : 1); ++time) check_child(test_case);
}

}  // namespace

TEST_CASE("child: ends while a kernel runs" * doctest::skip()) {
  // Registered before the device is used, so it runs after what the library registered since.
  std::atexit([] {
    const bool must_be_done = kn::test::facts_of().crashes_at_exit;
    if (must_be_done && !last_event.done()) _exit(3);
  });
  const kn::Array x = kn::asarray(std::vector<std::uint32_t>{0});
  (kn::arange(10) + 1).eval();
  run_slowly(x, 1);                                             // some drivers' first launch of a kernel is waited for
  const char* const rounds = std::getenv("KOINE_TEST_ROUNDS");  // fewer under memcheck
  last_event = run_slowly(x, rounds != nullptr ? static_cast<std::uint32_t>(std::atoi(rounds)) : 500'000'000);
  std::exit(last_event.done() ? 4 : 0);
}

TEST_CASE("child: arrays outlive main" * doctest::skip()) {
  static kn::Array pending, ready;
  ready = kn::arange(100).eval();
  pending = ready * 2 + 1;
  static kn::Array& last = pending;
  std::atexit([] {
    if (last(7).item<int>() != 15) _exit(4);
  });
  std::exit(0);
}

TEST_CASE("child: another thread ends the process" * doctest::skip()) {
  start_threads();
  std::thread([] {
    wait_for_work();
    std::exit(0);
  }).join();
}

TEST_CASE("child: arrays of all lifetimes" * doctest::skip()) {
  thread_local kn::Array of_thread = kn::arange(5);
  of_thread = (of_thread * 2).eval();
  global = of_thread + 1;
  std::thread([] {
    thread_local kn::Array ready = kn::arange(7).eval(), pending = ready * 3;
    pending += global(0);
  }).join();
  const kn::Array local = global * 5;
  local.eval();
  std::exit(0);
}

TEST_CASE("child: ends while kernels are built" * doctest::skip()) {
  std::atomic<int> building{0};
  for (int t = 0; t < 2; ++t) {
    std::thread([&building, t] {
      kn::Array x = kn::arange(100) + t;
      ++building;
      // A new kernel each time: the number of steps differs.
      for (int length = 1; length < 500; ++length) {
        kn::Array y = x;
        for (int i = 0; i < length; ++i) y = y * 3 + 1;
        y.eval();
      }
    }).detach();
  }
  while (building < 2) std::this_thread::yield();
  const char* const wait = std::getenv("KOINE_TEST_WAIT");
  std::this_thread::sleep_for(std::chrono::milliseconds(wait != nullptr ? std::atoi(wait) : 0));
  std::exit(0);
}

TEST_CASE("child: ends while a device is used for the first time" * doctest::skip()) {
  std::thread([] { kn::arange(10).eval(); }).detach();
  const char* const wait = std::getenv("KOINE_TEST_WAIT");
  std::this_thread::sleep_for(std::chrono::milliseconds(wait != nullptr ? std::atoi(wait) : 0));
  std::exit(0);
}

TEST_CASE("child: main returns while threads work" * doctest::skip()) {
  start_threads();
  wait_for_work();
  // And so returns doctest's main.
}

TEST_CASE("child: main returns while threads enqueue more than a device computes" * doctest::skip()) {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point start;
  // Registered before the device is used, so it runs after what the library registered since.
  std::atexit([] {
    if (Clock::now() - start > std::chrono::seconds(5)) _exit(8);
  });
  static const kn::Array& x = *new kn::Array(kn::arange(1e6f).eval());
  for (int t = 0; t < 4; ++t) {
    std::thread([] {
      for (;; ++rounds) kn::sin(x).eval();
    }).detach();
  }
  wait_for_work();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  start = Clock::now();
}

TEST_CASE("child: ends deep in a call" * doctest::skip()) {
  start_threads();
  end_deep(kn::arange(100), 200);
}

TEST_CASE("child: keeps threads out of a driver that dies" * doctest::skip()) {
  kn::devices();
  // Registered before the device is used, so it runs after what the library registered since; the driver is still
  // there.
  std::atexit([] {
    const int before = calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (calls != before) _exit(6);
    // The thread that ends the process is not kept out.
    context_that_dies().queue().allocate(4, "test");
    context_that_dies().finish("test");
  });
  (kn::arange(10) + 1).eval();
  std::thread(call_for_ever).detach();
  while (calls < 20) std::this_thread::yield();
  if (std::getenv("KOINE_TEST_OTHER_THREAD") != nullptr) std::thread([] { std::exit(0); }).join();
  std::exit(0);
}

TEST_CASE("child: joins a thread that computes while the process ends" * doctest::skip()) {
  static Joined joined;
  joined.thread = std::thread([] {
    try {
      call_for_ever();
    } catch (const kn::DeviceError& error) {
      joined.reason = error.what();
    }
  });
  while (calls < 20) std::this_thread::yield();
  std::exit(0);
}

TEST_CASE("child: ends at once after the first use" * doctest::skip()) {
  static const kn::Array pending = kn::arange(10) * 3;
  pending.eval();
  std::_Exit(pending(3).item<int>() == 9 ? 0 : 1);
}

TEST_CASE("child: quick_exit while threads work" * doctest::skip()) {
  start_threads();
  wait_for_work();
  std::at_quick_exit([] {
    if (global(0).item<int>() != 5) _exit(5);
  });
  global = kn::arange(3) + 5;
  std::quick_exit(0);
}

TEST_CASE("child: an exception that nobody catches while threads work" * doctest::skip()) {
  start_threads();
  wait_for_work();
  std::signal(SIGABRT, SIG_DFL);  // doctest's own handler would report it
  std::thread([] { kn::reshape(kn::arange(10), {3}); }).join();
}

TEST_CASE("a process may end while a kernel runs") { check_child("child: ends while a kernel runs"); }

TEST_CASE("arrays may outlive main, and be asked for as late") { check_child("child: arrays outlive main"); }

TEST_CASE("any thread may end the process while others compute") { repeat("child: another thread ends the process"); }

TEST_CASE("global, static, thread-local and local arrays may be there at exit") {
  repeat("child: arrays of all lifetimes");
}

TEST_CASE("a process may end while kernels are built") {
  if (kn::test::left_out_on("mesa", "LLVM's globals die while the driver still compiles (22.3)")) return;
  // At several moments of the build.
  for (const char* wait : kn::test::usual_and({"5", "100"}, {"0", "30"})) {
    CAPTURE(std::string(wait));
    check_child("child: ends while kernels are built",
                {{"KOINE_TEST_WAIT", wait}, {"KOINE_CACHE", "off"}, {"POCL_KERNEL_CACHE", "0"}});
  }
}

TEST_CASE("a process may end while a device is used for the first time") {
  for (const char* wait : kn::test::usual_and({"0", "3", "20"}, {"1", "10", "30", "40"})) {
    CAPTURE(std::string(wait));
    check_child("child: ends while a device is used for the first time", {{"KOINE_TEST_WAIT", wait}});
  }
}

TEST_CASE("main may return while detached threads compute") { repeat("child: main returns while threads work"); }

TEST_CASE("the end of a process does not wait for long for threads that go on enqueueing") {
  if (kn::test::sanitized || std::getenv("KOINE_TEST_ROUNDS") != nullptr) {
    MESSAGE("left out: work takes its time under a sanitizer and under memcheck");
    return;
  }
  check_child("child: main returns while threads enqueue more than a device computes");
}

TEST_CASE("exit may be called deep in a computation") { repeat("child: ends deep in a call"); }

TEST_CASE("where a driver dies with the process only the thread that ends it is let through") {
  check_child("child: keeps threads out of a driver that dies");
  if (!kn::test::facts_of().crashes_at_exit) return;  // no work is waited for at such an end
  check_child("child: keeps threads out of a driver that dies", {{"KOINE_TEST_OTHER_THREAD", "1"}});
}

TEST_CASE("a static object may join a thread that computes with a driver that dies") {
  check_child("child: joins a thread that computes while the process ends");
}

TEST_CASE("quick_exit may be called while others compute, and its handlers compute") {
  repeat("child: quick_exit while threads work");
}

TEST_CASE("an exception that nobody catches ends the process at once") {
  const kn::test::Ended ended = kn::test::run_child("child: an exception that nobody catches while threads work");
  CHECK(ended.status == 1000 + SIGABRT);
  CHECK(ended.err.find("[reshape]") != std::string::npos);
}

TEST_CASE("a process may end without a word right after its first result") {
  repeat("child: ends at once after the first use");
}

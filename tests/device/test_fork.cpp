// SPDX-License-Identifier: Apache-2.0
// Forks: the child of a process that had used a device gets a clear error and ends cleanly, its parent works on, and
// a child forked before the first use works like any process.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/inner.hpp"
#include "support/sanitizer.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::has;
using kn::test::message_of;

namespace {

// Outlive main, in the parent and in the forked child.
Array& global_ready = *new Array;
struct Globals {
  Array ready, pending;
} globals;

/// Forks; the child ends through exit() with what `f` returns, as if from main. The result is the child's status.
int forked(const std::function<int()>& f) {
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(600);  // memcheck takes its time
    int code = 100;
    try {
      code = f();
    } catch (...) {
    }
    std::exit(code);
  }
  return kn::test::wait_for(child);
}

/// In a child, where a CHECK might wait for a lock of the C library's that another thread of the parent's held.
void right(bool condition) {
  if (!condition) _exit(3);
}

bool is_clear(const std::string& text) {
  return text.starts_with("[") && has(text, "was used before this process was forked") &&
         has(text, kn::default_device().selector()) && has(text, "exec");
}

}  // namespace

TEST_CASE("child: forks after using a device" * doctest::skip()) {
  const Array ready = kn::asarray(std::vector<int>{1, 2, 3}), pending = ready * 2;
  globals.ready = (ready + 1).eval();
  globals.pending = globals.ready + ready;
  global_ready = ready;
  Array assigned = kn::arange(10);
  kn::random::Generator generator(1);
  const std::function<void()> uses[] = {
      [&] { ready.to_vector<int>(); },
      [&] { (ready - 1).eval(); },
      [&] { pending(0).item<int>(); },
      [&] { kn::sum(globals.pending).item<int>(); },
      [&] { assigned(2) = 5; },
      [&] { (kn::ones({3}) + 1).eval(); },
      [&] {
        kn::asarray(std::vector<int>{1, 2});
      },
      [&] { generator.normal({5}).eval(); },
      [&] { kn::matmul(ready, ready).item<int>(); },
      [&] { kn::synchronize(); },
  };
  for (int time = 0; time < 3; ++time) {
    const int status = forked([&] {
      for (const auto& use : uses) {
        const std::string text = message_of<kn::DeviceError>(use);
        if (is_clear(text)) continue;
        std::fprintf(stderr, "use %d in the child: %s\n", static_cast<int>(&use - uses), text.c_str());
        return static_cast<int>(1 + (&use - uses));
      }
      // What needs no device works, and arrays die safely.
      globals.ready = Array();
      return ready.shape() == kn::Shape{3} && kn::default_device().memory() > 0 ? 0 : 50;
    });
    CHECK(status == 0);
    CHECK(pending.to_vector<int>() == std::vector<int>{2, 4, 6});
    CHECK(globals.pending.to_vector<int>() == std::vector<int>{3, 5, 7});
    CHECK((ready * 10 + time)(2).item<int>() == 30 + time);
  }
  CHECK(assigned.to_vector<int>() == kn::arange(10).to_vector<int>());
  // A child that touches nothing ends cleanly too.
  CHECK(forked([] { return 0; }) == 0);
}

TEST_CASE("child: forks while other threads use the device" * doctest::skip()) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      Array x = kn::arange(1000);
      while (!stop) {
        x = (x + 1).eval();
        kn::memory_stats(kn::default_device());
      }
    });
  }
  const Array ready = kn::arange(3).eval();
  for (int time = 0; time < 10; ++time) {
    // The other threads' locks may be held forever in the child: none of them may be waited for.
    CHECK(forked([&] {
            const std::string read = message_of<kn::DeviceError>([&] { ready.to_vector<int>(); });
            const std::string eval = message_of<kn::DeviceError>([&] { (ready + 1).eval(); });
            const std::string stats = message_of<kn::DeviceError>([] { kn::memory_stats(kn::default_device()); });
            const std::string limit =
                message_of<kn::DeviceError>([] { kn::set_memory_limit(kn::default_device(), 1 << 20); });
            // Work that the library submits by itself.
            const std::string chain = message_of<kn::DeviceError>([&] {
              Array x = ready;
              for (int i = 0; i < 5000; ++i) x = x + ready;
            });
            return is_clear(read) && is_clear(eval) && is_clear(stats) && is_clear(limit) && is_clear(chain) ? 0 : 1;
          }) == 0);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK((ready + 1)(2).item<int>() == 3);
}

TEST_CASE("child: works like any program" * doctest::skip()) { CHECK(kn::sum(kn::arange(10) * 2).item<int>() == 90); }

TEST_CASE("child: forks to run programs while other threads use the device" * doctest::skip()) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      // Waits for each: what is enqueued faster than a driver works would make everybody wait ever longer.
      for (Array x = kn::arange(1000); !stop;) {
        x = (x + 1).eval();
        x(0).item<std::int64_t>();
      }
    });
  }
  const Array ready = kn::arange(3).eval();
  const std::string program = kn::test::own_program();
  for (int time = 0; time < 5; ++time) {
    CHECK(forked([&] {
            execl(program.c_str(), "test", "--no-skip", "--test-case=child: works like any program", "--out=/dev/null",
                  nullptr);
            return 99;
          }) == 0);
    CHECK(forked([] {
            _exit(7);
            return 98;
          }) == 7);
    CHECK(forked([] { return 6; }) == 6);
    CHECK((ready + time)(2).item<int>() == 2 + time);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("child: forks before using a device" * doctest::skip()) {
  const auto work = [] { return (kn::arange(10) * 2)(7).item<int>() == 14 ? 0 : 1; };
  CHECK(forked(work) == 0);
  CHECK(forked(work) == 0);
  CHECK(work() == 0);
}

TEST_CASE("child: forks and leaves out the end of its drivers" * doctest::skip()) {
  kn::test::skip_drivers_end_in_children();
  static Array pending = kn::arange(10) * 2;
  CHECK(pending(7).item<int>() == 14);
  const kn::test::Scratch text;
  const int status = forked([&] {
    std::FILE* const file = fdopen(text.descriptor(), "w");
    std::fputs("written", file);  // and flushed at the end
    return 6;
  });
  CHECK(status == 6);
  CHECK(text.text() == "written");
}

TEST_CASE("child: forks after looking at the devices" * doctest::skip()) {
  CHECK_FALSE(kn::devices().empty());
  const int status = forked([] {
    const std::string text = message_of<kn::DeviceError>([] { kn::arange(10).eval(); });
    const bool clear = text.starts_with("[device] ") && has(text, "forked") && has(text, "exec");
    if (!clear) std::fprintf(stderr, "%s\n", text.c_str());
    return clear ? 0 : 1;
  });
  CHECK(status == 0);
  CHECK(kn::arange(10)(7).item<int>() == 7);
}

TEST_CASE("child: forks while another thread uses a device for the first time" * doctest::skip()) {
  std::thread first([] { (kn::arange(10) * 2 + 1).eval(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(std::getenv("KOINE_TEST_WAIT"))));
  const std::function<void()> uses[] = {
      [] { kn::default_device(); },
      [] { kn::devices(); },
      [] { kn::devices("cpu"); },
      [] { right(Array().size() == 0); },
      [] { kn::memory_stats(kn::default_device()); },
      [] { const kn::Queue queue; },
      [] { right((kn::arange(10) * 2)(7).item<int>() == 14); },
      [] { kn::random::Generator(1).normal({5}).eval(); },
      [] { kn::matmul(kn::ones({3}), kn::ones({3})).eval(); },
  };
  const int status = forked([&] {
    alarm(60);
    // Where the other thread had not begun, the child works; where it had made a list of the devices, the child has it.
    for (const auto& use : uses) {
      try {
        use();
      } catch (const kn::DeviceError& error) {
        if (!has(error.what(), "forked") || !has(error.what(), "exec")) return 2;
      }
    }
    return 0;
  });
  CHECK(status == 0);
  first.join();
  CHECK((kn::arange(10) * 2)(7).item<int>() == 14);
}

TEST_CASE("the forked child of a process that used a device gets an error, and the parent works on") {
  kn::test::check_child("child: forks after using a device");
}

TEST_CASE("a fork does not meet the locks of other threads") {
  if (kn::test::sanitized) {
    MESSAGE("left out: the sanitizer's own locks do not survive a fork beside other threads");
    return;
  }
  kn::test::check_child("child: forks while other threads use the device");
}

TEST_CASE("a fork does not meet the locks of a first use on another thread") {
  if (kn::test::sanitized) {
    MESSAGE("left out: the sanitizer's own locks do not survive a fork beside other threads");
    return;
  }
  for (const char* wait : {"0", "1", "3", "10", "20", "30", "40", "60", "80", "100", "150"}) {
    CAPTURE(std::string(wait));
    kn::test::check_child("child: forks while another thread uses a device for the first time",
                          {{"KOINE_TEST_WAIT", wait}, {"KOINE_CACHE", "off"}});
  }
}

TEST_CASE("a process whose threads compute may fork to run a program") {
  if (kn::test::sanitized) {
    MESSAGE("left out: the sanitizer's own locks do not survive a fork beside other threads");
    return;
  }
  kn::test::check_child("child: forks to run programs while other threads use the device");
}

TEST_CASE("a child forked before the first use works") { kn::test::check_child("child: forks before using a device"); }

TEST_CASE("a child that leaves out the end of its drivers ends as it says") {
  kn::test::check_child("child: forks and leaves out the end of its drivers");
}

TEST_CASE("the child of a process that only looked at its devices gets an error too") {
  kn::test::check_child("child: forks after looking at the devices");
}

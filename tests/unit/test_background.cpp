// SPDX-License-Identifier: Apache-2.0
// The background thread: order, failures, a fork, and the end of the process with tasks left.
#include "base/background.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/child.hpp"
#include "support/sanitizer.hpp"

using koine::base::Background;
using koine::test::run_child;
using koine::test::wait_for;
using namespace std::chrono_literals;

namespace {

int count = 0;

}  // namespace

TEST_CASE("tasks run one after the other, in order, whatever one of them throws") {
  Background& thread = *new Background;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    CHECK(thread.submit([&order, i] {
      order.push_back(i);
      if (i % 10 == 3) throw std::runtime_error("a task's own business");
    }));
  }
  thread.wait_idle();
  REQUIRE(order.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("a task may submit another, and two objects have threads of their own") {
  Background &one = *new Background, &two = *new Background;
  bool second = false;
  one.submit([&] {
    two.wait_idle();  // would never return on one thread for both
    one.submit([&] { second = true; });
  });
  one.wait_idle();
  CHECK(second);
}

TEST_CASE("signals are left to the program's own threads") {
  Background& thread = *new Background;
  sigset_t mask;
  sigemptyset(&mask);
  thread.submit([&] { pthread_sigmask(SIG_BLOCK, nullptr, &mask); });
  thread.wait_idle();
  CHECK(sigismember(&mask, SIGINT) == 1);
  CHECK(sigismember(&mask, SIGALRM) == 1);
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  CHECK(sigismember(&mask, SIGALRM) == 0);
}

TEST_CASE("child: ends with tasks left" * doctest::skip()) {
  static Background& thread = *new Background;
  std::atexit([] { _exit(thread.submit([] {}) ? 50 : count); });  // registered first: runs last
  for (int i = 0; i < 5; ++i) {
    thread.submit([] {
      if (!thread.pause(10s)) ++count;
    });
  }
  std::exit(60);
}

TEST_CASE("child: ends in a task" * doctest::skip()) {
  static Background& thread = *new Background;
  std::atexit([] { _exit(7); });
  thread.submit([] { std::exit(8); });
  thread.wait_idle();
}

TEST_CASE("tasks that are left run before the process ends, without their pauses; later ones are refused") {
  const auto start = std::chrono::steady_clock::now();
  CHECK(run_child("child: ends with tasks left").status == 5);
  CHECK(std::chrono::steady_clock::now() - start < 9s);
}

TEST_CASE("a task may end the process") { CHECK(run_child("child: ends in a task").status == 7); }

TEST_CASE("a pause lasts as long as was asked for") {
  Background& thread = *new Background;
  const auto start = std::chrono::steady_clock::now();
  bool whole = false;
  thread.submit([&] { whole = thread.pause(30ms); });
  thread.wait_idle();
  CHECK(whole);
  CHECK(std::chrono::steady_clock::now() - start >= 30ms);
}

TEST_CASE("a forked child takes no tasks, and ends without waiting for its parent's") {
  if (koine::test::sanitized) {
    MESSAGE("left out: the sanitizer's own locks do not survive a fork beside other threads");
    return;
  }
  Background& thread = *new Background;
  std::atomic<bool> release{false};
  thread.submit([&] {
    while (!release && thread.pause(1ms)) {
    }
  });
  std::fflush(nullptr);  // the child's exit would write it again
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(20);
    const bool taken = thread.submit([] {});
    thread.wait_idle();
    std::exit(taken ? 1 : 0);
  }
  CHECK(wait_for(child) == 0);
  thread.submit([] { count = 77; });
  release = true;
  thread.wait_idle();
  CHECK(count == 77);
}

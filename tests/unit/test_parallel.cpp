// SPDX-License-Identifier: Apache-2.0
// Threads that share work: each part is done once, exceptions, several callers at once, forks, and the end of the
// process with work under way.
#include "base/parallel.hpp"
#include "host/parts.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/sanitizer.hpp"

using koine::base::in_parallel;
using koine::base::share_work;
using koine::test::wait_for;
using namespace std::chrono_literals;

namespace {

/// How often each of so many parts is done by threads that take them one after the other.
std::vector<int> shared_parts(int threads, int parts) {
  std::vector<int> done(static_cast<std::size_t>(parts));
  std::atomic<int> next{0};
  share_work(threads, [&] {
    for (int part; (part = next++) < parts;) ++done[static_cast<std::size_t>(part)];
  });
  return done;
}

bool all_once(const std::vector<int>& done) {
  return std::all_of(done.begin(), done.end(), [](int times) { return times == 1; });
}

/// Whether so many threads come to be in the work at the same time, within ten seconds.
bool meet(int threads) {
  std::atomic<int> here{0};
  std::atomic<bool> met{false};
  share_work(threads, [&] {
    ++here;
    for (const auto end = std::chrono::steady_clock::now() + 10s; !met && std::chrono::steady_clock::now() < end;) {
      if (here == threads) met = true;
      std::this_thread::yield();
    }
  });
  return met;
}

/// Forks, and has the child end with whether f() holds: not by a CHECK, which might wait for a lock that another thread
/// of the parent's held.
bool holds_in_child(const std::function<bool()>& f) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(60);
    _exit(f() ? 0 : 1);
  }
  return wait_for(child) == 0;
}

}  // namespace

TEST_CASE("each part of a step is taken once, upwards by the thread that made them and downwards by others") {
  for (const int threads : {1, 2, 5}) {
    for (const int count : {0, 1, 2, 7, 4096}) {
      koine::host::Parts parts(static_cast<std::size_t>(count));
      const std::thread::id maker = std::this_thread::get_id();
      std::mutex mutex;
      std::vector<int> taken(static_cast<std::size_t>(count));
      std::vector<std::size_t> of_maker;
      bool downwards = true;
      in_parallel(threads, [&] {
        std::vector<std::size_t> mine;
        for (std::size_t part; parts.take(part);) mine.push_back(part);
        const std::lock_guard lock(mutex);
        for (const std::size_t part : mine) ++taken.at(part);
        if (std::this_thread::get_id() == maker) {
          of_maker = mine;
        } else {
          downwards = downwards && std::is_sorted(mine.rbegin(), mine.rend());
        }
      });
      CAPTURE(threads);
      CAPTURE(count);
      CHECK(all_once(taken));
      for (std::size_t i = 0; i < of_maker.size(); ++i) CHECK(of_maker[i] == i);
      CHECK(downwards);
    }
  }
}

TEST_CASE("each part is done once, and all are done when the caller goes on") {
  for (const int threads : {-1, 0, 1, 2, 3, 17}) {
    for (const int parts : {0, 1, 2, 1000}) {
      CAPTURE(threads);
      CAPTURE(parts);
      CHECK(all_once(shared_parts(threads, parts)));
    }
  }
}

TEST_CASE("threads work at the same time, also when they have waited for long") {
  CHECK(meet(4));
  std::this_thread::sleep_for(5ms);  // they sleep by now
  CHECK(meet(4));
  CHECK(meet(5));
}

TEST_CASE("what is shared may share something itself") {
  std::atomic<int> right{0}, next{0};
  share_work(3, [&] {
    while (next++ < 20) right += all_once(shared_parts(3, 50));
  });
  CHECK(right == 20);
}

TEST_CASE("of several exceptions one leaves, when all calls have ended, and the threads go on to work") {
  for (const auto& run : {share_work, in_parallel}) {
    for (int turn = 0; turn < 20; ++turn) {
      std::atomic<int> inside{0};
      std::string text;
      try {
        run(4, [&] {
          ++inside;
          std::this_thread::sleep_for(turn % 2 == 0 ? 0us : 200us);
          --inside;
          throw std::runtime_error("a part's own business");
        });
      } catch (const std::runtime_error& error) {
        text = error.what();
      }
      CHECK(text == "a part's own business");
      CHECK(inside == 0);
    }
    CHECK(meet(4));
  }
}

TEST_CASE("what throws in another thread than the caller's reaches the caller") {
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> thrown{false};
  CHECK_THROWS_AS(share_work(2,
                             [&] {
                               if (std::this_thread::get_id() != caller) {
                                 thrown = true;
                                 throw std::logic_error("here");
                               }
                               const auto end = std::chrono::steady_clock::now() + 10s;
                               while (!thrown && std::chrono::steady_clock::now() < end) std::this_thread::yield();
                             }),
                  std::logic_error);
}

TEST_CASE("many callers at once, each with more threads than there are cores") {
  std::atomic<int> right{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 16; ++caller) {
    callers.emplace_back([&] {
      for (int turn = 0; turn < 50; ++turn) right += all_once(shared_parts(4, turn));
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(right == 16 * 50);
}

TEST_CASE("the child of a fork has threads of its own") {
  if (koine::test::sanitized) {
    MESSAGE("left out: the sanitizer's own locks do not survive a fork beside other threads");
    return;
  }
  CHECK(meet(3));
  CHECK(holds_in_child([] { return meet(3) && all_once(shared_parts(3, 1000)); }));
  CHECK(meet(3));
}

TEST_CASE("forks while other threads share work") {
  if (koine::test::sanitized) {
    MESSAGE("left out: the sanitizer's own locks do not survive a fork beside other threads");
    return;
  }
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      while (!stop) wrong += !all_once(shared_parts(3, 20));
    });
  }
  for (int turn = 0; turn < 30; ++turn) CHECK(holds_in_child([] { return all_once(shared_parts(3, 20)); }));
  stop = true;
  for (std::thread& caller : callers) caller.join();
  CHECK(wrong == 0);
}

TEST_CASE("child: ends while threads share work" * doctest::skip()) {
  static std::atomic<int> inside{0};
  std::thread([] {
    share_work(3, [] {
      ++inside;
      while (true) std::this_thread::yield();
    });
  }).detach();
  while (inside < 3) std::this_thread::yield();
  std::exit(7);
}

TEST_CASE("a process ends while threads share work") {
  CHECK(koine::test::run_child("child: ends while threads share work").status == 7);
}

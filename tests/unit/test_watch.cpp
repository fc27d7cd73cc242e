// SPDX-License-Identifier: Apache-2.0
// Work whose caller looks at something else meanwhile, and may leave.
#include "base/watch.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "base/caller.hpp"
#include "base/named_call.hpp"

using koine::base::is_watching;
using koine::base::watching;
using namespace std::chrono_literals;

namespace {

struct Left {};

std::atomic<int> looks{0};

/// While it lives, this is called.
struct Check {
  explicit Check(void (*look)()) { koine::base::set_wait_check(look); }
  ~Check() { koine::base::set_wait_check(nullptr); }
};

}  // namespace

TEST_CASE("without anything to look at the work is done on the caller's thread") {
  CHECK(!is_watching());
  CHECK(watching([] { return std::this_thread::get_id(); }) == std::this_thread::get_id());
}

TEST_CASE("the caller looks while another thread works for it, by the caller's names") {
  const Check check([] { ++looks; });
  looks = 0;
  CHECK(is_watching());
  const koine::base::NamedCall call("sum");
  const std::string_view before = koine::base::exchange_caller("train.py:12");
  const std::string names = watching([own = std::this_thread::get_id()] {
    CHECK(std::this_thread::get_id() != own);
    CHECK(!is_watching());  // so nothing is handed on once more
    while (looks < 2) std::this_thread::sleep_for(1ms);
    return std::string(koine::base::named_call()) + " " + std::string(koine::base::caller());
  });
  koine::base::exchange_caller(before);
  CHECK(names == "sum train.py:12");
}

TEST_CASE("what the work throws reaches the caller") {
  const Check check([] {});
  CHECK_THROWS_WITH(watching([] { throw std::runtime_error("work"); }), "work");
  CHECK_THROWS_WITH(watching([]() -> int { throw std::runtime_error("work"); }), "work");
}

TEST_CASE("a caller that leaves does not end the work, which holds what it needs") {
  const Check check([] { throw Left(); });
  const auto goes_on = std::make_shared<std::atomic<bool>>(false);
  const auto seen = std::make_shared<std::atomic<int>>(0);
  auto held = std::make_shared<int>(7);
  CHECK_THROWS_AS(watching([goes_on, held, seen] {
                    while (!*goes_on) std::this_thread::sleep_for(1ms);
                    *seen = *held;
                    return *held;
                  }),
                  Left);
  const std::weak_ptr<int> watched = std::exchange(held, nullptr);
  CHECK(!watched.expired());
  *goes_on = true;
  for (int i = 0; i < 10'000 && !watched.expired(); ++i) std::this_thread::sleep_for(1ms);
  CHECK(watched.expired());
  CHECK(*seen == 7);
}

namespace {

std::atomic<int> begun{0}, ended{0};
int given = 0;

/// While it lives, long waits are counted, which `given` goes with from their beginning to their end.
struct Hooks {
  explicit Hooks(void* (*begin)()) {
    begun = ended = 0;
    koine::base::set_wait_hooks(begin, [](void* got) { ended += got == &given ? 1 : 100; });
  }
  ~Hooks() { koine::base::set_wait_hooks(nullptr, nullptr); }
};

void* count_begun() {
  ++begun;
  return &given;
}

}  // namespace

TEST_CASE("a long wait is told of when it begins and when it ends, on the caller's thread") {
  const Hooks hooks(count_begun);
  watching([] {
    CHECK(begun == 1);
    CHECK(ended == 0);
  });
  CHECK(ended == 1);
  CHECK_THROWS_WITH(watching([] { throw std::runtime_error("work"); }), "work");
  CHECK((begun == 2 && ended == 2));
  const Check leaves([] { throw Left(); });
  CHECK_THROWS_AS(watching([] { std::this_thread::sleep_for(100ms); }), Left);
  CHECK((begun == 3 && ended == 3));
  const Check stays([] {});
  watching([] { const koine::base::LongWait none; });  // by a thread that waits for nobody
  CHECK((begun == 4 && ended == 4));
}

TEST_CASE("who gives nothing at the beginning is not told of the end") {
  const Hooks hooks([]() -> void* {
    ++begun;
    return nullptr;
  });
  watching([] {});
  CHECK((begun == 1 && ended == 0));
}

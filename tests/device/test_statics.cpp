// SPDX-License-Identifier: Apache-2.0
// Destructors of static objects that compute, in every order of making: they get what is right while the driver is
// there, and a DeviceError once it has gone; never a crash.
#include <doctest/doctest.h>
#include <koine/async.hpp>
#include <koine/koine.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <thread>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/structures.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::has;
using kn::test::structured;

namespace {

Array ready, pending;  // destroyed after `global`

void check(const char* what, const std::function<bool()>& f) {
  std::string outcome;
  try {
    outcome = f() ? "right" : "wrong";
  } catch (const kn::DeviceError& error) {
    outcome = error.what();
  }
  std::fprintf(stderr, "%s: %s\n", what, outcome.c_str());
}

/// What any program might do at its end.
void use_everything() {
  check("computes", [] { return (kn::arange(10) * 2)(7).item<int>() == 14; });
  check("reads", [] { return ready.size() == 0 || ready(3).item<int>() == 4; });
  check("reads what is pending", [] { return pending.size() == 0 || pending(3).item<int>() == 8; });
  check("prints", [] {
    std::ostringstream text;
    text << ready << pending;
    return ready.size() == 0 || has(text.str(), "8");
  });
  // Nothing of this has been compiled before, neither with that length nor of that kind.
  check("compiles", [] {
    const Array x = kn::full({50}, std::int64_t{5});
    return structured(x, 1234)(0).item<std::int64_t>() == structured(std::int64_t{5}, 1234);
  });
  check("reduces", [] { return kn::sum(kn::arange(1000) * 3).item<int>() == 1'498'500; });
  check("sorts", [] { return kn::sort(kn::flip(kn::arange(20)))(3).item<int>() == 3; });
  check("draws", [] { return kn::random::Generator(1).normal({5}).size() == 5; });
  check("makes a queue", [] {
    const kn::Queue queue;
    const kn::QueueScope scope(queue);
    return kn::sum(kn::arange(5)).item<int>() == 10;
  });
  check("reads asynchronously", [] { return kn::arange(4).read_async<std::int64_t>().get()[3] == 3; });
  check("waits", [] {
    kn::synchronize();
    return true;
  });
}

struct AtEnd {
  bool on = false;
  ~AtEnd() {
    if (on) use_everything();
  }
};

AtEnd global;

void use_device() {
  ready = (kn::arange(10) + 1).eval();
  pending = ready * 2;
}

/// Exit on this thread or, if the test wants that, on another.
void end() {
  if (std::getenv("KOINE_TEST_OTHER_THREAD") != nullptr) std::thread([] { std::exit(0); }).join();
  std::exit(0);
}

}  // namespace

TEST_CASE("child: a global that is older than the first use" * doctest::skip()) {
  global.on = true;
  use_device();
  end();
}

TEST_CASE("child: a static of the time between the list of devices and the first use" * doctest::skip()) {
  kn::devices();
  static AtEnd between;
  between.on = true;
  use_device();
  end();
}

TEST_CASE("child: a static that is younger than the first use" * doctest::skip()) {
  use_device();
  static AtEnd younger;
  younger.on = true;
  end();
}

TEST_CASE("child: all of them" * doctest::skip()) {
  global.on = true;
  kn::devices();
  static AtEnd between;
  between.on = true;
  use_device();
  static AtEnd younger;
  younger.on = true;
  end();
}

TEST_CASE("child: a thread's object" * doctest::skip()) {
  thread_local AtEnd older;
  older.on = true;
  use_device();
  thread_local AtEnd younger;
  younger.on = true;
  std::thread([] {
    thread_local AtEnd other;
    other.on = true;
  }).join();
  end();
}

TEST_CASE("child: a global whose destructor is the first use" * doctest::skip()) {
  global.on = true;
  end();
}

namespace {

void check_statics(const std::string& test_case, bool all_right, int objects) {
  for (const char* other_thread : {"", "1"}) {
    for (const char* cache : {"off", "rw"}) {
      CAPTURE(test_case);
      CAPTURE(std::string(other_thread));
      CAPTURE(std::string(cache));
      const kn::test::Ended ended =
          kn::test::run_child(test_case, {{"KOINE_TEST_OTHER_THREAD", other_thread}, {"KOINE_CACHE", cache}});
      CAPTURE(ended.err);
      CHECK(ended.status == 0);
      std::istringstream lines(ended.err);
      int count = 0;
      for (std::string line; std::getline(lines, line); ++count) {
        const bool right = line.ends_with(": right");
        const bool error = has(line, ": [") && has(line, "] the process is ending, ");
        CHECK((right || error));
        if (all_right) CHECK(right);
      }
      CHECK(count == 11 * objects);
    }
  }
}

}  // namespace

TEST_CASE("a global's destructor that computes gets an error where the driver has gone before it") {
  check_statics("child: a global that is older than the first use", false, 1);
}

TEST_CASE("a static made before the first use computes what needs no compiler any more") {
  check_statics("child: a static of the time between the list of devices and the first use", false, 1);
}

TEST_CASE("a static made after the first use may compute when it dies") {
  check_statics("child: a static that is younger than the first use", true, 1);
}

TEST_CASE("statics of every age may compute one after the other") { check_statics("child: all of them", false, 3); }

TEST_CASE("a thread's objects may compute when they die") {
  // An exit() on another thread than main's destroys none of main's.
  const kn::test::Ended ended = kn::test::run_child("child: a thread's object");
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(ended.err.find("wrong") == std::string::npos);
  CHECK(ended.err.find("[") == std::string::npos);
}

TEST_CASE("a destructor of a static object may be the first that uses a device") {
  check_statics("child: a global whose destructor is the first use", true, 1);
}

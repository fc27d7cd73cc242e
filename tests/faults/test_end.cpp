// SPDX-License-Identifier: Apache-2.0
// Events that arrays and users still hold when the process ends, and in a forked child, where the driver must not be
// called any more, not even to release them.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "support/child.hpp"
#include "support/fail_layer.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::fail_layer;

namespace {

const std::vector<float> values(4096, 1.0f);

struct Holders {
  Array made, lent;
  kn::Event event;

  /// Each holds events: of another queue's work, where it has been used on two.
  void fill() {
    const kn::Queue one, two;
    {
      const kn::QueueScope scope(one);
      made = kn::arange(1000).eval();
      lent = kn::borrow(values);
      (lent + 1).eval();
    }
    {
      const kn::QueueScope scope(two);
      (made + 1).eval();
      (lent + 2).eval();
    }
    event = two.record();
    two.synchronize();
  }
};

/// Destroyed after the holders, which come later in this file.
struct Watch {
  std::uint64_t events = 0;

  ~Watch() {
    if (events != 0 && fail_layer().events() != events) _exit(3);
  }
} watch;

Holders global;

}  // namespace

TEST_CASE("child: events outlive main" * doctest::skip()) {
  global.fill();
  watch.events = fail_layer().events();
  REQUIRE(watch.events >= 3);
  std::exit(0);
}

TEST_CASE("child: events in a forked child" * doctest::skip()) {
  Holders holders;
  holders.fill();
  const std::uint64_t events = fail_layer().events();
  REQUIRE(events >= 3);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(60);
    holders = Holders();
    _exit(fail_layer().events() == events ? 0 : 3);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  holders = Holders();
  CHECK(fail_layer().events() < events);
}

TEST_CASE("static objects that die release no event") { kn::test::check_child("child: events outlive main"); }

TEST_CASE("a forked child releases no event") { kn::test::check_child("child: events in a forked child"); }

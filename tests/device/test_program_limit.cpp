// SPDX-License-Identifier: Apache-2.0
// KOINE_PROGRAM_LIMIT: however many kernels a program needs, no more than that many stay in memory, those that were
// used last.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/structures.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::activity_of;
using kn::test::check_child;
using kn::test::structured;

namespace {

/// Whether expression `number` over x, whose first element is 5, is right there.
bool right(const Array& x, unsigned number) {
  return structured(x, number)(0).item<std::int64_t>() == structured(std::int64_t{5}, number);
}

}  // namespace

TEST_CASE("child: eight programs" * doctest::skip()) {
  const kn::Device device = kn::default_device();
  const Array x = kn::full({50}, std::int64_t{5}).eval();
  const auto made = [&](unsigned number) {
    const std::uint64_t before = activity_of(device).built;
    CHECK(right(x, number));
    CHECK(activity_of(device).programs <= 8);
    return activity_of(device).built - before;
  };
  made(2);
  for (unsigned number = 3; number < 16; ++number) {
    CAPTURE(number);
    CHECK(made(number) == 1);
    CHECK(made(2) == 0);  // used all the time, so never the oldest
  }
  CHECK(activity_of(device).programs == 8);
  CHECK(made(15) == 0);
  CHECK(made(3) == 1);
  CHECK(made(3) == 0);
}

TEST_CASE("child: one program and four threads" * doctest::skip()) {
  const kn::Device device = kn::default_device();
  const Array x = kn::full({50}, std::int64_t{5}).eval();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 12; ++i) {
        if (!right(x, 2 + (i * 5 + t) % 6)) ++wrong;
        // Several programs for one evaluation.
        if (kn::sum(structured(x, 2 + (i + t) % 4)).item<std::int64_t>() !=
            50 * structured(std::int64_t{5}, 2 + (i + t) % 4))
          ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  // What threads wanted at the same time stayed for as long as they did; the next build finds it unused.
  right(x, 100);
  CHECK(activity_of(device).programs == 1);
}

TEST_CASE("child: a limit that is none" * doctest::skip()) {
  const std::string value = std::getenv("KOINE_PROGRAM_LIMIT");
  for (int time = 0; time < 2; ++time) {
    const std::string message = kn::test::message_of<kn::ValueError>([] { (kn::arange(3) + 1).eval(); });
    CAPTURE(message);
    CHECK(message.starts_with("[KOINE_PROGRAM_LIMIT] \"" + value + "\" is not a number of programs: "));
  }
}

TEST_CASE("the least recently used programs go, and come again when they are asked for") {
  check_child("child: eight programs", {{"KOINE_PROGRAM_LIMIT", "8"}, {"KOINE_CACHE", "off"}});
}

TEST_CASE("threads that push out each other's programs compute what is right, and end") {
  check_child("child: one program and four threads", {{"KOINE_PROGRAM_LIMIT", "1"}, {"KOINE_CACHE", "off"}});
  check_child("child: one program and four threads", {{"KOINE_PROGRAM_LIMIT", "1"}});
}

TEST_CASE("a malformed limit is a ValueError each time a device is used") {
  for (const char* value : {"0", "-1", "many", "10 MiB", "1e3", "99999999999999999999999"})
    check_child("child: a limit that is none", {{"KOINE_PROGRAM_LIMIT", value}});
}

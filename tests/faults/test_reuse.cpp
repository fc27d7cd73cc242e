// SPDX-License-Identifier: Apache-2.0
// How many buffers the driver holds for loops: counted between loader and driver, where nothing is hidden.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fail_layer.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::fail_layer;
using kn::test::LiveMemory;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

constexpr std::uint64_t bytes = 1 << 20;
constexpr std::int64_t count = bytes / 4;

struct Grown {
  std::uint64_t objects, bytes, created;
};

/// The most that was alive at once during f() beyond what was there before, and how many were made.
template <class F>
Grown grown(F f) {
  kn::synchronize();
  // The pool starts empty: what it held would serve the loop unseen.
  const kn::Device device = kn::default_device();
  const kn::MemoryStats stats = kn::memory_stats(device);
  kn::set_memory_limit(device, stats.in_use);
  kn::set_memory_limit(device, stats.limit);
  const LiveMemory before = fail_layer().memory();
  const std::uint64_t created = fail_layer().calls("clCreateBuffer");
  fail_layer().reset_peak();
  f();
  const LiveMemory after = fail_layer().memory();
  return {after.most_objects - before.objects, after.most_bytes - before.bytes,
          fail_layer().calls("clCreateBuffer") - created};
}

}  // namespace

TEST_CASE("a loop that evaluates each step works in place: two buffers at the most") {
  on_each_device([] {
    const Grown g = grown([] {
      Array x = numbered({count});
      for (int i = 0; i < 10'000; ++i) {
        x = x * 2 + 1;
        x.eval();
      }
      CHECK(x(5).item<std::int32_t>() == -1);  // all bits are set by then
    });
    CHECK(g.objects <= 2);
    CHECK(g.bytes <= 2 * bytes);
    CHECK(g.created <= 2);
  });
}

TEST_CASE("a loop that nobody evaluates holds no more after ten thousand steps than after two") {
  on_each_device([] {
    const auto run = [](int steps) {
      return grown([&] {
        Array x = numbered({count});
        for (int i = 0; i < steps; ++i) x = x * 2 + 1;
        x.eval();  // all of it: a single element would be computed alone, into a buffer of its own
        CHECK(x(0).item<std::int32_t>() == (steps < 32 ? (1 << steps) - 1 : -1));
      });
    };
    // One more where the library evaluates by itself: the step before the last is stored too.
    CHECK(run(2).objects <= 2);
    const Grown g = run(10'000);
    CHECK(g.objects <= 3);
    CHECK(g.bytes <= 3 * bytes);
    CHECK(g.created <= 3);
  });
}

TEST_CASE("assigning to parts of an array makes no buffers") {
  on_each_device([] {
    Array x = numbered({1024, 256});
    const Grown g = grown([&] {
      for (int i = 1; i < 1024; ++i) x(i) = x(i - 1) + 1;
    });
    // The sum of two rows goes through a temporary where source and target might overlap.
    CHECK(g.objects <= 2);
    CHECK(g.bytes <= 64 * 1024);
    CHECK(x(1023, 7).item<int>() == 7 + 1023);
  });
}

TEST_CASE("a buffer is released to the driver when the limit asks for it, and at no other time") {
  on_each_device([] {
    const Grown g = grown([] {
      const Array x = numbered({count});
      for (int i = 0; i < 100; ++i) (x + i).eval();
    });
    CHECK(g.created == 2);
    const LiveMemory held = fail_layer().memory();
    const kn::Device device = kn::default_device();
    const kn::MemoryStats stats = kn::memory_stats(device);
    REQUIRE(stats.held >= 2 * bytes);
    kn::set_memory_limit(device, stats.in_use);
    CHECK(fail_layer().memory().bytes == held.bytes - stats.held);
    kn::set_memory_limit(device, stats.limit);
  });
}

// SPDX-License-Identifier: Apache-2.0
// The end of a process that has work under way, and arrays that outlive main.
#include <doctest/doctest.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <cstdlib>
#include <string>

#include "runtime/launch.hpp"
#include "support/child.hpp"

namespace kn = koine;
using kn::runtime::BufferRef;
using kn::runtime::Context;
using kn::runtime::Launch;
using kn::test::status_of;

namespace {

constexpr const char* slow_source = R"(
kernel void koine(global uint* x) {
  uint y = x[0];
  for (uint i = 0; i < 500000000; ++i) y = y * 1664525 + (y >> 3);
  x[0] = y;
}
)";

kn::cl::Event last_event;

}  // namespace

TEST_CASE("child: ends while a kernel runs" * doctest::skip()) {
  // Registered before the device is used, so it runs after what the library registered since.
  std::atexit([] {
    const bool must_be_done = kn::default_device().record().traits.quirks.crashes_at_exit;
    if (must_be_done && !last_event.done()) _exit(3);
  });
  Context& context = Context::of(kn::default_device());
  const BufferRef x = context.queue().allocate(4, "test");
  const auto kernel = context.kernel("test:slow", [] { return kn::runtime::ProgramText{slow_source, ""}; });
  context.queue().fill_zero(*x, 0, 4);
  (kn::arange(10) + 1).eval();
  const std::size_t one = 1;
  Launch(context.queue(), kernel).out(*x).run(std::span(&one, 1), {}, &last_event);
  context.queue().flush();
  CHECK_FALSE(last_event.done());
  std::exit(0);
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

TEST_CASE("a process may end while a kernel runs") { CHECK(status_of("child: ends while a kernel runs") == 0); }

TEST_CASE("arrays may outlive main, and be asked for as late") { CHECK(status_of("child: arrays outlive main") == 0); }

// SPDX-License-Identifier: Apache-2.0
// Two faults made on purpose, for ci/run/implementations.sh to see that Oclgrind reports them. Left out everywhere
// else.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include "runtime/context.hpp"
#include "runtime/launch.hpp"

namespace kn = koine;

namespace {

/// Runs a kernel on one group of two work-items and a buffer of 64 integers.
void run(const char* name, const char* body) {
  kn::runtime::Context& context = kn::runtime::Context::of(kn::default_device());
  const auto out = context.queue().allocate(256, "test");
  const auto kernel = context.kernel(name, [&] {
    return kn::runtime::ProgramText{std::string("__kernel void koine(__global int* out) { ") + body + " }", ""};
  });
  kn::runtime::Launch(context.queue(), kernel).out(*out).run({2}, {2});
  context.finish();
}

}  // namespace

TEST_CASE("child: a race and an access out of bounds" * doctest::skip()) {
  run("test:race",
      "__local int shared[2]; shared[get_local_id(0)] = 1; out[get_local_id(0)] = shared[1 - get_local_id(0)];");
  run("test:bounds", "out[64 * get_local_id(0)] = 1;");
}

TEST_CASE("what is made wrong on purpose runs only where it is watched") {
  // A ctest entry has to run something.
  CHECK(kn::runtime::Context::of(kn::default_device()).queue().allocate(256, "test")->size() == 256);
}

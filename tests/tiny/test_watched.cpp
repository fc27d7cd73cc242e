// SPDX-License-Identifier: Apache-2.0
// Two faults made on purpose, for ci/run/implementations.sh to see that Oclgrind reports them. Left out everywhere
// else.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <string>
#include <vector>

#include "support/inner.hpp"

namespace kn = koine;

namespace {

/// Runs a kernel on one group of two work-items and a buffer of 64 integers.
void run(const std::string& body) {
  const kn::Array out = kn::asarray(std::vector<int>(64));
  kn::test::run_kernel({"__kernel void test(__global int* out) { " + body + " }"}, out, {}, {2}, {2});
  kn::synchronize();
}

}  // namespace

TEST_CASE("child: a race and an access out of bounds" * doctest::skip()) {
  run("__local int shared[2]; shared[get_local_id(0)] = 1; out[get_local_id(0)] = shared[1 - get_local_id(0)];");
  run("out[64 * get_local_id(0)] = 1;");
}

TEST_CASE("what is made wrong on purpose runs only where it is watched") {
  // A ctest entry has to run something.
  CHECK(kn::arange(3)(2).item<int>() == 2);
}

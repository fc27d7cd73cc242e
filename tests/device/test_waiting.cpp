// SPDX-License-Identifier: Apache-2.0
// Leaving a wait for a compiler: what was asked for can be had later.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <chrono>
#include <string>

#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::on_each_device;

namespace {

struct Left {};

/// While it lives, whoever waits for a compiler leaves.
struct Leaves {
  Leaves() {
    kn::set_wait_check([] { throw Left(); });
  }
  ~Leaves() { kn::set_wait_check(nullptr); }
};

/// A text that no compiler knows yet, and takes some tenths of a second to read: the tokens of a condition double from
/// macro to macro.
std::string slow_text() {
  std::string text = "#define TOKENS_0 +1\n";
  for (int i = 1; i <= 18; ++i) {
    const std::string before = "TOKENS_" + std::to_string(i - 1);
    text += "#define TOKENS_" + std::to_string(i) + " " + before + " " + before + "\n";
  }
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return text + "#if 0 TOKENS_18\n#endif\nconstant long not_cached = " + std::to_string(now) + ";\n";
}

}  // namespace

TEST_CASE("an evaluation that was left can be had later") {
  on_each_device([] {
    const kn::ElementwiseKernel twice("T x", "T z", "z = x + x", "twice", {.preamble = slow_text()});
    const Array x = kn::ones({100'000}).eval(), y = twice(x), sum = kn::sum(y);
    {
      const Leaves leaves;
      CHECK_THROWS_AS(y.eval(), Left);
      CHECK_THROWS_AS(sum.item<float>(), Left);
      CHECK(kn::reshape(x, {1000, 100}).eval().size() == 100'000);  // needs no compiler
    }
    CHECK(sum.item<float>() == 200'000);
    CHECK(y(5).item<float>() == 2);
  });
}

TEST_CASE("a program of the user's that was left can be had later") {
  on_each_device([] {
    const std::string source = slow_text() + "kernel void one(global float* y) { y[0] = 1; }";
    {
      const Leaves leaves;
      CHECK_THROWS_AS(kn::Program{source}, Left);
    }
    CHECK(kn::Program(source).kernel("one")({1}, kn::out({1}, kn::float32)).item<float>() == 1);
  });
}

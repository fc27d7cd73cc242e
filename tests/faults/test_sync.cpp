// SPDX-License-Identifier: Apache-2.0
// Errors that a driver reports after the launch: when something waits, or at the launch itself with KOINE_SYNC=1.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/fail_layer.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::fail_layer;
using kn::test::Failing;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;

namespace {

constexpr int out_of_resources = -5;

/// Builds the kernel and runs it once: a driver may wait at the first launch for reasons of its own.
Array ready_to_double() {
  const Array x = numbered({100}).eval();
  (x * 2).eval();
  kn::synchronize();
  return x;
}

}  // namespace

TEST_CASE("child: an error of a kernel shows at its launch" * doctest::skip()) {
  const Array x = ready_to_double(), y = x * 2, z = kn::sum(x);
  {
    const Failing failing(kn::test::waiting_call(), out_of_resources, 1);
    const std::string text = message_of<kn::LaunchError>([&] { y.eval(); });
    CAPTURE(text);
    CHECK(text.starts_with("["));
    CHECK(has(text, "kernel \"mul_i32\""));
    CHECK(has(text, kn::default_device().selector() + " (" + kn::default_device().name() + ")"));
    CHECK(has(text, "CL_OUT_OF_RESOURCES"));
    CHECK(failing.failed() == 1);
  }
  {
    const Failing failing(kn::test::waiting_call(), out_of_resources, 1);
    CHECK_THROWS_AS(z.eval(), kn::LaunchError);
  }
  CHECK(y(7).item<int>() == 14);
  CHECK(z.item<int>() == 4950);
}

TEST_CASE("child: an assignment whose kernel fails after it ran" * doctest::skip()) {
  Array x = numbered({100});
  x.eval();
  const std::vector<std::int32_t> before = x.to_vector<std::int32_t>();
  for (int time = 0; time < 2; ++time) {  // the first builds the kernels
    for (std::uint64_t well = 0; well < 2; ++well) {
      const Failing failing(kn::test::waiting_call(), out_of_resources, 1, well);
      CHECK_THROWS_AS((x(kn::slice(11, 21)) = x(kn::slice(10, 20))), kn::LaunchError);  // a copy, and the store
      CHECK(failing.failed() == 1);
      CHECK(kn::test::difference(x.to_vector<std::int32_t>(), before) == "");
    }
  }
}

TEST_CASE("KOINE_SYNC=1: an assignment that fails leaves its target as it was") {
  kn::test::check_child("child: an assignment whose kernel fails after it ran", {{"KOINE_SYNC", "1"}});
}

TEST_CASE("KOINE_SYNC=1 places an error at the launch of its kernel") {
  kn::test::check_child("child: an error of a kernel shows at its launch", {{"KOINE_SYNC", "1"}});
}

TEST_CASE("without KOINE_SYNC an error shows where something waits") {
  const Array x = ready_to_double();
  {
    const Failing failing(kn::test::waiting_call(), out_of_resources, 1);
    CHECK_NOTHROW((x * 2).eval());
    CHECK(failing.failed() == 0);
    const std::string text = message_of<kn::LaunchError>([] { kn::synchronize(); });
    CAPTURE(text);
    CHECK(text.starts_with("[synchronize] could not "));
    CHECK(has(text, kn::default_device().selector()));
    CHECK(has(text, "CL_OUT_OF_RESOURCES"));
  }
  CHECK_NOTHROW(kn::synchronize());
  CHECK((x * 2)(7).item<int>() == 14);
}

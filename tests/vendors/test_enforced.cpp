// SPDX-License-Identifier: Apache-2.0
// The layer itself: what is beyond a played device's limits fails as a driver fails it, so that the other tests here
// can.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/vendor_layer.hpp"

namespace kn = koine;
using kn::test::build_kernel;
using kn::test::check_played;
using kn::test::has;
using kn::test::KernelText;
using kn::test::leave_out;
using kn::test::message_of;
using kn::test::Refused;
using kn::test::run_kernel;
using kn::test::vendor_layer;

namespace {

kn::Array memory() { return kn::asarray(std::vector<int>(1024)); }

/// Launches a kernel that takes one buffer.
void run(const KernelText& kernel, const std::vector<std::size_t>& global, const std::vector<std::size_t>& local) {
  run_kernel(kernel, memory(), {}, global, local);
  kn::synchronize();
}

constexpr const char* simple = "kernel void test(global int* x) { x[get_global_id(0)] = 1; }";

}  // namespace

TEST_CASE("child: groups" * doctest::skip()) {
  const KernelText kernel{simple};
  CHECK_NOTHROW(run(kernel, {1024}, {256}));
  const std::string text = message_of<kn::LaunchError>([&] { run(kernel, {1024}, {512}); });
  CAPTURE(text);
  CHECK(has(text, "CL_INVALID_WORK_GROUP_SIZE"));
  CHECK(has(text, "at most 256 work-items in a group"));
  CHECK(has(message_of<kn::LaunchError>([&] { run(kernel, {1000}, {256}); }), "CL_INVALID_WORK_GROUP_SIZE"));
  CHECK(vendor_layer().refused().launches == 2);

  const std::string required =
      "kernel __attribute__((reqd_work_group_size(512, 1, 1))) void test(global int* x) { x[get_global_id(0)] = 1; }";
  CHECK(has(message_of<kn::KernelBuildError>([&] { build_kernel({required}); }),
            "reqd_work_group_size is 512, at most 256 are possible"));
  CHECK(vendor_layer().refused().builds > 0);  // PoCL's builds are tried again
}

TEST_CASE("a group beyond the limit fails, be it asked for at the launch or in the kernel") {
  check_played("amd", "child: groups");
  check_played("small_groups", "child: groups");
}

TEST_CASE("child: one dimension of a group" * doctest::skip()) {
  const KernelText kernel{simple};
  CHECK_NOTHROW(run(kernel, {1, 1, 64}, {1, 1, 64}));
  CHECK(has(message_of<kn::LaunchError>([&] { run(kernel, {1, 1, 128}, {1, 1, 128}); }), "CL_INVALID_WORK_ITEM_SIZE"));
}

TEST_CASE("a group too long in one dimension fails") { check_played("nvidia", "child: one dimension of a group"); }

TEST_CASE("child: local memory" * doctest::skip()) {
  const std::string limit = std::getenv("KOINE_TEST_EXPECT");
  const auto source = [](const std::string& bytes) {
    return "kernel void test(global int* x) { local char y[" + bytes +
           "]; y[get_local_id(0)] = (char)x[1]; barrier(CLK_LOCAL_MEM_FENCE); x[0] = y[0]; }";
  };
  const KernelText largest{source(limit)};
  CHECK_NOTHROW(run(largest, {1}, {1}));
  if (kn::test::local_memory_of(largest) == 0)
    return leave_out("this PoCL does not say how much local memory a kernel declares");
  CHECK(has(message_of<kn::KernelBuildError>([&] { build_kernel({source(limit + " + 128")}); }),
            "local memory in bytes is"));
  CHECK(vendor_layer().refused().builds == 1);
}

TEST_CASE("local memory beyond the limit fails") {
  check_played("amd", "child: local memory", {{"KOINE_TEST_EXPECT", "65536"}});
  check_played("nvidia", "child: local memory", {{"KOINE_TEST_EXPECT", "49152"}});
}

TEST_CASE("child: double" * doctest::skip()) {
  const std::string text = message_of<kn::KernelBuildError>(
      [] { build_kernel({"kernel void test(global int* x) { double y = x[0]; x[1] = (int)(y * y); }"}); });
  CAPTURE(text);
  CHECK(has(text, "poisoned"));
  CHECK_NOTHROW(build_kernel({"\n#ifdef cl_khr_fp64\n#error there is none\n#endif\n" + std::string(simple)}));
  // Without double, a constant is a float: 16777217 is not one.
  const kn::Array x = memory();
  run_kernel({"kernel void test(global int* x) { x[0] = 16777217.0 == 16777216.0; }"}, x, {}, {1}, {1});
  CHECK(x(0).item<int>() == 1);
}

TEST_CASE("double fails to build on a device without it") {
  check_played("no_fp64", "child: double");
  check_played("amd,no_fp64", "child: double");
}

TEST_CASE("child: exact division" * doctest::skip()) {
  CHECK_FALSE(kn::test::facts_of().exact_divide);
  CHECK(kn::sum(kn::ones({64}) / 4).item<float>() == 16.0f);
  const std::string text = message_of<kn::KernelBuildError>([] {
    build_kernel({"kernel void test(global int* x) { x[0] = 6; }", "-cl-fp32-correctly-rounded-divide-sqrt"});
  });
  CHECK(has(text, "CL_INVALID_BUILD_OPTIONS"));
}

TEST_CASE("exact division is not asked of a device that has none") { check_played("inexact", "child: exact division"); }

TEST_CASE("child: parameters" * doctest::skip()) {
  // A pointer and 140 longs, 1128 bytes.
  std::string parameters, total;
  for (int i = 0; i < 140; ++i) {
    parameters += ", long a" + std::to_string(i);
    total += " + a" + std::to_string(i);
  }
  const KernelText kernel{"kernel void test(global int* x" + parameters + ") { x[0] = 0" + total + "; }"};
  std::vector<kn::test::Argument> arguments;
  for (std::int64_t i = 0; i < 140; ++i) arguments.emplace_back(i);
  const auto go = [&] { run_kernel(kernel, memory(), arguments, {1}, {1}); };
  if (std::string(std::getenv("KOINE_TEST_EXPECT")) == "fits") {
    CHECK_NOTHROW(go());
  } else {
    CHECK(has(message_of<kn::LaunchError>(go), "CL_OUT_OF_RESOURCES"));
  }
}

TEST_CASE("more bytes of parameters than there may be fail") {
  check_played("nvidia", "child: parameters", {{"KOINE_TEST_EXPECT", "fits"}});
  check_played("amd", "child: parameters", {{"KOINE_TEST_EXPECT", "does not"}});
}

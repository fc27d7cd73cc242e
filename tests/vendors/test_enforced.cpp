// SPDX-License-Identifier: Apache-2.0
// The layer itself: what is beyond a played device's limits fails as a driver fails it, so that the other tests here
// can.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/launch.hpp"
#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/vendor_layer.hpp"

namespace kn = koine;
using kn::runtime::Context;
using kn::runtime::KernelRef;
using kn::runtime::Launch;
using kn::runtime::ProgramText;
using kn::test::check_played;
using kn::test::has;
using kn::test::leave_out;
using kn::test::message_of;
using kn::test::Refused;
using kn::test::vendor_layer;

namespace {

Context& context() { return Context::of(kn::default_device()); }

KernelRef kernel_of(const std::string& source, const std::string& options = "") {
  return context().kernel(
      "test:" + source + options,
      [&] {
        return ProgramText{source, options};
      },
      "koine");
}

/// Launches a kernel that takes one buffer.
template <class... Arguments>
void run(const KernelRef& kernel, std::vector<std::size_t> global, std::vector<std::size_t> local,
         const Arguments&... arguments) {
  const auto buffer = context().queue().allocate(4096, "test");
  Launch launch(context().queue(), kernel);
  launch.out(*buffer);
  (launch.value(arguments), ...);
  launch.run(global, local);
  context().finish();
}

constexpr const char* simple = "kernel void koine(global int* x) { x[get_global_id(0)] = 1; }";

}  // namespace

TEST_CASE("child: groups" * doctest::skip()) {
  const KernelRef kernel = kernel_of(simple);
  CHECK_NOTHROW(run(kernel, {1024}, {256}));
  const std::string text = message_of<kn::LaunchError>([&] { run(kernel, {1024}, {512}); });
  CAPTURE(text);
  CHECK(has(text, "CL_INVALID_WORK_GROUP_SIZE"));
  CHECK(has(text, "at most 256 work-items in a group"));
  CHECK(has(message_of<kn::LaunchError>([&] { run(kernel, {1000}, {256}); }), "CL_INVALID_WORK_GROUP_SIZE"));
  CHECK(vendor_layer().refused().launches == 2);

  const std::string required =
      "kernel __attribute__((reqd_work_group_size(512, 1, 1))) void koine(global int* x) { x[get_global_id(0)] = 1; }";
  CHECK(has(message_of<kn::KernelBuildError>([&] { kernel_of(required); }),
            "reqd_work_group_size is 512, at most 256 are possible"));
  CHECK(vendor_layer().refused().builds > 0);  // PoCL's builds are tried again
}

TEST_CASE("a group beyond the limit fails, be it asked for at the launch or in the kernel") {
  check_played("amd", "child: groups");
  check_played("small_groups", "child: groups");
}

TEST_CASE("child: one dimension of a group" * doctest::skip()) {
  const KernelRef kernel = kernel_of(simple);
  CHECK_NOTHROW(run(kernel, {1, 1, 64}, {1, 1, 64}));
  CHECK(has(message_of<kn::LaunchError>([&] { run(kernel, {1, 1, 128}, {1, 1, 128}); }), "CL_INVALID_WORK_ITEM_SIZE"));
}

TEST_CASE("a group too long in one dimension fails") { check_played("nvidia", "child: one dimension of a group"); }

TEST_CASE("child: local memory" * doctest::skip()) {
  const std::string limit = std::getenv("KOINE_TEST_EXPECT");
  const auto source = [](const std::string& bytes) {
    return "kernel void koine(global int* x) { local char y[" + bytes +
           "]; y[get_local_id(0)] = (char)x[1]; barrier(CLK_LOCAL_MEM_FENCE); x[0] = y[0]; }";
  };
  const KernelRef largest = kernel_of(source(limit));
  CHECK_NOTHROW(run(largest, {1}, {1}));
  const cl_kernel handle = largest->take();
  cl_ulong declared = 0;
  clGetKernelWorkGroupInfo(handle, context().entry().device(), CL_KERNEL_LOCAL_MEM_SIZE, sizeof declared, &declared,
                           nullptr);
  largest->give_back(handle);
  if (declared == 0) return leave_out("this PoCL does not say how much local memory a kernel declares");
  CHECK(
      has(message_of<kn::KernelBuildError>([&] { kernel_of(source(limit + " + 128")); }), "local memory in bytes is"));
  CHECK(vendor_layer().refused().builds == 1);
}

TEST_CASE("local memory beyond the limit fails") {
  check_played("amd", "child: local memory", {{"KOINE_TEST_EXPECT", "65536"}});
  check_played("nvidia", "child: local memory", {{"KOINE_TEST_EXPECT", "49152"}});
}

TEST_CASE("child: double" * doctest::skip()) {
  const std::string text = message_of<kn::KernelBuildError>(
      [] { kernel_of("kernel void koine(global int* x) { double y = x[0]; x[1] = (int)(y * y); }"); });
  CAPTURE(text);
  CHECK(has(text, "poisoned"));
  CHECK_NOTHROW(kernel_of("\n#ifdef cl_khr_fp64\n#error there is none\n#endif\n" + std::string(simple)));
  // Without double, a constant is a float: 16777217 is not one.
  const auto buffer = context().queue().allocate(64, "test");
  Launch launch(context().queue(), kernel_of("kernel void koine(global int* x) { x[0] = 16777217.0 == 16777216.0; }"));
  launch.out(*buffer);
  launch.run(std::vector<std::size_t>{1}, std::vector<std::size_t>{1});
  int value = 0;
  context().queue().read(*buffer, 0, &value, sizeof value);
  CHECK(value == 1);
}

TEST_CASE("double fails to build on a device without it") {
  check_played("no_fp64", "child: double");
  check_played("amd,no_fp64", "child: double");
}

TEST_CASE("child: exact division" * doctest::skip()) {
  CHECK_FALSE(context().traits().exact_divide);
  CHECK(kn::sum(kn::ones({64}) / 4).item<float>() == 16.0f);
  const std::string text = message_of<kn::KernelBuildError>(
      [] { kernel_of("kernel void koine(global int* x) { x[0] = 6; }", "-cl-fp32-correctly-rounded-divide-sqrt"); });
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
  const KernelRef kernel = kernel_of("kernel void koine(global int* x" + parameters + ") { x[0] = 0" + total + "; }");
  const auto buffer = context().queue().allocate(64, "test");
  Launch launch(context().queue(), kernel);
  launch.out(*buffer);
  for (std::int64_t i = 0; i < 140; ++i) launch.value(i);
  const auto go = [&] { launch.run(std::vector<std::size_t>{1}, std::vector<std::size_t>{1}); };
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

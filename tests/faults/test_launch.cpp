// SPDX-License-Identifier: Apache-2.0
// Launches and builds that the driver refuses: once, unnoticed or repeatable, and always, with a sentence.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/builds.hpp"
#include "support/devices.hpp"
#include "support/fail_layer.hpp"
#include "support/inner.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::always;
using kn::test::fail_layer;
using kn::test::Failing;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;

namespace {

constexpr int allocation_failure = -4, out_of_resources = -5, out_of_host_memory = -6, build_failure = -11;

std::uint64_t in_use() { return kn::memory_stats(kn::default_device()).in_use; }

/// The sentence names function, device and code, and what was tried.
void check_sentence(const std::string& text, int code, const std::string& attempt) {
  const kn::Device device = kn::default_device();
  CAPTURE(text);
  CHECK(text.starts_with("["));
  CHECK(has(text, "] "));
  CHECK(has(text, attempt));
  CHECK(has(text, device.selector() + " (" + device.name() + ")"));
  CHECK(has(text, kn::test::error_name(code)));
}

template <class Kind>
void check_refused(const Array& pending, int code, const std::string& attempt, const char* function) {
  const std::uint64_t before = in_use();
  for (int time = 0; time < 2; ++time) {
    const Failing failing(function, code);
    check_sentence(message_of<Kind>([&] { pending.eval(); }), code, attempt);
    CHECK(failing.failed() >= 1);
    CHECK(in_use() == before);
  }
}

}  // namespace

TEST_CASE("a launch that fails once is tried again after draining and releasing") {
  kn::test::on_each_device([] {
    for (const int code : {allocation_failure, out_of_resources, out_of_host_memory}) {
      CAPTURE(code);
      (numbered({300'000}) + 1).eval();
      kn::synchronize();
      REQUIRE(kn::memory_stats(kn::default_device()).held >= 1'200'000);
      const Array x = numbered({1000}), y = x * 2 + 1;
      const std::uint64_t waits = fail_layer().calls(kn::test::waiting_call());
      const Failing once("clEnqueueNDRangeKernel", code, 1);
      y.eval();
      CHECK(once.failed() == 1);
      CHECK(fail_layer().calls(kn::test::waiting_call()) > waits);
      CHECK(kn::memory_stats(kn::default_device()).held < 1'200'000);
      CHECK(y.to_vector<std::int32_t>() ==
            kn::test::by_position<std::int32_t>({1000}, [](auto& p) { return p[0] * 2 + 1; }));
    }
  });
}

TEST_CASE("a launch that always fails is an error; the work stays pending and runs later") {
  kn::test::on_each_device([] {
    const Array x = numbered({1000}).eval();
    const char* const launch = "clEnqueueNDRangeKernel";
    const std::string attempt = "run the kernel \"";
    const Array a = x * 5 + 1, b = kn::sum(x), c = kn::max(kn::reshape(x, {10, 100}), {.axis = 0});
    const Array d = kn::matmul(kn::reshape(x, {10, 100}), kn::reshape(x, {100, 10}));
    kn::random::Generator generator(1), same(1);
    const Array e = generator.uniform({100});
    for (const Array* each : {&a, &b, &c, &d, &e}) {
      check_refused<kn::OutOfMemory>(*each, allocation_failure, attempt, launch);
      check_refused<kn::LaunchError>(*each, out_of_resources, attempt, launch);
      check_refused<kn::OutOfMemory>(*each, out_of_host_memory, attempt, launch);
    }
    CHECK(a(999).item<int>() == 4996);
    CHECK(b.item<int>() == 499'500);
    CHECK(c.to_vector<int>() == kn::test::by_position<int>({100}, [](auto& p) { return 900 + p[0]; }));
    CHECK(d(0, 0).item<int>() == 10 * 99 * 100 * 199 / 6);  // the sum of i * 10 i, of i below 100
    CHECK(e.to_vector<float>() == same.uniform({100}).to_vector<float>());
  });
}

TEST_CASE("an argument that the driver refuses is an error; the work stays pending and runs later") {
  kn::test::on_each_device([] {
    const Array x = numbered({1000}).eval(), y = x * 7 - 1;
    check_refused<kn::LaunchError>(y, -51, "set argument 0", "clSetKernelArg");
    check_refused<kn::OutOfMemory>(y, out_of_host_memory, "set argument 0", "clSetKernelArg");
    CHECK(y(2).item<int>() == 13);
  });
}

TEST_CASE("a build that fails without a word of the compiler's is tried again where the driver needs it") {
  kn::test::on_each_device([] {
    if (!kn::test::facts_of().builds_fail_now_and_then) return;
    const Array y = kn::sinh(kn::tan(numbered<float>({100}) * 1e-3) * 2 - 1);
    const Failing failing("clBuildProgram", build_failure, 2);
    CHECK(y(0).item<float>() == doctest::Approx(std::sinh(-1.0)));
    CHECK(failing.failed() == 2);
  });
}

TEST_CASE("what a compiler or a linker refuses is built once") {
  kn::test::on_each_device([] {
    for (const char* source : {"kernel void test(global int* x) { x[0] = ; }",
                               "int nowhere(int x); kernel void test(global int* x) { x[0] = nowhere(x[0]); }"}) {
      CAPTURE(std::string(source));
      const Failing more("clBuildProgram", build_failure, always, kn::test::texts_of_build());
      // Some link, and say so, when the kernel is made.
      const std::string message = message_of<kn::KernelBuildError>([&] { kn::test::build_kernel({source}); });
      CHECK(message.starts_with("[eval] "));
      CHECK(more.failed() == 0);
    }
  });
}

TEST_CASE("a failed build is one error for one attempt, and a later attempt works") {
  kn::test::on_each_device([] {
    // Operations in an order that no other test has, so that the kernel is not there yet.
    const Array x = numbered<float>({100}), y = kn::tanh(kn::cosh(x * 1e-3) - kn::sinh(x * 1e-3));
    x.eval();
    const std::uint64_t programs = kn::test::activity_of().built;
    for (int time = 0; time < 3; ++time) {
      const Failing failing("clBuildProgram", build_failure);
      check_sentence(message_of<kn::KernelBuildError>([&] { y.eval(); }), build_failure, "build a kernel");
      CHECK(failing.failed() == kn::test::texts_of_build() * (kn::test::facts_of().builds_fail_now_and_then ? 4 : 1));
    }
    for (const char* function : {"clCreateProgramWithSource", "clCreateKernel"}) {
      CAPTURE(std::string(function));
      const Failing failing(function, out_of_host_memory, 1);
      const std::string attempt =
          has(function, "Kernel") ? "create the kernel \"tanh_sub_cosh_mul_sinh_mul_f32\"" : "build a kernel";
      check_sentence(message_of<kn::OutOfMemory>([&] { y.eval(); }), out_of_host_memory, attempt);
      CHECK(failing.failed() == 1);
    }
    y.eval();
    CHECK(kn::test::activity_of().built == programs + 1);
    CHECK(y(0).item<float>() == doctest::Approx(std::tanh(1.0)));
  });
}

TEST_CASE("a transfer that fails is an error that says how much, and later ones work") {
  kn::test::on_each_device([] {
    const Array x = numbered({1000}).eval();
    {
      const Failing failing("clEnqueueReadBuffer", out_of_resources);
      check_sentence(message_of<kn::LaunchError>([&] { x.to_vector<int>(); }), out_of_resources,
                     "copy 3.9 KiB from the device");
    }
    const std::uint64_t before = in_use();
    {
      const Failing failing("clEnqueueWriteBuffer", out_of_resources);
      check_sentence(message_of<kn::LaunchError>([&] { numbered({1000}); }), out_of_resources,
                     "copy 3.9 KiB to the device");
    }
    CHECK(in_use() == before);
    CHECK(x.to_vector<int>() == numbered({1000}).to_vector<int>());
  });
}

// SPDX-License-Identifier: Apache-2.0
// Users' kernels whose build or launch fails: a sentence, arrays as before, and the same call works later.
#include <doctest/doctest.h>
#include <koine/kernel.hpp>
#include <koine/koine.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fail_layer.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::Failing;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;

namespace {

constexpr int allocation_failure = -4, out_of_resources = -5, out_of_host_memory = -6, build_failure = -11;
constexpr const char* source = "__kernel void next(__global int* x) { x[get_global_id(0)] += 1; }";

std::uint64_t in_use() { return kn::memory_stats(kn::default_device()).in_use; }

template <class Kind, class Call>
void check_fails(const char* function, int code, const std::string& attempt, Call call) {
  CAPTURE(function);
  const Failing failing(function, code);
  const std::string message = message_of<Kind>(call);
  CAPTURE(message);
  CHECK(failing.failed() > 0);
  CHECK(message.starts_with("["));
  CHECK(has(message, attempt));
  CHECK(has(message, kn::default_device().selector() + " ("));
  CHECK(has(message, kn::test::error_name(code)));
}

}  // namespace

TEST_CASE("a launch of a user's kernel that fails leaves all arrays as before") {
  kn::test::on_each_device([] {
    const kn::Kernel next = kn::Program(source).kernel("next");
    Array alone = numbered({100}), shared = numbered({100});
    const Array other = shared;
    next({100}, alone);
    kn::eval(alone, shared);
    const void* const memory = kn::test::memory_of(shared);
    for (Array* const x : {&alone, &shared}) {
      const std::uint64_t before = in_use();
      const auto run = [&] { next({100}, *x); };
      check_fails<kn::LaunchError>("clEnqueueNDRangeKernel", out_of_resources, "run the kernel \"", run);
      check_fails<kn::OutOfMemory>("clEnqueueNDRangeKernel", allocation_failure, "run the kernel \"", run);
      check_fails<kn::LaunchError>("clSetKernelArg", -51, "set argument 0", run);
      CHECK(in_use() == before);
    }
    // Where the copy is made and the launch itself fails.
    {
      const Failing second("clEnqueueNDRangeKernel", out_of_resources, kn::test::always, 1);
      CHECK(
          has(message_of<kn::LaunchError>([&] { next({100}, shared); }), "[Kernel] could not run the kernel \"next\""));
    }
    CHECK(kn::test::memory_of(shared) == memory);
    CHECK(alone.to_vector<int>() == kn::test::by_position<int>({100}, [](auto& p) { return p[0] + 1; }));
    next({100}, alone);
    next({100}, shared);
    CHECK(alone(99).item<int>() == 101);
    CHECK(shared(99).item<int>() == 100);
    CHECK(other(99).item<int>() == 99);
  });
}

TEST_CASE("memory for a new array that is not there") {
  kn::test::on_each_device([] {
    const kn::Kernel next = kn::Program(source).kernel("next");
    const std::uint64_t before = in_use();
    check_fails<kn::OutOfMemory>("clCreateBuffer", allocation_failure, "do not fit on",
                                 [&] { next({1}, kn::out({3'000'000}, kn::int32)); });
    CHECK(in_use() == before);
    CHECK(next({1}, kn::out({3'000'000}, kn::int32)).size() == 3'000'000);
    kn::synchronize();
  });
}

TEST_CASE("a build of a user's program that fails is not remembered") {
  kn::test::on_each_device([] {
    const auto build = [] { kn::Program("// of this test alone\n" + std::string(source)); };
    check_fails<kn::KernelBuildError>("clBuildProgram", build_failure, "[Program] could not build a kernel", build);
    check_fails<kn::OutOfMemory>("clCreateProgramWithSource", out_of_host_memory, "[Program] could not build", build);
    check_fails<kn::OutOfMemory>("clGetKernelArgInfo", out_of_host_memory, "ask for a kernel's parameters", build);
    const std::uint64_t built = kn::test::activity_of().built;
    const kn::Program program("// of this test alone\n" + std::string(source));
    CHECK(kn::test::activity_of().built == built + 1);
    check_fails<kn::OutOfMemory>("clCreateKernel", out_of_host_memory, "[Program] could not create the kernel \"next\"",
                                 [&] { program.kernel("next"); });
    Array x = numbered({4});
    program.kernel("next")({4}, x);
    CHECK(x(3).item<int>() == 4);
  });
}

TEST_CASE("a driver that does not tell the types of parameters") {
  kn::test::on_each_device([] {
    constexpr int not_available = -19;
    const Failing failing("clGetKernelArgInfo", not_available);
    const kn::Kernel next = kn::Program("// without types\n" + std::string(source)).kernel("next");
    CHECK(failing.failed() > 0);
    Array x = numbered({4});
    const Array other = x;
    next({4}, x);  // may be written, for all that is known
    CHECK(x(3).item<int>() == 4);
    CHECK(other(3).item<int>() == 3);
    CHECK(has(message_of<kn::ValueError>([&] { next({4}, other); }), "argument 0, may be written"));
    CHECK(has(message_of<kn::ValueError>([&] { next({4}, x, 1); }), "next takes 1 argument; it got 2"));
    CHECK(has(message_of<kn::LaunchError>([&] { next({4}, 1.0f); }), "set argument 0"));
    CHECK(x(3).item<int>() == 4);
  });
}

// SPDX-License-Identifier: Apache-2.0
// Host memory that runs out where nothing may be thrown: memory is given back all the same.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "runtime/context.hpp"
#include "runtime/staging.hpp"
#include "support/devices.hpp"
#include "support/host_memory.hpp"

namespace kn = koine;
using kn::runtime::Context;
using kn::runtime::Staging;
using kn::test::memory_can_fail;
using kn::test::NoMemory;
using kn::test::on_each_device;

TEST_CASE("a borrowed array may die while there is no memory, and its work is waited for") {
  if (!memory_can_fail) {
    MESSAGE("left out: a sanitizer allocates by itself");
    return;
  }
  on_each_device([] {
    std::vector<float> values(1 << 16, 0.5f);
    kn::Array borrowed = kn::borrow(std::span<const float>(values)), result = kn::sum(borrowed + 1).eval();
    {
      const NoMemory none(0, 3);
      borrowed = kn::Array();
    }
    std::fill(values.begin(), values.end(), 7.0f);  // too late for the sum
    CHECK(result.item<float>() == 1.5f * (1 << 16));
  });
}

TEST_CASE("staged transfers without memory give a code, and leave every slot to those after them") {
  if (!memory_can_fail) {
    MESSAGE("left out: a sanitizer allocates by itself");
    return;
  }
  on_each_device([] {
    Context& context = Context::of(kn::default_device());
    const cl::CommandQueue queue(context.handle(), context.entry().device);
    const cl::Buffer buffer(context.handle(), CL_MEM_READ_WRITE, 64);
    Staging staging(context.handle(), context.entry(), 4096, 2);
    unsigned char source[64] = {}, target[64] = {};
    std::uint64_t failed = 0;
    for (int skip = 0; skip < 6; ++skip) {
      for (int time = 0; time < 200; ++time) {
        cl_int code = CL_SUCCESS;
        {
          const NoMemory none(skip, 1);
          code = staging.write(queue(), buffer(), 0, source, sizeof source);
          failed += none.failed();
        }
        REQUIRE((code == CL_SUCCESS || code == CL_OUT_OF_HOST_MEMORY));
      }
    }
    CHECK(failed > 0);
    for (unsigned char& each : source) each = static_cast<unsigned char>(&each - source + 1);
    CHECK(staging.write(queue(), buffer(), 0, source, sizeof source) == CL_SUCCESS);
    CHECK(staging.read(queue(), buffer(), 0, target, sizeof target) == CL_SUCCESS);
    CHECK(std::equal(std::begin(source), std::end(source), std::begin(target)));
  });
}

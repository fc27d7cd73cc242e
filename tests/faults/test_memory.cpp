// SPDX-License-Identifier: Apache-2.0
// Allocations that the driver refuses: once, unnoticed by the user, and always, as an OutOfMemory that says it all.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fail_layer.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::slice;
using kn::test::fail_layer;
using kn::test::Failing;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;

namespace {

constexpr int allocation_failure = -4, out_of_host_memory = -6;
constexpr std::int64_t size = 3 << 18;  // of int32: 3 MiB, which no staging buffers are made for

kn::MemoryStats stats() { return kn::memory_stats(kn::default_device()); }

/// Leaves memory that is free in the pool, of a size that no test asks for.
void leave_held() { (numbered({300'000}) + 1).eval(); }

}  // namespace

TEST_CASE("an allocation that fails once is tried again after all that is held was released") {
  kn::test::on_each_device([] {
    for (const int code : {allocation_failure, out_of_host_memory}) {
      CAPTURE(code);
      leave_held();
      kn::synchronize();
      REQUIRE(stats().held >= 1'200'000);
      const std::uint64_t before = fail_layer().calls("clCreateBuffer"),
                          waits = fail_layer().calls(kn::test::waiting_call());
      std::vector<std::int32_t> values;
      {
        const Failing once("clCreateBuffer", code, 1);
        const Array x = numbered({size});
        CHECK(once.failed() == 1);
        CHECK(stats().held == 0);
        values = x.to_vector<std::int32_t>();
      }
      CHECK(fail_layer().calls("clCreateBuffer") == before + 2);
      CHECK(fail_layer().calls(kn::test::waiting_call()) > waits);
      REQUIRE(values.size() == size);
      CHECK(values[0] == 0);
      CHECK(values[size - 1] == size - 1);
      kn::set_memory_limit(kn::default_device(), stats().in_use);  // releases the buffer for the next round
      kn::set_memory_limit(kn::default_device(), kn::default_device().memory());
    }
  });
}

TEST_CASE("an allocation that always fails is an OutOfMemory with all the numbers, and harms nothing") {
  kn::test::on_each_device([] {
    const kn::Device device = kn::default_device();
    const std::uint64_t largest = kn::test::facts_of(device).largest_buffer;
    const Array kept = numbered({1000}), source = numbered({size}), pending = source * 3;
    kept.eval();
    leave_held();
    const kn::MemoryStats before = stats();
    for (int attempt = 0; attempt < 2; ++attempt) {
      const Failing failing("clCreateBuffer", allocation_failure);
      const std::string text = message_of<kn::OutOfMemory>([&] { pending.eval(); });
      CAPTURE(text);
      CHECK(text.starts_with("[multiply] 3 MiB "));
      CHECK(has(text, device.selector() + " (" + device.name() + ")"));
      for (const std::uint64_t bytes : {before.in_use, before.limit, device.memory(), largest}) {
        CAPTURE(bytes);
        CHECK(has(text, kn::test::bytes_text(bytes)));
      }
      CHECK(has(text, "0 bytes held"));
      CHECK(has(text, "CL_MEM_OBJECT_ALLOCATION_FAILURE"));
      CHECK(failing.failed() >= 2);
      CHECK(stats().in_use == before.in_use);
      CHECK(stats().held == 0);
    }
    CHECK(kept.to_vector<std::int32_t>() == numbered({1000}).to_vector<std::int32_t>());
    CHECK(pending(size - 1).item<std::int64_t>() == 3 * (size - 1));
    CHECK((pending + kept(0)).to_vector<std::int32_t>()[1] == 3);
  });
}

TEST_CASE("the function that was called is the one that is named") {
  kn::test::on_each_device([] {
    const Array x = numbered({100'000}).eval(), f = x.astype(kn::float32).eval();
    Array shared = x;
    kn::random::Generator g(1);
    const Shape wanted = {70'000};  // of a size that the pool does not hold
    const std::pair<const char*, std::function<void()>> calls[] = {
        {"[asarray]", [&] { numbered(wanted); }},
        {"[multiply]", [&] { (x(slice(0, 70'000)) * 2).eval(); }},
        {"[sin]", [&] { kn::sin(f(slice(0, 70'000))).eval(); }},
        {"[astype]", [&] { x(slice(0, 70'000)).astype(kn::float32).eval(); }},
        {"[sum]",
         [&] {
           kn::sum(kn::broadcast_to(x(slice(0, 7)), {70'000, 7}), {.axis = 1}).eval();
         }},
        {"[max]",
         [&] {
           kn::max(kn::broadcast_to(x(slice(0, 7)), {70'000, 7}), {.axis = 1}).eval();
         }},
        {"[argmin]",
         [&] {
           kn::argmin(kn::broadcast_to(x(slice(0, 7)), {70'000, 7}), {.axis = 1}).eval();
         }},
        {"[uniform]", [&] { g.uniform(wanted).eval(); }},
        {"[normal]", [&] { g.normal(wanted).eval(); }},
        {"[integers]", [&] { g.integers(0, 9, wanted).eval(); }},
        {"[matmul]",
         [&] {
           kn::matmul(kn::reshape(f, {10'000, 10}), kn::reshape(f(slice(0, 70)), {10, 7})).eval();
         }},
        {"[subscript]", [&] { shared(0) = 1; }},
    };
    for (const auto& [function, call] : calls) {
      const kn::Device device = kn::default_device();
      kn::set_memory_limit(device, stats().in_use);
      kn::set_memory_limit(device, device.memory());
      const Failing failing("clCreateBuffer", allocation_failure);
      const std::string text = message_of<kn::OutOfMemory>(call);
      CAPTURE(text);
      CHECK(text.starts_with(std::string(function) + " "));
    }
    CHECK(shared(0).item<int>() == 0);
  });
}

TEST_CASE("more than the device has in one buffer is refused before the driver is asked") {
  kn::test::on_each_device([] {
    const kn::Device device = kn::default_device();
    const std::uint64_t largest = kn::test::facts_of(device).largest_buffer;
    const auto half = static_cast<std::int64_t>(largest + largest / 2) / 8, count = 2 * half;  // half as much again
    const Array kept = numbered({10}), row = kn::ones({half, 1});
    kn::random::Generator generator(1);
    const std::uint64_t before = stats().in_use, there = fail_layer().memory().bytes;
    fail_layer().reset_peak();
    const std::pair<const char*, std::function<void()>> requests[] = {
        {"[add]", [&] { (kn::zeros({count}) + kn::arange(count, {kn::float32})).eval(); }},
        {"[uniform]", [&] { generator.uniform({count}).eval(); }},
        {"[matmul]",
         [&] {
           kn::matmul(row, kn::ones({1, 2})).eval();
         }},
    };
    for (const auto& [function, request] : requests) {
      const std::string text = message_of<kn::OutOfMemory>(request);
      CAPTURE(text);
      CHECK(text.starts_with(function));
      CHECK(has(text, "one buffer of " + kn::test::bytes_text(std::uint64_t(count) * 4)));
      CHECK(has(text, kn::test::bytes_text(largest)));
      CHECK(has(text, device.selector() + " (" + device.name() + ")"));
    }
    CHECK(fail_layer().memory().most_bytes <= there + 1024);  // the single numbers that the product reads
    CHECK(stats().in_use <= before + 1024);
    CHECK(kept(7).item<int>() == 7);
  });
}

// SPDX-License-Identifier: Apache-2.0
// Copies to the device that nobody waits for: order, value semantics, and what is refused.
#include <doctest/doctest.h>
#include <koine/copy_async.hpp>
#include <koine/koine.hpp>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;
using kn::test::on_each_device;

TEST_CASE("values arrive before whatever reads them, on any queue") {
  on_each_device([] {
    const kn::Queue copies, others;
    std::vector<std::int32_t> values(300'000);
    Array x = kn::empty({300, 1000}, {.dtype = kn::int32});
    for (int round = 0; round < 4; ++round) {
      std::iota(values.begin(), values.end(), round);
      const kn::Event there = kn::copy_async(values, x, {.queue = copies});
      Array total;
      {
        const kn::QueueScope scope(others);
        total = kn::sum(x, {.dtype = kn::int64}).eval();
      }
      there.wait();
      CHECK(there.done());
      CHECK(total.item<std::int64_t>() == std::int64_t{150'000} * 299'999 + 300'000 * round);
      CHECK(x.shape() == kn::Shape{300, 1000});
    }
  });
}

TEST_CASE("what shared the memory keeps its values") {
  on_each_device([] {
    const std::vector<std::int32_t> values(100, 7);
    Array x = numbered({100});
    const Array copy = x, later = x + 1;
    kn::copy_async(values, x).wait();
    CHECK(x.to_vector<int>() == values);
    CHECK(copy(99).item<int>() == 99);
    CHECK(later(99).item<int>() == 100);
    const void* const memory = kn::test::memory_of(x);
    kn::copy_async(std::span(values), x).wait();
    CHECK(kn::test::memory_of(x) == memory);
    Array pending = kn::arange(100, {.dtype = kn::int32}) + 1;
    kn::copy_async(values, pending).wait();
    CHECK(pending.to_vector<int>() == values);
    Array none = kn::empty({0}, {.dtype = kn::int32});
    CHECK(kn::copy_async(std::span<const std::int32_t>(), none).done());
  });
}

TEST_CASE("other types and other numbers of elements") {
  const std::vector<std::int32_t> values(4);
  Array x = kn::ones({4}), y = numbered({5});
  CHECK(has(message_of<kn::DTypeError>([&] { kn::copy_async(values, x); }), "[copy_async] the array is of float32"));
  CHECK(has(message_of<kn::ShapeError>([&] { kn::copy_async(values, y); }), "needs 5 elements, the range has 4"));
  CHECK(x.to_vector<float>() == std::vector<float>(4, 1));
  const std::vector<kn::Device> devices = kn::devices();
  if (devices.size() < 2) return;
  const kn::Queue there(devices[1]);
  Array z = numbered({4});
  CHECK(
      has(message_of<kn::DeviceError>([&] { kn::copy_async(values, z, {.queue = there}); }), "[copy_async] the queue"));
}

TEST_CASE("bytes are elements of a type that is told") {
  on_each_device([] {
    const std::vector<std::int32_t> values{1, -2, 3, 4, 5, 6};
    const std::span bytes = std::as_bytes(std::span(values));
    const Array x = kn::asarray(bytes, kn::int32, {2, 3});
    CHECK(x.shape() == kn::Shape{2, 3});
    CHECK(x.dtype() == kn::int32);
    CHECK(x.to_vector<std::int32_t>() == values);
    CHECK(kn::asarray(bytes, kn::int32, {6}, {.dtype = kn::int16}).dtype() == kn::int16);
    Array y = kn::empty({6}, {.dtype = kn::int32});
    kn::copy_async(bytes, kn::int32, y).wait();
    CHECK(y.to_vector<std::int32_t>() == values);
    CHECK(has(message_of<kn::ShapeError>([&] { kn::asarray(bytes, kn::int32, {5}); }), "6"));
    CHECK(message_of<kn::ValueError>([&] { kn::asarray(bytes.first(7), kn::int32, {1}); }) ==
          "[asarray] got 7 bytes; an element of int32 has 4");
    CHECK(message_of<kn::ValueError>([&] { kn::copy_async(bytes.first(7), kn::int32, y); }) ==
          "[copy_async] got 7 bytes; an element of int32 has 4");
    CHECK_THROWS_AS(kn::copy_async(bytes, kn::float32, y), kn::DTypeError);
  });
}

// SPDX-License-Identifier: Apache-2.0
// Elements that the host reads where they lie: what they are, how long they stay so, and whose memory an array uses.
#include <doctest/doctest.h>
#include <koine/host_memory.hpp>
#include <koine/koine.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;

namespace {

/// The elements of a view in row-major order, by its own strides.
std::vector<float> values(const kn::HostView& view) {
  std::vector<float> result;
  const auto* const data = static_cast<const float*>(view.data());
  const auto visit = [&](const auto& self, std::size_t axis, std::int64_t at) -> void {
    if (axis == view.shape().size()) return result.push_back(data[at]);
    for (std::int64_t i = 0; i < view.shape()[axis]; ++i) self(self, axis + 1, at + i * view.strides()[axis]);
  };
  visit(visit, 0, 0);
  return result;
}

}  // namespace

TEST_CASE("a view has the elements of any layout") {
  const Array x = kn::asarray(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  for (const std::optional<bool> copy : {std::optional<bool>(), std::optional(true)}) {
    for (const Array& each :
         {x, x.T(), x(kn::all, kn::slice(kn::none, kn::none, -2)), x * 2, x(1, 2), x(kn::slice(0))}) {
      const kn::HostView view = kn::host_view(each, {.copy = copy});
      CHECK(view.shape() == each.shape());
      CHECK(view.dtype() == kn::float32);
      CHECK(values(view) == each.to_vector<float>());
      if (copy == true) CHECK(view.copied());
    }
  }
}

TEST_CASE("a view keeps its elements when the array is assigned to, and when it goes") {
  Array x = kn::arange(100, kn::float32) * 2;
  const std::vector<float> before = x.to_vector<float>();
  const kn::HostView view = kn::host_view(x);
  x(kn::all) = 0;
  x += 1;
  x.eval();
  CHECK(values(view) == before);
  x = Array();
  CHECK(kn::zeros(100).to_vector<float>()[0] == 0);
  CHECK(values(view) == before);
  try {
    const kn::HostView shared = kn::host_view(kn::arange(10, kn::float32) + 1, {.copy = false});
    CHECK_FALSE(shared.copied());
    CHECK(values(shared)[9] == 10);
  } catch (const kn::ValueError&) {  // the device's memory is its own
    CHECK(view.copied());
  }
}

TEST_CASE("what an index out of range made is no view") {
  const Array wrong = kn::take(kn::arange(3, kn::float32), kn::asarray(std::vector<std::int64_t>{7}));
  CHECK_THROWS_AS(kn::host_view(wrong), kn::IndexError);
}

TEST_CASE("an array knows whether its memory is somebody else's") {
  const std::vector<float> memory(1000, 1.0f);
  const Array x = kn::borrow(memory);
  const bool shared = !kn::host_view(x).copied();
  CHECK(kn::is_borrowed(x) == shared);
  CHECK(kn::is_borrowed(x(kn::slice(10, 20))) == shared);
  CHECK_FALSE(kn::is_borrowed(x + 1));
  CHECK_FALSE(kn::is_borrowed(kn::asarray(memory)));
}

TEST_CASE("a point says when values are there") {
  const Array x = kn::arange(100000, kn::float32) * 2 + 1;
  const kn::Event event = kn::ready(x);
  event.wait();
  CHECK(event.done());
  CHECK(kn::host_view(x).shape() == kn::Shape{100000});
  CHECK(kn::ready(kn::zeros(0)).done());
  CHECK_THROWS_AS(kn::host_view(kn::take(x, kn::asarray(std::vector<std::int64_t>{-200000}))), kn::IndexError);
}

TEST_CASE("points after what is under way, on every queue of a device") {
  kn::synchronize();
  CHECK(kn::under_way(kn::default_device()).empty());
  const kn::Queue other;
  const Array x = (kn::arange(2'000'000, kn::float32) + 1).eval();
  const Array y = [&] {
    const kn::QueueScope scope(other);
    return (x * 3).eval();
  }();
  const kn::Event first = kn::ready(x), second = kn::ready(y);
  const std::vector<kn::Event> points = kn::under_way(kn::default_device());
  CHECK(points.size() <= 2);
  for (const kn::Event& point : points) point.wait();
  CHECK(first.done());
  CHECK(second.done());
  kn::synchronize();
  CHECK(kn::under_way(kn::default_device()).empty());
}

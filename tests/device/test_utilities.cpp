// SPDX-License-Identifier: Apache-2.0
// diff against plain loops.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::Shape;
using kn::slice;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

/// x's differences along an axis, one position after another.
template <class T>
std::vector<T> differences(const std::vector<T>& values, const Shape& shape, std::size_t axis) {
  Shape shorter = shape;
  shorter[axis] -= 1;
  return kn::test::by_position<T>(shorter, [&](const Shape& position) {
    Shape next = position;
    next[axis] += 1;
    const auto at = [&](const Shape& p) { return values[static_cast<std::size_t>(kn::test::number_of(p, shape))]; };
    return static_cast<T>(at(next) - at(position));
  });
}

template <class T>
void check_type() {
  CAPTURE(kn::dtype_of<T>);
  const Shape shape = {3, 7, 5};
  std::vector<T> values;
  for (int i = 0; i < 105; ++i) values.push_back(static_cast<T>(i * i % 31));
  const Array x = kn::asarray(values, shape);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Shape left = shape;
    std::vector<T> want = values;
    for (int n = 1; n <= 3; ++n) {
      CAPTURE(n);
      want = differences(want, left, axis);
      left[axis] -= 1;
      check_array<T>(kn::diff(x, {.axis = static_cast<std::int64_t>(axis), .n = n}), left, want);
    }
  }
}

}  // namespace

TEST_CASE("differences along each axis, several times over") {
  on_each_device([] {
    check_type<std::uint16_t>();
    check_type<float>();
    if (kn::test::without_variants("signed integers")) return;
    check_type<std::int8_t>();
    check_type<std::int64_t>();
  });
}

TEST_CASE("differences of views, of bool, and of what is short") {
  on_each_device([] {
    const Array x = kn::asarray(std::vector<int>{1, 2, 4, 7, 0, 3}, {2, 3});
    check_array<int>(kn::diff(x.T()), {3, 1}, {6, -2, -1});
    check_array<int>(kn::diff(x(all, slice(kn::none, kn::none, -1))), {2, 2}, {-2, -1, -3, 7});
    check_array<int>(kn::diff(x, {.n = 0}), {2, 3}, {1, 2, 4, 7, 0, 3});
    check_array<int>(kn::diff(x, {.n = 5}), {2, 0}, {});
    check_array<float>(kn::diff(kn::ones({0})), {0}, {});
    check_array<float>(kn::diff(kn::ones({0, 4}), {.axis = 1}), {0, 3}, {});
    const Array flags = kn::asarray(std::vector<bool>{true, true, false, true});
    CHECK(kn::diff(flags).dtype() == kn::bool_);
    CHECK(kn::diff(flags).to_vector<bool>() == std::vector<bool>{false, true, true});
  });
}

TEST_CASE("what stands before and after") {
  on_each_device([] {
    const Array x = kn::asarray(std::vector<int>{1, 2, 4, 7, 0, 3}, {2, 3});
    check_array<int>(kn::diff(x, {.prepend = 0}), {2, 3}, {1, 1, 2, 7, -7, 3});
    check_array<int>(kn::diff(x, {.append = x(all, slice(0, 2))}), {2, 4}, {1, 2, -3, 1, -7, 3, 4, -7});
    check_array<int>(kn::diff(x, {.axis = 0, .prepend = 1, .append = 2}), {3, 3}, {0, 1, 3, 6, -2, -1, -5, 2, -1});
    CHECK(kn::diff(x, {.prepend = 0.5}).dtype() == kn::float32);
    check_array<float>(kn::diff(x, {.n = 2, .prepend = 0.5}), {2, 2}, {0.5f, 1, -13.5f, 10});
  });
}

TEST_CASE("wrong calls") {
  const Array x = kn::ones({2, 3});
  CHECK(has(message_of<kn::IndexError>([&] { kn::diff(x, {.axis = 2}); }), "[diff] axis 2 is out of range"));
  CHECK(has(message_of<kn::IndexError>([&] { kn::diff(kn::asarray(1.0)); }), "[diff] axis -1 is out of range"));
  CHECK(has(message_of<kn::ValueError>([&] { kn::diff(x, {.n = -1}); }), "[diff] .n is -1; it must be 0 or more"));
  CHECK(has(message_of<kn::ShapeError>([&] {
              kn::diff(x, {.append = kn::ones({3, 1})});
            }),
            "[diff] shape (3, 1) does not fit beside shape (2, 3) along axis 1"));
}

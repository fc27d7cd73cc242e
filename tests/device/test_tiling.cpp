// SPDX-License-Identifier: Apache-2.0
// repeat, tile and roll: each element of the result is checked by the number it carries, of every shape and layout.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::Shape;
using kn::slice;
using kn::test::by_position;
using kn::test::check_array;
using kn::test::message_of;
using kn::test::number_of;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

const std::vector<Shape> shapes =
    kn::test::all_variants()
        ? std::vector<Shape>{{}, {1}, {7}, {0}, {3, 4}, {2, 0, 3}, {2, 3, 4}, {1, 5, 1, 2}, {2, 1, 3, 2, 2}}
        : std::vector<Shape>{{}, {1}, {7}, {0}, {3, 4}, {2, 0, 3}, {2, 3, 4}};

/// numbered(shape) in memory, pending, and as a view with its axes the other way round in memory.
std::vector<Array> layouts(const Shape& shape) {
  Shape turned, order;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    turned.push_back(shape[axis]);
    order.push_back(static_cast<std::int64_t>(axis));
  }
  const auto values = by_position<std::int32_t>(turned, [&](const Shape& p) {
    Shape at;
    for (std::size_t axis = p.size(); axis-- > 0;) at.push_back(p[axis]);
    return number_of(at, shape);
  });
  const Array lying =
      kn::permute_dims(kn::asarray(values, turned), std::vector<std::int64_t>(order.begin(), order.end()));
  std::vector<Array> all{numbered(shape), lying};
  // What pends is in the kernel that moves it, whatever the shape.
  if (shape.size() == 3 || kn::test::all_variants()) all.push_back(numbered(shape) + 0);
  return all;
}

}  // namespace

TEST_CASE("repeat by one number") {
  on_each_device([] {
    for (const Shape& shape : shapes) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        for (const std::int64_t times : {0, 1, 3}) {
          CAPTURE(to_string(shape));
          CAPTURE(axis);
          Shape result = shape;
          result[axis] *= times;
          const auto want = by_position<std::int32_t>(result, [&](Shape p) {
            p[axis] /= times;
            return number_of(p, shape);
          });
          for (const Array& x : layouts(shape)) check_array(kn::repeat(x, times, {.axis = axis}), result, want);
        }
      }
    }
    check_array<std::int32_t>(kn::repeat(numbered({2, 2}), 2), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
    check_array<std::int32_t>(kn::repeat(numbered({}), 2), {2}, {0, 0});
  });
}

TEST_CASE("repeat by a number for each part") {
  on_each_device([] {
    const Array x = numbered({3, 4});
    check_array<std::int32_t>(kn::repeat(x, kn::array({2, 0, 1}), {.axis = 0}), {3, 4},
                              {0, 1, 2, 3, 0, 1, 2, 3, 8, 9, 10, 11});
    check_array<std::int32_t>(kn::repeat(x, kn::array({0, 1, 0, 2}, {.dtype = kn::uint8}), {.axis = -1}), {3, 3},
                              {1, 3, 3, 5, 7, 7, 9, 11, 11});
    check_array<std::int32_t>(kn::repeat(x, kn::array({2}, {.dtype = kn::uint64}), {.axis = 0})(all, 1), {6},
                              {1, 1, 5, 5, 9, 9});
    CHECK(kn::repeat(x, kn::array({0, 0, 0}), {.axis = 0}).shape() == Shape{0, 4});
    CHECK(kn::repeat(kn::zeros({0}), kn::zeros({0}, {.dtype = kn::int8})).shape() == Shape{0});
    // Many, by a pending number of times.
    const Array times = kn::arange(1000) % 4;
    std::vector<std::int32_t> want;
    for (std::int32_t i = 0; i < 1000; ++i) want.insert(want.end(), static_cast<std::size_t>(i % 4), i);
    check_array(kn::repeat(numbered({1000}), times), {want.size()}, want);
  });
}

TEST_CASE("tile") {
  on_each_device([] {
    const Shape times[] = {{}, {1}, {3}, {2, 1}, {1, 0, 2}, {2, 3, 1, 2}};
    for (const Shape& shape : shapes) {
      for (const Shape& each : times) {
        CAPTURE(to_string(shape));
        CAPTURE(to_string(each));
        const std::size_t axes = std::max(shape.size(), each.size());
        Shape sizes = shape, result;
        while (sizes.size() < axes) sizes.insert(0, 1);
        for (std::size_t axis = 0; axis < axes; ++axis) {
          const std::size_t new_axes = axes - each.size();
          result.push_back(sizes[axis] * (axis < new_axes ? 1 : each[axis - new_axes]));
        }
        const auto want = by_position<std::int32_t>(result, [&](Shape p) {
          for (std::size_t axis = 0; axis < axes; ++axis) p[axis] %= sizes[axis];
          return number_of(p, sizes);
        });
        for (const Array& x : layouts(shape)) check_array(kn::tile(x, each), result, want);
      }
    }
    check_array<std::int32_t>(kn::tile(numbered({2, 2}), 2), {2, 4}, {0, 1, 0, 1, 2, 3, 2, 3});
  });
}

TEST_CASE("roll") {
  on_each_device([] {
    for (const Shape& shape : shapes) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        for (const std::int64_t by : {0, 1, -1, 5, -12}) {
          CAPTURE(to_string(shape));
          CAPTURE(axis);
          CAPTURE(by);
          const auto want = by_position<std::int32_t>(shape, [&](Shape p) {
            p[axis] = ((p[axis] - by) % shape[axis] + shape[axis]) % shape[axis];
            return number_of(p, shape);
          });
          for (const Array& x : layouts(shape)) check_array(kn::roll(x, by, {.axis = axis}), shape, want);
        }
      }
      for (const Array& x : layouts(shape)) {
        const auto want = by_position<std::int32_t>(
            shape, [&](const Shape& p) { return (number_of(p, shape) + 3 * shape.elements() - 3) % shape.elements(); });
        check_array(kn::roll(x, 3), shape, want);
      }
    }
    // Two axes at once, one of them named twice.
    const auto want = by_position<std::int32_t>({4, 5, 6}, [](const Shape& p) {
      return number_of({(p[0] + 1) % 4, p[1], (p[2] + 2) % 6}, {4, 5, 6});
    });
    check_array(kn::roll(numbered({4, 5, 6}), {1, -2, -2}, {.axis = {0, 2, -3}}), {4, 5, 6}, want);
    check_array<std::int32_t>(kn::roll(numbered({2, 2}), {1, 2}), {2, 2}, {1, 2, 3, 0});
  });
}

TEST_CASE("what repeat, tile and roll cannot take") {
  on_each_device([] {
    const Array x = numbered({2, 3});
    CHECK(message_of<kn::ValueError>([&] { kn::repeat(x, -1); }) == "[repeat] repeats cannot be below zero; got -1");
    CHECK(message_of<kn::ValueError>([&] {
            kn::repeat(x, kn::array({1, -2}), {.axis = 0});
          }) == "[repeat] repeats cannot be below zero; got -2");
    CHECK(message_of<kn::ValueError>([&] {
            kn::repeat(x, 2, {.axis = {0, 1}});
          }) == "[repeat] repeats along one axis, or none for the flattened array, not (0, 1)");
    CHECK(message_of<kn::ShapeError>([&] {
            kn::repeat(x, kn::array({1, 2, 3}), {.axis = 0});
          }) ==
          "[repeat] repeats of shape (3,) do not fit an axis of size 2; there must be one for each part, or one alone");
    CHECK(message_of<kn::DTypeError>([&] { kn::repeat(x, kn::ones({2}), {.axis = 0}); }) ==
          "[repeat] repeats are float32; they must be integers");
    CHECK(kn::test::has(message_of<kn::IndexError>([&] { kn::repeat(x, 2, {.axis = 2}); }), "[repeat]"));
    CHECK(kn::test::has(message_of<kn::ShapeError>([&] { kn::repeat(x, std::int64_t{1} << 62, {.axis = 0}); }),
                        "[repeat]"));
    CHECK(message_of<kn::ShapeError>([&] { kn::repeat(x, kn::full({2}, std::int64_t{1} << 62), {.axis = 0}); }) ==
          "[repeat] 2 repeats of up to 4611686018427387904 make more than 2^62 parts");
    CHECK(message_of<kn::ValueError>([&] {
            kn::tile(x, {2, -1});
          }) == "[tile] repetitions cannot be below zero; got (2, -1)");
    CHECK(kn::test::has(message_of<kn::IndexError>([&] { kn::roll(x, 1, {.axis = -3}); }), "[roll]"));
    CHECK(message_of<kn::ValueError>([&] {
            kn::roll(x, {1, 2}, {.axis = 0});
          }) == "[roll] got 2 shifts for 1 axes; they must be as many");
  });
}

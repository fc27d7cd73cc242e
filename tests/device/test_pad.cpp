// SPDX-License-Identifier: Apache-2.0
// pad against what NumPy gives (tests/golden/signal.py), and of random shapes and widths against the rule that says
// which element stands where.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/golden.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

using V = std::vector<std::int64_t>;
constexpr std::string_view modes[] = {"constant", "edge", "reflect", "symmetric", "wrap"};

/// The position of an axis of `size` that stands at `at` of the padded axis, counted from the axis; -1 for none.
std::int64_t source(std::int64_t at, std::int64_t size, std::string_view mode) {
  const auto modulo = [](std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; };
  if (mode == "constant") return at >= 0 && at < size ? at : -1;
  if (mode == "wrap") return modulo(at, size);
  if (mode == "edge" || size == 1) return std::clamp<std::int64_t>(at, 0, size - 1);
  // Mirrored behind the edges, or at them.
  const std::int64_t last = mode == "symmetric" ? 2 * size - 1 : 2 * size - 2;
  const std::int64_t place = modulo(at, mode == "symmetric" ? 2 * size : last);
  return std::min(place, last - place);
}

template <class T>
void check(const Array& x, const std::vector<kn::PadWidths::Pair>& widths, std::string_view mode) {
  CAPTURE(mode);
  CAPTURE(x.shape());
  CAPTURE(x.dtype());
  Shape shape = x.shape();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    CAPTURE(axis);
    shape[axis] += widths[axis].first.value + widths[axis].second.value;
  }
  const std::vector<T> values = x.to_vector<T>();
  const std::vector<T> want = kn::test::by_position<T>(shape, [&](const Shape& position) {
    Shape from = position;
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
      from[axis] = source(position[axis] - widths[axis].first.value, x.shape()[axis], mode);
      if (from[axis] < 0) return static_cast<T>(1.0f);
    }
    return values[static_cast<std::size_t>(kn::test::number_of(from, x.shape()))];
  });
  check_array<T>(kn::pad(x, widths, {.mode = mode, .constant_values = 1}), shape, want);
}

template <class T>
void check_type(bool thorough = false) {
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  std::vector<float> values;
  for (int i = 0; i < 12; ++i) values.push_back(static_cast<float>(i % 5));
  const Array x = kn::asarray(values, {3, 4}, kn::dtype_of<T>);
  // Each way of copying is a program for each type, so most types go one way.
  check<T>(x, {{2, 1}, {0, thorough ? 9 : 0}}, "reflect");
  if (thorough) check<T>(x, {{2, 1}, {0, 9}}, "constant");
}

}  // namespace

TEST_CASE("padding is what NumPy's is") {
  on_each_device([] {
    const Array line = kn::arange(1, 6), grid = kn::reshape(kn::arange(6), {2, 3}), single = kn::full({1}, 7);
    const Array box = kn::reshape(kn::arange(12), {2, 3, 2});
    int rows_checked = 0;
#include "golden/pad.inc"
    CHECK(rows_checked > 50);
  });
}

TEST_CASE("random shapes and widths, in every mode and way of lying in memory") {
  on_each_device([] {
    std::mt19937 random(5);
    const std::int64_t sizes[] = {1, 2, 7, 3, 0};
    for (int round = 0; round < (kn::test::without_variants() ? 5 : 12); ++round) {
      const std::string_view mode = modes[round % 5];
      Shape shape;
      std::vector<kn::PadWidths::Pair> widths;
      for (std::size_t axes = random() % 6; axes > 0; --axes) {
        shape.push_back(sizes[random() % (mode == "constant" ? 5 : 4)]);
        const auto width = [&] { return static_cast<std::int64_t>(random() % 4 == 0 ? random() % 12 : random() % 3); };
        const std::int64_t before = width();
        widths.emplace_back(before, width());
      }
      if (widths.empty()) widths.emplace_back(3, 4);  // one pair is for every axis, be there none
      check<std::int32_t>(kn::test::laid_out(numbered(shape), random()), widths, mode);
    }
  });
}

TEST_CASE("every type is padded, and what is pending") {
  on_each_device([] {
    check_type<bool>(true);
    check_type<kn::bfloat16_t>(kn::test::all_variants());
    check_type<std::int64_t>();
    check_type<std::complex<double>>(kn::test::all_variants());
    if (!kn::test::without_variants("types of the sizes of these")) {
      check_type<std::uint8_t>();
      check_type<std::int16_t>();
      check_type<kn::float16_t>();
      check_type<float>();
    }
    const Array x = numbered({3});
    check_array<std::int32_t>(kn::pad(x * 2 + 1, {1, 2}, {.mode = "reflect"}), {6}, {3, 1, 3, 5, 3, 1});
    check_array<std::int32_t>(kn::pad(x, 1, {.constant_values = 2.9}), {5}, {2, 0, 1, 2, 2});
    Array y = kn::pad(x, 0);
    y(0) = 5;
    check_array<std::int32_t>(x, {3}, {0, 1, 2});
  });
}

TEST_CASE("what pad cannot take") {
  const Array x = kn::ones({2, 3}), none = kn::ones({2, 0});
  CHECK(message_of<kn::ValueError>([&] {
          kn::pad(x, {{1, 2}, {1, -2}});
        }) == "[pad] the widths of axis 1 are 1 and -2; they cannot be below zero");
  CHECK(message_of<kn::ValueError>([&] {
          kn::pad(x, {{1, 2}, {1, 2}, {1, 2}});
        }) == "[pad] got 3 pairs of widths for shape (2, 3); it takes one pair, or one for each axis");
  CHECK(message_of<kn::ValueError>([&] { kn::pad(none, 1, {.mode = "wrap"}); }) ==
        "[pad] axis 1 of shape (2, 0) has no elements to continue; it can be padded with constants");
  CHECK(message_of<kn::ValueError>([&] { kn::pad(x, 1, {.mode = "mirror"}); }) ==
        "[pad] mode is \"mirror\"; it can be \"constant\", \"edge\", \"reflect\", \"symmetric\" or \"wrap\"");
  CHECK(kn::pad(none, {{1, 0}, {0, 0}}, {.mode = "edge"}).shape() == Shape{3, 0});
  CHECK(message_of<kn::ShapeError>([&] { kn::pad(x, 1, {.constant_values = kn::ones({1})}); }) ==
        "[pad] .constant_values has shape (1,); it must be a scalar or an array without axes");
  CHECK(has(message_of<kn::ShapeError>([&] { kn::pad(x, std::int64_t{1} << 40); }), "more elements than 64 bits"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::pad(x, 1, {.constant_values = std::complex<float>(1, 1)}); }),
            "[pad] a complex value does not convert to float32"));
}

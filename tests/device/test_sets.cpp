// SPDX-License-Identifier: Apache-2.0
// isin and the unique values against std::map and plain loops: types, ties, zeros, NaN, shapes, messages.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

template <class T>
void check_unique(const std::vector<T>& values, const Shape& shape) {
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  CAPTURE(kn::name(kn::dtype_of<T>));
  CAPTURE(shape);
  struct Value {
    std::int64_t first, count;
  };
  std::map<T, Value> found;  // no NaN here
  for (std::size_t i = 0; i < values.size(); ++i) {
    ++found.try_emplace(values[i], Value{static_cast<std::int64_t>(i), 0}).first->second.count;
  }
  std::vector<T> sorted;
  std::vector<std::int64_t> indices, counts, inverse;
  for (const auto& [value, where] : found) {
    sorted.push_back(value);
    indices.push_back(where.first);
    counts.push_back(where.count);
  }
  for (const T& v : values) inverse.push_back(std::distance(found.begin(), found.find(v)));
  const std::int64_t number = std::ssize(sorted);
  const Array x = kn::asarray(values, shape);
  const auto all = kn::unique_all(x);
  check_array(all.values, {number}, sorted);
  check_array(all.indices, {number}, indices);
  check_array(all.inverse_indices, shape, inverse);
  check_array(all.counts, {number}, counts);
  check_array(kn::unique_values(x), {number}, sorted);
  const auto counted = kn::unique_counts(x);
  check_array(counted.values, {number}, sorted);
  check_array(counted.counts, {number}, counts);
  const auto inverted = kn::unique_inverse(x);
  check_array(inverted.values, {number}, sorted);
  check_array(inverted.inverse_indices, shape, inverse);
}

template <class T>
void check_numbers() {
  std::mt19937 random(8);
  for (const Shape& shape : std::vector<Shape>{{0}, {1}, {2, 3}, {4, 0}, {30, 40}, {20'000}}) {
    std::vector<T> values;
    for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(static_cast<T>(random() % 100));
    check_unique(values, shape);
  }
}

}  // namespace

TEST_CASE("unique values of every kind of type") {
  on_each_device([] {
    check_numbers<std::uint8_t>();
    check_numbers<std::int32_t>();
    check_numbers<std::int64_t>();
    check_numbers<float>();
    check_numbers<double>();
    check_unique<std::int32_t>(std::vector<std::int32_t>(5000, 7), {5000});
    check_array(kn::unique_values(kn::array({true, false, true})), {2}, std::vector<bool>{false, true});
    check_array(kn::unique_values(kn::array({3.f, 1.f, 3.f}).astype(kn::bfloat16)).astype(kn::float32), {2},
                std::vector<float>{1, 3});
    CHECK(kn::unique_values(kn::full({}, 4)).to_vector<std::int64_t>() == std::vector<std::int64_t>{4});
    CHECK(kn::unique_all(kn::full({}, 4)).inverse_indices.shape() == Shape{});
  });
}

TEST_CASE("each NaN is a value of its own, and zeros are one") {
  on_each_device([] {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Array x = kn::array({nan, 0.f, 2.f, -0.f, -nan, 2.f});
    const auto all = kn::unique_all(x);
    check_array(all.values, {4}, std::vector<float>{0, 2, nan, nan});
    check_array(all.indices, {4}, std::vector<std::int64_t>{1, 2, 0, 4});
    check_array(all.counts, {4}, std::vector<std::int64_t>{2, 2, 1, 1});
    check_array(all.inverse_indices, {6}, std::vector<std::int64_t>{2, 0, 1, 0, 3, 1});
    check_array(kn::unique_counts(x).counts, {4}, std::vector<std::int64_t>{2, 2, 1, 1});
  });
}

TEST_CASE("elements among others") {
  on_each_device([] {
    std::mt19937 random(9);
    for (const std::size_t count : {0u, 1u, 3u, 3000u}) {
      std::vector<std::int32_t> some(count);
      std::vector<std::int64_t> elements(4000);
      for (auto& v : some) v = static_cast<std::int32_t>(random() % 5000);
      for (auto& v : elements) v = static_cast<std::int64_t>(random() % 5000);
      std::vector<bool> want, inverted;
      for (const auto v : elements) {
        want.push_back(std::find(some.begin(), some.end(), v) != some.end());
        inverted.push_back(!want.back());
      }
      CAPTURE(count);
      const Array x1 = kn::asarray(elements, {40, 100}), x2 = kn::asarray(some);
      check_array(kn::isin(x1, x2), {40, 100}, want);
      check_array(kn::isin(x1, x2, {.invert = true}), {40, 100}, inverted);
    }
    const float nan = std::numeric_limits<float>::quiet_NaN();
    check_array(kn::isin(kn::array({nan, -0.f, 3.f, 5.f}), kn::array({{0.f, nan}, {5.f, 7.f}})), {4},
                std::vector<bool>{false, true, false, true});
    check_array(kn::isin(kn::array({1, 2}), 2), {2}, std::vector<bool>{false, true});
    // Promoted, not wrapped.
    check_array(kn::isin(kn::asarray(std::vector<std::int8_t>{1, -1}), kn::asarray(std::vector<std::int16_t>{257, -1})),
                {2}, std::vector<bool>{false, true});
  });
}

TEST_CASE("what sets cannot take") {
  const Array z = kn::ones({3}, {.dtype = kn::complex64});
  CHECK(message_of<kn::DTypeError>([&] { kn::unique_values(z); }) ==
        "[unique_values] does not take complex64, whose elements have no order; take the real part, the imaginary part "
        "or abs");
  CHECK(has(message_of<kn::DTypeError>([&] { kn::unique_all(z); }), "[unique_all]"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::unique_counts(z); }), "[unique_counts]"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::unique_inverse(z); }), "[unique_inverse]"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::isin(kn::ones({2}), z); }), "[isin]"));
}

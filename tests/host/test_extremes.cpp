// SPDX-License-Identifier: Apache-2.0
// Extremes and their places as the host finds them, in vectors: beside plain loops, and with the bits of kernels.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/devices.hpp"
#include "support/same_bits.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::any_work;
using kn::test::check_bits;
using kn::test::does_steps;
using kn::test::HostStepWork;

namespace {

template <class T>
bool is_nan(T x) {
  return x != x;
}
/// Whether x takes the place of the best element so far, by the rules of argmax.
template <class T>
bool beats(T x, T best) {
  return !is_nan(best) && (is_nan(x) || x > best);
}
template <class T>
std::int64_t place_of_largest(const T* row, std::int64_t length) {
  std::int64_t place = 0;
  for (std::int64_t i = 1; i < length; ++i) {
    if (beats(row[i], row[place])) place = i;
  }
  return place;
}

/// Numbers of which several are the largest, from `place` on where that is one of them, and NaN at `nan`.
template <class T>
std::vector<T> numbers(std::int64_t count, std::int64_t place, std::int64_t nan) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<T>(i >= place && i % 3 == place % 3 ? 100 : i * 37 % 90));
  }
  if (nan >= 0 && std::numeric_limits<T>::has_quiet_NaN) values[static_cast<std::size_t>(nan)] = static_cast<T>(NAN);
  return values;
}

template <class T>
void check(std::int64_t rows, std::int64_t length, std::int64_t place, std::int64_t nan) {
  CAPTURE(rows);
  CAPTURE(length);
  CAPTURE(place);
  CAPTURE(nan);
  std::vector<T> values;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::vector<T> more = numbers<T>(length, (place + row) % length, nan < 0 ? -1 : (nan + row) % length);
    values.insert(values.end(), more.begin(), more.end());
  }
  const Array x = kn::asarray(values, {rows, length}).eval();
  kn::synchronize();
  const HostStepWork all(any_work);
  const auto done = kn::test::host_steps_of();
  const auto places = kn::argmax(x, {.axis = 1}).to_vector<std::int64_t>();
  const auto largest = kn::max(x, {.axis = 1}).to_vector<T>();
  CHECK(kn::test::host_steps_of() == done + 2);
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* const begin = values.data() + row * length;
    const std::int64_t expected = place_of_largest(begin, length);
    CHECK(places[static_cast<std::size_t>(row)] == expected);
    const T value = largest[static_cast<std::size_t>(row)];
    CHECK((value == begin[expected] || (is_nan(value) && is_nan(begin[expected]))));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("the largest of rows and its place, wherever it lies", T, float, double, std::int8_t,
                   std::uint64_t) {
  if (!does_steps()) return;
  for (const std::int64_t length : {1, 3, 16, 63, 64, 65, 200, 257}) {
    for (const std::int64_t place : {std::int64_t{0}, length / 2, length - 1}) check<T>(3, length, place, -1);
  }
  if (!std::numeric_limits<T>::has_quiet_NaN) return;
  for (const std::int64_t length : {5, 64, 200}) {
    for (const std::int64_t nan : {std::int64_t{0}, length / 3, length - 1}) check<T>(3, length, length / 2, nan);
  }
}

TEST_CASE("extremes of zeros of both signs, of NaN and of infinities have the bits of kernels") {
  if (!does_steps()) return;
  std::vector<float> values;
  for (int i = 0; i < 40 * 600; ++i) {
    const int row = i / 600, of = i % 600;
    float value = of % 5 == row % 5 ? -0.0f : of % 7 == 0 ? 0.0f : -static_cast<float>(of % 11);
    if (row % 8 == 3 && of % 97 == row) value = NAN;
    if (row % 8 == 5 && of > 300) value = of % 2 == 0 ? INFINITY : -INFINITY;
    values.push_back(value);
  }
  const Array x = kn::asarray(values, {40, 600}).eval(), y = kn::astype(x, kn::float64).eval();
  kn::synchronize();
  for (const Array& each : {x, y}) {
    for (const kn::Axis& axis : {kn::Axis{0}, kn::Axis{1}, kn::Axis{0, 1}}) {
      check_bits([&] { return std::vector{kn::max(each, {.axis = axis})}; });
      check_bits([&] { return std::vector{kn::min(-each, {.axis = axis})}; });
    }
    check_bits([&] { return std::vector{kn::argmax(each, {.axis = 1})}; });
    check_bits([&] { return std::vector{kn::argmin(-each, {.axis = 1})}; });
  }
}

TEST_CASE("threads share the search for the largest of all") {
  if (!does_steps()) return;
  std::vector<float> values = numbers<float>(1'000'000, 765'432, -1);
  const Array x = kn::asarray(values).eval();
  kn::synchronize();
  const auto done = kn::test::host_steps_of();
  CHECK(kn::argmax(x).item<std::int64_t>() == 765'432);
  CHECK(kn::argmin(-x).item<std::int64_t>() == 765'432);
  CHECK(kn::argmax(x(kn::slice(1'000, kn::none)) * 2).item<std::int64_t>() == 764'432);
  CHECK(kn::test::host_steps_of() == done + 3);
  values[900'000] = NAN;
  CHECK(kn::argmax(kn::asarray(values)).item<std::int64_t>() == 900'000);
}

TEST_CASE("threads share rows that come down to a value each") {
  if (!does_steps()) return;
  const Array x = kn::test::mixed({400, 1000}, kn::float32);
  const auto places = [&] { return std::vector{kn::argmax(x * 2, {.axis = 1})}; };
  check_bits(places);  // compiled by then
  kn::synchronize();
  const auto done = kn::test::host_steps_of();
  kn::eval(places());
  CHECK(kn::test::host_steps_of() == done + 1);
}

TEST_CASE("several results of one state") {
  if (!does_steps()) return;
  const std::vector<float> values = {3, 1, 2, 5, 0, 4};
  const Array x = kn::asarray(values, {2, 3});
  const Array first = kn::argmax(x, 1), again = kn::argmax(x, {.axis = 1, .keepdims = true}), largest = kn::max(x, 1);
  const Array one = kn::argmin(x), other = kn::argmin(x);
  kn::eval(first, again, largest, one, other);
  CHECK(first.to_vector<std::int64_t>() == std::vector<std::int64_t>{0, 0});
  CHECK(again.to_vector<std::int64_t>() == std::vector<std::int64_t>{0, 0});
  CHECK(largest.to_vector<float>() == std::vector<float>{3, 5});
  CHECK(one.item<std::int64_t>() == 4);
  CHECK(other.item<std::int64_t>() == 4);
  // Of more results than the state has parts.
  const Array moments[] = {kn::var(x), kn::var(x, {.correction = 1}), kn::var(x, {.correction = 2}), kn::var(x)};
  kn::eval(moments[0], moments[1], moments[2], moments[3]);
  const double squares = 17.5;
  for (const int k : {0, 1, 2, 3}) {
    CHECK(moments[k].item<float>() == doctest::Approx(squares / (6 - k % 3)).epsilon(1e-6));
  }
}

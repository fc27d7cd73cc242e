// SPDX-License-Identifier: Apache-2.0
// Sorts against std::stable_sort: types, sizes round the edges of tiles and blocks, few and many rows, axes, layouts,
// special values, stability, messages.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/numbers.hpp"

namespace kn = koine;
using kn::Array;
using kn::none;
using kn::Shape;
using kn::slice;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

/// Whether a stands before b: NaN stands last, and zeros are equal.
template <class T>
bool before(T a, T b, bool descending) {
  if constexpr (kn::test::is_small_float<T>) {
    return before(static_cast<double>(static_cast<float>(a)), static_cast<double>(static_cast<float>(b)), descending);
  } else {
    if (a != a || b != b) return a == a;
    return descending ? b < a : a < b;
  }
}

/// A number whose bits are those of the value, so that zeros and NaN can be told apart.
template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
std::vector<std::int64_t> sorted_places(const std::vector<T>& values, bool descending) {
  std::vector<std::int64_t> places(values.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    return before<T>(values[static_cast<std::size_t>(a)], values[static_cast<std::size_t>(b)], descending);
  });
  return places;
}

/// Values in the order that sort gives: zeros by their sign, and NaN by their bits, which the caller does to both.
template <class T>
void order_ties(std::vector<T>& sorted, bool descending) {
  std::stable_sort(sorted.begin(), sorted.end(), [&](T a, T b) {
    if (before(a, b, descending)) return true;
    if (before(b, a, descending)) return false;
    if (a != a) return bits_of(a) < bits_of(b);
    if constexpr (kn::test::is_real_float<T>) {
      const bool minus_a = std::signbit(static_cast<float>(a)), minus_b = std::signbit(static_cast<float>(b));
      return descending ? minus_b && !minus_a : minus_a && !minus_b;
    }
    return false;
  });
}

template <class T>
std::vector<T> random_values(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random();
    if constexpr (std::is_same_v<T, bool>) {
      values[i] = (bits & 1) != 0;
    } else {
      std::memcpy(static_cast<void*>(&values[i]), &bits, sizeof(T));
    }
  }
  return values;
}

/// Every kind of value that is special to a floating type, several times, among others.
template <class T>
std::vector<T> special_values(std::size_t count) {
  std::vector<T> values = random_values<T>(count, 5);
  if constexpr (kn::test::is_real_float<T>) {
    const auto exact = [](long double x) { return kn::test::from_wide<T>(x); };
    const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const long double least = kn::test::smallest<T>(), normal = kn::test::smallest_normal<T>(),
                      most = kn::test::largest<T>();
    const T some[] = {T(0.0f),     T(-0.0f),     T(infinity),   T(-infinity),  T(nan),
                      T(-nan),     exact(least), exact(-least), exact(normal), exact(-normal),
                      exact(most), exact(-most), exact(1),      exact(-1),     exact(normal - least)};
    for (std::size_t i = 0; i < count; i += 2) values[i] = some[i * 7 % std::size(some)];
  } else if constexpr (!std::is_same_v<T, bool>) {
    const T some[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(0), T(1), static_cast<T>(-1)};
    for (std::size_t i = 0; i < count; i += 2) values[i] = some[i * 7 % std::size(some)];
  }
  return values;
}

/// sort and argsort of rows, in both directions.
template <class T>
void check_rows(const std::vector<T>& values, std::int64_t rows, std::int64_t count) {
  const Shape shape{rows, count};
  const Array x = kn::asarray(values, shape);
  for (const bool descending : {false, true}) {
    CAPTURE(rows);
    CAPTURE(count);
    CAPTURE(descending);
    CAPTURE(kn::name(kn::dtype_of<T>));
    const auto places = kn::argsort(x, {.descending = descending}).template to_vector<std::int64_t>();
    const auto sorted = kn::sort(x, {.descending = descending}).template to_vector<T>();
    std::vector<std::int64_t> want_places;
    std::vector<std::uint64_t> want, got;
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<T> line(static_cast<std::size_t>(count)), line_got(line.size());
      for (std::size_t i = 0; i < line.size(); ++i) {
        line[i] = values[static_cast<std::size_t>(row * count) + i];
        line_got[i] = sorted[static_cast<std::size_t>(row * count) + i];
      }
      const auto of_row = sorted_places(line, descending);
      want_places.insert(want_places.end(), of_row.begin(), of_row.end());
      order_ties(line, descending);
      // Only NaN among themselves are in an order of their own.
      const auto numbers = std::find_if(line_got.begin(), line_got.end(), [](T v) { return v != v; });
      std::stable_sort(numbers, line_got.end(), [](T a, T b) { return bits_of(a) < bits_of(b); });
      for (const T v : line) want.push_back(bits_of(v));
      for (const T v : line_got) got.push_back(bits_of(v));
    }
    CHECK(kn::test::difference(places, want_places) == "");
    CHECK(kn::test::difference(got, want) == "");
  }
}

template <class T>
void check_type() {
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  for (const std::int64_t count : {0, 1, 2, 7, 48, 49, 64, 1000, 4095, 4096, 4097, 70'000}) {
    check_rows(random_values<T>(static_cast<std::size_t>(count), 1), 1, count);
    check_rows(special_values<T>(static_cast<std::size_t>(count)), 1, count);
  }
  for (const std::int64_t count : {0, 1, 3, 10, 16, 17, 100, 1000, 3000}) {
    check_rows(special_values<T>(static_cast<std::size_t>(37 * count)), 37, count);
  }
  check_rows(special_values<T>(3 * 30'000), 3, 30'000);
}

}  // namespace

TEST_CASE("every type, with all its special values, in one row and in several") {
  on_each_device([] {
    check_type<bool>();
    check_type<std::int8_t>();
    check_type<std::uint16_t>();
    check_type<kn::float16_t>();
    if (kn::test::without_variants("three more types")) return;
    check_type<std::uint8_t>();
    check_type<std::int16_t>();
    check_type<kn::bfloat16_t>();
  });
}

TEST_CASE("every type of four and eight bytes likewise") {
  on_each_device([] {
    check_type<std::uint32_t>();
    check_type<std::int64_t>();
    check_type<float>();
    check_type<double>();
    if (kn::test::without_variants("int32 and uint64")) return;
    check_type<std::int32_t>();
    check_type<std::uint64_t>();
  });
}

TEST_CASE("a million elements, and a hundred thousand rows") {
  on_each_device([] {
    check_rows(random_values<float>((1 << 20) + 3, 2), 1, (1 << 20) + 3);
    check_rows(random_values<std::int16_t>(100'000 * 5, 3), 100'000, 5);
    check_rows(random_values<float>(2 * 20'011, 4), 2, 20'011);
  });
}

TEST_CASE("rows whose elements share some of their digits, each row others") {
  on_each_device([] {
    constexpr std::int64_t count = 20'011;
    const std::int64_t masks[] = {0, 0xff, 0xff00, 0x7f000000ff00, 0x7f, -1, 0xff00ff00ff00};
    std::vector<std::int64_t> values =
        random_values<std::int64_t>(static_cast<std::size_t>(count * std::ssize(masks)), 8);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] &= masks[i / count];
    check_rows(values, std::ssize(masks), count);
    std::vector<std::int32_t> halves;
    for (const std::int64_t v : values) halves.push_back(static_cast<std::int32_t>(v));
    check_rows(halves, std::ssize(masks), count);
  });
}

TEST_CASE("equal elements keep their order in both directions") {
  on_each_device([] {
    for (const std::int64_t count : {100, 5000, 200'000}) {
      std::mt19937 random(6);
      std::vector<float> values(static_cast<std::size_t>(count));
      const float few[] = {
          0.0f, -0.0f, 1, 2, std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN()};
      for (float& v : values) v = few[random() % 6];
      for (const bool descending : {false, true}) {
        CAPTURE(count);
        CAPTURE(descending);
        check_array(kn::argsort(kn::asarray(values), {.descending = descending}), {count},
                    sorted_places(values, descending));
      }
    }
  });
}

TEST_CASE("any axis of arrays of up to four, and of views of them") {
  on_each_device([] {
    for (const Shape& shape : std::vector<Shape>{{9}, {5, 7}, {40, 3}, {4, 5, 6}, {2, 3, 5, 4}, {3, 0, 2}, {1, 1}}) {
      const auto values = random_values<std::int32_t>(static_cast<std::size_t>(shape.elements()), 7);
      const Array x = kn::asarray(values, shape);
      for (std::int64_t axis = -std::ssize(shape); axis < std::ssize(shape); ++axis) {
        CAPTURE(shape);
        CAPTURE(axis);
        const auto last = static_cast<std::size_t>(axis < 0 ? axis + std::ssize(shape) : axis);
        std::vector<std::int32_t> want(values.size());
        std::vector<std::int64_t> want_places(values.size());
        kn::test::each_position(shape, [&](const Shape& p) {
          if (p[last] != 0) return;
          std::vector<std::int32_t> row;
          std::vector<std::size_t> at;
          Shape q = p;
          for (q[last] = 0; q[last] < shape[last]; ++q[last]) {
            at.push_back(static_cast<std::size_t>(kn::test::number_of(q, shape)));
            row.push_back(values[at.back()]);
          }
          const auto places = sorted_places(row, false);
          for (std::size_t i = 0; i < at.size(); ++i) {
            want[at[i]] = row[static_cast<std::size_t>(places[i])];
            want_places[at[i]] = places[i];
          }
        });
        check_array(kn::sort(x, {.axis = axis}), shape, want);
        check_array(kn::argsort(x, {.axis = axis}), shape, want_places);
        check_array(kn::sort(-(-x), {.axis = axis}) + 0, shape, want);
      }
    }
    const Array x = kn::asarray(std::vector<std::int32_t>{5, 3, 8, 1, 9, 2, 7, 4}, {2, 4});
    check_array(kn::sort(x(kn::all, slice(none, none, -2))), {2, 2}, std::vector<std::int32_t>{1, 3, 2, 4});
    check_array(kn::argsort(x(1)), {4}, std::vector<std::int64_t>{1, 3, 2, 0});
    check_array(kn::sort(x(1, slice(1, none))), {3}, std::vector<std::int32_t>{2, 4, 7});
    check_array(kn::sort(kn::broadcast_to(x(0, slice(0, 2)), {2, 2}), {.axis = 1}), {2, 2},
                std::vector<std::int32_t>{3, 5, 3, 5});
    check_array(kn::sort(kn::arange(4) * -1), {4}, std::vector<std::int64_t>{-3, -2, -1, 0});
    check_array(kn::sum(kn::sort(x, {.descending = true})(kn::all, slice(0, 2)), {.axis = 1}), {2},
                std::vector<std::int64_t>{13, 16});
    check_array(kn::sort(kn::sort(x, {.axis = 0}), {.axis = 1, .stable = false}), {2, 4},
                std::vector<std::int32_t>{1, 2, 5, 7, 3, 4, 8, 9});
    CHECK(kn::sort(kn::zeros({3, 0})).shape() == Shape{3, 0});
    CHECK(kn::argsort(kn::zeros({0, 3}, {.dtype = kn::int8})).dtype() == kn::int64);
  });
}

TEST_CASE("what a sort cannot take") {
  CHECK(message_of<kn::DTypeError>([] { kn::sort(kn::ones({3}, {.dtype = kn::complex64})); }) ==
        "[sort] does not take complex64, whose elements have no order; take the real part, the imaginary part "
        "or abs");
  CHECK(has(message_of<kn::DTypeError>([] { kn::argsort(kn::ones({3}, {.dtype = kn::complex64})); }), "[argsort]"));
  CHECK(message_of<kn::IndexError>([] { kn::sort(kn::ones({})); }) ==
        "[sort] axis -1 is out of range for shape (), which has no axes");
  CHECK(message_of<kn::IndexError>([] {
          kn::argsort(kn::ones({2, 3}), {.axis = 2});
        }) == "[argsort] axis 2 is out of range for shape (2, 3); it can be -2 to 1");
}

// SPDX-License-Identifier: Apache-2.0
// Scans against plain loops and, bit for bit, against the documented order: kinds, axes, layouts, types, sizes round
// the edges of chunks, groups and blocks; special values; messages.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fixed_order.hpp"
#include "support/inner.hpp"
#include "support/numbers.hpp"

namespace kn = koine;
using kn::Array;
using kn::none;
using kn::Shape;
using kn::slice;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

/// `scan` of each row of `values` along an axis, a row being a vector.
template <class T, class Scan>
std::vector<T> along(const Shape& shape, std::size_t axis, const std::vector<T>& values, Scan scan) {
  std::vector<T> results(values.size());
  std::int64_t step = 1;
  for (std::size_t k = axis + 1; k < shape.size(); ++k) step *= shape[k];
  kn::test::each_position(shape, [&](const Shape& p) {
    if (p[axis] != 0) return;
    const auto first = static_cast<std::size_t>(kn::test::number_of(p, shape));
    std::vector<T> row;
    const auto stride = static_cast<std::size_t>(step), count = static_cast<std::size_t>(shape[axis]);
    for (std::size_t i = 0; i < count; ++i) row.push_back(values[first + i * stride]);
    row = scan(row);
    for (std::size_t i = 0; i < count; ++i) results[first + i * stride] = row[i];
  });
  return results;
}

template <class T>
std::vector<T> small_values(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> draw(-9, 9);
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>(draw(random)));
  return values;
}

template <class T>
std::vector<T> real_values(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> draw(0.1, 1.0);
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (kn::test::is_complex_float<T>) {
      const double real = draw(random);
      values.push_back(T(static_cast<typename T::value_type>(real), static_cast<typename T::value_type>(draw(random))));
    } else {
      values.push_back(static_cast<T>(static_cast<float>(draw(random))));
    }
  }
  return values;
}

std::vector<std::int64_t> plain_sums(const std::vector<std::int64_t>& row) {
  std::vector<std::int64_t> result = row;
  for (std::size_t i = 1; i < row.size(); ++i) result[i] += result[i - 1];
  return result;
}

template <class S>
std::vector<S> fixed_sums(const std::vector<S>& row) {
  return kn::test::fixed_scan<S>(row, S(-0.0f), [](S a, S b) { return a + b; });
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
void check_order(std::int64_t count) {
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  const auto values = real_values<T>(count, static_cast<unsigned>(count));
  CAPTURE(count);
  CHECK(same_bits(kn::cumulative_sum(kn::asarray(values)).template to_vector<T>(), fixed_sums(values)));
}

}  // namespace

TEST_CASE("cumulative sums along every axis") {
  on_each_device([] {
    for (const Shape& shape :
         std::vector<Shape>{{7}, {5, 33, 18}, {3, 1000}, {1000, 3}, {300, 40}, {2, 300, 64}, {4, 5, 0, 3}, {1}}) {
      const auto values = small_values<std::int64_t>(shape.elements(), 3);
      const Array x = kn::asarray(values, shape);
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        CAPTURE(shape);
        CAPTURE(axis);
        check_array(kn::cumulative_sum(x, {.axis = axis}), shape, along(shape, axis, values, plain_sums));
        check_array(kn::cumulative_sum(x, {.axis = static_cast<std::int64_t>(axis) - std::ssize(shape)}), shape,
                    along(shape, axis, values, plain_sums));
      }
    }
  });
}

TEST_CASE("sizes round the edges of vectors, chunks, groups and blocks") {
  on_each_device([] {
    for (std::int64_t size :
         {1, 2, 15, 16, 17, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097, 8192, 8193, 70'000}) {
      CAPTURE(size);
      const auto values = small_values<std::int64_t>(size, 5);
      check_array(kn::cumulative_sum(kn::asarray(values)), {size}, plain_sums(values));
      if (kn::test::all_variants()) {
        const std::vector<std::int32_t> narrow(values.begin(), values.end());
        check_array(kn::cumulative_sum(kn::asarray(narrow)), {size}, plain_sums(values));
      }
      for (const Shape& shape : {Shape{size, 3}, Shape{3, size}, Shape{size, 37}, Shape{2, size, 64}}) {
        if (shape.elements() > 600'000 || (shape[1] == 37 && !kn::test::all_variants())) continue;
        CAPTURE(shape);
        const auto many = small_values<std::int64_t>(shape.elements(), 6);
        const std::size_t axis = shape[0] == size ? 0 : 1;
        check_array(kn::cumulative_sum(kn::asarray(many, shape), {.axis = axis}), shape,
                    along(shape, axis, many, plain_sums));
      }
    }
  });
}

TEST_CASE("the order is the documented one, bit for bit") {
  on_each_device([] {
    for (std::int64_t count : {1, 16, 17, 300, 1025, 2049, 4097, 70'001}) {
      check_order<float>(count);
      check_order<std::complex<float>>(count);
      if (kn::test::without_variants("float64 and complex128")) continue;
      check_order<double>(count);
      check_order<std::complex<double>>(count);
    }
    check_order<std::complex<float>>(1024 * 1024 + 1025);  // totals of totals
    check_order<float>(4096 * 4096 + 4097);
    for (const Shape& shape : {Shape{5000, 3}, Shape{5000, 40}, Shape{3, 4097, 33}}) {
      const std::size_t axis = shape.size() == 2 ? 0 : 1;
      const auto values = real_values<float>(shape.elements(), 8);
      const auto want = along(shape, axis, values, [](const auto& row) { return fixed_sums(row); });
      const Array x = kn::asarray(values, shape);
      CHECK(same_bits(kn::cumulative_sum(x, {.axis = axis}).to_vector<float>(), want));
      // As it lies in memory, or as it is computed, makes no difference.
      const Array moved = (kn::moveaxis(x, axis, -1) + 0.0f).eval();
      const Array turned = kn::moveaxis(moved, -1, axis);
      CHECK(same_bits(kn::cumulative_sum(turned, {.axis = axis}).to_vector<float>(), want));
      if (shape[1] != 3 && kn::test::without_variants()) continue;
      CHECK(same_bits(kn::cumulative_sum(-(-x), {.axis = axis}).to_vector<float>(), want));
    }
  });
}

TEST_CASE("products and extremes, small floats, NaN and zeros") {
  on_each_device([] {
    const auto values = real_values<float>(9000, 4);
    const Array x = kn::asarray(values);
    std::vector<float> most = values, least = values;
    for (std::size_t i = 1; i < values.size(); ++i) {
      most[i] = std::max(most[i - 1], values[i]);
      least[i] = std::min(least[i - 1], values[i]);
    }
    check_array(kn::cumulative_max(x), {9000}, most);
    check_array(kn::cumulative_min(x), {9000}, least);
    const auto factors = kn::test::fixed_scan<float>(values, 1.0f, [](float a, float b) { return a * b; });
    CHECK(same_bits(kn::cumulative_prod(x).to_vector<float>(), factors));

    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    check_array(kn::cumulative_max(kn::array({1.f, nan, 3.f})), {3}, std::vector<float>{1, nan, nan});
    check_array(kn::cumulative_min(kn::array({nan, 2.f})), {2}, std::vector<float>{nan, nan});
    check_array(kn::cumulative_max(kn::array({-infinity, -infinity, 2.f})), {3},
                std::vector<float>{-infinity, -infinity, 2});
    check_array(kn::cumulative_sum(kn::array({1.f, infinity, -infinity, 4.f})), {4},
                std::vector<float>{1, infinity, nan, nan});
    CHECK(std::signbit(kn::cumulative_sum(kn::array({-0.f, -0.f}))(1).item<float>()));
    CHECK(std::signbit(kn::cumulative_prod(kn::array({-0.f, 2.f}))(1).item<float>()));

    // Small floats are rounded once, at the end.
    const Array ones = kn::ones({3000}, {.dtype = kn::float16});
    CHECK(kn::cumulative_sum(ones)(2999).item<float>() == 3000);
    const Array brains = kn::ones({300}, {.dtype = kn::bfloat16});
    CHECK(kn::cumulative_sum(brains)(299).item<float>() == 300);
    CHECK(kn::cumulative_sum(brains)(256).item<float>() == 256);  // 257 is halfway to 258, and 256 is even
    if (kn::test::computes(kn::complex64)) {
      using C = std::complex<float>;
      check_array(kn::cumulative_prod(kn::array({C(0, 1), C(0, 1), C(2, 0)})), {3},
                  std::vector<C>{C(0, 1), C(-1, 0), C(-2, 0)});
    }
  });
}

TEST_CASE("integers of each type wrap, and results have the standard's types") {
  on_each_device([] {
    check_array(kn::cumulative_sum(kn::array({true, false, true})), {3}, std::vector<std::int64_t>{1, 1, 2});
    CHECK(kn::cumulative_sum(numbered<std::int8_t>({3})).dtype() == kn::int64);
    CHECK(kn::cumulative_sum(numbered<std::uint8_t>({3})).dtype() == kn::uint64);
    CHECK(kn::cumulative_sum(numbered<float>({3})).dtype() == kn::float32);
    CHECK(kn::cumulative_prod(numbered<std::int32_t>({3}), {.dtype = kn::float32}).dtype() == kn::float32);
    CHECK(kn::cumulative_max(numbered<std::int16_t>({3})).dtype() == kn::int16);
    check_array(kn::cumulative_sum(kn::array({100, 100, 100}), {.dtype = kn::int8}), {3},
                std::vector<std::int8_t>{100, -56, 44});
    check_array(kn::cumulative_prod(kn::array({200, 2}), {.dtype = kn::uint8}), {2},
                std::vector<std::uint8_t>{200, 144});
    check_array(kn::cumulative_min(kn::asarray(std::vector<std::uint64_t>{7, 1ull << 63, 3})), {3},
                std::vector<std::uint64_t>{7, 7, 3});
    check_array(kn::cumulative_max(kn::asarray(std::vector<std::int16_t>{-32768, -5, -7})), {3},
                std::vector<std::int16_t>{-32768, -5, -5});
  });
}

TEST_CASE("a leading value, views, broadcasts and expressions") {
  on_each_device([] {
    const Array x = numbered<std::int64_t>({3, 4});
    check_array(kn::cumulative_sum(x, {.axis = 1, .include_initial = true}), {3, 5},
                std::vector<std::int64_t>{0, 0, 1, 3, 6, 0, 4, 9, 15, 22, 0, 8, 17, 27, 38});
    check_array(kn::cumulative_prod(x + 1, {.axis = 0, .include_initial = true}), {4, 4},
                std::vector<std::int64_t>{1, 1, 1, 1, 1, 2, 3, 4, 5, 12, 21, 32, 45, 120, 231, 384});
    check_array(kn::cumulative_sum(kn::zeros({0, 2}), {.axis = 0, .include_initial = true}), {1, 2},
                std::vector<float>{0, 0});
    check_array(kn::cumulative_sum(x(kn::all, slice(none, none, -1)).T(), {.axis = 0}), {4, 3},
                std::vector<std::int64_t>{3, 7, 11, 5, 13, 21, 6, 18, 30, 6, 22, 38});
    check_array(kn::cumulative_sum(kn::broadcast_to(kn::array({1, 2}), {3, 2}), {.axis = 0}), {3, 2},
                std::vector<std::int64_t>{1, 2, 2, 4, 3, 6});
    check_array(kn::cumulative_sum(kn::arange(5) * 2), {5}, std::vector<std::int64_t>{0, 2, 6, 12, 20});
    check_array(kn::sum(kn::cumulative_sum(x, {.axis = 1}) + 1, {.axis = 0}), {4},
                std::vector<std::int64_t>{15, 30, 48, 69});
  });
}

TEST_CASE("many rows of several blocks, of which a GPU's groups carry the totals along, keep the documented order") {
  on_each_device([] {
    const auto check = [](const Shape& shape, std::size_t axis) {
      CAPTURE(shape);
      const auto values = real_values<float>(shape.elements(), 5);
      const std::vector<float> sums = kn::cumulative_sum(kn::asarray(values, shape), {.axis = axis}).to_vector<float>();
      CHECK(same_bits(sums, along(shape, axis, values, fixed_sums<float>)));
    };
    check({130, 5000}, 1);
    check({40, 5000}, 1);
    // Enough of them for all groups of a card.
    const bool card = !kn::test::facts_of().cpu_loops;
    check({card ? 128 : 8, 17 * 2048 + 5}, 1);
    check({2 * 2048 + 30, card ? 2050 : 130}, 0);
  });
}

TEST_CASE("what a scan cannot take") {
  const Array x = kn::ones({2, 3});
  CHECK(message_of<kn::ValueError>([&] { kn::cumulative_sum(x); }) ==
        "[cumulative_sum] needs an .axis for shape (2, 3)");
  CHECK(message_of<kn::ValueError>([&] {
          kn::cumulative_max(x, {.axis = {0, 1}});
        }) == "[cumulative_max] takes one axis, got (0, 1)");
  CHECK(message_of<kn::ValueError>([&] { kn::cumulative_min(kn::ones({}), {.axis = 0}); }) ==
        "[cumulative_min] takes one dimension or more, got an array without any");
  CHECK(has(message_of<kn::IndexError>([&] { kn::cumulative_prod(x, {.axis = 2}); }), "axis 2"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::cumulative_sum(x, {.axis = 0, .dtype = kn::bool_}); }), "bool"));
}

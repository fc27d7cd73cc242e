// SPDX-License-Identifier: Apache-2.0
// mean, var and std: errors beside a reference in long double and beside the formula of two passes over memory; values
// at the ends of the range; how many kernels they run.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::Shape;
using kn::slice;
using kn::test::kernels_of;
using kn::test::on_each_device;
using kn::test::usual_and;

namespace {

/// The mean squared distance from the mean of every `step`-th value.
template <class T>
long double exact(const std::vector<T>& v, std::size_t first, std::size_t count, std::size_t step) {
  long double total = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) total += static_cast<long double>(v[first + i * step]);
  const long double mean = total / static_cast<long double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const long double apart = static_cast<long double>(v[first + i * step]) - mean;
    squares += apart * apart;
  }
  return squares / static_cast<long double>(count);
}

/// Two passes over memory, with the mean rounded between them.
Array by_two_passes(const Array& x, const kn::Axis& axis) {
  const Array total = kn::sum(x, {.axis = axis, .keepdims = true});
  const auto count = static_cast<double>(x.size() / total.size());
  return kn::sum(kn::square(x - total / count), {.axis = axis}) / count;
}

/// Of values whose place in the array, from 0 to 1, is t.
using Law = std::function<double(double t, std::mt19937&)>;

double normal(double, std::mt19937& random) { return std::normal_distribution<double>()(random); }
double trend(double t, std::mt19937& random) { return 3.4 * t - 1.7 + 0.01 * normal(t, random); }
double rising(double t, std::mt19937&) { return 0.55 * std::log((t + 1e-4) / (1 - t + 1e-4)); }  // normal ones, sorted
double falling(double t, std::mt19937& random) { return -rising(t, random); }
double steps(double t, std::mt19937&) { return t < 0.5 ? -1 : 1; }

template <class T>
double largest_error(const Array& got, const std::vector<T>& v, std::int64_t rows, std::int64_t columns, int axis) {
  const auto n = static_cast<std::size_t>(rows), m = static_cast<std::size_t>(columns);
  const std::vector<double> values = got.to_vector<double>();
  double worst = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const long double e = axis == 0 ? exact(v, k, n, m) : axis == 1 ? exact(v, k * m, m, 1) : exact(v, 0, v.size(), 1);
    // Of next to equal values the distances are the values' own roundings.
    if (e < 1e-3L) continue;
    worst = std::max(worst, static_cast<double>(std::fabs((static_cast<long double>(values[k]) - e) / e)));
  }
  return worst;
}

/// Variances along some axes, or along all, beside those of these values by plain loops.
void check_near(const Array& got, const std::vector<float>& values, const Shape& shape, const kn::Axis& along) {
  std::vector<std::int64_t> axes{0, 1, 2};
  if (along.given()) axes.assign(along.axes().begin(), along.axes().end());
  Shape kept = shape;
  for (const std::int64_t axis : axes) kept[static_cast<std::size_t>(axis)] = 1;
  std::vector<std::vector<float>> groups(static_cast<std::size_t>(kept.elements()));
  std::size_t next = 0;
  kn::test::each_position(shape, [&](const Shape& position) {
    Shape at = position;
    for (const std::int64_t axis : axes) at[static_cast<std::size_t>(axis)] = 0;
    groups[static_cast<std::size_t>(kn::test::number_of(at, kept))].push_back(values[next++]);
  });
  const std::vector<double> variances = got.to_vector<double>();
  REQUIRE(variances.size() == groups.size());
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const auto want = static_cast<double>(exact(groups[k], 0, groups[k].size(), 1));
    CHECK(std::abs(variances[k] - want) <= 1e-4 * want);
  }
}

template <class T>
void check_errors(double mean, const Law& law, std::int64_t rows, std::int64_t columns) {
  std::mt19937 random(5);
  std::vector<T> v(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = static_cast<T>(mean + law(static_cast<double>(i) / static_cast<double>(v.size()), random));
  }
  const Array x = kn::asarray(v, {rows, columns});
  for (const int axis : {0, 1, 2}) {
    CAPTURE(mean);
    CAPTURE(rows);
    CAPTURE(axis);
    const kn::Axis along = axis == 2 ? kn::Axis(none) : kn::Axis(axis);
    const double now = largest_error(kn::var(x, {.axis = along}), v, rows, columns, axis);
    const double before = largest_error(by_two_passes(x, along), v, rows, columns, axis);
    // Three roundings of the result itself are always allowed.
    CHECK(now <= std::max(2 * before, 3.0 * std::numeric_limits<T>::epsilon()));
  }
}

}  // namespace

TEST_CASE("var is at most twice as far off as two passes over memory are") {
  on_each_device([] {
    const auto shapes =
        usual_and<std::pair<std::int64_t, std::int64_t>>({{600, 300}, {3, 50'001}}, {{30'000, 3}, {5000, 16}});
    for (const double mean : {0.0, 100.0, 1e4}) {
      for (const Law& law : {Law(normal), Law(trend), Law(rising), Law(steps)}) {
        for (const auto& [rows, columns] : shapes) check_errors<float>(mean, law, rows, columns);
      }
    }
  });
}

TEST_CASE("var of long sorted arrays is at most twice as far off as two passes over memory are") {
  on_each_device([] {
    // Neighbours are next to equal there, so that nearly all of the distances within a chunk comes of its rounded mean.
    for (const std::int64_t elements : usual_and<std::int64_t>({1 << 22}, {8'000'000, 1 << 24})) {
      for (const double mean : usual_and({1e4}, {1.0, 100.0})) {
        for (const Law& law : usual_and<Law>({rising}, {falling, trend})) {
          for (const std::int64_t rows : {std::int64_t{2}, elements / 2}) {
            check_errors<float>(mean, law, rows, elements / rows);
          }
        }
      }
    }
  });
  if (kn::test::without_variants("float64")) return;
  on_each_device(kn::float64, [] { check_errors<double>(1e4, rising, 1 << 19, 2); });
}

TEST_CASE("of equal values var has next to nothing of what their rounded mean is off by") {
  on_each_device([] {
    // Equal distances of d each, a few units in the last place, are taken off themselves: what roundings leave of them
    // is d squared times a few 2^-24.
    const float value = 10'000.123f;
    const double unit = std::nextafter(value, 1e9f) - value, most = 0x1p-16 * unit * unit;
    for (const std::int64_t count : {13, 1000, 70'001, 3'000'000}) {
      for (const Shape& shape : {Shape{count}, Shape{3, count}, Shape{count, 3}}) {
        const Array x = kn::full(shape, value).astype(kn::float32).eval();
        for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
          CAPTURE(count);
          CAPTURE(axis);
          // By a kernel of moments, and by one that takes whole rows where they fit.
          CHECK(std::ranges::max(kn::var(x, {.axis = axis}).to_vector<float>()) <= most);
          const Array each = x - x + kn::var(x, {.axis = axis, .keepdims = true});
          CHECK(std::ranges::max(each.to_vector<float>()) <= most);
        }
      }
    }
  });
}

TEST_CASE("var of views, expressions and several axes") {
  on_each_device([] {
    std::mt19937 random(9);
    std::vector<float> v(24 * 35 * 6);
    for (float& x : v) x = static_cast<float>(50 + normal(0, random));
    const Array x = kn::asarray(v, {24, 35, 6});
    // Made anew for each, so that none is stored by then.
    const std::function<Array()> views[] = {[&] { return x; },
                                            [&] { return x.mT(); },
                                            [&] { return Array(x(all, slice(30, 2, -3))); },
                                            [&] { return Array(x(slice(1, none), all, slice(1, 6))); },
                                            [&] {
                                              return kn::broadcast_to(x(slice(0, 1)), {7, 35, 6});
                                            },
                                            [&] { return x * 2.0 + 1.0; }};
    for (const auto& view : views) {
      const bool part = &view == &views[3] || &view == &views[4], computed = &view == &views[5];
      if (part && kn::test::without_variants()) continue;
      const Shape shape = view().shape();
      const std::vector<float> values = view().to_vector<float>();
      for (const kn::Axis& axis : {kn::Axis(none), kn::Axis(0), kn::Axis(1), kn::Axis(2), kn::Axis({0, 2}),
                                   kn::Axis({1, 2}), kn::Axis({0, 1})}) {
        const bool two = axis.given() && axis.axes().size() == 2 && axis.axes() != std::vector<std::int64_t>{0, 2};
        if (two && shape != Shape{24, 35, 6} && !kn::test::all_variants()) continue;
        // Of what is computed, columns and all of it.
        const bool columns = axis.given() && axis.axes() == std::vector<std::int64_t>{0};
        if (computed && axis.given() && !columns && !kn::test::all_variants()) continue;
        if (shape == Shape{7, 35, 6} && axis.given() && axis.axes() == std::vector<std::int64_t>{0}) continue;
        check_near(kn::var(view(), {.axis = axis}), values, shape, axis);
      }
    }
  });
}

TEST_CASE("var at the ends of the range") {
  on_each_device([] {
    const float inf = std::numeric_limits<float>::infinity();
    const auto var = [](const std::vector<float>& v) { return kn::var(kn::asarray(v)).item<float>(); };
    CHECK(var({5}) == 0);
    CHECK(std::isnan(kn::var(kn::ones({1}), {.correction = 1}).item<float>()));
    CHECK(kn::var(kn::array({1, 3}).astype(kn::float32), {.correction = 3}).item<float>() == inf);
    CHECK(std::isnan(var({1, inf, 2})));
    CHECK(std::isnan(var(std::vector<float>(1000, inf))));
    CHECK(std::isnan(var({1, NAN, 2})));
    // Their squares are past the range, their distances are not.
    CHECK(var(std::vector<float>(1000, 0x1p100f)) == 0);
    CHECK(var(std::vector<float>(70'000, -0x1p90f)) == 0);
    CHECK(var({1e30f, -1e30f, 3e30f}) == inf);
    std::vector<float> wide(3001, 60'000.0f);
    for (std::size_t i = 0; i < wide.size(); i += 2) wide[i] = 59'000.0f;
    const Array half = kn::asarray(wide, kn::float16);
    CHECK(kn::std(half).item<float>() == doctest::Approx(496).epsilon(1e-2));  // the variance is past float16's range
  });
  on_each_device(kn::float64, [] {
    const Array x = kn::array({1, 2, 3, 4}).astype(kn::float64) + 1e9;
    CHECK(kn::var(x).item<double>() == 1.25);
  });
}

TEST_CASE("mean, var and std run the kernels of a sum") {
  const Array x = kn::random::Generator(3).uniform({300, 1000}).eval();
  for (const kn::DType type : usual_and({kn::float32}, {kn::float16})) {
    const Array y = x.astype(type).eval();
    for (const kn::Axis& axis : {kn::Axis(none), kn::Axis(0), kn::Axis(1)}) {
      CAPTURE(kn::name(type));
      for (const bool keepdims : {false, true}) {
        CAPTURE(keepdims);
        const std::int64_t of_sum = kernels_of(kn::sum(y, {.axis = axis}));
        CHECK(kernels_of(kn::sum(y, {.axis = axis, .keepdims = keepdims})) == of_sum);
        CHECK(kernels_of(kn::mean(y, {.axis = axis, .keepdims = keepdims})) == of_sum);
        CHECK(kernels_of(kn::var(y * 2.0, {.axis = axis, .keepdims = keepdims})) == of_sum);
        CHECK(kernels_of(kn::std(y, {.axis = axis, .correction = 1, .keepdims = keepdims})) == of_sum);
      }
    }
  }
  CHECK(kernels_of(kn::mean(x, {.axis = 1})) == 1);
  CHECK(kernels_of(kn::argmax(x, {.axis = 1, .keepdims = true})) == 1);
}

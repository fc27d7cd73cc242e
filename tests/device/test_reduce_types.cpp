// SPDX-License-Identifier: Apache-2.0
// Reductions of every element type along rows and down columns, within one block and over several: ends of the ranges,
// wrapping, rounding, ties and NaN.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::Shape;
using kn::slice;
using kn::test::check_array;
using kn::test::difference;
using kn::test::on_each_device;

namespace {

// Enough that one result takes several blocks, whichever way it is walked.
constexpr std::size_t long_side = 70'001, short_side = 5;

/// The values as `short_side` rows and, by the same numbers, as columns: both are reduced along their long side.
template <class T>
struct Table {
  explicit Table(std::uint64_t seed, auto make) {
    std::mt19937_64 random(seed);
    values.resize(short_side * long_side);
    for (T& value : values) value = static_cast<T>(make(random));
  }
  T& at(std::size_t line, std::size_t i) { return values[line * long_side + i]; }
  Array rows() const { return kn::asarray(values, {short_side, long_side}); }
  Array columns() const {
    std::vector<T> turned(values.size());
    for (std::size_t line = 0; line < short_side; ++line) {
      for (std::size_t i = 0; i < long_side; ++i) turned[i * short_side + line] = values[line * long_side + i];
    }
    return kn::asarray(turned, {long_side, short_side});
  }
  /// f(first, last) for each line.
  template <class R, class F>
  std::vector<R> lines(F f) const {
    std::vector<R> result;
    for (std::size_t line = 0; line < short_side; ++line) {
      result.push_back(f(values.data() + line * long_side, values.data() + (line + 1) * long_side));
    }
    return result;
  }

  std::vector<T> values;
};

/// Checks a reduction of both tables, and that a second run gives the same bits.
template <class R, class T, class F>
void check_both(const Table<T>& table, F reduce, const std::vector<R>& expected) {
  const Array rows = table.rows(), columns = table.columns();
  const std::vector<R> along = reduce(rows, 1).template to_vector<R>();
  const std::vector<R> down = reduce(columns, 0).template to_vector<R>();
  CHECK(difference(along, expected) == "");
  CHECK(difference(down, expected) == "");
  CHECK(difference(reduce(rows, 1).template to_vector<R>(), along) == "");
  CHECK(difference(reduce(columns, 0).template to_vector<R>(), down) == "");
}

constexpr auto sum_of = [](const Array& x, int axis) { return kn::sum(x, {.axis = axis}); };
constexpr auto max_of = [](const Array& x, int axis) { return kn::max(x, {.axis = axis}); };
constexpr auto min_of = [](const Array& x, int axis) { return kn::min(x, {.axis = axis}); };
constexpr auto argmax_of = [](const Array& x, int axis) { return kn::argmax(x, {.axis = axis}); };
constexpr auto argmin_of = [](const Array& x, int axis) { return kn::argmin(x, {.axis = axis}); };

template <class T>
void check_integers() {
  CAPTURE(kn::dtype_of<T>);
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  Table<T> table(sizeof(T), [](auto& random) { return random(); });
  table.at(1, 300) = std::numeric_limits<T>::max();
  table.at(2, 60'000) = std::numeric_limits<T>::min();
  const auto total = [](const T* first, const T* last) {
    Wide sum = 0;
    for (; first != last; ++first)
      sum = static_cast<Wide>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(*first));
    return sum;
  };
  CHECK(sum_of(table.rows(), 1).dtype() == kn::dtype_of<Wide>);
  check_both(table, sum_of, table.template lines<Wide>(total));
  check_both(table, max_of, table.template lines<T>([](auto a, auto b) { return *std::max_element(a, b); }));
  if (sizeof(T) > 1 && kn::test::without_variants()) return;
  check_both(table, min_of, table.template lines<T>([](auto a, auto b) { return *std::min_element(a, b); }));
  // The first of equal extremes, wherever the blocks lie: small types have many.
  check_both(table, argmax_of,
             table.template lines<std::int64_t>([](auto a, auto b) { return std::max_element(a, b) - a; }));
  if (sizeof(T) > 1 || kn::test::without_variants("positions of minima, as those of maxima")) return;
  check_both(table, argmin_of,
             table.template lines<std::int64_t>([](auto a, auto b) { return std::min_element(a, b) - a; }));
}

template <class T>
void check_small_floats() {
  CAPTURE(kn::dtype_of<T>);
  // Quarters: their sums are exact in float32, so that the one rounding at the end is known.
  const Table<T> table(3, [](auto& random) { return T(static_cast<float>(random() % 9) * 0.25f); });
  check_both(table, sum_of, table.template lines<T>([](const T* first, const T* last) {
    double sum = 0;
    for (; first != last; ++first) sum += static_cast<double>(static_cast<float>(*first));
    return T(static_cast<float>(sum));
  }));
  check_both(
      table, [](const Array& x, int axis) { return kn::mean(x, {.axis = axis}); },
      table.template lines<T>([](const T* first, const T* last) {
        double sum = 0;
        for (const T* x = first; x != last; ++x) sum += static_cast<double>(static_cast<float>(*x));
        return T(static_cast<float>(sum) / static_cast<float>(last - first));
      }));
  check_both(table, max_of, std::vector<T>(short_side, T(2.0f)));
  if (kn::test::without_variants()) return;
  check_both(table, argmin_of, table.template lines<std::int64_t>([](const T* first, const T* last) {
    return std::min_element(first, last, [](T a, T b) { return static_cast<float>(a) < static_cast<float>(b); }) -
           first;
  }));
}

}  // namespace

TEST_CASE("integers of every size: sums wrap in 64 bits, extremes reach the ends of the range") {
  on_each_device([] {
    check_integers<std::int8_t>();
    check_integers<std::uint64_t>();
    if (kn::test::without_variants("the other six types")) return;
    check_integers<std::int64_t>();
    check_integers<std::uint16_t>();
    check_integers<std::int16_t>();
    check_integers<std::int32_t>();
    check_integers<std::uint8_t>();
    check_integers<std::uint32_t>();
  });
}

TEST_CASE("small floats are added up in float32 and rounded once") {
  on_each_device([] {
    check_small_floats<kn::float16_t>();
    if (kn::test::without_variants("bfloat16 is as float16")) return;
    check_small_floats<kn::bfloat16_t>();
  });
}

TEST_CASE("a standard deviation of float16 is right where the variance is past its range") {
  on_each_device([] {
    // Deviations of 800: a variance of 640,000, which float16 does not hold.
    const Array x = kn::asarray(std::vector<kn::float16_t>{kn::float16_t(-800.0f), kn::float16_t(800.0f)});
    CHECK(kn::std(x).dtype() == kn::float16);
    CHECK(kn::std(x).item<float>() == 800.0f);
    CHECK(std::isinf(kn::var(x).item<float>()));
  });
}

TEST_CASE("truth values") {
  on_each_device([] {
    std::vector<bool> few(long_side, false), most(long_side, true);
    few[40'000] = true;
    most[69'999] = false;
    const Array x = kn::asarray(few), y = kn::asarray(most);
    CHECK(kn::sum(x).dtype() == kn::int64);
    CHECK(kn::sum(y).item<int>() == long_side - 1);
    CHECK(kn::count_nonzero(x).item<int>() == 1);
    CHECK(kn::any(x).item<bool>());
    CHECK_FALSE(kn::any(x(slice(40'001, kn::none))).item<bool>());
    CHECK_FALSE(all(y).item<bool>());
    CHECK(all(y(slice(69'999))).item<bool>());
    CHECK(kn::prod(y).item<int>() == 0);
    CHECK(kn::mean(x).item<double>() == doctest::Approx(1.0 / long_side));
    // What is not zero is true: a NaN, and half a float too.
    CHECK(kn::any(kn::asarray(std::vector<float>{0.0f, -0.0f, NAN})).item<bool>());
    CHECK_FALSE(kn::any(kn::asarray(std::vector<float>{0.0f, -0.0f})).item<bool>());
    CHECK(all(kn::full({3}, 0.25, {.dtype = kn::float16})).item<bool>());
    CHECK(kn::any(kn::asarray(std::vector<std::complex<float>>{{0, 1}})).item<bool>());
  });
}

TEST_CASE("products wrap, and keep their blocks in order") {
  on_each_device([] {
    const Table<std::int64_t> odd(9, [](auto& random) { return random() | 1; });
    check_both(
        odd, [](const Array& x, int axis) { return kn::prod(x, {.axis = axis}); },
        odd.lines<std::int64_t>([](auto first, auto last) {
          std::uint64_t product = 1;
          for (; first != last; ++first) product *= static_cast<std::uint64_t>(*first);
          return static_cast<std::int64_t>(product);
        }));
    const Array turns = kn::full({40'001}, std::complex<float>(0, 1));
    CHECK(kn::prod(turns).item<std::complex<float>>() == std::complex<float>(0, 1));
    CHECK(kn::prod(kn::full({3, 4}, 2, {.dtype = kn::uint8}), {.axis = 1}).to_vector<int>() ==
          std::vector<int>{16, 16, 16});
  });
}

TEST_CASE("float32 extremes with NaN, infinities and both zeros") {
  on_each_device([] {
    Table<float> table(11, [](auto& random) { return static_cast<double>(random() % 1000) - 500; });
    table.at(1, 12'345) = INFINITY;
    table.at(1, 69'000) = INFINITY;
    table.at(2, 50'000) = NAN;
    table.at(2, 50'001) = NAN;
    table.at(2, 3) = INFINITY;
    table.at(3, 70'000) = -INFINITY;
    const auto extreme = [](bool largest) {
      return [largest](const float* first, const float* last) {
        float best = *first;
        for (; first != last; ++first) {
          if (std::isnan(*first)) return *first;
          if (largest ? *first > best : *first < best) best = *first;
        }
        return best;
      };
    };
    const auto place = [](bool largest) {
      return [largest](const float* first, const float* last) {
        std::int64_t best = 0;
        for (std::int64_t i = 0; i < last - first; ++i) {
          if (std::isnan(first[i])) return i;
          if (largest ? first[i] > first[best] : first[i] < first[best]) best = i;
        }
        return best;
      };
    };
    check_both(table, max_of, table.lines<float>(extreme(true)));
    check_both(table, min_of, table.lines<float>(extreme(false)));
    check_both(table, argmax_of, table.lines<std::int64_t>(place(true)));
    check_both(table, argmin_of, table.lines<std::int64_t>(place(false)));
    CHECK(kn::argmax(kn::asarray(std::vector<float>{-0.0f, 0.0f})).item<int>() == 0);
    CHECK(kn::argmin(kn::asarray(std::vector<float>{0.0f, -0.0f})).item<int>() == 0);
    CHECK(kn::max(kn::full({1000}, -INFINITY)).item<float>() == -INFINITY);
    CHECK(kn::argmax(kn::full({50'000}, -INFINITY)).item<int>() == 0);
    CHECK(std::isnan(kn::sum(kn::asarray(std::vector<float>{INFINITY, -INFINITY})).item<float>()));
    // An expression's extreme, flattened: what it is of more axes.
    const auto distance = [](float value) { return value == value ? std::fabs(value - 7.0f) : -1.0f; };
    const auto nearest = std::min_element(table.values.begin(), table.values.end(),
                                          [&](float a, float b) { return distance(a) < distance(b); });
    CHECK(kn::argmax(-kn::abs(table.rows() - 7.0)).item<std::int64_t>() == nearest - table.values.begin());
  });
}

TEST_CASE("float64 and complex sums") {
  on_each_device(kn::float64, [] {
    const Table<double> table(13, [](auto& random) { return std::ldexp(static_cast<double>(random()), -64) - 0.25; });
    const auto exact = table.lines<long double>([](auto first, auto last) {
      long double sum = 0;
      for (; first != last; ++first) sum += *first;
      return sum;
    });
    const auto rows = sum_of(table.rows(), 1).to_vector<double>(),
               columns = sum_of(table.columns(), 0).to_vector<double>();
    const auto wide = kn::sum(table.rows().astype(kn::float32), {.axis = 1, .dtype = kn::float64}).to_vector<double>();
    for (std::size_t line = 0; line < short_side; ++line) {
      CHECK(std::abs(rows[line] - exact[line]) < 1e-12L * exact[line]);
      CHECK(std::abs(columns[line] - exact[line]) < 1e-12L * exact[line]);
      CHECK(std::abs(wide[line] - exact[line]) < 1e-7L * exact[line]);
    }
    const Array z = kn::asarray(table.values, {short_side, long_side}) * std::complex<double>(1, -2);
    CHECK(z.dtype() == kn::complex128);
    const auto sums = kn::sum(z, {.axis = 1}).to_vector<std::complex<double>>();
    CHECK(std::abs(sums[4].real() - exact[4]) < 1e-12L * exact[4]);
    CHECK(std::abs(sums[4].imag() + 2 * exact[4]) < 1e-12L * exact[4]);
    const auto mean = kn::mean(z.astype(kn::complex64)).item<std::complex<float>>();
    CHECK(std::abs(mean - std::complex<float>(0.25f, -0.5f)) < 0.01f);
  });
}

TEST_CASE("moments of integers, of few elements, and with corrections past the count") {
  on_each_device([] {
    const Array x = kn::array({1, 2, 3, 4});
    CHECK(kn::var(x).dtype() == kn::float32);
    CHECK(kn::var(x).item<float>() == 1.25f);
    CHECK(kn::std(x, {.correction = 1}).item<double>() == doctest::Approx(std::sqrt(5.0 / 3)));
    CHECK(kn::var(kn::array({5}, {.dtype = kn::uint8})).item<float>() == 0.0f);
    CHECK(std::isnan(kn::var(kn::ones({0})).item<float>()));
    CHECK(std::isnan(kn::var(kn::array({3}), {.correction = 1}).item<float>()));
    CHECK(kn::var(kn::array({1, 3}), {.correction = 5}).item<float>() == INFINITY);
    CHECK(kn::var(kn::full({100'000}, 60'000.0, {.dtype = kn::float16})).item<float>() == 0.0f);
    // Far from zero the mean must be taken off first.
    CHECK(kn::var(kn::array({1e6, 1e6 + 1, 1e6 + 2})).item<double>() == doctest::Approx(2.0 / 3).epsilon(1e-4));
  });
}

TEST_CASE("reductions of reductions, and of many axes at once") {
  on_each_device([] {
    const Shape shape = {2, 3, 4, 5, 6, 7};
    const Array x = kn::test::numbered<std::int64_t>(shape);
    const Array turned = kn::permute_dims(x, {5, 3, 1, 4, 2, 0});
    for (const kn::Axis& axes : kn::test::usual_and<kn::Axis>({{0, 2, 4}, {2, 3}}, {{1, 3, 5}, {-1, -3, 0}})) {
      std::vector<bool> reduced(6, false);
      for (std::int64_t axis : axes.axes()) reduced[static_cast<std::size_t>(axis < 0 ? axis + 6 : axis)] = true;
      const Shape source = turned.shape();
      Shape kept;
      for (std::size_t axis = 0; axis < 6; ++axis) {
        if (!reduced[axis]) kept.push_back(source[axis]);
      }
      std::vector<std::int64_t> expected(static_cast<std::size_t>(kept.elements()), 0);
      kn::test::each_position(source, [&](const Shape& p) {
        const Shape original = {p[5], p[2], p[4], p[1], p[3], p[0]};
        Shape at;
        for (std::size_t axis = 0; axis < 6; ++axis) {
          if (!reduced[axis]) at.push_back(p[axis]);
        }
        expected[static_cast<std::size_t>(kn::test::number_of(at, kept))] += kn::test::number_of(original, shape);
      });
      check_array(kn::sum(turned, {.axis = axes}), kept, expected);
    }
    CHECK(kn::sum(kn::max(x, {.axis = {0, 1}}) - kn::min(x, {.axis = {0, 1}})).item<std::int64_t>() == 840 * 5 * 840);
    CHECK(kn::max(kn::sum(kn::sum(x, {.axis = 5}), {.axis = 0})).item<std::int64_t>() == 7 * (5036 + 2516));
  });
}

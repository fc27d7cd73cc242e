// SPDX-License-Identifier: Apache-2.0
// Reductions against plain loops: kinds, axes, layouts, types, sizes round the edges of blocks; accuracy and
// repeatability.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/reductions.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::Shape;
using kn::slice;
using kn::test::check_all;
using kn::test::on_each_device;
using kn::test::Plain;
using kn::test::random_plain;
using kn::test::to_array;

TEST_CASE("every reduction over every choice of axes") {
  on_each_device([] {
    const Plain plain = random_plain({5, 33, 18});
    const Array x = to_array(plain);
    for (const auto& axes :
         std::vector<std::vector<std::size_t>>{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}, {}}) {
      // Of columns, of rows, and of all.
      const bool every_kind = axes == std::vector<std::size_t>{0} || axes == std::vector<std::size_t>{2};
      const bool as_others = axes == std::vector<std::size_t>{0, 1} || axes == std::vector<std::size_t>{1, 2};
      if (as_others && kn::test::without_variants()) continue;
      check_all(x, plain, axes, every_kind || kn::test::all_variants());
    }
  });
}

TEST_CASE("sizes round the edges of vectors, lanes and blocks") {
  on_each_device([] {
    for (std::int64_t size : {1, 2, 15, 17, 255, 4097, 32767, 32769, 100'003}) {
      const Plain plain = random_plain({size});
      check_all(to_array(plain), plain, {0});
    }
    const Plain tall = random_plain({3001, 7}), flat = random_plain({3, 40'001});
    for (std::size_t axis : {0, 1}) {
      check_all(to_array(tall), tall, {axis});
      check_all(to_array(flat), flat, {axis});
    }
  });
}

TEST_CASE("short rows, one behind the other and apart") {
  on_each_device([] {
    for (const std::int64_t columns : kn::test::usual_and<std::int64_t>({3, 13, 64}, {8, 16, 40, 70})) {
      constexpr std::int64_t rows = 37;
      const Plain whole = random_plain({rows, columns + 2});
      Plain part{{rows, columns}, {}};
      kn::test::each_position(part.shape, [&](const Shape& p) {
        part.values.push_back(whole.values[static_cast<std::size_t>(p[0] * (columns + 2) + p[1] + 1)]);
      });
      const Array x = to_array(whole, kn::float32);
      check_all(x, whole, {1});
      check_all(x(all, slice(1, columns + 1)), part, {1});
    }
  });
}

TEST_CASE("inputs that are views, broadcasts and expressions") {
  on_each_device([] {
    const Plain plain = random_plain({12, 20});
    const Array x = to_array(plain);
    const auto part = [&](const Shape& shape, auto source) {
      Plain result{shape, {}};
      kn::test::each_position(
          shape, [&](const Shape& p) { result.values.push_back(plain.values[static_cast<std::size_t>(source(p))]); });
      return result;
    };
    const Plain turned = part({20, 12}, [](const Shape& p) { return p[1] * 20 + p[0]; });
    const Plain every_third = part({12, 7}, [](const Shape& p) { return p[0] * 20 + 18 - 3 * p[1]; });
    const Plain repeated = part({4, 12, 20}, [](const Shape& p) { return p[1] * 20 + p[2]; });
    for (std::size_t axis : {0, 1}) {
      check_all(x.T(), turned, {axis});
      if (axis == 0 && kn::test::without_variants("columns of strided and of repeated ones")) continue;
      check_all(x(all, slice(18, none, -3)), every_third, {axis});
      check_all(kn::broadcast_to(x, {4, 12, 20}), repeated, {axis});
    }
    check_all(kn::broadcast_to(x, {4, 12, 20}), repeated, {0, 2});
    Plain doubled = turned;
    for (std::int64_t& v : doubled.values) v = 2 * v + 1;
    check_all(x.T() * 2 + 1, doubled, {0});
  });
}

TEST_CASE("result types, and sums wider than their elements") {
  on_each_device([] {
    CHECK(kn::sum(kn::ones({300}, {.dtype = kn::int8})).dtype() == kn::int64);
    CHECK(kn::sum(kn::ones({300}, {.dtype = kn::int8})).item<int>() == 300);
    CHECK(kn::sum(kn::ones({300}, {.dtype = kn::uint8})).dtype() == kn::uint64);
    CHECK(kn::sum(kn::arange(5) > 2).item<int>() == 2);
    CHECK(kn::prod(kn::arange(1, 11)).item<int>() == 3628800);
    CHECK(kn::sum(kn::ones({5000}, {.dtype = kn::float16})).dtype() == kn::float16);
    // 2048 ones and more would be lost one by one in float16.
    CHECK(kn::sum(kn::ones({5000}, {.dtype = kn::float16})).item<float>() == 5000.0f);
    CHECK(kn::mean(kn::full({70'000}, 100.0, {.dtype = kn::float16})).item<float>() == 100.0f);
    CHECK(kn::mean(kn::arange(4)).dtype() == kn::float32);
    CHECK(kn::mean(kn::arange(4)).item<float>() == 1.5f);
    const std::vector<std::complex<float>> z = {{1, 2}, {3, -1}, {0, 1}};
    CHECK(kn::sum(kn::asarray(z)).item<std::complex<float>>() == std::complex<float>(4, 2));
    CHECK(kn::prod(kn::asarray(z)).item<std::complex<float>>() == z[0] * z[1] * z[2]);
    for (kn::DType type : kn::test::usual_and({kn::uint64, kn::float16}, {kn::int8, kn::bfloat16, kn::float32})) {
      const Array x = kn::array({3, 7, 1, 7, 0}, type);
      CHECK(kn::max(x).dtype() == type);
      CHECK(kn::max(x).item<double>() == 7.0);
      CHECK(kn::min(x).item<double>() == 0.0);
      CHECK(kn::argmax(x).item<int>() == 1);
    }
  });
}

TEST_CASE("NaN and infinities") {
  on_each_device([] {
    std::vector<float> v(1000, 1.0f);
    v[700] = NAN;
    v[701] = INFINITY;
    v[900] = NAN;
    const Array x = kn::asarray(v);
    CHECK(std::isnan(kn::max(x).item<float>()));
    CHECK(std::isnan(kn::min(x).item<float>()));
    CHECK(std::isnan(kn::sum(x).item<float>()));
    CHECK(kn::argmax(x).item<int>() == 700);
    CHECK(kn::argmin(x).item<int>() == 700);
    CHECK(kn::argmax(x(slice(701, 900))).item<int>() == 0);
    CHECK(kn::count_nonzero(x).item<int>() == 1000);
    CHECK(kn::min(kn::asarray(std::vector<float>{INFINITY, INFINITY})).item<float>() == INFINITY);
  });
}

TEST_CASE("no elements") {
  on_each_device([] {
    CHECK(kn::sum(kn::ones({0})).item<float>() == 0.0f);
    CHECK(kn::prod(kn::ones({3, 0}), {.axis = 1}).to_vector<float>() == std::vector<float>{1, 1, 1});
    CHECK(all(kn::ones({0})).item<bool>());
    CHECK_FALSE(kn::any(kn::ones({0})).item<bool>());
    CHECK(std::isnan(kn::mean(kn::ones({0})).item<float>()));
    CHECK(kn::sum(kn::ones({0, 4}), {.axis = 1}).shape() == Shape{0});
  });
}

TEST_CASE("mean, var and std") {
  on_each_device([] {
    std::mt19937 random(3);
    std::normal_distribution<float> normal(100.0f, 2.0f);
    std::vector<float> v(60'000);
    for (float& x : v) x = normal(random);
    const auto moments = [&](std::size_t first, std::size_t count, std::size_t step) {
      double total = 0, squares = 0;
      for (std::size_t i = 0; i < count; ++i) total += double{v[first + i * step]};
      const double mean = total / double(count);
      for (std::size_t i = 0; i < count; ++i) squares += std::pow(double{v[first + i * step]} - mean, 2);
      return std::pair{mean, squares};
    };
    const Array x = kn::reshape(kn::asarray(v), {200, 300});
    const auto [mean, squares] = moments(0, v.size(), 1);
    CHECK(kn::mean(x).item<double>() == doctest::Approx(mean).epsilon(1e-6));
    CHECK(kn::var(x).item<double>() == doctest::Approx(squares / 60'000).epsilon(1e-5));
    CHECK(kn::std(x, {.correction = 1}).item<double>() == doctest::Approx(std::sqrt(squares / 59'999)).epsilon(1e-5));
    const auto rows = kn::var(x, {.axis = 1}).to_vector<double>(),
               columns = kn::var(x, {.axis = 0}).to_vector<double>();
    CHECK(rows[7] == doctest::Approx(moments(7 * 300, 300, 1).second / 300).epsilon(1e-5));
    CHECK(columns[11] == doctest::Approx(moments(11, 200, 300).second / 200).epsilon(1e-5));
    CHECK(kn::var(x, {.axis = 1, .keepdims = true}).shape() == Shape{200, 1});
  });
}

TEST_CASE("var of 10^7 float32 values around 10^4 with unit spread is right to 1e-4") {
  on_each_device([] {
    const std::int64_t count = 10'000'000;
    const Array x = kn::random::Generator(11).normal({count}, {.loc = 1e4});
    const std::vector<float> values = x.to_vector<float>();
    long double total = 0, squares = 0;
    for (float v : values) total += static_cast<long double>(v);
    const long double mean = total / count;
    for (float v : values) squares += (static_cast<long double>(v) - mean) * (static_cast<long double>(v) - mean);
    const auto exact = static_cast<double>(squares / count);
    CHECK(std::abs(exact - 1) < 0.01);
    CHECK(std::abs(kn::var(x).item<double>() - exact) <= 1e-4 * exact);
    CHECK(std::abs(kn::nanvar(x).item<double>() - exact) <= 1e-4 * exact);
    const Array rows = kn::reshape(x, {count / 1000, 1000});
    CHECK(std::abs(kn::mean(kn::var(rows, {.axis = 0})).item<double>() - exact) <= 1e-3 * exact);
    MESSAGE("off by ", std::abs(kn::var(x).item<double>() - exact) / exact);
  });
}

TEST_CASE("a float32 sum of 10^8 uniform values is right to 1e-6, and the same each time") {
  const std::int64_t count = kn::test::exhaustive() ? 100'000'000 : 20'000'000;
  on_each_device([&] {
    const Array x = kn::random::Generator(5).uniform({count});
    double exact = 0;
    constexpr std::int64_t piece = 10'000'000;
    for (std::int64_t at = 0; at < count; at += piece) {
      double part = 0;
      for (float v : x(slice(at, at + piece)).to_vector<float>()) part += double{v};
      exact += part;
    }
    const float total = kn::sum(x).item<float>();
    CHECK(std::fabs(double{total} - exact) < 1e-6 * exact);
    for (int i = 0; i < 3; ++i) CHECK(kn::sum(x).item<float>() == total);
  });
}

namespace {

/// Sums of `count` equal values in every shape of reduction, over memory that they all lie in; `error` is the most that
/// a sum may be off.
template <class T>
void check_even_sums(std::int64_t count, float value, float error) {
  CAPTURE(kn::name(kn::dtype_of<T>));
  CAPTURE(count);
  const Array x = (kn::zeros({count}, {.dtype = kn::dtype_of<T>}) + value).eval();
  const float stored = std::abs(x(0).template item<std::complex<float>>());
  const auto check = [&](const Array& sums, std::int64_t elements) {
    CAPTURE(elements);
    float most = 0;
    for (const std::complex<float> sum : sums.to_vector<std::complex<float>>()) {
      most = std::max(most, std::abs(std::abs(sum) / (static_cast<float>(elements) * stored) - 1.0f));
    }
    CHECK(most <= error);
  };
  // The sums themselves may be more than a small type holds.
  const kn::SumOptions whole{.dtype = kn::is_complex(x.dtype()) ? x.dtype() : kn::float32};
  auto down = whole;
  down.axis = 0;
  check(kn::sum(x, whole), count);
  for (const std::int64_t inner : {3, 300}) {
    CAPTURE(inner);
    const std::int64_t rows = count / inner;
    const Array columns = kn::reshape(x(slice(0, rows * inner)), {rows, inner});
    check(kn::sum(columns, down), rows);
    check(kn::sum(columns.T(), down), inner);
    check(kn::sum(columns(all, slice(1, none)), whole), rows * (inner - 1));
  }
  check(kn::mean(x) * static_cast<float>(count), count);
  if (size_of(x.dtype()) > 2) check(kn::cumulative_sum(x)(-1), count);
}

}  // namespace

TEST_CASE("no sum is a single running one") {
  on_each_device([] {
    // Adding 0.1 to the sum so far, 4096 times, is off by 4e-5 in the end, 2^15 times by 3e-4, and 2^22 times by 3e-2.
    constexpr std::int64_t count = (1 << 22) + 4100;
    for (const bool reproducible : {false, true}) {
      CAPTURE(reproducible);
      const kn::reproducible scope(reproducible);
      check_even_sums<float>(count, 0.1f, 1e-4f);
    }
    if (!kn::test::without_variants("complex numbers")) check_even_sums<std::complex<float>>(count, 0.1f, 1e-4f);
    if (!kn::test::without_variants("bfloat16")) {
      check_even_sums<kn::bfloat16_t>(count, 0.1f, 1e-2f);  // of the mean's own rounding
    }
  });
}

TEST_CASE("sums of more ones than float32 counts" * doctest::skip(!kn::test::exhaustive())) {
  on_each_device([] {
    constexpr std::int64_t count = std::int64_t{1} << 28;
    for (const bool reproducible : {false, true}) {
      CAPTURE(reproducible);
      const kn::reproducible scope(reproducible);
      check_even_sums<float>(count, 1, 1e-7f);  // a third of them is no float32
      check_even_sums<kn::float16_t>(count, 0x1p-14f, 1e-3f);
      check_even_sums<kn::bfloat16_t>(count, 1, 1e-2f);
    }
  });
}

TEST_CASE("one size past 2^24") {
  on_each_device([] {
    const std::int64_t size = (1 << 24) + 3;
    const Array x = kn::arange(size, {.dtype = kn::int32}) % 251;
    std::int64_t expected = 0;
    for (std::int64_t i = 0; i < size; ++i) expected += i % 251;
    CHECK(kn::sum(x).item<std::int64_t>() == expected);
    CHECK(kn::count_nonzero(x).item<std::int64_t>() == size - (size + 250) / 251);
    CHECK(kn::argmax(kn::arange(size, {.dtype = kn::int32})).item<std::int64_t>() == size - 1);
  });
}

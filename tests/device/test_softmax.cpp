// SPDX-License-Identifier: Apache-2.0
// logsumexp and softmax against long double, where nothing overflows.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/numbers.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::difference;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

constexpr float inf = INFINITY;

/// log(sum(exp)) of each of `lines` runs of values.
template <class T>
std::vector<long double> logs(const std::vector<T>& values, std::size_t lines) {
  const std::size_t length = values.size() / lines;
  std::vector<long double> result;
  for (std::size_t line = 0; line < lines; ++line) {
    long double total = 0;
    for (std::size_t i = 0; i < length; ++i) {
      total += std::exp(static_cast<long double>(static_cast<double>(values[line * length + i])));
    }
    result.push_back(std::log(total));
  }
  return result;
}

template <class T>
void check(std::int64_t rows, std::int64_t columns, double spread) {
  CAPTURE(columns);
  CAPTURE(spread);
  const double eps = kn::finfo(kn::dtype_of<T>).eps, single = std::max(eps, 0x1p-23);
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(-spread, spread);
  std::vector<T> values;
  for (std::int64_t i = 0; i < rows * columns; ++i) values.push_back(T(static_cast<float>(uniform(random))));
  const Array x = kn::asarray(values, {rows, columns});
  const std::vector<long double> want = logs(values, static_cast<std::size_t>(rows));
  const Array sums = kn::logsumexp(x, {.axis = 1}), shares = kn::softmax(x, {.axis = -1});
  CHECK(sums.shape() == Shape{rows});
  CHECK(sums.dtype() == kn::dtype_of<T>);
  CHECK(shares.shape() == x.shape());
  CHECK(kn::logsumexp(x, {.axis = 1, .keepdims = true}).shape() == Shape{rows, 1});
  const auto got = sums.to_vector<double>(), parts = shares.to_vector<double>();
  const Array turned = kn::asarray(kn::test::transposed(values, rows, columns), {columns, rows});
  const auto down = kn::logsumexp(turned, {.axis = 0}).to_vector<double>();
  // The rounding of the shift and of each difference counts against the largest value.
  const double bound = single * (4 + spread) + eps * spread;
  for (std::size_t row = 0; row < want.size(); ++row) {
    CHECK(std::abs(got[row] - static_cast<double>(want[row])) <= bound);
    CHECK(std::abs(down[row] - static_cast<double>(want[row])) <= bound);
    double total = 0;
    for (std::size_t i = row * static_cast<std::size_t>(columns); i < (row + 1) * static_cast<std::size_t>(columns);
         ++i) {
      const double share = static_cast<double>(std::exp(static_cast<double>(values[i]) - want[row]));
      CHECK(std::abs(parts[i] - share) <=
            (8 + 2 * spread) * single * share + static_cast<double>(kn::test::ulp<T>(share)));
      total += parts[i];
    }
    CHECK(total == doctest::Approx(1).epsilon(eps * static_cast<double>(columns) + 1e-6));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("rows of many lengths", T, kn::float16_t, kn::bfloat16_t, float, double) {
  const bool alike = kn::dtype_of<T> == kn::bfloat16 || kn::dtype_of<T> == kn::float64;
  if (alike && kn::test::without_variants("bfloat16 is as float16, float64 as float32")) return;
  on_each_device(kn::dtype_of<T>, [] {
    check<T>(3, 1, 10);
    check<T>(2, 1000, 1);
    if (std::is_same_v<T, kn::float16_t> && kn::test::without_variants()) return;
    check<T>(3, 7, 10);
    check<T>(2, 300, 50);
  });
}

TEST_CASE("rows up to the longest that is read once, and beyond it") {
  on_each_device([] {
    check<float>(5, 64, 4);
    check<float>(2, 8192, 4);
    check<float>(2, 8193, 4);
  });
}

TEST_CASE("rows of several axes, of views and of expressions") {
  on_each_device([] {
    const auto seventh = [](std::int64_t i) { return i % 7; };
    const auto third = [](std::int64_t i) { return i % 3; };
    const Array flat = kn::reshape(kn::test::counted(120, seventh, kn::float32), {4, 30}),
                x = kn::reshape(flat, {4, 6, 5});
    const auto close = [](const Array& a, const Array& b) {
      const std::vector<float> got = a.to_vector<float>(), want = b.to_vector<float>();
      return std::ranges::equal(got, want, [](float p, float q) { return std::abs(p - q) <= 1e-6f * std::abs(q); });
    };
    CHECK(close(kn::softmax(x, {.axis = {1, 2}}), kn::reshape(kn::softmax(flat, {.axis = 1}), {4, 6, 5})));
    CHECK(close(kn::logsumexp(x, {.axis = {-1, -2}}), kn::logsumexp(flat, {.axis = 1})));
    CHECK(kn::logsumexp(x, {.axis = {1, 2}, .keepdims = true}).shape() == Shape{4, 1, 1});
    // Rows that lie across memory, backwards, and repeated; computed on the way; beside a longer axis.
    for (const Array& view : {kn::permute_dims(x, {2, 0, 1}), kn::flip(x, {.axis = 2}), x(kn::all, 2, kn::newaxis),
                              kn::broadcast_to(x(0, 0), {3, 2, 5}), x * x - 3.0f,
                              kn::exp(x / 7) + x(kn::all, kn::slice(1), kn::slice(1))}) {
      CAPTURE(to_string(view.shape()));
      // Its values last: what is computed on the way is in memory from then on.
      const std::vector<float> shares = kn::softmax(view, {.axis = -1}).to_vector<float>(),
                               sums = kn::logsumexp(view, {.axis = -1, .keepdims = true}).to_vector<float>(),
                               values = view.to_vector<float>();
      const std::size_t length = values.size() / sums.size();
      for (std::size_t k = 0; k < sums.size(); ++k) {
        double total = 0;
        for (std::size_t i = k * length; i < (k + 1) * length; ++i) total += std::exp(double(values[i]));
        CHECK(sums[k] == doctest::Approx(std::log(total)).epsilon(1e-6));
        // The rounding of a difference of values up to 33.
        for (std::size_t i = k * length; i < (k + 1) * length; ++i) {
          CHECK(shares[i] == doctest::Approx(std::exp(double(values[i])) / total).epsilon(4e-6));
        }
      }
    }
    // More rows than one work-item or group takes.
    const Array many = kn::reshape(kn::test::counted(60'000, third, kn::float32), {20'000, 3});
    const double total = 1 + std::exp(1.0) + std::exp(2.0);
    const std::vector<float> logarithms = kn::logsumexp(many, {.axis = 1}).to_vector<float>();
    CHECK(logarithms == std::vector<float>(20'000, logarithms[0]));
    CHECK(logarithms[0] == doctest::Approx(std::log(total)).epsilon(1e-6));
    const std::vector<float> shares = kn::softmax(many, {.axis = 1}).to_vector<float>();
    double worst = 0;
    for (std::size_t k = 0; k < shares.size(); ++k) {
      worst = std::max(worst, std::abs(double(shares[k]) * total / std::exp(double(k % 3)) - 1));
    }
    CHECK(worst < 3e-7);
  });
}

TEST_CASE("values whose exponentials are past the range") {
  on_each_device([] {
    const Array x = kn::asarray(std::vector<float>{1000, 1000, -1000, -1000, 1e30f, -1e30f}, {3, 2});
    const float more = std::log(2.0f);
    CHECK(difference(kn::logsumexp(x, {.axis = 1}).to_vector<float>(), {1000 + more, -1000 + more, 1e30f}) == "");
    CHECK(difference(kn::softmax(x, {.axis = 1}).to_vector<float>(), {0.5f, 0.5f, 0.5f, 0.5f, 1, 0}) == "");
  });
}

TEST_CASE("infinities and NaN as SciPy has them") {
  on_each_device([] {
    const Array x = kn::asarray(std::vector<float>{-inf, -inf, -inf, 0, inf, 0, inf, inf, inf, -inf, NAN, 1}, {6, 2});
    CHECK(difference(kn::logsumexp(x, {.axis = 1}).to_vector<float>(), {-inf, 0, inf, inf, inf, NAN}) == "");
    CHECK(difference(kn::softmax(x, {.axis = 1}).to_vector<float>(),
                     {NAN, NAN, 0, 1, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}) == "");
  });
}

TEST_CASE("all axes, integers, no axes and no elements") {
  on_each_device([] {
    const Array x = kn::zeros({2, 4}, {.dtype = kn::int32});
    CHECK(kn::logsumexp(x).dtype() == kn::float32);
    CHECK(kn::logsumexp(x).item<float>() == doctest::Approx(std::log(8.0)));
    CHECK(difference(kn::softmax(x).to_vector<float>(), std::vector<float>(8, 0.125f)) == "");
    CHECK(kn::softmax(kn::asarray(3.0)).item<float>() == 1);
    CHECK(kn::logsumexp(kn::asarray(3.0)).item<float>() == 3);
    CHECK(kn::logsumexp(kn::ones({0})).item<float>() == -inf);
    CHECK(difference(kn::logsumexp(kn::ones({2, 0}), {.axis = 1}).to_vector<float>(), {-inf, -inf}) == "");
    CHECK(kn::softmax(kn::ones({2, 0}), {.axis = 1}).shape() == Shape{2, 0});
    CHECK(kn::softmax(kn::ones({2, 0}), {.axis = 1}).to_vector<float>().empty());
  });
}

TEST_CASE("wrong calls") {
  const Array x = kn::ones({2, 3});
  CHECK(has(message_of<kn::IndexError>([&] { kn::softmax(x, {.axis = 2}); }), "[softmax] axis 2 is out of range"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::softmax(x.astype(kn::complex64)); }),
            "[softmax] does not take complex64"));
  CHECK(has(message_of<kn::IndexError>([&] { kn::logsumexp(x, {.axis = {0, 0}}); }), "[logsumexp] axis 0 is named"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::logsumexp(x.astype(kn::complex64)); }),
            "[logsumexp] does not take complex64"));
}

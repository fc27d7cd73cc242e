// SPDX-License-Identifier: Apache-2.0
// So much work for each work-item that a device which cuts long loops short leaves some of it out: one row of sizes for
// each family of kernels.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/draws.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;
using kn::test::on_each_device;
using Complex = std::complex<float>;

namespace {

constexpr std::int64_t many = (std::int64_t{1} << 23) + 37;

/// -1 and 1 at random: sums of many of them are small, so that they are exact in every type.
template <class T>
std::vector<T> signs(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = T(random() % 2 ? 1.0f : -1.0f);
  return values;
}

template <class T>
void check_product(std::int64_t m, std::int64_t k, std::int64_t n) {
  CAPTURE(kn::name(kn::dtype_of<T>));
  CAPTURE(m);
  CAPTURE(k);
  CAPTURE(n);
  const std::vector<float> a = signs<float>(m * k, 1), b = signs<float>(k * n, 2);
  std::vector<float> want(static_cast<std::size_t>(m * n));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t d = 0; d < k; ++d)
      for (std::int64_t j = 0; j < n; ++j)
        want[static_cast<std::size_t>(i * n + j)] +=
            a[static_cast<std::size_t>(i * k + d)] * b[static_cast<std::size_t>(d * n + j)];
  const Array left = kn::asarray(a, {m, k}, kn::dtype_of<T>), right = kn::asarray(b, {k, n}, kn::dtype_of<T>);
  const std::vector<T> got = kn::matmul(left, right).to_vector<T>();
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == T(want[i]));
}

}  // namespace

TEST_CASE("element-wise work and sums of many elements that fill a vector each") {
  std::vector<Complex> values(many);
  for (std::int64_t i = 0; i < many; ++i) values[i] = {static_cast<float>(i), static_cast<float>(i % 5)};
  on_each_device([&] {
    const Array x = kn::asarray(values);
    const std::vector<Complex> got = (x * 2 + 1).to_vector<Complex>();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < many; ++i) {
      wrong += got[i] != Complex(2 * static_cast<float>(i) + 1, static_cast<float>(i % 5 * 2));
    }
    CHECK(wrong == 0);
    CHECK(kn::sum(kn::full({many}, Complex(1, 2)) + kn::zeros_like(x) * x).item<Complex>() ==
          Complex(static_cast<float>(many), static_cast<float>(2 * many)));
  });
}

TEST_CASE("columns of many rows") {
  on_each_device([] {
    constexpr std::int64_t rows = many / 2, columns = 3;
    const Array x = kn::reshape(kn::arange(rows * columns), {rows, columns}).astype(kn::int32) + 0;
    const auto got = kn::max(x, {.axis = 0}).to_vector<std::int32_t>();
    for (std::int32_t j = 0; j < columns; ++j) CHECK(got[static_cast<std::size_t>(j)] == (rows - 1) * columns + j);
    const auto sums = kn::sum(x % 2, {.axis = 0}).to_vector<std::int64_t>();
    CHECK(sums == std::vector<std::int64_t>{rows / 2, (rows + 1) / 2, rows / 2});
  });
}

TEST_CASE("many elements at positions") {
  on_each_device([] {
    constexpr std::int64_t size = 251;
    const Array x = kn::arange(size).astype(kn::uint8);
    const auto got = kn::take(x, kn::arange(many) * 7 % size).to_vector<std::uint8_t>();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < many; ++i) wrong += got[i] != i * 7 % size;
    CHECK(wrong == 0);
  });
}

TEST_CASE("many values put at positions") {
  on_each_device([] {
    kn::Array x = kn::zeros({many}, {.dtype = kn::int32});
    x(many - 1 - kn::arange(many)) = kn::arange(many);
    CHECK(kn::all(x == many - 1 - kn::arange(many)).item<bool>());
  });
}

TEST_CASE("many random numbers") {
  on_each_device([] {
    constexpr std::int64_t count = 8 * many + (1 << 20);
    kn::random::Generator g(kn::test::seed);
    const auto got = g.integers(1, 251, {count}, {.dtype = kn::uint8}).to_vector<std::uint8_t>();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < count; i += 101) {
      const auto draw = kn::test::two_words(static_cast<std::uint64_t>(i));
      wrong += got[i] != 1 + kn::test::upper_product(draw, 250);
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE_TEMPLATE("products of great depth", T, float, std::int32_t, kn::float16_t, Complex) {
  if (std::is_same_v<T, kn::float16_t> && kn::test::without_variants("float16 is as float32")) return;
  on_each_device([] {
    check_product<T>(2, 70'003, 3);
    {
      const kn::reproducible scope;
      check_product<T>(2, 70'003, 3);
    }
    check_product<T>(3, 600'007, 1);
    check_product<T>(1, 600'007, 2);
  });
}

TEST_CASE("many rows reduced by ids") {
  on_each_device([] {
    const kn::Array ids = (kn::arange(many) % 3).astype(kn::int8), ones = kn::ones({many});
    const std::vector<std::int64_t> want = {(many + 2) / 3, (many + 1) / 3, many / 3};
    check_array(kn::segment_count(ids), {3}, want);
    check_array(kn::segment_sum(ones, ids).astype(kn::int64), {3}, want);
    CHECK(kn::all(kn::segment_prod(ones, ids) == 1).item<bool>());
    kn::Array x = kn::zeros({many}, {.dtype = kn::int32});
    x.at(kn::floor_divide(kn::arange(many), 2)).add(1);
    CHECK(kn::sum(x).item<std::int64_t>() == many);
  });
}

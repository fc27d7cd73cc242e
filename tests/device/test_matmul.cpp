// SPDX-License-Identifier: Apache-2.0
// matmul against plain loops: every type, sizes round the edges of tiles and blocks, any strides, batches. Values are
// such that every sum is exact, so results compare bit for bit.
#include <doctest/doctest.h>

#include <cmath>
#include <koine/koine.hpp>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/products.hpp"

#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace kn = koine;
using koine::test::check_array;
using koine::test::check_product;
using koine::test::matrix;
using koine::test::message_of;
using koine::test::on_each_device;
using koine::test::random_value;
using koine::test::Way;

namespace {

template <class T>
void check_type() {
  on_each_device(kn::dtype_of<T>, [] {
    const auto check = [](const kn::Shape& a, Way a_way, const kn::Shape& b, Way b_way) {
      check_product<T>(matrix<T>(a, a_way), matrix<T>(b, b_way));
    };
    // One element, and just below, at and above what tiles hold.
    check({1, 1}, Way::contiguous, {1, 1}, Way::contiguous);
    check({2, 3}, Way::contiguous, {3, 2}, Way::contiguous);
    check({12, 16}, Way::contiguous, {16, 32}, Way::contiguous);
    check({64, 17}, Way::contiguous, {17, 65}, Way::contiguous);
    check({67, 64}, Way::transposed, {64, 63}, Way::contiguous);
    check({13, 40}, Way::contiguous, {40, 34}, Way::transposed);
    check({25, 33}, Way::transposed, {33, 50}, Way::transposed);
    check({30, 21}, Way::stepped, {21, 40}, Way::stepped);
    check({30, 21}, Way::repeated, {21, 40}, Way::repeated);
    // Deeper than a block of the depth, and wider than a group of columns.
    check({14, 600}, Way::contiguous, {600, 40}, Way::contiguous);
    check({14, 600}, Way::transposed, {600, 40}, Way::transposed);
    check({5, 9}, Way::contiguous, {9, 1100}, Way::contiguous);
    // Batches: walked evenly, shared on either side, broadcast both ways.
    check({3, 10, 11}, Way::contiguous, {3, 11, 12}, Way::contiguous);
    check({3, 10, 11}, Way::transposed, {11, 12}, Way::contiguous);
    check({4, 3, 10, 11}, Way::contiguous, {11, 12}, Way::transposed);
    check({10, 11}, Way::contiguous, {3, 11, 12}, Way::contiguous);
    check({2, 1, 3, 6, 5}, Way::contiguous, {4, 1, 5, 7}, Way::stepped);
  });
}

template <class T>
void check_vectors() {
  on_each_device(kn::dtype_of<T>, [] {
    for (const Way way : {Way::contiguous, Way::transposed, Way::stepped, Way::repeated}) {
      CAPTURE(static_cast<int>(way));
      check_product<T>(matrix<T>({150, 70}, way), matrix<T>({70, 1}, Way::contiguous));
      check_product<T>(matrix<T>({1, 70}, Way::stepped), matrix<T>({70, 150}, way));
      check_product<T>(matrix<T>({3, 33, 1030}, way), matrix<T>({3, 1030, 1}, Way::stepped));
    }
    // The depth is split, because there are few rows.
    check_product<T>(matrix<T>({1, 40'000}, Way::contiguous), matrix<T>({40'000, 1}, Way::contiguous));
    check_product<T>(matrix<T>({3, 40'000}, Way::transposed), matrix<T>({40'000, 1}, Way::contiguous));
    // One matrix times many vectors.
    check_product<T>(matrix<T>({20, 30}, Way::contiguous), matrix<T>({9, 30, 1}, Way::contiguous));
    check_product<T>(matrix<T>({9, 1, 30}, Way::contiguous), matrix<T>({30, 20}, Way::transposed));
  });
}

}  // namespace

TEST_CASE("products of integers wrap") {
  check_type<std::int8_t>();
  check_type<std::int32_t>();
  if (kn::test::without_variants("uint16 and uint64")) return;
  check_type<std::uint16_t>();
  check_type<std::uint64_t>();
}

TEST_CASE("products of real numbers") {
  check_type<kn::float16_t>();
  check_type<float>();
  check_type<double>();
  if (kn::test::without_variants("bfloat16 is as float16")) return;
  check_type<kn::bfloat16_t>();
}

TEST_CASE("products of complex numbers") {
  check_type<std::complex<float>>();
  if (kn::test::without_variants("complex128 is as complex64")) return;
  check_type<std::complex<double>>();
}

TEST_CASE("matrices times vectors") {
  check_vectors<kn::float16_t>();
  check_vectors<float>();
  check_vectors<std::complex<double>>();
  if (kn::test::without_variants("uint8 is as float32")) return;
  check_vectors<std::uint8_t>();
}

TEST_CASE("one-dimensional operands lose their axis") {
  on_each_device([] {
    const kn::Array m = kn::reshape(kn::arange(6.0f), {2, 3}), v = kn::arange(3.0f), w = kn::arange(2.0f);
    check_array<float>(kn::matmul(m, v), {2}, {5, 14});
    check_array<float>(kn::matmul(w, m), {3}, {3, 4, 5});
    check_array<float>(kn::matmul(v, v), {}, {5});
    check_array<float>(kn::matmul(kn::broadcast_to(m, {2, 2, 3}), v), {2, 2}, {5, 14, 5, 14});
  });
}

TEST_CASE("empty products") {
  on_each_device([] {
    check_array<float>(kn::matmul(kn::zeros({3, 0}), kn::zeros({0, 2})), {3, 2}, {0, 0, 0, 0, 0, 0});
    check_array<float>(kn::matmul(kn::zeros({0, 3}), kn::zeros({3, 2})), {0, 2}, {});
    check_array<float>(kn::matmul(kn::zeros({0, 2, 3}), kn::zeros({3, 2})), {0, 2, 2}, {});
    check_array<std::int8_t>(
        kn::matmul(kn::zeros({5, 1, 0}, {.dtype = kn::int8}), kn::zeros({0, 1}, {.dtype = kn::int8})), {5, 1, 1},
        {0, 0, 0, 0, 0});
    check_array<float>(kn::matmul(kn::zeros({0}), kn::zeros({0})), {}, {0});
  });
}

TEST_CASE("more batch axes than a kernel counts through") {
  // Every other axis is broadcast on one side, so that none can be joined with its neighbour.
  on_each_device([] {
    const kn::Array a = matrix<float>({2, 1, 3, 1, 2, 1, 4, 5}, Way::contiguous);
    const kn::Array b = matrix<float>({1, 2, 1, 3, 1, 2, 5, 3}, Way::contiguous);
    check_product<float>(a, b);
  });
}

TEST_CASE("values that are not finite stay where they belong") {
  on_each_device([] {
    const float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> values(13 * 33, 1.0f);
    values[5 * 33 + 7] = infinity;
    const kn::Array a = kn::asarray(values, {13, 33}), b = kn::ones({33, 34});
    std::vector<float> expected(13 * 34, 33.0f);
    for (int j = 0; j < 34; ++j) expected[5 * 34 + j] = infinity;
    check_array(kn::matmul(a, b), {13, 34}, expected);
  });
}

TEST_CASE("long sums are accurate and the same each time") {
  on_each_device(kn::float64, [] {
    kn::random::Generator g(3);
    const kn::Array a = g.uniform({3, 300'000}), b = g.uniform({300'000, 5});
    const std::vector<float> left = a.to_vector<float>(), right = b.to_vector<float>(),
                             product = kn::matmul(a, b).to_vector<float>();
    std::vector<double> exact(product.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        exact[i / 300'000 * 5 + j] += static_cast<double>(left[i]) * static_cast<double>(right[i % 300'000 * 5 + j]);
      }
    }
    for (std::size_t k = 0; k < exact.size(); ++k) {
      // Running sums of 4096 at the most: their roundings, each at most 2^-24 of the sum so far, make a random walk.
      CHECK(std::abs(static_cast<double>(product[k]) / exact[k] - 1) < 4 * std::sqrt(4096.0) * 0x1p-24);
    }
    CHECK(product == kn::matmul(a, b).to_vector<float>());
  });
}

namespace {

/// Both orders of sums.
void in_each_order(const std::function<void()>& test) {
  for (const bool reproducible : {false, true}) {
    CAPTURE(reproducible);
    const kn::reproducible scope(reproducible);
    test();
  }
}

}  // namespace

TEST_CASE("sums of 262,144 normal numbers are as accurate as short ones") {
  on_each_device(kn::float64, [] {
    kn::random::Generator g(5);
    constexpr std::int64_t k = 1 << 18;
    const kn::Array a = g.normal({40, k}), b = g.normal({k, 40});
    const kn::Array turned_a = (a.T() + 0.0f).eval().T(), turned_b = (b.T() + 0.0f).eval().T();
    const auto wide = [](const kn::Array& x) { return x.astype(kn::float64); };
    const std::vector<double> exact = kn::matmul(wide(a), wide(b)).to_vector<double>(),
                              all = kn::matmul(kn::abs(wide(a)), kn::abs(wide(b))).to_vector<double>();
    const auto error = [&](const kn::Array& product, std::size_t rows, std::size_t columns) {
      const std::vector<double> got = product.to_vector<double>();
      REQUIRE(got.size() == rows * columns);
      double most = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        const std::size_t at = i / columns * 40 + i % columns;
        most = std::max(most, std::abs(got[i] - exact[at]) / all[at]);
      }
      return most;
    };
    in_each_order([&] {
      for (const kn::Array& left : {a, turned_a}) {
        for (const kn::Array& right : {b, turned_b}) {
          CHECK(error(kn::matmul(left, right), 40, 40) < 1e-6);
          CHECK(error(kn::matmul(left(kn::slice(0, 2)), right(kn::all, kn::slice(0, 3))), 2, 3) < 1e-6);
          CHECK(error(kn::matmul(left(kn::slice(0, 1)), right), 1, 40) < 1e-6);
          CHECK(error(kn::matmul(left, right(kn::all, kn::slice(0, 1))), 40, 1) < 1e-6);
        }
      }
    });
  });
}

namespace {

/// Products of depth k whose factors are all `value` and 1, on every path that walks the depth in its own way: `error`
/// is the most that they may be off.
void check_even_products(std::int64_t k, float value, float error) {
  CAPTURE(k);
  const kn::Array vector = (kn::zeros({k}) + 1.0f).eval();
  const kn::Array row = kn::reshape(vector, {1, k}), column = kn::reshape(vector, {k, 1}),
                  even = kn::broadcast_to(kn::full({1, 1}, value), {1, k}),
                  flat = kn::broadcast_to(kn::full({1, 1}, value), {k, 1});
  const auto want = static_cast<float>(static_cast<double>(k) * static_cast<double>(value));
  const auto check = [&](const kn::Array& a, const kn::Array& b) {
    CAPTURE(a.shape());
    CAPTURE(b.shape());
    for (const float got : kn::matmul(a, b).to_vector<float>()) CHECK(std::abs(got / want - 1) <= error);
  };
  in_each_order([&] {
    check(row, flat);
    check(kn::flip(row), flat);
    check(even, column);
    check(kn::broadcast_to(even, {33, k}), column);
    check(kn::broadcast_to(row, {2, k}), kn::broadcast_to(flat, {k, 2}));
    CHECK(std::abs(kn::vecdot(vector, vector * value).item<float>() / want - 1) <= error);
  });
  check(row, kn::broadcast_to(flat, {k, 128}));  // rows side by side
  const kn::Array one = kn::ones({1, 1}, {.dtype = kn::complex64});
  const kn::Array complex = kn::matmul(kn::broadcast_to(one * value, {1, k}), kn::broadcast_to(one, {k, 1}));
  CHECK(std::abs(complex.item<std::complex<float>>() / want - 1.0f) <= error);
  const kn::Array half =
      kn::matmul(kn::full({1, k}, 0x1p-12f).astype(kn::float16), column.astype(kn::float16) * 0x1p-12f);
  CHECK(half.item<float>() == static_cast<float>(k) * 0x1p-24f);
}

}  // namespace

TEST_CASE("no sum of a deep product is a single running one") {
  on_each_device([] {
    // Adding 0.1 to the sum so far, 4096 times, is off by 4e-5 in the end, 2^19 times by 4e-3.
    check_even_products((std::int64_t{1} << 22) + 4096, 0.1f, 1e-4f);
  });
}

TEST_CASE("products of more ones than float32 counts" * doctest::skip(!kn::test::exhaustive())) {
  on_each_device([] { check_even_products(std::int64_t{1} << 28, 1, 0); });
}

TEST_CASE("operands that do not fit") {
  const auto shape_error = [](const kn::Shape& a, const kn::Shape& b) {
    return message_of<kn::ShapeError>([&] { kn::matmul(kn::zeros(a), kn::zeros(b)); });
  };
  CHECK(shape_error({2, 3}, {4, 5}).starts_with("[matmul]"));
  CHECK(shape_error({2, 2, 3}, {3, 3, 5}).starts_with("[matmul]"));
  CHECK(shape_error({}, {3}).starts_with("[matmul]"));
}

TEST_CASE("CLBlast gives the same products" * doctest::skip(!kn::test::exhaustive())) {
  // The table sends no small product there, and none on a CPU or an NVIDIA card; it computes on any device all the
  // same.
  // Less than a block of the depth, and more.
  const auto check = [](std::size_t k) {
    const std::size_t m = 20, n = 40;
    std::vector<float> av, bv;
    for (std::size_t i = 0; i < 3 * m * k; ++i) av.push_back(random_value<float>());
    for (std::size_t i = 0; i < k * n; ++i) bv.push_back(random_value<float>());
    for (const std::size_t count : {1, 3}) {
      const kn::test::Product product{m, n, k, count, true};
      const std::vector<float> got = kn::test::multiplied(kn::test::Route::clblast, product, av, bv);
      for (std::size_t i = 0; i < got.size(); ++i) {
        float sum = 0;
        for (std::size_t d = 0; d < k; ++d)
          sum += av[i / (m * n) * m * k + d * m + i % (m * n) / n] * bv[d * n + i % n];
        if (got[i] != sum) FAIL("element " << i << " is " << got[i] << ", expected " << sum);
      }
    }
  };
  on_each_device([&] {
    check(30);
    check(2 * 4096 + 1);
  });
}

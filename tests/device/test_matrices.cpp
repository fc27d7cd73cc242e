// SPDX-License-Identifier: Apache-2.0
// koine::linalg's products, diagonals and norms, compared with sums written out here.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
namespace la = koine::linalg;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

void check_near(const Array& x, double want) {
  const double got = x.item<double>();
  CAPTURE(got);
  CAPTURE(want);
  const double allowed = x.dtype() == kn::float64 ? 1e-13 : x.dtype() == kn::float32 ? 1e-6 : 4e-3;
  CHECK(std::abs(got - want) <= allowed * std::abs(want));
}

}  // namespace

TEST_CASE("the standard's functions of two arrays are in linalg, too") {
  on_each_device([] {
    const Array x = kn::array({{1, 2}, {3, 4}});
    check_array(la::matmul(x, x), {2, 2}, std::vector<std::int64_t>{7, 10, 15, 22});
    check_array(la::matrix_transpose(x), {2, 2}, std::vector<std::int64_t>{1, 3, 2, 4});
    check_array(la::outer(x(0), x(1)), {2, 2}, std::vector<std::int64_t>{3, 4, 6, 8});
    CHECK(la::tensordot(x, x).item<std::int64_t>() == 30);
    check_array(la::vecdot(x, x), {2}, std::vector<std::int64_t>{5, 25});
  });
}

TEST_CASE("cross products") {
  on_each_device([] {
    const Array x = kn::array({{1, 2, 3}, {0, -1, 4}}), y = kn::array({-1, 0, 5});
    check_array(la::cross(x, y), {2, 3}, std::vector<std::int64_t>{10, -8, 2, -5, -4, -1});
    // Along another axis, of one that is broadcast.
    const Array columns = la::cross(x.T(), kn::reshape(y, {3, 1}), 0);
    check_array(columns.T(), {2, 3}, std::vector<std::int64_t>{10, -8, 2, -5, -4, -1});
    check_array(la::cross(kn::array({1.5f, 0.f, 0.f}), kn::array({0.f, 2.f, 0.f})), {3}, std::vector<float>{0, 0, 3});
    using C = std::complex<float>;
    check_array(la::cross(kn::array({C(0, 1), C(0), C(0)}), kn::array({C(0), C(0, 1), C(0)})), {3},
                std::vector<C>{C(0), C(0), C(-1)});
    CHECK(la::cross(kn::zeros({0, 3}), kn::zeros({3})).shape() == Shape{0, 3});
    CHECK(has(message_of<kn::ShapeError>([&] { la::cross(x.T(), y); }), "[cross] axis -1 of shape (3, 2) has size 2"));
    CHECK(has(message_of<kn::DTypeError>([&] { la::cross(x > 0, y > 0); }), "[cross] "));
  });
}

TEST_CASE("diagonals and traces") {
  on_each_device([] {
    const std::int64_t rows = 4, columns = 5;
    const Array x = kn::arange(3 * rows * columns).reshape({3, rows, columns});
    for (std::int64_t offset = -5; offset <= 6; ++offset) {
      CAPTURE(offset);
      std::vector<std::int64_t> want, sums;
      std::int64_t count = 0;
      for (std::int64_t matrix = 0; matrix < 3; ++matrix) {
        count = 0;
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < rows; ++i) {
          const std::int64_t k = i + offset;
          if (k < 0 || k >= columns) continue;
          want.push_back((matrix * rows + i) * columns + k);
          sum += want.back();
          ++count;
        }
        sums.push_back(sum);
      }
      check_array(la::diagonal(x, {.offset = offset}), {3, count}, want);
      check_array(la::trace(x, {.offset = offset}), {3}, sums);
    }
    CHECK(la::diagonal(x, {.offset = std::numeric_limits<std::int64_t>::min()}).shape() == Shape{3, 0});
    CHECK(la::trace(kn::zeros({2, 0, 3})).shape() == Shape{2});
    for (const kn::DType type : kn::test::usual_and({kn::bool_, kn::complex64}, {kn::uint8, kn::float16})) {
      const Array unit = kn::eye(3, type), main = la::diagonal(unit), above = la::diagonal(unit, {.offset = 1});
      CHECK(main.dtype() == type);
      CHECK(main.shape() == Shape{3});
      CHECK(main.to_vector<std::complex<float>>() == std::vector<std::complex<float>>(3, 1));
      CHECK(above.shape() == Shape{2});
      CHECK(above.to_vector<std::complex<float>>() == std::vector<std::complex<float>>(2, 0));
    }
    CHECK(la::trace(kn::ones({2, 2}), {.dtype = kn::complex64}).dtype() == kn::complex64);
    CHECK(has(message_of<kn::ShapeError>([&] { la::diagonal(kn::ones({3})); }), "[diagonal] got shape (3,)"));
  });
}

TEST_CASE("powers of matrices") {
  on_each_device([] {
    const Array x = kn::array({{1, 1}, {1, 0}});
    check_array(la::matrix_power(x, 0), {2, 2}, std::vector<std::int64_t>{1, 0, 0, 1});
    std::int64_t before = 0, last = 1;  // Fibonacci's numbers
    for (std::int64_t n = 1; n < 20; ++n) {
      CAPTURE(n);
      check_array(la::matrix_power(x, n), {2, 2}, std::vector<std::int64_t>{before + last, last, last, before});
      const std::int64_t next = before + last;
      before = last;
      last = next;
    }
    check_array(la::matrix_power(kn::stack({x, 2 * x}), 3)(1), {2, 2}, std::vector<std::int64_t>{24, 16, 16, 8});
    check_array(kn::round(la::matrix_power(x, -3)), {2, 2}, std::vector<float>{-1, 2, 2, -3});
    const Array singular = la::matrix_power(kn::ones({2, 2}), -1);
    CHECK(has(message_of<kn::LinAlgError>([&] { singular.to_vector<float>(); }),
              "[matrix_power] the matrix is singular"));
    CHECK(la::matrix_power(kn::ones({2, 2}, kn::bool_), 1).dtype() == kn::int64);
    CHECK(la::matrix_power(kn::zeros({2, 0, 0}), 0).shape() == Shape{2, 0, 0});
    CHECK(has(message_of<kn::LinAlgError>([&] { la::matrix_power(kn::ones({2, 3}), 2); }), "[matrix_power] got shape"));
  });
}

TEST_CASE("norms of vectors") {
  on_each_device([] {
    const Array x = kn::array({{3.f, -4.f}, {0.f, 12.f}});
    check_near(la::vector_norm(x), 13);
    check_near(la::vector_norm(x, {.ord = 1}), 19);
    check_near(la::vector_norm(x, {.ord = inf}), 12);
    check_near(la::vector_norm(x, {.ord = -inf}), 0);
    check_near(la::vector_norm(x, {.ord = 0}), 3);
    check_near(la::vector_norm(x, {.ord = 3}), std::cbrt(27. + 64 + 1728));
    check_near(la::vector_norm(x(0), {.ord = -1}), 1 / (1. / 3 + 1. / 4));
    check_near(la::vector_norm(x, {.axis = 1})(0), 5);
    CHECK(la::vector_norm(x, {.axis = 0, .keepdims = true}).shape() == Shape{1, 2});
    CHECK(la::vector_norm(kn::ones({2, 3, 4}), {.axis = {0, 2}}).shape() == Shape{3});
    using C = std::complex<float>;
    const Array z = kn::array({C(3, 4), C(0, -12)});
    for (const double ord : {2., 1., inf, 3.}) {
      const Array norm = la::vector_norm(z, {.ord = ord});
      CHECK(norm.dtype() == kn::float32);
      check_near(norm, ord == 2 ? 13 : ord == 1 ? 17 : ord == inf ? 12 : std::cbrt(125. + 1728));
    }
    CHECK(la::vector_norm(kn::array({3, 4})).dtype() == kn::float32);
    check_near(la::vector_norm(kn::array({3, 4})), 5);
    // Squares that float16 does not hold.
    const Array half = la::vector_norm(kn::full({4}, 3e4f, kn::float16), {.ord = inf});
    CHECK(half.dtype() == kn::float16);
    check_near(la::vector_norm(kn::full({4}, 1e4f, kn::float16)), 2e4);
    check_near(la::vector_norm(kn::full({4}, 1e4f, kn::bfloat16)), 2e4);
    check_near(la::vector_norm(kn::zeros({0})), 0);
    CHECK(has(message_of<kn::ValueError>([&] { la::vector_norm(x, {.ord = std::nan("")}); }), "[vector_norm] .ord"));
    CHECK(has(message_of<kn::ValueError>([&] { la::vector_norm(kn::zeros({0}), {.ord = inf}); }), "[vector_norm] "));
  });
}

TEST_CASE("norms of matrices") {
  on_each_device([] {
    // Singular values 5 and 3, to which the sums below belong.
    const Array x = kn::array({{3.f, 2.f, 2.f}, {2.f, 3.f, -2.f}});
    check_near(la::matrix_norm(x), std::sqrt(34.));
    check_near(la::matrix_norm(x, {.ord = "fro"}), std::sqrt(34.));
    check_near(la::matrix_norm(x, {.ord = "nuc"}), 8);
    check_near(la::matrix_norm(x, {.ord = 2}), 5);
    check_near(la::matrix_norm(x, {.ord = -2}), 3);
    check_near(la::matrix_norm(x, {.ord = 1}), 5);
    check_near(la::matrix_norm(x, {.ord = -1}), 4);
    check_near(la::matrix_norm(x, {.ord = inf}), 7);
    check_near(la::matrix_norm(x, {.ord = -inf}), 7);
    const Array both = kn::stack({x, 2 * x});
    for (const la::MatrixOrd& ord : std::vector<la::MatrixOrd>{"fro", "nuc", 2, -2, 1, -1, inf, -inf}) {
      const Array norms = la::matrix_norm(both, {.ord = ord});
      CHECK(norms.shape() == Shape{2});
      check_near(norms(1), 2 * static_cast<double>(la::matrix_norm(x, {.ord = ord}).item<float>()));
      CHECK(la::matrix_norm(both, {.keepdims = true, .ord = ord}).shape() == Shape{2, 1, 1});
    }
    using C = std::complex<float>;
    const Array z = kn::reshape(kn::array({C(3, 4), C(0), C(0), C(0, -12)}), {2, 2});
    CHECK(la::matrix_norm(z).dtype() == kn::float32);
    check_near(la::matrix_norm(z), 13);
    check_near(la::matrix_norm(z, {.ord = "nuc"}), 17);
    check_near(la::matrix_norm(kn::full({2, 2}, 1e4f, kn::float16)), 2e4);
    check_near(la::matrix_norm(kn::zeros({0, 3})), 0);
    CHECK(message_of<kn::ValueError>([&] { la::matrix_norm(x, {.ord = "two"}); }) ==
          "[matrix_norm] .ord is \"two\"; it can be \"fro\", \"nuc\", 1, -1, 2, -2, inf and -inf");
    CHECK(has(message_of<kn::ValueError>([&] { la::matrix_norm(x, {.ord = 3}); }), "[matrix_norm] .ord is 3"));
    CHECK(has(message_of<kn::ShapeError>([&] { la::matrix_norm(x(0)); }), "[matrix_norm] got shape (3,)"));
  });
}

// SPDX-License-Identifier: Apache-2.0
// expm against exponentials that are known, and against sums of the series in long double here.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/matrices.hpp"
#include "support/matrix_stacks.hpp"

namespace kn = koine;
namespace la = koine::linalg;
using kn::Array;
using kn::DType;
using kn::Shape;
using kn::test::array_of;
using kn::test::by_both_ways;
using kn::test::has;
using kn::test::identity;
using kn::test::matrices;
using kn::test::matrices_of;
using kn::test::Matrix;
using kn::test::matrix_of;
using kn::test::message_of;
using kn::test::on_each_device;
using kn::test::stack_of;
using kn::test::tolerance;
using Kind = kn::test::MatrixKind;
using Number = Matrix::Number;

namespace {

using Long = std::complex<long double>;

/// The sum of the series of x / 2^s, squared s times, in long double.
Matrix reference(const Matrix& x) {
  const std::size_t n = x.rows;
  int times = 0;
  for (double size = x.norm(); size > 0.25; size /= 2) ++times;
  const auto multiply = [&](const std::vector<Long>& a, const std::vector<Long>& b) {
    std::vector<Long> c(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const long double re = a[i * n + j].real(), im = a[i * n + j].imag();
        for (std::size_t k = 0; k < n; ++k) {
          const Long& y = b[j * n + k];
          c[i * n + k] += Long(re * y.real() - im * y.imag(), re * y.imag() + im * y.real());
        }
      }
    }
    return c;
  };
  std::vector<Long> scaled(n * n), term(n * n), sum(n * n);
  for (std::size_t i = 0; i < n * n; ++i) scaled[i] = Long(x.at[i]) * std::exp2(-static_cast<long double>(times));
  for (std::size_t i = 0; i < n; ++i) term[i * n + i] = sum[i * n + i] = 1;
  for (int k = 1; k < 25; ++k) {
    term = multiply(term, scaled);
    for (std::size_t i = 0; i < n * n; ++i) sum[i] += term[i] /= static_cast<long double>(k);
  }
  for (int i = 0; i < times; ++i) sum = multiply(sum, sum);
  Matrix result(n, n);
  for (std::size_t i = 0; i < n * n; ++i) result.at[i] = Number(sum[i]);
  return result;
}

/// The exponential's condition number is at least the norm, and near it where a matrix is close to normal.
void check_expm(const Array& x, double condition = 1) {
  const Array result = la::expm(x);
  CHECK(result.shape() == x.shape());
  CHECK(result.dtype() == x.dtype());
  const std::vector<Matrix> given = matrices_of(x), got = matrices_of(result);
  for (std::size_t k = 0; k < given.size(); ++k) {
    CAPTURE(k);
    const Matrix want = reference(given[k]);
    const double size = std::max(given[k].norm(), 1.0) * condition;
    CHECK((got[k] - want).norm() <= tolerance(x.dtype(), given[k].rows) * size * want.norm());
  }
}

/// A matrix of two rows in the first ones of nine, of which the others are 0: another size would take other kernels.
Array in_nine(double a, double b, double c, double d, DType type = kn::float32) {
  Matrix x(9, 9);
  x(0, 0) = a;
  x(0, 1) = b;
  x(1, 0) = c;
  x(1, 1) = d;
  return array_of(x, type);
}

/// The multiples of matrices whose norms these are.
Array scaled(const Array& x, const std::vector<double>& factors) {
  std::vector<Matrix> all = matrices_of(x);
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (Number& value : all[k].at) value *= factors[k];
  }
  return x.ndim() == 2 ? array_of(all[0], x.dtype()) : stack_of(all, x.dtype());
}

void check_kinds(DType type) {
  if (!kn::test::computes(type)) return;
  CAPTURE(kn::name(type));
  // Sizes that are one row or not take kernels of their own.
  for (const std::int64_t n :
       kn::test::exhaustive() ? std::vector<std::int64_t>{1, 2, 9, 33} : std::vector<std::int64_t>{9}) {
    CAPTURE(n);
    for (const Kind kind : {Kind::random, Kind::graded, Kind::deficient, Kind::zero, Kind::near_singular}) {
      CAPTURE(static_cast<int>(kind));
      for (const double norm : {1e-6, 0.3, 3.0, 20.0}) {
        CAPTURE(norm);
        check_expm(scaled(matrices({n, n}, type, kind), {norm / std::sqrt(static_cast<double>(n))}));
      }
    }
  }
}

}  // namespace

TEST_CASE("exponentials of matrices of many kinds and norms") {
  on_each_device([] { check_kinds(kn::complex128); });
  if (kn::test::without_variants("float32, of which the cases below have other matrices")) return;
  by_both_ways([] { check_kinds(kn::float32); });
  on_each_device([] {
    if (!kn::test::exhaustive()) return;
    check_kinds(kn::complex64);
    check_kinds(kn::float64);
  });
}

TEST_CASE("matrices of a stack are squared as often as each of them needs") {
  on_each_device([] {
    std::vector<double> norms;
    for (int k = -8; k < 6; ++k) norms.push_back(std::exp2(k));
    const Array stack = scaled(matrices({14, 9, 9}, kn::float32, Kind::random), norms);
    check_expm(stack);
    if (!kn::test::without_variants("stacks of stacks")) check_expm(kn::reshape(stack, {2, 7, 9, 9}));
    // Alone, and beside one of a large norm, a matrix has the same exponential but for rounding of other products.
    const Matrix alone = matrix_of(la::expm(stack(0).eval())), beside = matrices_of(la::expm(stack))[0];
    CHECK((alone - beside).norm() <= 1e-6);
    CHECK(la::expm(kn::array({{0, 1}, {-1, 0}})).dtype() == kn::float32);
  });
}

TEST_CASE("exponentials that are known") {
  on_each_device([] {
    for (const DType type : {kn::float32, kn::float64}) {
      if (!kn::test::computes(type) || (type == kn::float64 && !kn::test::exhaustive())) continue;
      CAPTURE(kn::name(type));
      const double close = tolerance(type, 2);
      // exp of a Jordan block, of a rotation, of what is nilpotent however large, and of a projection.
      const Matrix jordan = matrix_of(la::expm(in_nine(-3, 1, 0, -3, type)));
      CHECK(std::abs(jordan(0, 0) - std::exp(-3)) <= close);
      CHECK(std::abs(jordan(0, 1) - std::exp(-3)) <= close);
      CHECK(std::abs(jordan(1, 0)) <= close);
      const Matrix turn = matrix_of(la::expm(in_nine(0, -40, 40, 0, type)));
      CHECK(std::abs(turn(0, 0) - std::cos(40.0)) <= 40 * close);
      CHECK(std::abs(turn(1, 0) - std::sin(40.0)) <= 40 * close);
      for (const float large : {1e3f, 1e10f, 1e30f, std::numeric_limits<float>::max()}) {
        CAPTURE(large);
        const Matrix one = matrix_of(la::expm(in_nine(0, large, 0, 0, type)));
        CHECK(one(0, 0) == Number(1));
        CHECK(std::abs(one(0, 1) - Number(large)) <= close * static_cast<double>(large));
        CHECK(one(1, 1) == Number(1));
      }
      const Matrix none = matrix_of(la::expm(scaled(array_of(identity(9), type), {-1e6})));
      CHECK(none.norm() == 0);
      // Far from normal: scaling by the norm alone would lose the small elements (Al-Mohy and Higham, 1.3).
      const float large = 1e6f;
      const Matrix far = matrix_of(la::expm(in_nine(1, large, 0, -1, type)));
      CHECK(std::abs(far(0, 0) - std::exp(1.0)) <= 3 * close);
      CHECK(std::abs(far(1, 1) - std::exp(-1.0)) <= 3 * close);
      CHECK(std::abs(far(0, 1) / static_cast<double>(large) - std::sinh(1.0)) <= 3 * close);
    }
  });
}

TEST_CASE("a larger matrix") {
  on_each_device([] {
    const std::int64_t n = kn::test::exhaustive() ? 200 : 80;
    check_expm(matrices({n, n}, kn::float32, Kind::random));
    if (kn::test::exhaustive() && kn::test::computes(kn::complex128)) {
      check_expm(matrices({n, n}, kn::complex128, Kind::random));
    }
  });
}

TEST_CASE("a NaN or an infinity gives NaNs for its matrix alone") {
  on_each_device([] {
    std::vector<Matrix> some(3, identity(9));
    some[0](1, 0) = std::numeric_limits<double>::quiet_NaN();
    some[2](0, 0) = std::numeric_limits<double>::infinity();
    const std::vector<Matrix> got = matrices_of(la::expm(stack_of(some, kn::float32)));
    for (const Number& value : got[0].at) CHECK(std::isnan(value.real()));
    for (const Number& value : got[2].at) CHECK(std::isnan(value.real()));
    CHECK(std::abs(got[1](0, 0) - std::exp(1.0)) < 1e-5);
    CHECK(!std::isfinite(matrix_of(la::expm(in_nine(0, 0, 0, 1000)))(1, 1).real()));
  });
}

TEST_CASE("exponentials of nothing, and what is refused") {
  on_each_device([] {
    CHECK(la::expm(kn::zeros({0, 0})).shape() == Shape{0, 0});
    CHECK(la::expm(kn::zeros({0, 3, 3})).shape() == Shape{0, 3, 3});
  });
  CHECK(has(message_of<kn::LinAlgError>([] { la::expm(kn::ones({2, 3})); }), "[expm] got shape (2, 3)"));
  CHECK(has(message_of<kn::DTypeError>([] { la::expm(kn::ones({2, 2}, kn::float16)); }), "[expm] does not take"));
}

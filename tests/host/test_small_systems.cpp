// SPDX-License-Identifier: Apache-2.0
// Stacks of small matrices, which a CPU eliminates and reflects in the lanes of vectors: backward errors in double
// here, matrices that need exchanges, whose solutions are exact, and which matrix of a stack is singular.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/matrices.hpp"
#include "support/matrix_stacks.hpp"

namespace kn = koine;
namespace la = koine::linalg;
using kn::Array;
using kn::DType;
using kn::test::identity;
using kn::test::largest;
using kn::test::matrices;
using kn::test::matrices_of;
using kn::test::Matrix;
using kn::test::message_of;
using kn::test::numbers_of;
using kn::test::on_each_device;
using kn::test::tolerance;
using Kind = kn::test::MatrixKind;

namespace {

constexpr std::int64_t many = 37;  // more than two vectors of any type, and no whole number of them

/// 1 or -1, by the cycles of a permutation.
double sign_of(const Matrix& p) {
  double sign = 1;
  std::vector<bool> seen(p.rows);
  for (std::size_t first = 0; first < p.rows; ++first) {
    for (std::size_t i = first, length = 0; !seen[i]; ++length) {
      seen[i] = true;
      if (length > 0) sign = -sign;
      for (std::size_t j = 0; j < p.columns; ++j) {
        if (p(i, j) == Matrix::Number(1)) {
          i = j;
          break;
        }
      }
    }
  }
  return sign;
}

void check(DType type, std::int64_t n, std::int64_t columns, Kind kind) {
  CAPTURE(kn::name(type));
  CAPTURE(n);
  CAPTURE(columns);
  // They do not begin where their memory does.
  const auto rest = kn::slice(1, kn::none);
  const Array a = matrices({many + 1, n, n}, type, kind)(rest),
              b = matrices({many + 1, n, columns}, type, Kind::random, 2)(rest);
  const Array solutions = la::solve(a, b), inverses = la::inv(a);
  const auto [p, l, u] = la::lu(a);
  const std::vector<Matrix> as = matrices_of(a), bs = matrices_of(b), xs = matrices_of(solutions),
                            is = matrices_of(inverses), ps = matrices_of(p), ls = matrices_of(l), us = matrices_of(u);
  // One size of them, for each is a program.
  const std::vector<Matrix::Number> ds = n == 9 ? numbers_of(la::det(a)) : std::vector<Matrix::Number>();
  const double close = tolerance(type, static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < many; ++k) {
    CAPTURE(k);
    CHECK((as[k] * xs[k] - bs[k]).norm() <= close * (as[k].norm() * xs[k].norm() + bs[k].norm()));
    CHECK((as[k] * is[k] - identity(as[k].rows)).norm() <= close * as[k].norm() * is[k].norm());
    CHECK((as[k] - ps[k] * (ls[k] * us[k])).norm() <= close * as[k].norm());
    CHECK(largest(ls[k]) <= 1);
    if (ds.empty()) continue;
    double determinant = sign_of(ps[k]);
    for (std::size_t i = 0; i < us[k].rows; ++i) determinant *= us[k](i, i).real();
    CHECK(std::abs(ds[k] - determinant) <= close * std::abs(determinant));
  }
}

void check_qr(const Array& x, double scale, std::string_view mode) {
  CAPTURE(kn::name(x.dtype()));
  CAPTURE(x.shape(-2));
  CAPTURE(x.shape(-1));
  CAPTURE(mode);
  const auto [q, r] = la::qr(x * scale, {.mode = mode});
  const std::vector<Matrix> as = matrices_of(x), qs = matrices_of(q), rs = matrices_of(r / scale);
  for (std::size_t k = 0; k < as.size(); ++k) {
    CAPTURE(k);
    const double close = tolerance(x.dtype(), std::max(as[k].rows, as[k].columns));
    CHECK((as[k] - qs[k] * rs[k]).norm() <= close * as[k].norm());
    CHECK((adjoint(qs[k]) * qs[k] - identity(qs[k].columns)).norm() <= close);
    Matrix below = rs[k];
    for (std::size_t i = 0; i < below.rows; ++i) {
      for (std::size_t j = i; j < below.columns; ++j) below(i, j) = 0;
    }
    CHECK(largest(below) == 0);
  }
}

/// Row i has 2^(i - 2) in column (3 i + shift) mod n alone, where n is no multiple of 3.
Matrix moved(std::size_t n, std::size_t shift) {
  Matrix a(n, n);
  for (std::size_t i = 0; i < n; ++i) a(i, (3 * i + shift) % n) = std::exp2(static_cast<double>(i) - 2);
  return a;
}

}  // namespace

TEST_CASE("stacks of any size") {
  on_each_device(kn::float64, [] {
    for (const DType type : {kn::float32, kn::float64}) {
      for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 9, 16, 24}) {
        check(type, n, n < 3 ? n : 3, Kind::random);
        if (n % 8 == 0) check(type, n, n, Kind::graded);
      }
    }
    // More right sides than rows, and inverses that have no room in lanes.
    check(kn::float64, 2, 5, Kind::random);
    check(kn::float32, 52, 1, Kind::random);
  });
}

TEST_CASE("stacks of QR factorisations") {
  on_each_device(kn::float64, [] {
    for (const DType type : {kn::float32, kn::float64}) {
      for (const auto& [m, n] :
           {std::pair{1, 1}, {1, 3}, {3, 1}, {4, 4}, {5, 3}, {3, 5}, {9, 17}, {64, 12}, {24, 64}}) {
        for (const std::string_view mode : {"reduced", "complete"}) {
          check_qr(matrices({many, m, n}, type, Kind::random), 1, mode);
        }
      }
      for (const Kind kind : {Kind::graded, Kind::deficient, Kind::zero}) {
        check_qr(matrices({many, 8, 8}, type, kind), 1, "reduced");
      }
      // Squares of what is so large, or so small, are not numbers of the type.
      for (const int exponent : {-100, 100}) {
        check_qr(matrices({many, 6, 5}, type, Kind::random), std::exp2(type == kn::float32 ? exponent : 9 * exponent),
                 "reduced");
      }
    }
    check_qr(matrices({2, 3, 6, 4}, kn::float32, Kind::random).mT(), 1, "complete");
    check_qr(matrices({many, 64, 33}, kn::float64, Kind::random), 1, "reduced");
  });
}

TEST_CASE("rows change places, each matrix's its own way") {
  on_each_device(kn::float64, [] {
    for (const DType type : {kn::float32, kn::float64}) {
      constexpr std::size_t n = 7;
      std::vector<double> values;
      for (std::size_t k = 0; k < many; ++k) {
        const Matrix a = moved(n, k);
        for (const Matrix::Number& value : a.at) values.push_back(value.real());
      }
      const Array a = kn::asarray(values, {many, n, n}, type);
      const std::vector<Matrix> inverses = matrices_of(la::inv(a));
      for (std::size_t k = 0; k < many; ++k) CHECK((moved(n, k) * inverses[k] - identity(n)).norm() == 0);
    }
  });
}

TEST_CASE("which matrix of a stack is singular") {
  on_each_device([] {
    Array a = kn::Array(kn::broadcast_to(kn::eye(3), {many, 3, 3}));
    a(33, 1, 1) = 0;
    CHECK(message_of<kn::LinAlgError>([&] { la::inv(a).eval(), kn::synchronize(), la::inv(a).to_vector<float>(); }) ==
          "[inv] matrix 33 of the stack is singular: element (1, 1) of its triangular factor is 0");
    CHECK(la::det(a)(33).item<float>() == 0);
    CHECK(la::det(a)(32).item<float>() == 1);
    // One that a column of zeros makes so, whose rows below the pivot are zeros, too.
    const Array zeros = kn::zeros({many, 4, 4});
    CHECK(kn::all(la::lu(zeros).U == 0).item<bool>());
    CHECK(kn::all(la::lu(zeros).L == kn::eye(4)).item<bool>());
  });
}

TEST_CASE("a NaN stays in its matrix") {
  on_each_device([] {
    Array a = kn::Array(kn::broadcast_to(2 * kn::eye(3), {many, 3, 3}));
    a(5, 0, 0) = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> determinants = la::det(a).to_vector<float>();
    const std::vector<Matrix> factors = matrices_of(la::qr(a).R);
    for (std::size_t k = 0; k < many; ++k) {
      if (k == 5) {
        CHECK(std::isnan(determinants[k]));
        CHECK(std::isnan(factors[k].norm()));
      } else {
        CHECK(determinants[k] == 8);
        CHECK(std::abs(factors[k].norm() - std::sqrt(12.0)) < 1e-6);
      }
    }
  });
}

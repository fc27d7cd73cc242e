// SPDX-License-Identifier: Apache-2.0
// Least squares by what holds of them: what is left is orthogonal to the columns, the solution to what they map to 0.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
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
using kn::Shape;
using kn::test::by_both_ways;
using kn::test::has;
using kn::test::matrices;
using kn::test::matrices_of;
using kn::test::Matrix;
using kn::test::matrix_of;
using kn::test::message_of;
using kn::test::numbers_of;
using kn::test::on_each_device;
using kn::test::tolerance;
using Kind = kn::test::MatrixKind;

namespace {

/// One matrix and right sides: the normal equations, the norms, and that the solution has no share in what is mapped to
/// 0, whose basis `null` has as columns.
void check_solution(const Matrix& a, const Matrix& b, const Matrix& x, const std::vector<double>& residuals,
                    const Matrix& null, double close) {
  const Matrix rest = b - a * x;
  const double size = a.norm() * x.norm() + b.norm();
  CHECK((adjoint(a) * rest).norm() <= close * a.norm() * size);
  CHECK((adjoint(null) * x).norm() <= close * null.norm() * x.norm());
  for (std::size_t k = 0; k < b.columns; ++k) {
    long double square = 0;
    for (std::size_t i = 0; i < b.rows; ++i) square += std::norm(rest(i, k));
    CHECK(std::abs(residuals[k] - static_cast<double>(square)) <= close * size * size);
  }
}

}  // namespace

TEST_CASE("more equations than unknowns, fewer, and as many") {
  by_both_ways([] {
    for (const DType type : kn::test::matrix_types) {
      const bool chosen = type == kn::float32 || type == kn::complex128;
      if (!kn::test::computes(type) || (!chosen && !kn::test::exhaustive())) continue;
      CAPTURE(kn::name(type));
      for (const auto& [m, n] : {std::pair{14, 9}, {9, 14}, {11, 11}}) {
        if (m != 14 && type != kn::float32 && !kn::test::all_variants()) continue;
        CAPTURE(m);
        const Array a = matrices({m, n}, type, Kind::random), b = matrices({m, 3}, type, Kind::random, 2);
        const auto [x, residuals, rank, values] = la::lstsq(a, b);
        CHECK(x.dtype() == type);
        CHECK(rank.item<std::int64_t>() == std::min(m, n));
        const Matrix am = matrix_of(a);
        // What is orthogonal to the rows: the identity less (a+ a), by the pseudo-inverse, which has a test of its own.
        const Matrix null = m < n ? kn::test::identity(n) - matrix_of(la::pinv(a)) * am : Matrix(n, 1);
        std::vector<double> rests;
        for (const auto& each : numbers_of(residuals)) rests.push_back(each.real());
        check_solution(am, matrix_of(b), matrix_of(x), rests, null, 4 * tolerance(type, 14));
        double squares = 0;
        for (const auto& value : numbers_of(values)) squares += std::norm(value);
        CHECK(std::abs(std::sqrt(squares) - am.norm()) <= tolerance(type, 14) * am.norm());
      }
    }
  });
}

TEST_CASE("dependent columns give the solution of smallest norm") {
  by_both_ways([] {
    // Columns a, b, a + b and 2 a: (1, 1, -1, 0) and (2, 0, 0, -1) are mapped to 0.
    std::vector<float> values;
    for (int i = 0; i < 7; ++i) {
      const auto p = static_cast<float>(i), q = static_cast<float>(i * i % 5);
      values.insert(values.end(), {p, q, p + q, 2 * p});
    }
    const Array a = kn::asarray(values, {7, 4}), b = matrices({7, 2}, kn::float32, Kind::random);
    Matrix null(4, 2);
    null(0, 0) = null(1, 0) = 1, null(2, 0) = -1;
    null(0, 1) = 2, null(3, 1) = -1;
    const auto [x, residuals, rank, singular] = la::lstsq(a, b);
    CHECK(rank.item<std::int64_t>() == 2);
    const auto rests = residuals.to_vector<float>();
    check_solution(matrix_of(a), matrix_of(b), matrix_of(x), {rests[0], rests[1]}, null, tolerance(kn::float32, 7));
    // A fit of what fits exactly.
    std::vector<float> sums;
    for (std::size_t i = 0; i < values.size(); i += 4) {
      sums.push_back(values[i] + values[i + 1] + values[i + 2] + values[i + 3]);
    }
    const Array exact = la::lstsq(a, kn::asarray(sums)).residuals;
    CHECK(exact.shape() == Shape{1});
    CHECK(exact.item<float>() < 1e-6f);
  });
}

TEST_CASE("a line through points, in long double") {
  on_each_device([] {
    // By sums: slope = (n sum ty - sum t sum y) / (n sum tt - (sum t)^2).
    constexpr int n = 20;
    std::vector<float> rows, right;
    long double t1 = 0, t2 = 0, y1 = 0, ty = 0;
    for (int i = 0; i < n; ++i) {
      const float t = static_cast<float>(i) / 4, y = 3 * t - 1 + static_cast<float>(i * 7 % 11) / 16;
      rows.insert(rows.end(), {t, 1.f});
      right.push_back(y);
      t1 += t, t2 += static_cast<long double>(t) * t, y1 += y, ty += static_cast<long double>(t) * y;
    }
    const long double slope = (n * ty - t1 * y1) / (n * t2 - t1 * t1), start = (y1 - slope * t1) / n;
    const auto x = la::lstsq(kn::asarray(rows, {n, 2}), kn::asarray(right)).x;
    CHECK(x.shape() == Shape{2});
    const auto got = x.to_vector<float>();
    CHECK(std::abs(static_cast<long double>(got[0]) - slope) < 1e-5L);
    CHECK(std::abs(static_cast<long double>(got[1]) - start) < 1e-5L);
  });
}

TEST_CASE("stacks broadcast, and small singular values are left out") {
  on_each_device([] {
    const Array a = matrices({3, 14, 9}, kn::float32, Kind::random);
    const Array b = matrices({2, 1, 14, 4}, kn::float32, Kind::random, 2);
    const auto [x, residuals, rank, values] = la::lstsq(a, b);
    CHECK(x.shape() == Shape{2, 3, 9, 4});
    CHECK(residuals.shape() == Shape{2, 3, 4});
    CHECK(rank.shape() == Shape{3});
    CHECK(values.shape() == Shape{3, 9});
    const std::vector<Matrix> as = matrices_of(a), bs = matrices_of(b), xs = matrices_of(x);
    const auto rests = residuals.to_vector<float>();
    for (std::size_t i = 0; i < 6; ++i) {
      const std::vector<double> own(rests.begin() + static_cast<std::ptrdiff_t>(4 * i),
                                    rests.begin() + static_cast<std::ptrdiff_t>(4 * i + 4));
      check_solution(as[i % 3], bs[i / 3], xs[i], own, Matrix(9, 1), tolerance(kn::float32, 14));
    }
    // One vector for all.
    CHECK(la::lstsq(a, kn::ones({14})).x.shape() == Shape{3, 9});
    const Array graded = kn::array({{1.f, 0.f}, {0.f, 0.01f}, {0.f, 0.f}}), ones = kn::ones({3});
    CHECK(std::abs(la::lstsq(graded, ones).x(1).item<float>() - 100) < 1e-3f);
    const auto cut = la::lstsq(graded, ones, {.rtol = 0.1});
    CHECK(cut.x(1).item<float>() == 0);
    CHECK(cut.rank.item<std::int64_t>() == 1);
    CHECK(std::abs(cut.residuals.item<float>() - 2) < 1e-5f);
    const auto both = la::lstsq(kn::stack({graded, graded}), ones, {.rtol = kn::array({0.1, 0.001})});
    CHECK(both.rank.to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 2});
    // Integers, of two types.
    const Array whole = kn::array({{1, 0}, {0, 2}});
    CHECK(la::lstsq(whole, kn::array({3, 4}).astype(kn::int16)).x.dtype() == kn::float32);
  });
}

TEST_CASE("equations without rows, columns or right sides") {
  on_each_device([] {
    const auto no_rows = la::lstsq(kn::zeros({0, 3}), kn::zeros({0, 2}));
    CHECK(no_rows.x.to_vector<float>() == std::vector<float>(6, 0.f));
    CHECK(no_rows.x.shape() == Shape{3, 2});
    CHECK(no_rows.residuals.to_vector<float>() == std::vector<float>(2, 0.f));
    CHECK(no_rows.rank.item<std::int64_t>() == 0);
    CHECK(no_rows.singular_values.shape() == Shape{0});
    const auto no_columns = la::lstsq(kn::zeros({2, 0}), kn::array({3.f, 4.f}));
    CHECK(no_columns.x.shape() == Shape{0});
    CHECK(no_columns.residuals.to_vector<float>() == std::vector<float>{25});
    CHECK(la::lstsq(kn::ones({3, 2}), kn::zeros({3, 0})).x.shape() == Shape{2, 0});
    CHECK(la::lstsq(kn::zeros({0, 3, 2}), kn::ones({3})).x.shape() == Shape{0, 2});
    CHECK(la::lstsq(kn::zeros({3, 2}), kn::ones({3})).x.to_vector<float>() == std::vector<float>{0, 0});
  });
}

TEST_CASE("errors of least squares name them") {
  on_each_device([] {
    CHECK(message_of<kn::ShapeError>([] {
            la::lstsq(kn::ones({3, 2}), kn::ones({2}));
          }) == "[lstsq] x1 has shape (3, 2), x2 (2,); x2 must have 3 elements");
    CHECK(has(message_of<kn::ShapeError>([] { la::lstsq(kn::ones({3}), kn::ones({3})); }), "[lstsq] got shape (3,)"));
    Array nan = kn::ones({3, 2});
    nan(1, 1) = std::numeric_limits<float>::quiet_NaN();
    CHECK(message_of<kn::LinAlgError>([&] { la::lstsq(nan, kn::ones({3})).x.to_vector<float>(); }) ==
          "[lstsq] the matrix has a NaN or an infinity");
  });
}

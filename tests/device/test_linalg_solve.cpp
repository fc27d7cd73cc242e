// SPDX-License-Identifier: Apache-2.0
// Factorisations and equations by what must hold of them, in double here: backward errors and orthogonality within
// 30 n eps, for all types, inside reproducible scopes (by kernels) and outside (on CPUs by LAPACK); errors; bits that
// do not depend on the device.
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
#include "support/matrices.hpp"
#include "support/matrix_stacks.hpp"

namespace kn = koine;
namespace la = koine::linalg;
using kn::Array;
using kn::DType;
using kn::Shape;
using kn::test::array_of;
using kn::test::by_both_ways;
using kn::test::definite;
using kn::test::dominant;
using kn::test::has;
using kn::test::identity;
using kn::test::is_triangle;
using kn::test::matrices;
using kn::test::matrices_of;
using kn::test::Matrix;
using kn::test::matrix_of;
using kn::test::message_of;
using kn::test::on_each_device;
using kn::test::tolerance;
using kn::test::triangle;
using kn::test::usual_and;
using Number = Matrix::Number;
using Kind = kn::test::MatrixKind;

namespace {

const Kind kinds[] = {Kind::random, Kind::graded, Kind::deficient, Kind::zero, Kind::near_singular};

/// Calls test(type, kind, size) by both ways: every kind at one size, and random matrices at others. 33 is two panels,
/// and 70 is cut in two, in types of which the others differ by their width alone: those have the long run.
template <class F>
void each_matrix(F test) {
  by_both_ways([&] {
    for (const DType type : usual_and({kn::float32, kn::complex128}, {kn::float64, kn::complex64})) {
      if (!kn::test::computes(type)) continue;
      CAPTURE(kn::name(type));
      std::vector<std::int64_t> sizes{33};
      if (type == kn::float32) sizes = {1, 33, 70};
      if (kn::test::exhaustive()) sizes = {1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 129, 257};
      for (const std::int64_t n : sizes) {
        CAPTURE(n);
        for (const Kind kind : kinds) {
          CAPTURE(static_cast<int>(kind));
          if (kind != Kind::random && n != 33 && !kn::test::exhaustive()) continue;
          test(type, kind, n);
        }
      }
    }
  });
}

void check_lu(const Array& x) {
  const auto [p, l, u] = la::lu(x);
  const std::vector<Matrix> a = matrices_of(x), ps = matrices_of(p), ls = matrices_of(l), us = matrices_of(u);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const std::size_t size = std::max(a[k].rows, a[k].columns);
    CHECK((a[k] - ps[k] * (ls[k] * us[k])).norm() <= tolerance(x.dtype(), size) * a[k].norm());
    CHECK((adjoint(ps[k]) * ps[k] - identity(a[k].rows)).norm() == 0);
    CHECK(is_triangle(ls[k], true));
    CHECK(is_triangle(us[k], false));
    for (std::size_t j = 0; j < ls[k].columns; ++j) {
      CHECK(ls[k](j, j) == Number(1));
      // By the larger pivot of each column.
      for (std::size_t i = 0; i < ls[k].rows; ++i) CHECK(std::abs(ls[k](i, j)) <= 1.415);
    }
  }
}

void check_qr(const Array& x, std::string_view mode) {
  const auto [q, r] = la::qr(x, {.mode = mode});
  const std::vector<Matrix> a = matrices_of(x), qs = matrices_of(q), rs = matrices_of(r);
  const std::int64_t m = x.shape(-2), n = x.shape(-1), k = mode == "complete" ? m : std::min(m, n);
  CHECK(q.shape(-1) == k);
  CHECK(r.shape(-2) == k);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK((a[i] - qs[i] * rs[i]).norm() <= tolerance(x.dtype(), std::max(m, n)) * a[i].norm());
    CHECK((adjoint(qs[i]) * qs[i] - identity(k)).norm() <= tolerance(x.dtype(), std::max(m, n)));
    CHECK(is_triangle(rs[i], false));
  }
}

void check_cholesky(const Array& x, bool upper) {
  const Array factor = la::cholesky(x, {.upper = upper});
  const std::vector<Matrix> a = matrices_of(x), f = matrices_of(factor);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Matrix product = upper ? adjoint(f[k]) * f[k] : f[k] * adjoint(f[k]);
    CHECK((a[k] - product).norm() <= tolerance(x.dtype(), a[k].columns) * a[k].norm());
    CHECK(is_triangle(f[k], !upper));
    for (std::size_t i = 0; i < a[k].columns; ++i) {
      CHECK(f[k](i, i).real() > 0);
      CHECK(f[k](i, i).imag() == 0);
    }
  }
}

/// Factors of several panels, looked at by what they do to a vector: the factors' product takes long on the host.
template <class T>
void check_panels(std::int64_t size) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<T> a(n * n), v(n);
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = static_cast<T>(std::sin(3.0 * static_cast<double>(i)));
    for (std::size_t j = 0; j < n; ++j) {
      const double apart = std::abs(static_cast<double>(i) - static_cast<double>(j));
      // Diagonally dominant, so positive definite.
      a[i * n + j] = static_cast<T>(i == j ? 8 + std::cos(apart) : 0.5 * std::cos(apart) / (1 + apart));
    }
  }
  const auto product = [&](const std::vector<T>& matrix, const auto& x, bool transposed) {
    std::vector<double> sums(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        sums[transposed ? j : i] += static_cast<double>(matrix[i * n + j]) * static_cast<double>(x[transposed ? i : j]);
      }
    }
    return sums;
  };
  const auto check_close = [&](const auto& x, const auto& y) {
    double apart = 0, all = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double value = static_cast<double>(y[i]), off = static_cast<double>(x[i]) - value;
      apart += off * off;
      all += value * value;
    }
    CHECK(std::sqrt(apart) <= tolerance(kn::dtype_of<T>, n) * std::sqrt(all));
  };
  const Array x = kn::asarray(a, {size, size});
  const std::vector<T> factor = la::cholesky(x).to_vector<T>();
  check_close(product(factor, product(factor, v, true), false), product(a, v, false));
  bool triangle = true;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) triangle = triangle && factor[i * n + j] == 0;
  }
  CHECK(triangle);
  const Array b = kn::asarray(v);
  check_close(product(a, la::solve(x, b).to_vector<T>(), false), v);
}

}  // namespace

TEST_CASE("what is behind a panel of a large matrix has the panel's products taken from it") {
  on_each_device([] {
    check_panels<float>(1200);
    if (kn::test::computes(kn::float64)) check_panels<double>(1200);
  });
}

TEST_CASE("LU factors multiply to the matrix") {
  each_matrix([](DType type, Kind kind, std::int64_t n) { check_lu(matrices({n, n}, type, kind)); });
}

TEST_CASE("QR factors multiply to the matrix, and Q is orthonormal") {
  each_matrix([](DType type, Kind kind, std::int64_t n) { check_qr(matrices({n, n}, type, kind), "reduced"); });
}

TEST_CASE("a Cholesky factor times its adjoint is the matrix") {
  each_matrix([](DType type, Kind kind, std::int64_t n) {
    if (kind != Kind::random) return;
    const Array x = definite({n, n}, type);
    check_cholesky(x, false);
    check_cholesky(x, true);
    // The other triangle is not read.
    const Array other = array_of(triangle(matrix_of(x), true, 7), type);
    CHECK((matrix_of(la::cholesky(other)) - matrix_of(la::cholesky(x))).norm() == 0);
  });
}

TEST_CASE("what is solved fits, and inverses invert") {
  each_matrix([](DType type, Kind kind, std::int64_t n) {
    if (kind == Kind::deficient || kind == Kind::zero) return;
    const Array a = matrices({n, n}, type, kind), b = matrices({n, 3}, type, Kind::random, 2);
    const Matrix am = matrix_of(a), bm = matrix_of(b), x = matrix_of(la::solve(a, b));
    CHECK((am * x - bm).norm() <= tolerance(type, n) * (am.norm() * x.norm() + bm.norm()));
    const Matrix inverse = matrix_of(la::inv(a));
    CHECK((am * inverse - identity(n)).norm() <= tolerance(type, n) * am.norm() * inverse.norm());
  });
}

TEST_CASE("triangles are solved, and the other triangle is not read") {
  each_matrix([](DType type, Kind kind, std::int64_t n) {
    if (kind != Kind::random) return;
    const Array a = dominant({n, n}, type, 4), b = matrices({n, 18}, type, kind, 2);
    for (const bool lower : {false, true}) {
      for (const bool unit : {false, true}) {
        CAPTURE(lower);
        CAPTURE(unit);
        Matrix full = matrix_of(a);
        if (unit) {
          // Small ones beside the diagonal, so that the solution does not grow.
          for (Number& value : full.at) value /= 64;
        }
        const Array given = array_of(full, type);
        Matrix t = triangle(full, lower);
        for (std::int64_t i = 0; unit && i < n; ++i) t(i, i) = 1;
        const Matrix x = matrix_of(la::solve_triangular(given, b, {.lower = lower, .unit_diagonal = unit}));
        CHECK((t * x - matrix_of(b)).norm() <= tolerance(type, n) * (t.norm() * x.norm()));
      }
    }
  });
}

TEST_CASE("large matrices, which several threads factorise, or many panels") {
  by_both_ways([] {
    const std::int64_t n = 400;
    const double close = tolerance(kn::float32, n);
    const Array a = matrices({n, n}, kn::float32, Kind::random), b = definite({n, n}, kn::float32);
    // By what they do to some vectors, which takes much less time than their products.
    const Array v = matrices({n, 2}, kn::float32, Kind::random, 2);
    const Matrix am = matrix_of(a), bm = matrix_of(b), vm = matrix_of(v);
    const Matrix x = matrix_of(la::solve(a, v)), factor = matrix_of(la::cholesky(b));
    CHECK((am * x - vm).norm() <= close * am.norm() * x.norm());
    CHECK((bm * vm - factor * (adjoint(factor) * vm)).norm() <= close * bm.norm() * vm.norm());
    if (!kn::test::without_variants("float64")) {
      const Array c = definite({580, 580}, kn::float64), w = matrices({580, 1}, kn::float64, Kind::random, 2);
      const Matrix cm = matrix_of(c), wm = matrix_of(w), double_factor = matrix_of(la::cholesky(c));
      CHECK((cm * wm - double_factor * (adjoint(double_factor) * wm)).norm() <=
            tolerance(kn::float64, 580) * cm.norm() * wm.norm());
    }
    const auto [q, r] = la::qr(a);
    const Matrix qm = matrix_of(q);
    CHECK((am * vm - qm * (matrix_of(r) * vm)).norm() <= close * am.norm() * vm.norm());
    CHECK((adjoint(qm) * (qm * vm) - vm).norm() <= close * vm.norm());
  });
}

TEST_CASE("more than two blocks, stacks of such, and more rows and columns than a group has work-items") {
  by_both_ways([] {
    const DType type = kn::test::without_variants("float64") ? kn::float32 : kn::float64;
    check_cholesky(definite({2, 130, 130}, type), false);
    check_lu(matrices({2, 130, 140}, type, Kind::random));
    for (const Kind kind : {Kind::random, Kind::graded, Kind::deficient}) {
      check_lu(matrices({300, 70}, kn::float32, kind));
      check_qr(matrices({300, 70}, kn::float32, kind), "reduced");
    }
    check_qr(matrices({2, 140, 150}, type, Kind::random), "reduced");
    check_qr(matrices({2, 160, 135}, kn::float32, Kind::random), "complete");
    const Array a = dominant({2, 130, 130}, type, 12), b = matrices({2, 130, 70}, type, Kind::random, 2);
    for (const bool lower : {false, true}) {
      const std::vector<Matrix> xs = matrices_of(la::solve_triangular(a, b, {.lower = lower})), bs = matrices_of(b),
                                as = matrices_of(a);
      for (std::size_t k = 0; k < xs.size(); ++k) {
        const Matrix t = triangle(as[k], lower);
        CHECK((t * xs[k] - bs[k]).norm() <= tolerance(type, 130) * t.norm() * xs[k].norm());
      }
    }
  });
}

TEST_CASE("panels of more rows than one group has in registers, which several share where they run at the same time") {
  on_each_device([] {
    for (const DType type : usual_and({kn::float32}, {kn::float64})) {
      if (!kn::test::computes(type)) continue;
      CAPTURE(kn::name(type));
      for (const Kind kind : {Kind::random, Kind::deficient}) {
        const Array x = matrices({1100, 40}, type, kind), v = matrices({40, 2}, type, Kind::random, 2);
        check_qr(x, "reduced");
        const auto [p, l, u] = la::lu(x);
        const Matrix a = matrix_of(x), vm = matrix_of(v), lm = matrix_of(l);
        CHECK((a * vm - matrix_of(p) * (lm * (matrix_of(u) * vm))).norm() <=
              tolerance(type, 1100) * a.norm() * vm.norm());
        CHECK(is_triangle(lm, true));
        for (const Number& factor : lm.at) CHECK(std::abs(factor) <= 1);
      }
      check_qr(matrices({3, 600, 33}, type, Kind::random), "reduced");
      // Triangles with one right side.
      const Array a = dominant({2, 330, 330}, type, 40), b = matrices({2, 330, 1}, type, Kind::random, 2);
      for (const bool lower : {false, true}) {
        const std::vector<Matrix> xs = matrices_of(la::solve_triangular(a, b, {.lower = lower})), bs = matrices_of(b),
                                  as = matrices_of(a);
        for (std::size_t k = 0; k < xs.size(); ++k) {
          const Matrix t = triangle(as[k], lower);
          CHECK((t * xs[k] - bs[k]).norm() <= tolerance(type, 330) * t.norm() * xs[k].norm());
        }
      }
    }
  });
}

TEST_CASE("columns whose squares overflow, or vanish, are reflected all the same") {
  by_both_ways([] {
    for (const float scale : {1e30f, 1e-30f}) {
      Matrix x = matrix_of(matrices({40, 3}, kn::float32, Kind::random));
      for (std::size_t i = 0; i < x.rows; ++i) x(i, 1) *= scale;
      const auto [q, r] = la::qr(array_of(x, kn::float32));
      const Matrix qm = matrix_of(q);
      CHECK((adjoint(qm) * qm - identity(3)).norm() <= tolerance(kn::float32, 40));
      CHECK(std::abs(matrix_of(r)(1, 1)) > scale);
    }
  });
}

TEST_CASE("matrices that are not square, and stacks of matrices in any layout") {
  by_both_ways([] {
    for (const auto& [m, n] :
         usual_and<std::pair<int, int>>({{5, 3}, {70, 80}, {100, 5}, {1, 4}}, {{3, 5}, {80, 70}, {5, 100}, {4, 1}})) {
      CAPTURE(m);
      CAPTURE(n);
      const Array x = matrices({m, n}, kn::float32, Kind::random);
      check_lu(x);
      check_qr(x, "reduced");
      check_qr(x, "complete");
    }
    const Array stack = matrices({2, 3, 6, 4}, kn::float32, Kind::random);
    // Whatever lies otherwise than in order is copied first.
    for (const Array& x :
         usual_and<Array>({stack.mT(), stack(kn::all, kn::slice(kn::none, kn::none, 2), kn::slice(1, 6, 2), kn::all)},
                          {stack, stack(kn::ellipsis, kn::slice(kn::none, kn::none, -1), kn::all)})) {
      check_lu(x);
      check_qr(x, "complete");
    }
    const Array definites = definite({2, 3, 5, 5}, kn::float32);
    check_cholesky(definites, false);
    check_cholesky(definites.mT(), true);
    // Stacks broadcast.
    const Array a = definite({3, 4, 4}, kn::float32), b = matrices({2, 1, 4, 2}, kn::float32, Kind::random);
    const Array x = la::solve(a, b);
    CHECK(x.shape() == Shape{2, 3, 4, 2});
    const std::vector<Matrix> as = matrices_of(a), bs = matrices_of(b), xs = matrices_of(x);
    const auto check_fit = [](const Matrix& left, const Matrix& found, const Matrix& right) {
      CHECK(kn::test::largest(left * found - right) < 1e-5);
    };
    for (std::size_t k = 0; k < xs.size(); ++k) check_fit(as[k % 3], xs[k], bs[k / 3]);
    const std::vector<Matrix> of_one = matrices_of(la::solve(a(0), b));
    for (std::size_t k = 0; k < of_one.size(); ++k) check_fit(as[0], of_one[k], bs[k]);
    const Array vector = la::solve(a, kn::ones({4}));
    CHECK(vector.shape() == Shape{3, 4});
    const std::vector<Matrix> columns = matrices_of(kn::expand_dims(vector, -1));
    Matrix ones(4, 1);
    ones.at.assign(4, 1);
    for (std::size_t k = 0; k < columns.size(); ++k) check_fit(as[k], columns[k], ones);
  });
}

TEST_CASE("determinants") {
  on_each_device([] {
    const Array x = kn::array({{2.f, 1.f, 0.f}, {4.f, 1.f, -1.f}, {-2.f, 2.f, 5.f}});
    // 2 (5 + 2) - 1 (20 - 2)
    CHECK(la::det(x).item<float>() == doctest::Approx(-4));
    CHECK(la::slogdet(x).sign.item<float>() == -1);
    CHECK(la::slogdet(x).logabsdet.item<float>() == doctest::Approx(std::log(4.0)));
    CHECK(la::det(x.T()).item<float>() == doctest::Approx(-4));
    CHECK(la::det(kn::zeros({2, 2})).item<float>() == 0);
    CHECK(la::slogdet(kn::zeros({2, 2})).logabsdet.item<float>() == -std::numeric_limits<float>::infinity());
    CHECK(la::slogdet(kn::zeros({2, 2})).sign.item<float>() == 0);
    CHECK(la::det(kn::zeros({0, 0})).item<float>() == 1);
    CHECK(la::det(kn::zeros({0, 3, 3})).shape() == Shape{0});
    const auto stack = la::det(matrices({2, 3, 4, 4}, kn::float32, Kind::random));
    CHECK(stack.shape() == Shape{2, 3});
    const auto [sign, logarithm] = la::slogdet(matrices({2, 3, 4, 4}, kn::complex64, Kind::random));
    const Array again = la::det(matrices({2, 3, 4, 4}, kn::complex64, Kind::random));
    CHECK(logarithm.dtype() == kn::float32);
    const std::vector<Number> signs = kn::test::numbers_of(sign), logarithms = kn::test::numbers_of(logarithm),
                              determinants = kn::test::numbers_of(again);
    for (std::size_t k = 0; k < signs.size(); ++k) {
      CHECK(std::abs(signs[k] * std::exp(logarithms[k]) - determinants[k]) < 1e-5);
    }
    // 1000 would overflow.
    Matrix hundreds = identity(70);
    for (Number& value : hundreds.at) value *= 100;
    CHECK(la::slogdet(array_of(hundreds, kn::float32)).logabsdet.item<float>() ==
          doctest::Approx(70 * std::log(100.0)));
    CHECK(la::det(kn::array({{1, 2}, {3, 4}})).item<float>() == doctest::Approx(-2));
  });
}

TEST_CASE("nothing to factorise") {
  on_each_device([] {
    for (const Shape& shape : {Shape{0, 0}, Shape{0, 3, 3}, Shape{2, 0, 0}}) {
      const Array x = kn::zeros(shape);
      CHECK(la::cholesky(x).to_vector<float>().empty());
      CHECK(la::inv(x).shape() == shape);
      CHECK(la::lu(x).P.to_vector<float>().empty());
      CHECK(la::qr(x).R.to_vector<float>().empty());
      CHECK(la::solve(x, x).shape() == shape);
    }
    CHECK(la::solve(kn::eye(2), kn::zeros({2, 0})).shape() == Shape{2, 0});
    const auto [q, r] = la::qr(kn::zeros({3, 0}), {.mode = "complete"});
    CHECK((matrix_of(q) - identity(3)).norm() == 0);
    CHECK(r.shape() == Shape{3, 0});
    CHECK(matrix_of(la::lu(kn::zeros({3, 0})).P)(1, 1) == Number(1));
  });
}

TEST_CASE("what a matrix does not allow is said when a result is observed") {
  by_both_ways([] {
    const auto said = [](const Array& x) {
      return message_of<kn::LinAlgError>([&] { x.eval(), x.to_vector<float>(); });
    };
    Matrix ones = identity(70);
    ones(66, 66) = 0;
    const Array singular = array_of(ones, kn::float32);
    CHECK(said(la::solve(singular, kn::ones({70}))) ==
          "[solve] the matrix is singular: element (66, 66) of its triangular factor is 0");
    CHECK(has(said(la::inv(singular)), "[inv] the matrix is singular"));
    CHECK(said(la::solve_triangular(singular, kn::ones({70}))) ==
          "[solve_triangular] the matrix is singular: element (66, 66) of it is 0");
    CHECK(said(la::cholesky(singular)) ==
          "[cholesky] the matrix is not positive definite: its leading minor of order 67 is not positive");
    std::vector<Matrix> some(4, identity(3));
    some[2](2, 2) = -1;
    const Array stack = kn::reshape(kn::test::stack_of(some, kn::float32), {2, 2, 3, 3});
    CHECK(said(la::cholesky(stack)) ==
          "[cholesky] matrix 2 of the stack is not positive definite: its leading minor of order 3 is not positive");
    // What is made of it fails, too, and what failed once does so again.
    const Array factor = la::cholesky(-kn::eye(3));
    CHECK(has(said(factor + 1), "order 1"));
    CHECK(has(said(factor), "order 1"));
    CHECK(has(said(factor), "order 1"));
    CHECK(la::det(singular).item<float>() == 0);
    // A NaN is an error, or NaN, and no more.
    Matrix spoilt = identity(40);
    spoilt(3, 2) = std::numeric_limits<double>::quiet_NaN();
    const Array nan = array_of(spoilt, kn::float32);
    CHECK(has(said(la::cholesky(nan)), "order 4"));
    // Elimination may set the NaN's row aside until nothing but zeros is left.
    const auto inverse_is_nan = [&] {
      try {
        return std::isnan(matrix_of(la::inv(nan)).norm());
      } catch (const kn::LinAlgError& error) {
        return has(error.what(), "[inv] the matrix is singular");
      }
    };
    CHECK(inverse_is_nan());
    spoilt(2, 3) = spoilt(3, 2);
    CHECK(std::isnan(la::det(array_of(spoilt, kn::float32)).item<float>()));
    // Below a NaN that is no pivot are zeros alone.
    Matrix diagonal = identity(3);
    diagonal(0, 0) = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(la::det(array_of(diagonal, kn::float32)).item<float>()));
    CHECK(std::isnan(matrix_of(la::qr(nan).Q).norm()));
  });
}

TEST_CASE("what is refused at the call") {
  const Array x = kn::ones({2, 3}), square = kn::eye(3);
  CHECK(has(message_of<kn::LinAlgError>([&] { la::cholesky(x); }), "[cholesky] got shape (2, 3)"));
  CHECK(has(message_of<kn::LinAlgError>([&] { la::inv(x); }), "[inv] "));
  CHECK(has(message_of<kn::LinAlgError>([&] { la::det(x); }), "[det] "));
  CHECK(has(message_of<kn::LinAlgError>([&] { la::slogdet(x); }), "[slogdet] "));
  CHECK(has(message_of<kn::LinAlgError>([&] { la::solve(x, x); }), "[solve] got shape (2, 3)"));
  CHECK(has(message_of<kn::ShapeError>([&] { la::solve(square, x); }),
            "[solve] x1 has shape (3, 3), x2 (2, 3); x2 must have 3 rows"));
  CHECK(has(message_of<kn::ShapeError>([&] { la::solve(square, kn::ones({2})); }), "3 elements"));
  CHECK(has(message_of<kn::ShapeError>([&] { la::solve(square, kn::ones({})); }), "no axes"));
  CHECK(has(message_of<kn::ShapeError>([&] { la::solve(kn::ones({2, 3, 3}), kn::ones({4, 3, 1})); }), "[solve] "));
  CHECK(has(message_of<kn::ShapeError>([&] { la::lu(kn::ones({3})); }), "[lu] got shape (3,)"));
  CHECK(has(message_of<kn::ValueError>([&] { la::qr(x, {.mode = "full"}); }), "[qr] "));
  CHECK(has(message_of<kn::DTypeError>([&] { la::inv(square.astype(kn::float16)); }), "[inv] does not take float16"));
}

TEST_CASE("in a reproducible scope all devices and both forms of kernels give the same bits") {
  on_each_device(kn::float64, [] {
    const kn::reproducible scope;
    kn::test::BitsHash hash;
    for (const DType type : {kn::float64, kn::complex128}) {
      const Array x = matrices({90, 90}, type, Kind::random), tall = matrices({2, 90, 40}, type, Kind::graded);
      hash.add(la::lu(x).U);
      hash.add(la::qr(tall).Q);
      hash.add(la::cholesky(definite({70, 70}, type)));
      hash.add(la::solve(x, matrices({90, 20}, type, Kind::random, 2)));
    }
    CAPTURE(hash.value());
    CHECK(hash.value() == 8458480450497625969u);
  });
}

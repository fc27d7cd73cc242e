// SPDX-License-Identifier: Apache-2.0
// All factorisations on the classes of matrices of LAPACK's tests, and in the nightly run at size 1000: backward errors
// and orthogonality within 30 n epsilon, by LAPACK and by kernels.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "support/devices.hpp"
#include "support/lapack_matrices.hpp"
#include "support/matrices.hpp"
#include "support/matrix_stacks.hpp"

namespace kn = koine;
namespace la = koine::linalg;
using kn::Array;
using kn::DType;
using kn::test::by_both_ways;
using kn::test::is_singular;
using kn::test::LapackClass;
using kn::test::LapackMatrix;
using kn::test::matrices;
using kn::test::Matrix;
using kn::test::matrix_of;
using kn::test::tolerance;
using Number = Matrix::Number;

namespace {

/// Times a power of ten, so that squares stay within double.
Matrix times(Matrix a, double factor) {
  for (Number& value : a.at) value *= factor;
  return a;
}

/// A matrix with its largest element brought to 1, by the factor that results of its size are multiplied by, too.
struct Given {
  explicit Given(const Array& x) : type(x.dtype()), n(static_cast<std::size_t>(x.shape(-1))), a(matrix_of(x)), v(n, 0) {
    double largest = 0;
    for (const Number& value : a.at) largest = std::max(largest, std::abs(value));
    if (largest > 0) factor = 1 / largest;
    a = times(a, factor);
    // Products of all columns where these are few, else of some.
    const bool few = n <= 64;
    v = few ? kn::test::identity(n)
            : matrix_of(matrices({static_cast<std::int64_t>(n), 3}, kn::float32, kn::test::MatrixKind::random, 5));
    if (!few) v = times(v, 1 / v.norm());
  }

  double allowed() const { return tolerance(type, n) * a.norm(); }
  /// That a - b is little beside a, where `product` is b times v.
  void check(const Matrix& product) const { CHECK((a * v - product).norm() <= allowed()); }
  /// That columns are orthonormal.
  void check_basis(const Matrix& q) const { CHECK((adjoint(q) * (q * v) - v).norm() <= tolerance(type, n)); }

  DType type;
  std::size_t n;
  double factor = 1;
  Matrix a, v;
};

Matrix rows_times(const std::vector<Number>& values, Matrix a) {
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) a(i, j) *= values[i];
  }
  return a;
}
std::vector<Number> values_of(const Array& x, double factor) {
  std::vector<Number> values = kn::test::numbers_of(x);
  for (Number& value : values) value *= factor;
  return values;
}

void check_lu(const Array& x) {
  const Given given(x);
  const auto [p, l, u] = la::lu(x);
  given.check(matrix_of(p) * (matrix_of(l) * (times(matrix_of(u), given.factor) * given.v)));
}

void check_qr(const Array& x) {
  const Given given(x);
  const auto [q, r] = la::qr(x);
  const Matrix basis = matrix_of(q);
  given.check(basis * (times(matrix_of(r), given.factor) * given.v));
  given.check_basis(basis);
}

void check_svd(const Array& x) {
  const Given given(x);
  const auto [U, S, Vh] = la::svd(x);
  const Matrix u = matrix_of(U), vh = matrix_of(Vh);
  given.check(u * rows_times(values_of(S, given.factor), vh * given.v));
  given.check_basis(u);
  given.check_basis(adjoint(vh));
}

void check_schur(const Array& x) {
  const Given given(x);
  const auto [t, z] = la::schur(x);
  const Matrix basis = matrix_of(z);
  given.check(basis * (times(matrix_of(t), given.factor) * (adjoint(basis) * given.v)));
  given.check_basis(basis);
}

void check_eig(const Array& x) {
  const Given given(x);
  const auto [values, vectors] = la::eig(x);
  const Matrix w = matrix_of(vectors);
  CHECK((given.a * (w * given.v) - w * rows_times(values_of(values, given.factor), given.v)).norm() <=
        given.allowed() * std::sqrt(static_cast<double>(given.v.columns)));
}

void check_solve(const Array& x) {
  const Given given(x);
  const auto n = static_cast<std::int64_t>(given.n);
  const Array b = matrices({n, 2}, x.dtype(), kn::test::MatrixKind::random, 3);
  const Matrix solution = times(matrix_of(la::solve(x, b)), 1 / given.factor), right = matrix_of(b);
  CHECK((given.a * solution - right).norm() <=
        given.allowed() * solution.norm() + tolerance(x.dtype(), n) * right.norm());
}

void check_eigh(const Array& x) {
  const Given given(x);
  const auto [values, vectors] = la::eigh(x);
  const Matrix w = matrix_of(vectors);
  given.check(w * rows_times(values_of(values, given.factor), adjoint(w) * given.v));
  given.check_basis(w);
}

void check_ldl(const Array& x) {
  const Given given(x);
  const auto [lu, d, perm] = la::ldl(x);
  const Matrix l = matrix_of(lu);
  given.check(l * (times(matrix_of(d), given.factor) * (adjoint(l) * given.v)));
}

void check_cholesky(const Array& x) {
  const Given given(x);
  const Matrix l = times(matrix_of(la::cholesky(x)), std::sqrt(given.factor));
  given.check(l * (adjoint(l) * given.v));
}

bool is_definite(LapackClass kind, DType type) {
  // Condition numbers beyond 1 / epsilon leave rounding to decide.
  const bool narrow = type == kn::float32 || type == kn::complex64;
  return !is_singular(kind) &&
         (kind < LapackClass::one_large || kind == LapackClass::clustered || kind >= LapackClass::near_underflow ||
          (!narrow && kind != LapackClass::ill_conditioned));
}

void check_class(LapackClass kind, DType type, std::size_t n, bool eigenvalues = true) {
  CAPTURE(static_cast<int>(kind));
  CAPTURE(kn::name(type));
  CAPTURE(n);
  const auto check = [](std::string_view name, void (*of)(const Array&), const Array& x) {
    CAPTURE(name);
    of(x);
  };
  LapackMatrix drawn(kind, n, type);
  const Array x = drawn.general(), h = drawn.hermitian(false);
  check("lu", check_lu, x);
  check("qr", check_qr, x);
  if (!is_singular(kind)) check("solve", check_solve, x);
  check("ldl", check_ldl, h);
  if (is_definite(kind, type)) check("cholesky", check_cholesky, drawn.hermitian(true));
  if (!eigenvalues) return;
  check("svd", check_svd, x);
  check("eigh", check_eigh, h);
  check("eig", check_eig, x);
  check("schur", check_schur, x);
}

}  // namespace

TEST_CASE("classes of LAPACK's tests") {
  by_both_ways([] {
    for (const DType type : kn::test::matrix_types) {
      if (!kn::test::computes(type)) continue;
      if (type != kn::float32 && type != kn::complex128 && !kn::test::exhaustive()) continue;
      for (std::size_t kind = 0; kind < kn::test::lapack_classes; ++kind) {
        for (const std::size_t n :
             kn::test::exhaustive() ? std::vector<std::size_t>{1, 2, 17, 50, 100} : std::vector<std::size_t>{17}) {
          check_class(static_cast<LapackClass>(kind), type, n);
        }
      }
    }
  });
}

TEST_CASE("matrices of a thousand rows") {
  if (!kn::test::exhaustive()) return;
  kn::test::on_each_device([] {
    for (const bool reproducible : {false, true}) {
      CAPTURE(reproducible);
      const kn::reproducible scope(reproducible);
      for (const LapackClass kind : {LapackClass::geometric, LapackClass::clustered, LapackClass::near_overflow,
                                     LapackClass::graded_columns, LapackClass::half_zero}) {
        for (const DType type : {kn::float32, kn::float64, kn::complex128}) {
          if (!kn::test::computes(type) || (type != kn::float32 && kind != LapackClass::geometric)) continue;
          // One work-item takes minutes for the eigenvalues of such a matrix.
          check_class(kind, type, 1000, !reproducible || (type == kn::float64 && kind == LapackClass::geometric));
        }
      }
    }
  });
}

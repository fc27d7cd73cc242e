// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values of matrices so large that a CPU's threads share one: backward errors and
// orthogonality within 30 n epsilon, by what the factors do to some vectors, in double here.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
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
using kn::test::has;
using kn::test::matrices;
using kn::test::Matrix;
using kn::test::matrix_of;
using kn::test::message_of;
using kn::test::numbers_of;
using kn::test::on_each_device;
using kn::test::tolerance;
using Kind = kn::test::MatrixKind;

namespace {

std::vector<double> reals_of(const Array& values) {
  std::vector<double> reals;
  for (const Matrix::Number& value : numbers_of(values)) reals.push_back(value.real());
  return reals;
}

/// Rows times the values.
Matrix scaled(const Array& values, Matrix a) {
  const std::vector<double> by = reals_of(values);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.columns; ++k) a(i, k) *= by[i];
  }
  return a;
}

Array symmetric(std::int64_t n, DType type) {
  const Array x = matrices({n, n}, type, Kind::random);
  return x + x.mT();
}

void check_vectors(const Matrix& orthonormal, const Matrix& some, double close) {
  CHECK((adjoint(orthonormal) * (orthonormal * some) - some).norm() <= close * some.norm());
}

void check_eigh(const Array& x) {
  const auto [values, vectors] = la::eigh(x);
  const std::int64_t n = x.shape(-1);
  const double close = tolerance(x.dtype(), static_cast<std::size_t>(n));
  const Matrix a = matrix_of(x), v = matrix_of(vectors), some = matrix_of(matrices({n, 2}, x.dtype(), Kind::random, 2));
  CHECK((a * some - v * scaled(values, adjoint(v) * some)).norm() <= close * a.norm() * some.norm());
  check_vectors(v, some, close);
  const std::vector<double> rising = reals_of(values);
  CHECK(std::is_sorted(rising.begin(), rising.end()));
}

void check_svd(const Array& x) {
  const auto [u, values, vh] = la::svd(x, {.full_matrices = false});
  const std::int64_t m = x.shape(-2), n = x.shape(-1), k = values.shape(-1);
  CAPTURE(m);
  CAPTURE(n);
  const double close = tolerance(x.dtype(), static_cast<std::size_t>(std::max(m, n)));
  const Matrix a = matrix_of(x), left = matrix_of(u), right = adjoint(matrix_of(vh)),
               some = matrix_of(matrices({n, 2}, x.dtype(), Kind::random, 2)),
               few = matrix_of(matrices({k, 2}, x.dtype(), Kind::random, 3));
  CHECK((a * some - left * scaled(values, adjoint(right) * some)).norm() <= close * a.norm() * some.norm());
  check_vectors(left, few, close);
  check_vectors(right, few, close);
  const std::vector<double> falling = reals_of(values);
  CHECK(std::is_sorted(falling.rbegin(), falling.rend()));
  CHECK(falling.back() >= 0);
}

}  // namespace

TEST_CASE("eigenvalues and -vectors of a large matrix") {
  on_each_device(kn::float64, [] {
    check_eigh(symmetric(260, kn::float32));
    check_eigh(symmetric(300, kn::float64));
    const Array low = matrices({300, 3}, kn::float64, Kind::random);
    check_eigh(kn::matmul(low, low.mT()));
    // Squares would overflow.
    const Array x = symmetric(260, kn::float64);
    const std::vector<double> huge = reals_of(la::eigh(x * std::exp2(600)).eigenvalues),
                              values = reals_of(la::eigh(x).eigenvalues);
    const double close = tolerance(kn::float64, 260) * std::max(-values.front(), values.back());
    for (std::size_t k = 0; k < values.size(); ++k) CHECK(std::abs(huge[k] / std::exp2(600) - values[k]) <= close);
    check_eigh(kn::zeros({260, 260}, {.dtype = kn::float64}));
  });
}

TEST_CASE("singular values and vectors of a large matrix") {
  on_each_device(kn::float64, [] {
    check_svd(matrices({260, 260}, kn::float32, Kind::random));
    check_svd(matrices({300, 270}, kn::float64, Kind::random));
    check_svd(matrices({260, 400}, kn::float64, Kind::deficient));
    check_svd(kn::zeros({260, 260}, {.dtype = kn::float64}));
    // LAPACK's own way: longer ones, and all vectors.
    check_svd(matrices({600, 260}, kn::float64, Kind::random));
    const auto [u, values, vh] = la::svd(matrices({270, 300}, kn::float64, Kind::random));
    const Matrix some = matrix_of(matrices({300, 2}, kn::float64, Kind::random, 2));
    check_vectors(adjoint(matrix_of(vh)), some, tolerance(kn::float64, 300));
  });
}

TEST_CASE("large matrices whose halves have values in common, or nothing to do with each other") {
  on_each_device(kn::float64, [] {
    constexpr std::int64_t n = 290;
    const Array one = kn::eye(n, {.dtype = kn::float64}), rising = kn::arange(1, n + 1, {.dtype = kn::float64});
    const Array v = la::qr(matrices({n, 1}, kn::float64, Kind::random)).Q;
    const Array mirror = one - 2.0 * kn::matmul(v, v.mT());
    const Array x = symmetric(n, kn::float64);
    const Array apart = kn::where((expand_dims(rising, -1) > 145.0) == (rising > 145.0), x, 0.0);
    const Array small_rows = x * expand_dims(kn::exp2(-3.5 * rising), -1);  // down to 2^-1015
    for (const Array& each : {one, mirror, one * rising, apart, kn::full({n, n}, 1.0, {.dtype = kn::float64})}) {
      check_eigh(each);
      check_svd(each);
    }
    check_svd(kn::astype(mirror, kn::float32));
    check_svd(small_rows);
    check_svd(small_rows.mT());
    check_eigh(kn::exp2(-1.5 * (rising + expand_dims(rising, -1))) * x);
  });
}

TEST_CASE("large matrices near the ends of the range") {
  on_each_device(kn::float64, [] {
    const Array x = symmetric(260, kn::float64), y = matrices({300, 260}, kn::float64, Kind::random);
    const auto same = [](const Array& values, const Array& others, double factor) {
      const std::vector<double> a = reals_of(values), b = reals_of(others);
      const double close = tolerance(kn::float64, 300) * std::max(std::abs(b.front()), std::abs(b.back()));
      for (std::size_t k = 0; k < a.size(); ++k) CHECK(std::abs(a[k] / factor - b[k]) <= close);
    };
    for (const double factor : {std::exp2(1000), std::exp2(-1000)}) {
      same(la::eigh(x * factor).eigenvalues, la::eigh(x).eigenvalues, factor);
      same(la::svd(y * factor).S, la::svd(y).S, factor);
    }
  });
}

TEST_CASE("large matrices whose threads share them give the same bits at every run") {
  on_each_device(kn::float64, [] {
    const Array x = symmetric(300, kn::float64);
    const auto vectors = la::eigh(x).eigenvectors.to_vector<double>(), left = la::svd(x).U.to_vector<double>();
    for (int run = 0; run < 5; ++run) {
      CHECK(la::eigh(x).eigenvectors.to_vector<double>() == vectors);
      CHECK(la::svd(x).U.to_vector<double>() == left);
    }
  });
}

TEST_CASE("what is no number in a large matrix") {
  on_each_device(kn::float64, [] {
    Array x = symmetric(260, kn::float64);
    x(200, 100) = std::numeric_limits<double>::infinity();
    CHECK(has(message_of<kn::LinAlgError>([&] { la::eigh(x).eigenvectors.to_vector<double>(); }),
              "[eigh] the matrix has a NaN or an infinity"));
    CHECK(has(message_of<kn::LinAlgError>([&] { la::svd(x).U.to_vector<double>(); }),
              "[svd] the matrix has a NaN or an infinity"));
  });
}

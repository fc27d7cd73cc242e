// SPDX-License-Identifier: Apache-2.0
// eig and eigvals by what they promise, in double here: x V = V diag(w) within 30 n epsilon, columns of length 1, sums
// of eigenvalues and of their squares as the traces say; by LAPACK and, in a reproducible scope, by the kernel.
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
using kn::test::by_both_ways;
using kn::test::has;
using kn::test::matrices;
using kn::test::matrices_of;
using kn::test::Matrix;
using kn::test::message_of;
using kn::test::numbers_of;
using kn::test::on_each_device;
using kn::test::tolerance;
using Kind = kn::test::MatrixKind;
using Number = Matrix::Number;

namespace {

Number trace(const Matrix& a) {
  Number sum = 0;
  for (std::size_t i = 0; i < a.rows; ++i) sum += a(i, i);
  return sum;
}

void check_eig(const Array& x) {
  const auto [values, vectors] = la::eig(x);
  const std::size_t n = static_cast<std::size_t>(x.shape(-1));
  const bool wide = x.dtype() == kn::float64 || x.dtype() == kn::complex128;
  CHECK(values.dtype() == (wide ? kn::complex128 : kn::complex64));
  CHECK(vectors.dtype() == values.dtype());
  CHECK(vectors.shape() == x.shape());
  CAPTURE(to_string(x.shape()));
  CAPTURE(kn::name(x.dtype()));
  std::vector<Matrix> a = matrices_of(x), v = matrices_of(vectors);
  const std::vector<Number> w = numbers_of(values), alone = numbers_of(la::eigvals(x));
  for (std::size_t k = 0; k < a.size(); ++k) {
    CAPTURE(k);
    // Of size 1, so that squares stay within double.
    double size = 0;
    for (const Number& element : a[k].at) size = std::max(size, std::abs(element));
    if (size == 0) size = 1;
    for (Number& element : a[k].at) element /= size;
    const double close = tolerance(x.dtype(), n) * a[k].norm();
    Matrix scaled = v[k];
    Number sums[2] = {}, sums_alone[2] = {};
    for (std::size_t j = 0; j < n; ++j) {
      const Number value = w[k * n + j] / size, other = alone[k * n + j] / size;
      double square = 0, largest = 0, turned = 1;
      for (std::size_t i = 0; i < n; ++i) {
        square += std::norm(v[k](i, j));
        largest = std::max(largest, std::abs(v[k](i, j)));
        scaled(i, j) *= value;
      }
      CHECK(std::abs(square - 1) <= tolerance(x.dtype(), n));
      // The largest element, or one as large but for rounding, is real.
      for (std::size_t i = 0; i < n; ++i) {
        const Number element = v[k](i, j);
        if (std::abs(element) >= largest * 0.9999) turned = std::min(turned, std::abs(element.imag()));
      }
      CHECK(turned <= tolerance(x.dtype(), n));
      sums[0] += value, sums[1] += value * value;
      sums_alone[0] += other, sums_alone[1] += other * other;
    }
    CHECK((a[k] * v[k] - scaled).norm() <= close);
    const Number traces[2] = {trace(a[k]), trace(a[k] * a[k])};
    for (int power = 0; power < 2; ++power) {
      const double allowed = (power == 0 ? 1 : 2 * a[k].norm()) * close;
      CHECK(std::abs(sums[power] - traces[power]) <= allowed);
      CHECK(std::abs(sums_alone[power] - traces[power]) <= allowed);
    }
  }
}

/// Each of these is near one of the values, which are as many, within that distance.
void check_values(const Array& x, std::vector<Number> expected, double close) {
  for (Array values : {la::eig(x).eigenvalues, la::eigvals(x)}) {
    std::vector<Number> left = numbers_of(values);
    REQUIRE(left.size() == expected.size());
    for (const Number& value : expected) {
      const auto nearest = std::min_element(left.begin(), left.end(), [&](const Number& a, const Number& b) {
        return std::abs(a - value) < std::abs(b - value);
      });
      CAPTURE(value);
      CHECK(std::abs(*nearest - value) <= close);
      left.erase(nearest);
    }
  }
}

/// Its eigenvalues are the roots.
Array companion(const std::vector<Number>& roots, DType type) {
  std::vector<Number> coefficients{1};  // of the polynomial, from the highest power on
  for (const Number& root : roots) {
    coefficients.emplace_back(0);
    for (std::size_t i = coefficients.size() - 1; i > 0; --i) coefficients[i] -= root * coefficients[i - 1];
  }
  const std::size_t n = roots.size();
  std::vector<std::complex<float>> values(n * n);
  for (std::size_t i = 0; i + 1 < n; ++i) values[(i + 1) * n + i] = 1;
  for (std::size_t i = 0; i < n; ++i) values[i] = std::complex<float>(-coefficients[i + 1]);
  const auto size = static_cast<std::int64_t>(n);
  const Array x = kn::asarray(values, {size, size});
  return kn::is_complex(type) ? x.astype(type) : kn::real(x).astype(type);
}

Array jordan(std::int64_t n, double value) { return kn::eye(n) * value + kn::eye(n, n, {.k = 1}); }

}  // namespace

TEST_CASE("matrices of many kinds") {
  by_both_ways([] {
    for (const DType type : kn::test::matrix_types) {
      if (!kn::test::computes(type)) continue;
      const bool chosen = type == kn::float32 || type == kn::complex128 || kn::test::exhaustive();
      for (const std::int64_t n :
           kn::test::sizes_or_all(chosen ? std::vector<std::int64_t>{1, 2, 3, 20, 33} : std::vector<std::int64_t>{9})) {
        for (const Kind kind : {Kind::random, Kind::graded, Kind::deficient, Kind::zero, Kind::near_singular}) {
          CAPTURE(static_cast<int>(kind));
          check_eig(matrices({n, n}, type, kind));
        }
      }
    }
  });
}

TEST_CASE("matrices that are hard for the iteration, or have too few eigenvectors") {
  by_both_ways([] {
    std::vector<Array> hard{kn::eye(5) * 3, jordan(30, 0), jordan(30, 2), jordan(12, 1).T(),
                            // Rotations of the axes, whose steps without shifts go in a circle.
                            kn::roll(kn::eye(12), 1, 0), kn::roll(kn::eye(2), 1, 0), kn::ones({7, 7}),
                            kn::tril(matrices({20, 20}, kn::float32, Kind::random)), kn::triu(kn::ones({25, 25})),
                            -kn::ones({1, 1})};
    // All parts of the range of exponents, and only its ends.
    const Array exponents = kn::arange(12, {.dtype = kn::float32});
    hard.push_back(matrices({12, 12}, kn::float32, Kind::random) * kn::exp2(-9 * exponents));
    hard.push_back(matrices({12, 12}, kn::float32, Kind::random) * kn::exp2(-9 * kn::expand_dims(exponents, -1)));
    for (const float scale : {0x1p122f, 0x1p-120f}) hard.push_back(matrices({6, 6}, kn::float32, Kind::random) * scale);
    // An element that is lost beside the others, and faces one that is not.
    for (const float least : {0x1p-126f, 0x1p-100f, 0x1p-80f, 0x1p-60f}) {
      for (const float scale : {1.0F, 0x1p-60f, 0x1p60f}) {
        hard.push_back(kn::asarray(std::vector<float>{-1.5F * scale, least * scale, scale, 0}, {2, 2}));
        hard.push_back(hard.back().T());
      }
    }
    for (const Array& x : hard) check_eig(x);
    // Symmetric and orthogonal ones have orthogonal eigenvectors.
    const Array a = matrices({15, 15}, kn::float32, Kind::random);
    for (const Array& x : {a + a.T(), la::qr(a).Q}) {
      check_eig(x);
      const Matrix v = kn::test::matrix_of(la::eig(x).eigenvectors);
      CHECK((adjoint(v) * v - kn::test::identity(15)).norm() < 1e-3);
    }
  });
}

TEST_CASE("eigenvalues that are known") {
  by_both_ways([] {
    check_values(kn::array({{0.f, 1.f}, {-1.f, 0.f}}), {Number(0, 1), Number(0, -1)}, 1e-6);
    check_values(kn::array({{2.f, 5.f, 7.f}, {0.f, -3.f, 1.f}, {0.f, 0.f, 4.f}}), {2, -3, 4}, 1e-5);
    check_values(companion({1, 2, 3, -4}, kn::float32), {1, 2, 3, -4}, 1e-4);
    const std::vector<Number> roots{Number(1, 2), Number(1, -2), -3, 0.5, Number(0, 1), Number(0, -1)};
    check_values(companion(roots, kn::float32), roots, 1e-4);
    const std::vector<Number> others{Number(1, 1), Number(0, 2), Number(-1, 0.5), 4};
    check_values(companion(others, kn::complex64), others, 1e-4);
    if (!kn::test::computes(kn::float64)) return;
    check_values(companion({1, 2, 3, 4, 5, 6, 7, 8}, kn::float64), {1, 2, 3, 4, 5, 6, 7, 8}, 1e-6);
  });
}

TEST_CASE("stacks in any layout, integers, and larger matrices") {
  by_both_ways([] {
    const Array stack = matrices({2, 3, 5, 5}, kn::float32, Kind::random);
    for (const Array& x : {stack, stack.mT(), stack(kn::all, kn::slice(kn::none, kn::none, 2), kn::all, kn::all)}) {
      check_eig(x);
    }
    check_values(kn::array({{0, 1}, {2, 1}}), {2, -1}, 1e-5);
    const std::int64_t n = kn::test::exhaustive() ? 257 : 70;
    check_eig(matrices({n, n}, kn::float32, Kind::random));
    // More matrices than work at once.
    check_eig(matrices({300, 2, 2}, kn::float32, Kind::random));
  });
}

TEST_CASE("eigenvalues of nothing") {
  on_each_device([] {
    CHECK(la::eig(kn::zeros({0, 0})).eigenvectors.shape() == Shape{0, 0});
    CHECK(la::eig(kn::zeros({2, 0, 0})).eigenvalues.shape() == Shape{2, 0});
    CHECK(la::eigvals(kn::zeros({0, 3, 3})).shape() == Shape{0, 3});
    CHECK(la::eigvals(kn::zeros({0, 3, 3})).dtype() == kn::complex64);
  });
}

TEST_CASE("a NaN or an infinity is an error that names the matrix") {
  by_both_ways([] {
    for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      Array x = kn::Array(kn::broadcast_to(kn::eye(3), {2, 3, 3}));
      x(1, 2, 0) = wrong;
      const la::EigResult result = la::eig(x);
      CHECK(message_of<kn::LinAlgError>([&] { result.eigenvalues.to_vector<std::complex<float>>(); }) ==
            "[eig] matrix 1 of 2 has a NaN or an infinity");
      CHECK(has(message_of<kn::LinAlgError>([&] { (result.eigenvectors + 1).to_vector<std::complex<float>>(); }),
                "[eig] matrix 1"));
      CHECK(message_of<kn::LinAlgError>([&] { la::eigvals(x(1)).to_vector<std::complex<float>>(); }) ==
            "[eigvals] the matrix has a NaN or an infinity");
      check_values(x(0), {1, 1, 1}, 1e-6);
    }
    CHECK(has(message_of<kn::LinAlgError>([] { la::eig(kn::ones({2, 3})); }), "[eig] got shape (2, 3)"));
  });
}

TEST_CASE("in a reproducible scope all devices and both forms of the kernel give the same bits") {
  const kn::reproducible scope;
  on_each_device([] {
    kn::test::BitsHash hash;
    for (const DType type : {kn::float32, kn::complex64}) {
      const auto [values, vectors] = la::eig(matrices({2, 19, 19}, type, Kind::random));
      for (const Array& result : {values, vectors}) hash.add(result);
    }
    CHECK(hash.value() == 4573238172829188261u);
  });
}

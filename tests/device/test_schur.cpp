// SPDX-License-Identifier: Apache-2.0
// schur by what it promises, in double here: x Z = Z T and orthonormal Z within 30 n epsilon, triangles, or blocks of
// two rows in LAPACK's form; by LAPACK and, in a reproducible scope, by the kernel.
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
using kn::test::by_both_ways;
using kn::test::has;
using kn::test::identity;
using kn::test::matrices;
using kn::test::matrices_of;
using kn::test::Matrix;
using kn::test::matrix_of;
using kn::test::message_of;
using kn::test::on_each_device;
using kn::test::tolerance;
using Kind = kn::test::MatrixKind;
using Number = Matrix::Number;

namespace {

/// A triangle, or one with blocks of two rows whose eigenvalues are complex.
void check_triangle(const Matrix& t, bool complex) {
  bool in_block = false;
  for (std::size_t i = 0; i < t.rows; ++i) {
    for (std::size_t j = 0; j + 1 < i; ++j) CHECK(t(i, j) == Number(0));
    if (i == 0) continue;
    const double below = t(i, i - 1).real();
    if (complex) CHECK(t(i, i - 1) == Number(0));
    if (complex || below == 0) {
      in_block = false;
      continue;
    }
    CHECK(!in_block);
    in_block = true;
    CHECK(t(i, i) == t(i - 1, i - 1));
    CHECK((below > 0) != (t(i - 1, i).real() > 0));
    CHECK(t(i - 1, i).real() != 0);
  }
}

void check_schur(const Array& x, const la::SchurOptions& options) {
  const auto [t, z] = la::schur(x, options);
  const std::size_t n = static_cast<std::size_t>(x.shape(-1));
  CHECK(t.shape() == x.shape());
  CHECK(z.dtype() == t.dtype());
  const std::vector<Matrix> given = matrices_of(x), ts = matrices_of(t), zs = matrices_of(z);
  for (std::size_t k = 0; k < given.size(); ++k) {
    CAPTURE(k);
    Matrix a = given[k], triangle = ts[k];
    check_triangle(triangle, kn::is_complex(t.dtype()));
    // Of size 1, so that squares stay within double.
    double size = 0;
    for (const Number& element : a.at) size = std::max(size, std::abs(element));
    for (Number& element : a.at) element /= size == 0 ? 1 : size;
    for (Number& element : triangle.at) element /= size == 0 ? 1 : size;
    CHECK((a * zs[k] - zs[k] * triangle).norm() <= tolerance(x.dtype(), n) * a.norm());
    CHECK((adjoint(zs[k]) * zs[k] - identity(n)).norm() <= tolerance(x.dtype(), n));
  }
}

void check_schur(const Array& x) {
  check_schur(x, {});
  if (!kn::is_complex(x.dtype())) check_schur(x, {.output = "complex"});
}

Array jordan(std::int64_t n, double value) { return kn::eye(n) * value + kn::eye(n, n, {.k = 1}); }

}  // namespace

TEST_CASE("matrices of many kinds") {
  by_both_ways([] {
    for (const DType type : kn::test::matrix_types) {
      if (!kn::test::computes(type)) continue;
      CAPTURE(kn::name(type));
      const bool chosen = type == kn::float32 || type == kn::complex128 || kn::test::exhaustive();
      for (const std::int64_t n : kn::test::sizes_or_all(chosen ? std::vector<std::int64_t>{1, 2, 3, 4, 20, 33}
                                                                : std::vector<std::int64_t>{9})) {
        CAPTURE(n);
        for (const Kind kind : {Kind::random, Kind::graded, Kind::deficient, Kind::zero, Kind::near_singular}) {
          CAPTURE(static_cast<int>(kind));
          check_schur(matrices({n, n}, type, kind));
        }
      }
    }
  });
}

TEST_CASE("matrices that are hard for the iteration, and near the ends of the range") {
  by_both_ways([] {
    std::vector<Array> hard{kn::eye(5) * 3, jordan(30, 0), jordan(30, 2), jordan(12, 1).T(),
                            // Rotations of the axes, whose steps without shifts go in a circle.
                            kn::roll(kn::eye(12), 1, 0), kn::roll(kn::eye(2), 1, 0), kn::roll(kn::eye(3), 1, 0),
                            kn::ones({7, 7}), kn::tril(matrices({20, 20}, kn::float32, Kind::random)),
                            kn::triu(kn::ones({25, 25})), -kn::ones({1, 1}),
                            // Blocks of two rows, one of them far from normal, equal ones, and one that is split.
                            kn::array({{1.f, 1e6f}, {-1e-6f, 1.f}}), kn::array({{0.f, 1.f}, {1e-12f, 0.f}}),
                            kn::array({{0.f, 0.f}, {1.f, 0.f}}), kn::array({{2.f, 3.f}, {-3.f, 2.f}}),
                            kn::array({{1.f, 2.f}, {-0.5f, -1.f}}), kn::array({{4.f, 1.f}, {2.f, 3.f}}),
                            kn::kron(kn::eye(6), kn::array({{1.f, 2.f}, {-2.f, 1.f}}))};
    const Array exponents = kn::arange(12, {.dtype = kn::float32}),
                random = matrices({12, 12}, kn::float32, Kind::random);
    hard.push_back(random * kn::exp2(-9 * exponents));
    hard.push_back(random * kn::exp2(-9 * kn::expand_dims(exponents, -1)));
    hard.push_back(random - random.T());
    hard.push_back(random + random.T());
    for (const float scale : {0x1p120f, 0x1p-110f}) hard.push_back(matrices({6, 6}, kn::float32, Kind::random) * scale);
    for (std::size_t i = 0; i < hard.size(); ++i) {
      CAPTURE(i);
      check_schur(hard[i]);
    }
  });
}

TEST_CASE("eigenvalues that are known") {
  by_both_ways([] {
    const Matrix t = matrix_of(la::schur(kn::array({{0.f, 2.f, 5.f}, {-2.f, 0.f, 1.f}, {0.f, 0.f, 4.f}})).T);
    CHECK(std::abs(t(0, 0) + t(1, 1)) < 1e-5);
    CHECK(std::abs(t(0, 1) * t(1, 0) + 4.0) < 1e-4);
    CHECK(std::abs(t(2, 2) - 4.0) < 1e-5);
    const Matrix c = matrix_of(la::schur(kn::array({{0.f, 2.f}, {-2.f, 0.f}}), {.output = "complex"}).T);
    CHECK(std::abs(c(0, 0) * c(1, 1) - 4.0) < 1e-5);
    CHECK(std::abs(c(0, 0) + c(1, 1)) < 1e-5);
  });
}

TEST_CASE("stacks in any layout, integers, and larger matrices") {
  by_both_ways([] {
    const Array stack = matrices({2, 3, 5, 5}, kn::float32, Kind::random);
    for (const Array& x : {stack, stack.mT(), stack(kn::all, kn::slice(kn::none, kn::none, 2), kn::all, kn::all)}) {
      check_schur(x);
    }
    CHECK(la::schur(kn::array({{0, 1}, {2, 1}})).T.dtype() == kn::float32);
    CHECK(la::schur(kn::array({{0, 1}, {2, 1}}), {.output = "complex"}).Z.dtype() == kn::complex64);
    const std::int64_t n = kn::test::exhaustive() ? 257 : 90;
    check_schur(matrices({n, n}, kn::float32, Kind::random));
    // More matrices than work at once.
    check_schur(matrices({300, 3, 3}, kn::float32, Kind::random));
  });
}

TEST_CASE("Schur's form of nothing") {
  on_each_device([] {
    CHECK(la::schur(kn::zeros({0, 0})).T.shape() == Shape{0, 0});
    CHECK(la::schur(kn::zeros({0, 3, 3}), {.output = "complex"}).Z.shape() == Shape{0, 3, 3});
    CHECK(la::schur(kn::zeros({0, 3, 3}), {.output = "complex"}).Z.dtype() == kn::complex64);
  });
}

TEST_CASE("what is refused, and a NaN or an infinity, which is an error that names the matrix") {
  by_both_ways([] {
    for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      Array x = kn::Array(kn::broadcast_to(kn::eye(3), {2, 3, 3}));
      x(1, 2, 0) = wrong;
      const la::SchurResult result = la::schur(x);
      CHECK(message_of<kn::LinAlgError>([&] { result.T.to_vector<float>(); }) ==
            "[schur] matrix 1 of 2 has a NaN or an infinity");
      const Array turned = la::schur(x, {.output = "complex"}).Z + 1;
      CHECK(has(message_of<kn::LinAlgError>([&] { turned.to_vector<std::complex<float>>(); }), "[schur] matrix 1"));
    }
  });
  CHECK(has(message_of<kn::LinAlgError>([] { la::schur(kn::ones({2, 3})); }), "[schur] got shape (2, 3)"));
  CHECK(has(message_of<kn::ValueError>([] { la::schur(kn::ones({2, 2}), {.output = "upper"}); }), "[schur] "));
}

TEST_CASE("in a reproducible scope all devices and both forms of the kernel give the same bits") {
  const kn::reproducible scope;
  on_each_device([] {
    kn::test::BitsHash hash;
    for (const DType type : {kn::float32, kn::complex64}) {
      const auto [t, z] = la::schur(matrices({2, 19, 19}, type, Kind::random));
      for (const Array& result : {t, z}) hash.add(result);
    }
    CHECK(hash.value() == 9150019922139375205u);
  });
}

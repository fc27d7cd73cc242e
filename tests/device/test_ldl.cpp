// SPDX-License-Identifier: Apache-2.0
// ldl by what it promises, in double here: x = lu d lu^H within 30 n epsilon, a triangle in the order `perm`, blocks on
// the diagonal; by LAPACK and, in a reproducible scope, by the kernel.
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

Matrix transposed(const Matrix& a, bool conjugated) {
  Matrix b = adjoint(a);
  if (!conjugated) {
    for (Number& value : b.at) value = std::conj(value);
  }
  return b;
}

/// The matrix that one triangle of `a` says.
Matrix whole(Matrix a, bool lower, bool hermitian) {
  const Matrix other = transposed(a, hermitian);
  for (std::size_t i = 0; i < a.rows; ++i) {
    if (hermitian) a(i, i) = a(i, i).real();
    for (std::size_t j = 0; j < a.columns; ++j) {
      if (lower ? j > i : j < i) a(i, j) = other(i, j);
    }
  }
  return a;
}

void check_ldl(const Array& x, const la::LdlOptions& options) {
  CAPTURE(options.lower);
  CAPTURE(options.hermitian);
  const auto [lu, d, perm] = la::ldl(x, options);
  CHECK(perm.dtype() == kn::int64);
  const bool hermitian = options.hermitian || !kn::is_complex(x.dtype());
  const std::size_t n = static_cast<std::size_t>(x.shape(-1));
  const std::vector<std::int64_t> orders = perm.to_vector<std::int64_t>();
  const std::vector<Matrix> given = matrices_of(x), lus = matrices_of(lu), ds = matrices_of(d);
  for (std::size_t k = 0; k < given.size(); ++k) {
    CAPTURE(k);
    Matrix a = whole(given[k], options.lower, hermitian), block = ds[k];
    // Of size 1, so that squares stay within double.
    double size = 0;
    for (const Number& value : a.at) size = std::max(size, std::abs(value));
    for (Number& value : a.at) value /= size == 0 ? 1 : size;
    for (Number& value : block.at) value /= size == 0 ? 1 : size;
    CHECK((lus[k] * block * transposed(lus[k], hermitian) - a).norm() <= tolerance(x.dtype(), n) * a.norm());
    std::vector<std::int64_t> order(orders.begin() + static_cast<std::ptrdiff_t>(k * n),
                                    orders.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
    bool in_block = false;
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(order[i]);
      for (std::size_t j = 0; j < n; ++j) {
        const Number element = lus[k](row, j);
        if (j == i) CHECK(element == Number(1));
        if (options.lower ? j > i : j < i) CHECK(element == Number(0));
        if (j > i + 1 || i > j + 1) CHECK(block(i, j) == Number(0));
      }
      if (hermitian) CHECK(block(i, i).imag() == 0);
      if (i + 1 == n) continue;
      const Number below = block(i + 1, i);
      CHECK(block(i, i + 1) == (hermitian ? std::conj(below) : below));
      // No three rows are one block, and L is 0 inside of a block.
      if (below != Number(0)) {
        CHECK(!in_block);
        const auto next = static_cast<std::size_t>(order[i + 1]);
        CHECK((options.lower ? lus[k](next, i) : lus[k](row, i + 1)) == Number(0));
      }
      in_block = below != Number(0);
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < n; ++i) CHECK(order[i] == static_cast<std::int64_t>(i));
  }
}

void check_ldl(const Array& x) {
  check_ldl(x, {});
  check_ldl(x, {.lower = false});
  if (!kn::is_complex(x.dtype())) return;
  check_ldl(x, {.hermitian = false});
  check_ldl(x, {.lower = false, .hermitian = false});
}

}  // namespace

TEST_CASE("factors of matrices of many kinds") {
  by_both_ways([] {
    for (const DType type : kn::test::matrix_types) {
      if (!kn::test::computes(type)) continue;
      CAPTURE(kn::name(type));
      const bool chosen = type == kn::float32 || type == kn::complex128 || kn::test::exhaustive();
      for (const std::int64_t n : kn::test::sizes_or_all(chosen ? std::vector<std::int64_t>{1, 2, 3, 20, 33, 70}
                                                                : std::vector<std::int64_t>{20})) {
        CAPTURE(n);
        for (const Kind kind : {Kind::random, Kind::graded, Kind::deficient, Kind::zero, Kind::near_singular}) {
          if (kind != Kind::random && n != 20 && !kn::test::exhaustive()) continue;
          CAPTURE(static_cast<int>(kind));
          check_ldl(matrices({n, n}, type, kind));
        }
        // No pivot on the diagonal.
        check_ldl(matrices({n, n}, type, Kind::random) * (1 - kn::eye(n, n, {.dtype = type})));
      }
    }
  });
}

TEST_CASE("matrices that are hard for pivots, and near the ends of the range") {
  by_both_ways([] {
    const Array random = matrices({12, 12}, kn::float32, Kind::random);
    for (const float scale : {0x1p122f, 0x1p-110f}) check_ldl(random * scale);
    Array with_zeros = random * 1;
    with_zeros(4, kn::all) = 0;
    with_zeros(kn::all, 4) = 0;
    check_ldl(with_zeros);
    check_ldl(kn::flip(kn::eye(7), {.axis = 0}));
    check_ldl(kn::ones({6, 6}));
    check_ldl(-kn::eye(5));
    // Magnitudes of all kinds, along both axes.
    const Array sizes = kn::exp2(-6 * kn::arange(12, {.dtype = kn::float32}));
    check_ldl(random * sizes * kn::expand_dims(sizes, -1));
    check_ldl(kn::flip(random * sizes * kn::expand_dims(sizes, -1), {.axis = {-2, -1}}));
  });
}

TEST_CASE("stacks in any layout, integers, and the other triangle") {
  by_both_ways([] {
    const Array stack = matrices({2, 3, 5, 5}, kn::complex64, Kind::random);
    for (const Array& x : {stack, stack.mT(), stack(kn::all, kn::slice(kn::none, kn::none, 2), kn::all, kn::all)}) {
      check_ldl(x);
    }
    check_ldl(matrices({300, 3, 3}, kn::float32, Kind::random));
    const Matrix d = matrix_of(la::ldl(kn::array({{0, 1}, {1, 0}})).d);
    CHECK(d(0, 1) == Number(1));
    CHECK(d(0, 0) == Number(0));
    // NaN in what is not read, and in a Hermitian matrix's diagonal's imaginary parts.
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Array x = matrices({9, 9}, kn::complex64, Kind::random);
    const Matrix before = matrix_of(la::ldl(x).d);
    for (std::int64_t i = 0; i < 9; ++i) {
      x(i, kn::slice(i + 1, 9)) = nan;
      x(i, i) = std::complex<float>(kn::real(x(i, i)).item<float>(), nan);
    }
    CHECK((matrix_of(la::ldl(x).d) - before).norm() == 0);
    // A NaN that is read gives NaNs, and an end.
    x(5, 2) = nan;
    CHECK(std::isnan(std::abs(kn::sum(la::ldl(x).d).item<std::complex<float>>() +
                              kn::sum(la::ldl(x).lu).item<std::complex<float>>())));
  });
}

TEST_CASE("a larger matrix") {
  by_both_ways([] {
    const std::int64_t n = kn::test::exhaustive() ? 257 : 140;
    const Array x = matrices({n, n}, kn::float32, Kind::random);
    check_ldl(x, {});
    if (kn::test::exhaustive() && kn::test::computes(kn::complex128)) check_ldl(x.astype(kn::complex128));
  });
}

TEST_CASE("nothing to factorise, and what is refused") {
  on_each_device([] {
    const auto [lu, d, perm] = la::ldl(kn::zeros({2, 0, 0}));
    CHECK(lu.shape() == Shape{2, 0, 0});
    CHECK(d.shape() == Shape{2, 0, 0});
    CHECK(perm.shape() == Shape{2, 0});
    CHECK(la::ldl(kn::zeros({0, 3, 3})).perm.shape() == Shape{0, 3});
  });
  CHECK(has(message_of<kn::LinAlgError>([] { la::ldl(kn::ones({2, 3})); }), "[ldl] got shape (2, 3)"));
  CHECK(has(message_of<kn::DTypeError>([] { la::ldl(kn::ones({2, 2}, kn::bfloat16)); }), "[ldl] does not take"));
}

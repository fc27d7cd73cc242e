// SPDX-License-Identifier: Apache-2.0
// Stacks of small matrices, of which a work-group of a card takes several (kernels/small_factors.cl), and what is
// around the sizes at which it does: what must hold of results, and matrices that are wrong in the middle of a group.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/matrices.hpp"
#include "support/matrix_stacks.hpp"

namespace kn = koine;
namespace la = koine::linalg;
using kn::Array;
using kn::DType;
using kn::Shape;
using kn::test::by_both_ways;
using kn::test::identity;
using kn::test::is_triangle;
using kn::test::matrices;
using kn::test::matrices_of;
using kn::test::Matrix;
using kn::test::message_of;
using kn::test::on_each_device;
using kn::test::stack_of;
using kn::test::tolerance;
using kn::test::usual_and;
using kn::test::without_variants;
using Number = Matrix::Number;
using Kind = kn::test::MatrixKind;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Calls test(type, count, n): stacks that fill no group, and one matrix alone.
template <class F>
void each_stack(F test) {
  for (const DType type : usual_and({kn::float32, kn::complex128}, {kn::float64, kn::complex64})) {
    if (!kn::test::computes(type)) continue;
    CAPTURE(kn::name(type));
    std::vector<std::int64_t> sizes{3};
    if (type == kn::float32) sizes = {1, 4, 5, 17, 32, 33};
    // A card's kernels around the factors differ for rows of each kind.
    if (type == kn::float32 && !kn::test::facts_of().cpu_loops) sizes = {4, 17, 33};
    if (kn::test::all_variants()) sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 25, 31, 32, 33};
    for (const std::int64_t n : sizes) {
      CAPTURE(n);
      test(type, n == 32 ? 1 : 1 + 66 / n, n);
    }
  }
}

/// Random ones plus a multiple of the identity, which keeps what is solved near 1.
std::vector<Matrix> regular(std::int64_t count, std::int64_t n, DType type) {
  std::vector<Matrix> all = matrices_of(matrices({count, n, n}, type, Kind::random));
  for (Matrix& each : all) {
    for (std::size_t i = 0; i < each.rows; ++i) each(i, i) += 3;
  }
  return all;
}

/// By elimination.
Number determinant(Matrix a) {
  Number result = 1;
  for (std::size_t k = 0; k < a.rows; ++k) {
    std::size_t row = k;
    for (std::size_t i = k; i < a.rows; ++i) row = std::abs(a(i, k)) > std::abs(a(row, k)) ? i : row;
    for (std::size_t j = 0; row != k && j < a.rows; ++j) std::swap(a(row, j), a(k, j));
    result *= row == k ? a(k, k) : -a(k, k);
    for (std::size_t i = k + 1; i < a.rows; ++i) {
      const Number factor = a(i, k) / a(k, k);
      for (std::size_t j = k; j < a.rows; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return result;
}

/// That a times x is b, for each of the matrices.
void check_products(const std::vector<Matrix>& a, const std::vector<Matrix>& x, const std::vector<Matrix>& b,
                    double close) {
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    CAPTURE(k);
    CHECK((a[k] * x[k] - b[k]).norm() <= close * (a[k].norm() * x[k].norm() + b[k].norm()));
  }
}

void check_qr(const Array& x, std::string_view mode) {
  const auto [q, r] = la::qr(x, {.mode = mode});
  const std::vector<Matrix> qs = matrices_of(q), rs = matrices_of(r);
  const double close = tolerance(x.dtype(), static_cast<std::size_t>(std::max(x.shape(-2), x.shape(-1))));
  check_products(qs, rs, matrices_of(x), close);
  for (std::size_t k = 0; k < qs.size(); ++k) {
    CHECK((adjoint(qs[k]) * qs[k] - identity(qs[k].columns)).norm() <= close);
    CHECK(is_triangle(rs[k], false));
  }
}

void check_lu(const Array& x) {
  const auto [p, l, u] = la::lu(x);
  const std::vector<Matrix> us = matrices_of(u), ls = matrices_of(l), ps = matrices_of(p);
  std::vector<Matrix> rows = matrices_of(x);
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = adjoint(ps[k]) * rows[k];
  check_products(ls, us, rows, tolerance(x.dtype(), 33));
  for (const Matrix& each : us) CHECK(is_triangle(each, false));
  for (const Matrix& each : ls) {
    for (const Number& factor : each.at) CHECK(std::abs(factor) <= 1.415);
  }
}

}  // namespace

TEST_CASE("equations with small matrices, their inverses and determinants") {
  by_both_ways([] {
    each_stack([](DType type, std::int64_t count, std::int64_t n) {
      const Array a = matrices({count, n, n}, type, Kind::random);
      const std::vector<Matrix> as = matrices_of(a);
      const double close = tolerance(type, static_cast<std::size_t>(n));
      for (const std::int64_t columns : {std::int64_t{1}, n + 3}) {
        const Array b = matrices({count, n, columns}, type, Kind::random, 2);
        check_products(as, matrices_of(la::solve(a, b)), matrices_of(b), close);
      }
      const std::vector<Matrix> ones(as.size(), identity(static_cast<std::size_t>(n)));
      check_products(as, matrices_of(la::inv(a)), ones, close);
      // What is made of the factors takes other kernels for rows of other lengths.
      if (n != 4 && n != 33 && type == kn::float32 && without_variants()) return;
      check_lu(a);
      const std::vector<Matrix> some = regular(count, n, type);
      const std::vector<Number> found = kn::test::numbers_of(la::det(stack_of(some, type)));
      for (std::size_t k = 0; k < some.size(); ++k) {
        const Number expected = determinant(some[k]);
        CHECK(std::abs(found[k] - expected) <= close * std::abs(expected));
      }
    });
  });
}

TEST_CASE("small triangles and Cholesky factors, of which the other triangle is not read") {
  by_both_ways([] {
    each_stack([](DType type, std::int64_t count, std::int64_t n) {
      const double close = tolerance(type, static_cast<std::size_t>(n));
      const Array b = matrices({count, n, 5}, type, Kind::random, 2);
      const std::vector<Matrix> all = regular(count, n, type), bs = matrices_of(b);
      /// With other numbers on one side of the diagonal, or on it.
      const auto with = [](std::vector<Matrix> some, bool above, bool diagonal, Number other, Number one) {
        for (Matrix& each : some) {
          for (std::size_t i = 0; i < each.rows; ++i) {
            for (std::size_t j = 0; j < each.columns; ++j) {
              if (above ? j > i : j < i) each(i, j) = other;
              if (diagonal) each(i, j) = i == j ? one : each(i, j) / 32.;
            }
          }
        }
        return some;
      };
      for (const bool lower : {false, true}) {
        const Array given = stack_of(with(all, lower, false, not_a_number, 0), type);
        check_products(with(all, lower, false, 0, 0), matrices_of(la::solve_triangular(given, b, {.lower = lower})), bs,
                       close);
        // One for all, whose diagonal is ones.
        const Array one = stack_of({with(all, lower, true, not_a_number, not_a_number)[0]}, type)(0);
        check_products(std::vector<Matrix>(all.size(), with(all, lower, true, 0, 1)[0]),
                       matrices_of(la::solve_triangular(one, b, {.lower = lower, .unit_diagonal = true})), bs, close);
      }
      std::vector<Matrix> squares, adjoints;
      for (const Matrix& each : all) squares.push_back(each * adjoint(each));
      squares = matrices_of(stack_of(squares, type));  // as rounded
      const std::vector<Matrix> factors =
          matrices_of(la::cholesky(stack_of(with(squares, true, false, not_a_number, 0), type)));
      for (const Matrix& factor : factors) {
        adjoints.push_back(adjoint(factor));
        CHECK(is_triangle(adjoints.back(), false));
      }
      check_products(factors, adjoints, squares, close);
    });
  });
}

TEST_CASE("reflections of small matrices, and elimination, of any shape") {
  // In reproducible scopes these have kernels of their own (test_linalg_solve.cpp).
  on_each_device([] {
    each_stack([](DType type, std::int64_t count, std::int64_t n) {
      const Kind kind = n == 4 ? Kind::deficient : n == 5 ? Kind::zero : n == 17 ? Kind::graded : Kind::random;
      check_qr(matrices({count, n, n}, type, kind), "reduced");
      check_qr(matrices({count, n, 1 + n / 2}, type, kind), "complete");
      check_qr(matrices({count, 1 + n / 2, n}, type, kind), "reduced");
      check_lu(matrices({count, n, 1 + n / 2}, type, kind));
      check_lu(matrices({count, 1 + n / 2, n}, type, kind));
    });
  });
}

TEST_CASE("columns of small matrices whose squares overflow, or vanish, are reflected all the same") {
  by_both_ways([] {
    for (const float scale : {1e30f, 1e-30f}) {
      const auto scaled = [&](std::int64_t columns, Number all, Number second) {
        std::vector<Matrix> some = matrices_of(matrices({7, 4, columns}, kn::float32, Kind::random));
        for (Matrix& each : some) {
          for (std::size_t at = 0; at < each.at.size(); ++at) each.at[at] *= at % each.columns == 1 ? second : all;
        }
        return stack_of(some, kn::float32);
      };
      const double less = scale > 1 ? 1e10 : 1e-10;
      check_qr(scaled(4, less, less), "reduced");
      const auto [q, r] = la::qr(scaled(3, 1, scale));
      for (const Matrix& each : matrices_of(q)) {
        CHECK((adjoint(each) * each - identity(3)).norm() <= tolerance(kn::float32, 4));
      }
    }
  });
}

TEST_CASE("parts of stacks, whose first matrix is not that of the memory") {
  by_both_ways([] {
    const Array stack = matrices({40, 4, 4}, kn::float32, Kind::random),
                right = matrices({40, 4, 2}, kn::float32, Kind::random, 2);
    const Array a = stack(kn::slice(9, 36)), b = right(kn::slice(9, 36));
    check_products(matrices_of(a), matrices_of(la::solve(a, b)), matrices_of(b), tolerance(kn::float32, 4));
    check_qr(a, "reduced");
    check_lu(a);
  });
}

TEST_CASE("one wrong matrix in the middle of a group is named, or spoils no other") {
  by_both_ways([] {
    const auto said = [](const Array& x) { return message_of<kn::LinAlgError>([&] { x.to_vector<float>(); }); };
    std::vector<Matrix> some = regular(41, 4, kn::float32);
    for (std::size_t i = 0; i < 4; ++i) some[21](i, 2) = 0;
    const Array singular = stack_of(some, kn::float32), right = matrices({41, 4, 1}, kn::float32, Kind::random, 2);
    CHECK(said(la::solve(singular, right)) ==
          "[solve] matrix 21 of the stack is singular: element (2, 2) of its triangular factor is 0");
    CHECK(said(la::inv(singular)) ==
          "[inv] matrix 21 of the stack is singular: element (2, 2) of its triangular factor is 0");
    CHECK(said(la::solve_triangular(singular, right, {.lower = true})) ==
          "[solve_triangular] matrix 21 of the stack is singular: element (2, 2) of it is 0");
    const std::vector<float> determinants = la::det(singular).to_vector<float>();
    for (std::size_t k = 0; k < determinants.size(); ++k) CHECK((determinants[k] == 0) == (k == 21));
    std::vector<Matrix> twos(41, identity(5));
    for (Matrix& each : twos) {
      for (std::size_t i = 0; i < 5; ++i) each(i, i) = 2;
    }
    twos[30](3, 3) = -1;
    CHECK(said(la::cholesky(stack_of(twos, kn::float32))) ==
          "[cholesky] matrix 30 of the stack is not positive definite: its leading minor of order 4 is not positive");
    // A NaN: of its matrix alone.
    some = regular(41, 4, kn::float32);
    some[17](0, 0) = some[17](2, 0) = not_a_number;
    const Array spoilt = stack_of(some, kn::float32);
    for (const Array& x : {la::inv(spoilt), la::qr(spoilt).Q}) {
      const std::vector<Matrix> found = matrices_of(x);
      for (std::size_t k = 0; k < found.size(); ++k) CHECK(std::isnan(found[k].norm()) == (k == 17));
    }
    twos[30](3, 3) = 2;
    twos[12](1, 0) = not_a_number;
    CHECK(said(la::cholesky(stack_of(twos, kn::float32))) ==
          "[cholesky] matrix 12 of the stack is not positive definite: its leading minor of order 2 is not positive");
  });
}

// SPDX-License-Identifier: Apache-2.0
// kernels/cholesky.cl, lu.cl, householder.cl and solve_triangular.cl: stacks, rows that are exchanged, tall matrices,
// complex numbers; and cholesky_steps.cl, lu_panel.cl, lu_spread.cl, qr_panel.cl, qr_spread.cl, qr_blocks.cl,
// solve_columns.cl, tile_update.cl, take_products.cl and turn.cl: more than one block; small_factors.cl: a group that
// is not full.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/matrix_stacks.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::identity;
using kn::test::Matrix;
using kn::test::matrix_of;

namespace {

void check_zero(const Array& x) { CHECK(kn::max(kn::abs(x)).item<float>() < 1e-4f); }
Array adjoint(const Array& x) { return kn::conj(x).mT(); }

/// Of matrices on the host, where large ones are multiplied: an interpreter takes seconds for it.
void check_equal(const Matrix& got, const Matrix& want) { CHECK(largest(got - want) < 1e-4); }

}  // namespace

TEST_CASE("factorisations and equations") {
  const kn::reproducible scope;
  const Array x = kn::array(
      {{{0.f, 1.f, 2.f}, {3.f, 1.f, 0.f}, {1.f, -4.f, 1.f}}, {{1.f, 0.f, 0.f}, {2.f, 0.f, 1.f}, {-5.f, 1.f, 5.f}}});
  const Array right = kn::array({{1.f, 2.f}, {3.f, -4.f}, {0.f, 1.f}});
  check_zero(kn::matmul(x, kn::linalg::solve(x, right)) - right);
  check_zero(kn::linalg::det(x) - kn::array({-29.f, -1.f}));
  const Array square = kn::matmul(x, x.mT()), factor = kn::linalg::cholesky(square);
  check_zero(kn::matmul(factor, factor.mT()) - square);
  // More rows than those of several matrices to a group.
  const Array large = 4.f * kn::eye(34) + kn::roll(kn::eye(34), 1, 0) + kn::roll(kn::eye(34), -1, 0);
  check_zero(kn::matmul(large, kn::linalg::solve(large, kn::ones({34, 1}))) - kn::ones({34, 1}));
  const Array lower = kn::linalg::cholesky(large);
  check_zero(kn::matmul(lower, lower.mT()) - large);
  using C = std::complex<float>;
  const Array z = kn::array({{C(0, 1), C(2)}, {C(1, 1), C(0)}, {C(-2), C(1, -3)}});
  const kn::linalg::QrResult parts = kn::linalg::qr(z, {.mode = "complete"});
  check_zero(kn::matmul(parts.Q, parts.R) - z);
  check_zero(kn::matmul(adjoint(parts.Q), parts.Q) - kn::eye(3));
}

TEST_CASE("factorisations by blocks") {
  const auto distances = [](float n) { return kn::abs(kn::expand_dims(kn::arange(n), 1) - kn::arange(n)); };
  // Diagonals are small, so that rows are exchanged.
  const Array x = 0.01f * kn::cos(distances(40.f) * 3.f) + kn::roll(kn::eye(40), 3, 0), right = kn::ones({40, 3});
  check_equal(matrix_of(x) * matrix_of(kn::linalg::solve(x, right)), matrix_of(right));
  const Array positive = 1.f / (1.f + distances(70.f));
  const Matrix factor = matrix_of(kn::linalg::cholesky(positive));
  check_equal(factor * adjoint(factor), matrix_of(positive));
  const auto check_qr = [](const Array& tall) {
    const kn::linalg::QrResult parts = kn::linalg::qr(tall);
    const Matrix q = matrix_of(parts.Q);
    check_equal(q * matrix_of(parts.R), matrix_of(tall));
    check_equal(adjoint(q) * q, identity(q.columns));
  };
  check_qr(kn::cos(kn::expand_dims(kn::arange(40.f), 1) * kn::arange(36.f)));
  // More rows than a small group has.
  const Array taller = kn::cos(kn::expand_dims(kn::arange(70.f), 1) * kn::arange(66.f) * 0.37f);
  check_qr(taller);
  const auto [p, l, u] = kn::linalg::lu(taller);
  check_equal(matrix_of(p) * (matrix_of(l) * matrix_of(u)), matrix_of(taller));
}

TEST_CASE("small matrices") {
  const Array x = kn::cos(kn::reshape(kn::arange(5.f * 9.f), {5, 3, 3})) + 3.f * kn::eye(3),
              right = kn::ones({5, 3, 2});
  check_zero(kn::matmul(x, kn::linalg::solve(x, right)) - right);
  check_zero(kn::matmul(x, kn::linalg::inv(x)) - kn::eye(3));
  const kn::linalg::QrResult parts = kn::linalg::qr(x);
  check_zero(kn::matmul(parts.Q, parts.R) - x);
  const Array square = kn::matmul(x, x.mT()) + kn::eye(3), factor = kn::linalg::cholesky(square);
  check_zero(kn::matmul(factor, factor.mT()) - square);
  check_zero(kn::matmul(factor, kn::linalg::solve_triangular(factor, right, {.lower = true})) - right);
  const auto [p, l, u] = kn::linalg::lu(x);
  check_zero(kn::matmul(p, kn::matmul(l, u)) - x);
}

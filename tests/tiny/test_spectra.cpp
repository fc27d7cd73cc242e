// SPDX-License-Identifier: Apache-2.0
// kernels/jacobi.cl and jacobi_blocks.cl: an odd and an even number of rows, a stack, vectors that are completed,
// complex numbers.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <vector>

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

}  // namespace

TEST_CASE("eigenvalues and singular values") {
  const kn::reproducible scope;
  const Array x = kn::array(
      {{{2.f, 1.f, 0.f}, {1.f, 2.f, 1.f}, {0.f, 1.f, 2.f}}, {{0.f, 0.f, 0.f}, {0.f, -3.f, 0.f}, {0.f, 0.f, 5.f}}});
  const kn::linalg::EighResult eigen = kn::linalg::eigh(x);
  check_zero(eigen.eigenvalues - kn::array({{0.585786f, 2.f, 3.414214f}, {-3.f, 0.f, 5.f}}));
  check_zero(kn::matmul(x, eigen.eigenvectors) - eigen.eigenvectors * kn::expand_dims(eigen.eigenvalues, -2));
  // Of rank one, so that most vectors are completed.
  using C = std::complex<float>;
  const Array z = kn::outer(kn::array({C(0, 1), C(2)}), kn::array({C(1), C(0, 1), C(1, 1), C(0)}));
  const kn::linalg::SvdResult parts = kn::linalg::svd(z);
  check_zero(parts.S - kn::array({4.472136f, 0.f}));
  check_zero(kn::matmul(parts.U * parts.S, parts.Vh(kn::slice(0, 2), kn::all)) - z);
  check_zero(kn::matmul(parts.Vh, kn::conj(parts.Vh.T())) - kn::eye(4));
}

TEST_CASE("eigenvalues and singular values by blocks of rows") {
  if (!kn::test::computes(kn::float64)) return;
  const Array i = kn::arange(40., {.dtype = kn::float64});
  const Array x = i * kn::eye(40, kn::float64) + 0.01 * kn::cos(kn::expand_dims(i, 1) + i);
  const kn::linalg::EighResult eigen = kn::linalg::eigh(x);
  // Products of what is large are the host's: an interpreter takes seconds for them.
  const Matrix vectors = matrix_of(eigen.eigenvectors);
  CHECK(largest(matrix_of(x) * vectors - matrix_of(eigen.eigenvectors * eigen.eigenvalues)) < 1e-4);
  CHECK(largest(adjoint(vectors) * vectors - identity(40)) < 1e-4);
  // Three rows, one of which is another one's multiple, so that a vector is completed.
  const Array column = kn::arange(260., {.dtype = kn::float64});
  const Array rows = kn::concat({kn::cos(column * kn::array({{1.}, {2.}})), kn::expand_dims(2 * kn::cos(column), 0)});
  const Array z = rows * kn::array(std::complex<double>(0.6, 0.8));
  const kn::linalg::SvdResult parts = kn::linalg::svd(z, {.full_matrices = false});
  const Matrix right = matrix_of(parts.Vh);
  CHECK(largest(matrix_of(parts.U * parts.S) * right - matrix_of(z)) < 30 * 1e-4);
  CHECK(largest(right * adjoint(right) - identity(3)) < 1e-4);
}

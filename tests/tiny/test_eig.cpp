// SPDX-License-Identifier: Apache-2.0
// kernels/eig.cl: a stack of real matrices with complex eigenvalues, a complex matrix, values alone.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;

namespace {

void check_zero(const Array& x) { CHECK(kn::max(kn::abs(x)).item<float>() < 1e-4f); }

void check(const Array& x) {
  const kn::linalg::EigResult parts = kn::linalg::eig(x);
  check_zero(kn::matmul(x, parts.eigenvectors) - parts.eigenvectors * kn::expand_dims(parts.eigenvalues, -2));
  check_zero(kn::linalg::vector_norm(parts.eigenvectors, {.axis = -2}) - 1);
  check_zero(kn::sum(kn::linalg::eigvals(x), {.axis = -1}) - kn::linalg::trace(x));
}

}  // namespace

TEST_CASE("eigenvalues of matrices that are not Hermitian") {
  const kn::reproducible scope;
  check(kn::array(
      {{{0.f, 1.f, 0.f}, {0.f, 0.f, 1.f}, {1.f, 0.f, 0.f}}, {{1.f, 2.f, 3.f}, {0.f, 1.f, 2.f}, {5.f, 0.f, 1.f}}}));
  using C = std::complex<float>;
  check(kn::array({{C(0, 1), C(2)}, {C(1, 1), C(3)}}));
}

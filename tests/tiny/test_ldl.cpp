// SPDX-License-Identifier: Apache-2.0
// kernels/ldl.cl: a stack with pivots of one and of two rows, and a complex symmetric matrix.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;

namespace {

void check_zero(const Array& x) { CHECK(kn::max(kn::abs(x)).item<float>() < 1e-4f); }

}  // namespace

TEST_CASE("factors of symmetric matrices") {
  const kn::reproducible scope;
  const Array x = kn::array(
      {{{0.f, 1.f, 2.f}, {1.f, 0.f, -3.f}, {2.f, -3.f, 0.f}}, {{4.f, 1.f, 0.f}, {1.f, -2.f, 1.f}, {0.f, 1.f, 1.f}}});
  const kn::linalg::LdlResult parts = kn::linalg::ldl(x);
  check_zero(kn::matmul(kn::matmul(parts.lu, parts.d), parts.lu.mT()) - x);
  using C = std::complex<float>;
  const Array z = kn::array({{C(0, 1), C(2, 1)}, {C(2, 1), C(3, -1)}});
  const kn::linalg::LdlResult others = kn::linalg::ldl(z, {.lower = false, .hermitian = false});
  check_zero(kn::matmul(kn::matmul(others.lu, others.d), others.lu.mT()) - z);
}

// SPDX-License-Identifier: Apache-2.0
// kernels/schur.cl: a stack of real matrices with real and with complex eigenvalues, and a complex matrix.
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
  const kn::linalg::SchurResult parts = kn::linalg::schur(x);
  check_zero(kn::matmul(x, parts.Z) - kn::matmul(parts.Z, parts.T));
  check_zero(kn::matmul(kn::conj(parts.Z).mT(), parts.Z) - kn::eye(x.shape(-1)));
  check_zero(kn::tril(parts.T, kn::is_complex(x.dtype()) ? -1 : -2));
}

}  // namespace

TEST_CASE("Schur's form") {
  const kn::reproducible scope;
  check(kn::array(
      {{{0.f, 1.f, 0.f}, {0.f, 0.f, 1.f}, {1.f, 0.f, 0.f}}, {{1.f, 2.f, 3.f}, {0.f, 1.f, 2.f}, {5.f, 0.f, 1.f}}}));
  using C = std::complex<float>;
  check(kn::array({{C(0, 1), C(2)}, {C(1, 1), C(3)}}));
}

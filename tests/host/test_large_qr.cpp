// SPDX-License-Identifier: Apache-2.0
// QR factorisations of matrices so large that a CPU's threads share one: backward errors and orthogonality within
// 30 n epsilon, by what the factors do to some vectors, in double here.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/matrices.hpp"
#include "support/matrix_stacks.hpp"

namespace kn = koine;
namespace la = koine::linalg;
using kn::Array;
using kn::DType;
using kn::test::matrices;
using kn::test::Matrix;
using kn::test::matrix_of;
using kn::test::on_each_device;
using kn::test::tolerance;
using kn::test::usual_and;
using Kind = kn::test::MatrixKind;

namespace {

void check_qr(const Array& x, std::string_view mode) {
  const auto [q, r] = la::qr(x, {.mode = mode});
  const std::int64_t m = x.shape(-2), n = x.shape(-1), k = mode == "complete" ? m : std::min(m, n);
  CAPTURE(m);
  CAPTURE(n);
  REQUIRE(q.shape() == kn::Shape{m, k});
  REQUIRE(r.shape() == kn::Shape{k, n});
  const double close = tolerance(x.dtype(), static_cast<std::size_t>(std::max(m, n)));
  const Matrix a = matrix_of(x), qm = matrix_of(q), rm = matrix_of(r),
               some = matrix_of(matrices({n, 2}, x.dtype(), Kind::random, 2)),
               few = matrix_of(matrices({k, 2}, x.dtype(), Kind::random, 3));
  CHECK((a * some - qm * (rm * some)).norm() <= close * a.norm() * some.norm());
  CHECK((adjoint(qm) * (qm * few) - few).norm() <= close * few.norm());
  bool zeros = true;
  for (std::size_t i = 0; i < rm.rows; ++i) {
    for (std::size_t j = 0; j < std::min(i, rm.columns); ++j) zeros = zeros && rm(i, j) == Matrix::Number(0);
  }
  CHECK(zeros);
}

}  // namespace

TEST_CASE("factors of a large matrix, square, tall and wide") {
  on_each_device([] {
    for (const DType type : usual_and({kn::float32, kn::complex128}, {kn::float64, kn::complex64})) {
      if (!kn::test::computes(type)) continue;
      CAPTURE(kn::name(type));
      check_qr(matrices({257, 257}, type, Kind::random), "reduced");
      check_qr(matrices({420, 200}, type, Kind::random), "reduced");
      check_qr(matrices({200, 500}, type, Kind::random), "reduced");
      check_qr(matrices({400, 230}, type, Kind::random), "complete");
    }
  });
}

TEST_CASE("factors of a large matrix that has less than full rank, of zeros, and of columns of all sizes") {
  on_each_device([] {
    for (const Kind kind : {Kind::deficient, Kind::graded, Kind::zero}) {
      CAPTURE(static_cast<int>(kind));
      check_qr(matrices({300, 300}, kn::float32, kind), "reduced");
      check_qr(matrices({420, 200}, kn::float32, kind), "complete");
    }
  });
}

TEST_CASE("a large matrix near the ends of the range, and with what is no number") {
  on_each_device([] {
    const Array x = matrices({300, 240}, kn::float32, Kind::random);
    for (const float factor : {std::exp2(110.f), std::exp2(-110.f)}) check_qr(x * factor, "reduced");
    Array y = x.copy();
    y(200, 100) = std::numeric_limits<float>::quiet_NaN();
    const auto [q, r] = la::qr(y);
    CHECK(std::isnan(kn::sum(q).item<float>()));
    CHECK(std::isnan(kn::sum(r).item<float>()));
    // What the columns before it give is not touched.
    CHECK(kn::all(kn::isfinite(r(kn::all, kn::slice(0, 100)))).item<bool>());
  });
}

TEST_CASE("large matrices whose threads share them have the same factors at every run") {
  on_each_device([] {
    const Array x = matrices({300, 500}, kn::float32, Kind::random);
    const auto [q, r] = la::qr(x);
    const auto first = q.to_vector<float>(), triangle = r.to_vector<float>();
    for (int run = 0; run < 5; ++run) {
      const auto [again, other] = la::qr(x);
      CHECK(again.to_vector<float>() == first);
      CHECK(other.to_vector<float>() == triangle);
    }
  });
}

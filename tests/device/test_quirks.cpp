// SPDX-License-Identifier: Apache-2.0
// What drivers are known to get wrong comes out right.
#include <doctest/doctest.h>

#include <koine/koine.hpp>

#include "support/allowances.hpp"
#include "support/devices.hpp"
#include "support/numbers.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace kn = koine;

TEST_CASE("a large argument in a vector leaves the trigonometry of its neighbours alone") {
  kn::test::on_each_device([] {
    std::vector<float> x(32, 0.001f);
    x[5] = 3e8f;
    x[20] = INFINITY;
    const auto sines = kn::sin(kn::asarray(x)).to_vector<float>();
    const auto tangents = kn::tan(kn::asarray(x)).to_vector<float>();
    const auto cosines = kn::cos(kn::asarray(x)).to_vector<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i == 20) continue;
      CHECK(sines[i] == doctest::Approx(std::sin(double{x[i]})).epsilon(1e-6));
      CHECK(tangents[i] == doctest::Approx(std::tan(double{x[i]})).epsilon(1e-6));
      CHECK(cosines[i] == doctest::Approx(std::cos(double{x[i]})).epsilon(1e-6));
    }
  });
}

TEST_CASE("exp of the largest doubles is finite, and pow of double vectors is right") {
  kn::test::on_each_device(kn::float64, [] {
    const std::vector<double> x = {709.782712893384, 709.0, 709.5, 1.0, -745.0, 0.0, 710.0, 7.04};
    const auto y = kn::exp(kn::asarray(x)).to_vector<double>();
    const auto z = kn::pow(kn::asarray(x), 80.5).to_vector<double>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i == 6) {
        CHECK(std::isinf(y[i]));
      } else {
        CHECK(std::isfinite(y[i]));
        CHECK(y[i] == doctest::Approx(std::exp(x[i])).epsilon(1e-15));
      }
      if (x[i] >= 0) CHECK(z[i] == doctest::Approx(std::pow(x[i], 80.5)).epsilon(1e-13));
    }
  });
}

namespace {

/// tgamma beside the poles down to where it is 0 everywhere; within the 16 units that OpenCL allows.
template <class T>
void check_tgamma_beside_poles(int last) {
  std::vector<T> x = {-INFINITY, -static_cast<T>(last) - T(0.5)};
  for (int pole = -last; pole < 0; ++pole) {
    x.push_back(std::nextafter(T(pole), T(-INFINITY)));
    x.push_back(T(pole));
    x.push_back(std::nextafter(T(pole), T(0)));
    x.push_back(T(pole) + T(0.25));
  }
  const std::vector<T> y = kn::tgamma(kn::asarray(x)).template to_vector<T>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(x[i]);
    CHECK(kn::test::near<T>(y[i], std::tgamma(static_cast<long double>(x[i])), {.ulps = 16, .zero_sign = false}));
  }
}

}  // namespace

TEST_CASE("tgamma beside its poles, where results are subnormal") {
  kn::test::on_each_device([] {
    if (!kn::test::is_sketched("tgamma")) check_tgamma_beside_poles<float>(60);
  });
  kn::test::on_each_device(kn::float64, [] { check_tgamma_beside_poles<double>(200); });
}

TEST_CASE("copysign and signbit see the sign of a NaN") {
  kn::test::on_each_device([] {
    const auto check = []<class T>(T negative) {
      CAPTURE(kn::name(kn::dtype_of<T>));
      for (const std::size_t count : {1, 37}) {
        const kn::Array x = kn::asarray(std::vector<T>(count, negative)), y = kn::copysign(kn::ones_like(x), x);
        CHECK(kn::all(kn::signbit(x)).item<bool>());
        CHECK(kn::all(y == -1).item<bool>());
      }
    };
    check(kn::float16_t::from_bits(0xfe00));
    check(kn::bfloat16_t::from_bits(0xffc0));
    check(-std::numeric_limits<float>::quiet_NaN());
  });
}

TEST_CASE("lgamma of the largest and of the smallest numbers is finite, and of both infinities infinite") {
  kn::test::on_each_device([] {
    std::vector<float> x = {4.0e36f,   4.02e36f, 4.05e36f, 4.08e36f, 1e31f,  5e36f, INFINITY,
                            -INFINITY, 7.5f,     0.25f,    -5e-21f,  -1e-8f, 3e-30f};
    const auto y = kn::lgamma(kn::asarray(x)).to_vector<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      CAPTURE(x[i]);
      if (i >= 5 && i <= 7) {
        CHECK(y[i] == INFINITY);
      } else {
        CHECK(y[i] == doctest::Approx(std::lgamma(double{x[i]})).epsilon(1e-6));
      }
    }
  });
  kn::test::on_each_device(kn::float64, [] {
    const std::vector<double> x = {1.9e305, 2.1e305, 2.5e305, 1e40, 7.5};
    const auto y = kn::lgamma(kn::asarray(x)).to_vector<double>();
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == doctest::Approx(std::lgamma(x[i])).epsilon(1e-14));
  });
}

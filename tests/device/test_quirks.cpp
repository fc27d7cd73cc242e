// SPDX-License-Identifier: Apache-2.0
// What drivers are known to get wrong comes out right.
#include <doctest/doctest.h>

#include <koine/koine.hpp>

#include "support/devices.hpp"

#include <cmath>
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

// SPDX-License-Identifier: Apache-2.0
// Every operation of the table on complex types.
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "support/op_table.hpp"

using namespace koine::test;

TEST_CASE("complex64") { check_table<std::complex<float>>(); }
TEST_CASE("complex128") { check_table<std::complex<double>>(); }

TEST_CASE("powers of Gaussian integers are exact") {
  on_each_device([] {
    const koine::Array z = koine::asarray(std::vector<std::complex<float>>{{2, 1}, {-3, 2}, {0, -1}, {1, 0}});
    koine::Array product = koine::ones_like(z);
    for (int exponent = 0; exponent <= 8; ++exponent) {
      CHECK(koine::pow(z, exponent).to_vector<std::complex<float>>() == product.to_vector<std::complex<float>>());
      product = product * z;
    }
    const auto inverse = koine::pow(z, -1).to_vector<std::complex<float>>();
    CHECK(inverse[2] == std::complex<float>(0, 1));
    CHECK(std::abs(inverse[0] - std::complex<float>(0.4f, -0.2f)) < 1e-7f);
  });
}

TEST_CASE("a NaN divided by an imaginary number is a NaN in both parts, as it is in NumPy") {
  on_each_device([] {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::complex<float> z : {std::complex<float>(nan, 0), {0, nan}, {nan, nan}, {nan, 2}}) {
      const auto quotient = (koine::asarray(std::vector{z}) / std::complex<float>(0, 4)).item<std::complex<float>>();
      CHECK(std::isnan(quotient.real()));
      CHECK(std::isnan(quotient.imag()));
    }
  });
}

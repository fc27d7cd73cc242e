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

TEST_CASE("powers with large exponents keep their digits") {
  struct Row {
    std::complex<long double> base, exponent, power;
  };
  const auto check = []<class P>(const std::vector<Row>& rows, P) {
    using C = std::complex<P>;
    std::vector<C> bases, exponents;
    for (const Row& row : rows) bases.emplace_back(row.base), exponents.emplace_back(row.exponent);
    const auto got = koine::pow(koine::asarray(bases), koine::asarray(exponents)).template to_vector<C>();
    const bool in_double = sizeof(P) == 4 && koine::default_device().has_fp64();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CAPTURE(bases[i]);
      CAPTURE(exponents[i]);
      // An imaginary exponent magnifies what the rounding of the logarithm loses.
      const auto turns = static_cast<double>(std::abs(rows[i].exponent.imag()));
      const Tolerance tolerance{.ulps = in_double ? 1 : 4 + 8 * turns, .zero_sign = false};
      CHECK(near<P>(std::complex<long double>(got[i]), rows[i].power, tolerance, true));
    }
  };
  std::vector<Row> singles, doubles;
#define KN_GOLDEN(type, a, b, c, d, real, imag) \
  (sizeof(type) == 4 ? singles : doubles).push_back({{a, b}, {c, d}, {real, imag}});
#include "golden/complex_pow.inc"
#undef KN_GOLDEN
  CHECK(singles.size() == 60);
  on_each_device([&] { check(singles, 0.0f); });
  on_each_device(koine::float64, [&] { check(doubles, 0.0); });
}

TEST_CASE("the sign of a complex zero is 0, whatever the signs of its parts") {
  on_each_device([] {
    const std::vector<std::complex<float>> zeros = {{0, 0}, {0, -0.0f}, {-0.0f, 0}, {-0.0f, -0.0f}};
    for (const std::complex<float> z : koine::sign(koine::asarray(zeros)).to_vector<std::complex<float>>()) {
      CHECK(z == std::complex<float>(0));
      CHECK_FALSE(std::signbit(z.real()));
      CHECK_FALSE(std::signbit(z.imag()));
    }
  });
}

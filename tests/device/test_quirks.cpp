// SPDX-License-Identifier: Apache-2.0
// What drivers are known to get wrong comes out right.
#include <doctest/doctest.h>

#include <koine/koine.hpp>

#include "support/allowances.hpp"
#include "support/devices.hpp"
#include "support/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <utility>
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
  std::vector<T> x = {-INFINITY};
  for (int pole = -last; pole < 0; ++pole) {
    x.push_back(std::nextafter(T(pole), T(-INFINITY)));
    x.push_back(T(pole));
    x.push_back(std::nextafter(T(pole), T(0)));
    x.push_back(T(pole) + T(0.25));
    x.push_back(T(pole) - T(0.5));
  }
  const std::vector<T> y = kn::tgamma(kn::asarray(x)).template to_vector<T>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(x[i]);
    CHECK(kn::test::near<T>(y[i], std::tgamma(static_cast<long double>(x[i])), {.ulps = 16}));
  }
}

}  // namespace

TEST_CASE("tgamma beside its poles, where results are subnormal, and zeros of their sign where they are too small") {
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
        CHECK(kn::signbit(x).template to_vector<bool>() == std::vector<bool>(count, true));
        CHECK(y.template to_vector<float>() == std::vector<float>(count, -1));
        // From an odd element on, which rules out wide loads.
        if (count > 1)
          CHECK(kn::signbit(x(kn::slice(1, kn::none))).template to_vector<bool>() ==
                std::vector<bool>(count - 1, true));
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

namespace {

/// f of rising arguments never falls, and is `last` in the end: from x = `from` on at the latest.
template <class T, class F>
void check_saturates(F f, double from, double last) {
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  CAPTURE(kn::name(kn::dtype_of<T>));
  for (const std::size_t count : {std::size_t{1}, std::size_t{16 * 1024}}) {  // one by one, and as vectors
    // Up to there, from there on, and at the end, all by the same kernel.
    std::vector<T> below, wide;
    for (std::size_t i = 0; i < count; ++i) {
      const double step = static_cast<double>(i) / static_cast<double>(count);
      below.push_back(kn::test::from_wide<T>(step * from));
      wide.push_back(kn::test::from_wide<T>((1 + step) * from));
    }
    const auto values = [&](const std::vector<T>& x) { return f(kn::asarray(x)).template to_vector<double>(); };
    CHECK(std::ranges::is_sorted(values(below)));
    CHECK(values(wide) == std::vector<double>(count, last));
    CHECK(values(std::vector<T>(count, kn::test::from_wide<T>(INFINITY))) == std::vector<double>(count, last));
  }
}

template <class T>
void check_saturating(double digits) {
  const double tanh_end = (digits + 2) / 2 * std::log(2.0) + 0.05;
  check_saturates<T>([](const kn::Array& x) { return kn::tanh(x); }, tanh_end, 1);
  check_saturates<T>([](const kn::Array& x) { return -kn::tanh(-x); }, tanh_end, 1);
  check_saturates<T>([](const kn::Array& x) { return kn::sigmoid(x); }, 2 * tanh_end, 1);
  check_saturates<T>([](const kn::Array& x) { return -kn::expm1(-x); }, 2 * tanh_end, 1);
  check_saturates<T>([](const kn::Array& x) { return kn::erf(x); }, std::sqrt(2 * tanh_end), 1);
  check_saturates<T>([](const kn::Array& x) { return kn::erfc(-x); }, std::sqrt(2 * tanh_end), 2);
}

/// The two zeros of lgamma between the poles -n and -n + 1, by bisection.
std::pair<long double, long double> zeros_of_lgamma(int n) {
  const auto between = [](long double above, long double below) {  // where lgamma is so
    for (int i = 0; i < 200; ++i) {
      const long double middle = (above + below) / 2;
      (std::lgamma(middle) > 0 ? above : below) = middle;
    }
    return below;
  };
  const long double pole = -n, low = n == 3 ? -2.6L : pole + 0.5L;
  return {between(pole, low), between(pole + 1, low)};
}

/// lgamma of x and of eight neighbours to each side.
template <class T>
void check_lgamma_around(long double x, double relative, double absolute) {
  std::vector<T> points = {static_cast<T>(x)};
  for (const T end : {T(-100), T(100)}) {
    T point = static_cast<T>(x);
    for (int i = 0; i < 8; ++i) points.push_back(point = std::nextafter(point, end));
  }
  const std::vector<T> got = kn::lgamma(kn::asarray(points)).template to_vector<T>();
  for (std::size_t i = 0; i < points.size(); ++i) {
    CAPTURE(points[i]);
    const long double p = points[i], larger = std::max(1.0L, std::abs(std::lgamma(std::abs(p))));
    CHECK(kn::test::near<T>(got[i], std::lgamma(p),
                            {.ulps = relative, .absolute = absolute * larger * kn::test::epsilon<T>()}));
  }
}

}  // namespace

TEST_CASE("functions that approach a value reach it, and never turn back") {
  kn::test::on_each_device([] {
    check_saturating<float>(24);
    if (!kn::test::without_variants("float16, bfloat16 and float64")) {
      check_saturating<kn::float16_t>(11);
      check_saturating<kn::bfloat16_t>(8);
      check_saturating<double>(53);
    }
    const auto z =
        kn::tanh(kn::array({std::complex<float>(9.5f, 0), std::complex<float>(-20, 2), std::complex<float>(9.5f, -3)}));
    const auto parts = z.to_vector<std::complex<float>>();
    CHECK(parts[0] == std::complex<float>(1, 0));
    CHECK(parts[1].real() == -1);
    CHECK(parts[2].real() == 1);
    CHECK(parts[2].imag() == doctest::Approx(std::tanh(std::complex<double>(9.5, -3)).imag()).epsilon(1e-6));
    CHECK(kn::atan(kn::array({3e9f, INFINITY})).to_vector<float>() == std::vector<float>(2, 1.57079632679489662f));
  });
}

TEST_CASE("lgamma near its zeros") {
  // Below 0 within four units of the larger of 1 and lgamma(-x).
  kn::test::on_each_device([] {
    for (const int zero : {1, 2}) check_lgamma_around<float>(zero, 4, 0);
    for (int n = 3; n <= 14; ++n) {
      const auto [first, second] = zeros_of_lgamma(n);
      for (const long double zero : {first, second}) check_lgamma_around<float>(zero, 4, 4);
    }
  });
  kn::test::on_each_device(kn::float64, [] {
    for (const int zero : {1, 2}) check_lgamma_around<double>(zero, 4, 0);
    for (int n = 3; n <= 20; ++n) {
      const auto [first, second] = zeros_of_lgamma(n);
      for (const long double zero : {first, second}) check_lgamma_around<double>(zero, 4, 4);
    }
  });
}

// SPDX-License-Identifier: Apache-2.0
// Transforms, complex functions and factorisations in reproducible scopes: what a card's kernels give has the bits of
// what a CPU's do.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fourier.hpp"
#include "support/matrix_stacks.hpp"
#include "support/vendor_layer.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;

namespace {

using Function = std::function<Array(const Array&)>;

/// A function of numbers on the card and on the CPU that are played.
template <class T>
void check_same_bits(const std::string& what, const std::vector<T>& values, const Shape& shape,
                     const Function& function) {
  CAPTURE(what);
  std::vector<std::vector<std::complex<double>>> results;
  for (const char* const device : {"amd", "pocl"}) {
    const kn::DeviceScope scope{kn::Device(device)};
    const kn::reproducible reproducible;
    const Array result = function(kn::asarray(values, shape));
    results.push_back(result.to_vector<std::complex<double>>());
  }
  REQUIRE(results[0].size() == results[1].size());
  const auto same = [](double a, double b) {  // but for the signs of NaN, which differ between devices
    return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b;
  };
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = results[0].size(); i-- > 0;) {
    const auto a = results[0][i], b = results[1][i];
    if (!same(a.real(), b.real()) || !same(a.imag(), b.imag())) ++wrong, first = i;
  }
  CHECK_MESSAGE(wrong == 0, wrong, " differ, the first at ", first);
}

template <class T = float>
auto complex_noise(const Shape& shape) {
  return kn::test::complex_noise<T>(shape.elements(), 7);
}
auto real_noise(const Shape& shape) { return kn::test::noise<float>(shape.elements(), 7); }

}  // namespace

TEST_CASE("child: bits of transforms" * doctest::skip()) {
  const Function fft = [](const Array& x) { return kn::fft::fft(x); };
  check_same_bits("one step of several radices", complex_noise({3, 1320}), {3, 1320}, fft);
  check_same_bits("groups of several lines", complex_noise({37, 256}), {37, 256}, fft);
  check_same_bits("two steps", complex_noise({8192}), {8192}, fft);
  check_same_bits("an inverse one, whose parts change places in the first step and in the last", complex_noise({8192}),
                  {8192}, [](const Array& x) { return kn::fft::ifft(x); });
  check_same_bits("a forward one that is scaled", complex_noise({3, 256}), {3, 256},
                  [](const Array& x) { return kn::fft::fft(x, {.norm = "ortho"}); });
  check_same_bits("an inverse one that is not", complex_noise({3, 256}), {3, 256},
                  [](const Array& x) { return kn::fft::ifft(x, {.norm = "forward"}); });
  check_same_bits("a convolution", complex_noise({2, 17}), {2, 17}, fft);
  check_same_bits("two steps of lines side by side", complex_noise({1100, 3}), {1100, 3},
                  [](const Array& x) { return kn::fft::fft(x, {.axis = 0}); });
  check_same_bits("code around transforms", complex_noise({3, 90}), {3, 90}, [](const Array& x) {
    const Array window = kn::asarray(real_noise({90}));
    return kn::square(kn::abs(kn::fft::ifft(kn::fft::fft(x * window) * (x + 1))));
  });
  check_same_bits("a half and back", real_noise({2, 30}), {2, 30},
                  [](const Array& x) { return kn::fft::irfft(kn::fft::rfft(x)); });
}

TEST_CASE("child: bits of a long line" * doctest::skip()) {
  check_same_bits("a line in halves", complex_noise<double>({4096}), {4096},
                  [](const Array& x) { return kn::fft::fft(x); });
}

TEST_CASE("child: bits of columns in halves" * doctest::skip()) {
  check_same_bits("four columns in a group, and one in the last", complex_noise<double>({1024, 21}), {1024, 21},
                  [](const Array& x) { return kn::fft::fft(x, {.axis = 0}); });
}

TEST_CASE("transforms have the same bits on a card and on a CPU") {
  kn::test::check_played("amd;pocl", "child: bits of transforms");
  kn::test::check_played("amd;pocl", "child: bits of a long line");
  kn::test::check_played("amd;pocl,small_local", "child: bits of a long line");  // in global memory
  // A card of many units takes fewer columns in a group rather than leaving units idle.
  kn::test::check_played("amd,few_units;pocl", "child: bits of columns in halves");
}

TEST_CASE("child: bits of complex functions" * doctest::skip()) {
  // A card computes one number at a time, a CPU vectors of them.
  const auto check = []<class T>(T) {
    constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    std::vector<std::complex<T>> values;
    for (const T x : {T(0), T(-0.0), T(1), T(-95), T(800), T(1e6), most, -least, infinity, -infinity, nan}) {
      for (const T y : {T(0), T(-0.0), T(2), T(-400), T(1e30), most, least, infinity, -infinity, nan}) {
        values.emplace_back(x, y);
        values.emplace_back(y, x);
      }
    }
    std::size_t number = 0;
    for (const std::complex<T> z : complex_noise<T>({3001})) {
      const int exponent = static_cast<int>(number++ % 8) < 6 ? 1 : static_cast<int>(number % 200) - 100;
      values.push_back(std::complex<T>(std::ldexp(z.real(), exponent), z.imag()));
    }
    const Function all = [](const Array& z) {
      const Array w = kn::flip(z, 0) + kn::roll(z, 3, 0), real = kn::real(z) + kn::zeros_like(z);
      // Side by side, so that results are stored apart.
      return kn::stack(
          {kn::exp(z), kn::log(z), kn::log2(z), kn::sqrt(z), kn::reciprocal(z), z / w, z / real, z * w,
           kn::where(z == w, z, w), kn::sin(z), kn::cos(z), kn::tan(z), kn::sinh(z), kn::cosh(z), kn::tanh(z)},
          {.axis = 1});
    };
    const Shape shape{static_cast<std::int64_t>(values.size())};
    check_same_bits("functions", values, shape, all);
  };
  check(0.0f);
  check(0.0);
}

TEST_CASE("complex functions have the same bits on a card and on a CPU") {
  kn::test::check_played("amd;pocl", "child: bits of complex functions");
}

TEST_CASE("child: bits of factorisations" * doctest::skip()) {
  const Shape shape = {2, 70, 70};
  const std::vector<float> square = real_noise(shape);
  check_same_bits("solve", square, shape,
                  [](const Array& x) { return kn::linalg::solve(x, x(kn::ellipsis, kn::slice(3))); });
  check_same_bits("qr", square, shape, [](const Array& x) { return kn::linalg::qr(x).Q; });
  const auto definite = [](const Shape& of) { return kn::test::definite(of, kn::float32).to_vector<float>(); };
  const Function cholesky = [](const Array& x) { return kn::linalg::cholesky(x); };
  check_same_bits("cholesky", definite(shape), shape, cholesky);
  // Several in a group.
  const Shape small = {23, 5, 5};
  const std::vector<float> several = real_noise(small);
  check_same_bits("small solve", several, small,
                  [](const Array& x) { return kn::linalg::solve(x, x(kn::ellipsis, kn::slice(3))); });
  check_same_bits("small cholesky", definite(small), small, cholesky);
  check_same_bits("small triangles", several, small,
                  [](const Array& x) { return kn::linalg::solve_triangular(x(3), x, {.lower = true}); });
  if (kn::test::without_variants("what is made of small factors")) return;
  check_same_bits("small inv", several, small, [](const Array& x) { return kn::linalg::inv(x); });
  check_same_bits("small lu", several, small, [](const Array& x) { return kn::linalg::lu(x).U; });
}

TEST_CASE("factorisations have the same bits on a card and on a CPU") {
  kn::test::check_played("amd;pocl", "child: bits of factorisations");
}

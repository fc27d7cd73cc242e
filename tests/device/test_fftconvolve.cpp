// SPDX-License-Identifier: Apache-2.0
// Convolution by Fourier transforms, asked for or chosen by size, against sums in long double.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fourier.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;
using kn::test::WideComplex;

namespace {

using Wide = std::vector<WideComplex>;

/// Elements [first, first + count) of the full convolution.
Wide convolved(const Wide& x, const Wide& y, std::int64_t first, std::int64_t count) {
  Wide result(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t at = first + k, m = static_cast<std::int64_t>(x.size()), n = static_cast<std::int64_t>(y.size());
    for (std::int64_t i = std::max<std::int64_t>(0, at - n + 1); i < std::min(m, at + 1); ++i) {
      result[static_cast<std::size_t>(k)] += x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(at - i)];
    }
  }
  return result;
}

/// Noise of T, which is real or complex.
template <class T>
std::vector<T> noise_of(std::int64_t count, unsigned seed) {
  if constexpr (std::is_floating_point_v<T>) {
    return kn::test::noise<T>(count, seed);
  } else {
    return kn::test::complex_noise<typename T::value_type>(count, seed);
  }
}
template <class T>
using RealOf = decltype(std::abs(T()));

/// The distance of `got` from `want`, as a part of what the norms of both inputs allow for.
template <class T>
bool near(const Array& got, const Wide& want, std::int64_t n) {
  CHECK(got.dtype() == kn::dtype_of<T>);
  return kn::test::part_of_bound<RealOf<T>>(kn::test::widened_list<T>(got), want, n) <= 3;
}

template <class T>
void check_modes(std::int64_t m, std::int64_t n) {
  CAPTURE(m);
  CAPTURE(n);
  const std::vector<T> a = noise_of<T>(m, 1), b = noise_of<T>(n, 2);
  const Wide x(a.begin(), a.end()), y(b.begin(), b.end());
  const Array p = kn::asarray(a), q = kn::asarray(b);
  const std::int64_t less = std::min(m, n), more = std::max(m, n);
  CHECK(near<T>(kn::fftconvolve(p, q), convolved(x, y, 0, m + n - 1), m + n));
  CHECK(near<T>(kn::fftconvolve(p, q, {.mode = "same"}), convolved(x, y, (n - 1) / 2, m), m + n));
  CHECK(near<T>(kn::fftconvolve(p, q, {.mode = "valid"}), convolved(x, y, less - 1, more - less + 1), m + n));
}

}  // namespace

TEST_CASE("convolution by transforms") {
  on_each_device([] {
    for (const auto& [m, n] : {std::pair{1, 1}, {1, 9}, {9, 1}, {2, 2}, {7, 4}, {4, 7}, {100, 30}, {257, 256}}) {
      check_modes<float>(m, n);
    }
    check_modes<std::complex<float>>(40, 17);
    if (!kn::test::computes(kn::float64)) return;
    check_modes<double>(1000, 3);
    check_modes<std::complex<double>>(3, 30);
  });
}

TEST_CASE("convolution along some axes and along all") {
  on_each_device([] {
    const Array x = kn::asarray(kn::test::noise<float>(3 * 6 * 7, 3), {3, 6, 7});
    const Array y = kn::asarray(kn::test::noise<float>(3 * 2 * 9, 4), {3, 2, 9});
    const auto line = [](const Array& a, std::int64_t i, std::int64_t j) {
      return kn::test::widened_list<float>(a(i, j));
    };
    // Along the last axis, each row with a row of the other; the first array's only row of an axis stands for all.
    const Array rows = kn::fftconvolve(x(kn::all, kn::slice(1)), y, {.axes = -1});
    REQUIRE(rows.shape() == Shape{3, 2, 15});
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 2; ++j) {
        CHECK(near<float>(rows(i, j), convolved(line(x, i, 0), line(y, i, j), 0, 15), 15));
      }
    }
    // Along two, which is the sum of convolutions of rows.
    for (const std::string mode : {"full", "same", "valid"}) {
      CAPTURE(mode);
      const Array got = kn::fftconvolve(x, y, {.mode = mode, .axes = {1, 2}});
      const std::int64_t first = mode == "full" ? 0 : mode == "same" ? 0 : 1, count = mode == "full" ? 7 : 6 - first;
      const std::int64_t at = mode == "full" ? 0 : mode == "same" ? 4 : 6;
      const std::int64_t width = mode == "full" ? 15 : mode == "same" ? 7 : 3;
      REQUIRE(got.shape() == Shape{3, count, width});
      Wide want;
      for (std::int64_t i = 0; i < 3; ++i) {
        for (std::int64_t k = first; k < first + count; ++k) {
          Wide sum(static_cast<std::size_t>(width));
          for (std::int64_t j = 0; j < 2; ++j) {
            if (k - j < 0 || k - j >= 6) continue;
            const Wide part = convolved(line(x, i, k - j), line(y, i, j), at, width);
            std::transform(sum.begin(), sum.end(), part.begin(), sum.begin(), std::plus<>());
          }
          want.insert(want.end(), sum.begin(), sum.end());
        }
      }
      CHECK(near<float>(got, want, 64));
    }
  });
}

TEST_CASE("types, arrays without axes, and pending ones") {
  on_each_device([] {
    const Array whole = kn::array({1, 2, 3}), ones = kn::ones({2}, {.dtype = kn::int32});
    CHECK(kn::fftconvolve(whole, ones).dtype() == kn::float32);
    kn::test::check_array<float>(kn::round(kn::fftconvolve(whole + 0, ones * 2)), {4}, {2, 6, 10, 6});
    kn::test::check_array<kn::float16_t>(
        kn::fftconvolve(whole.astype(kn::float16), ones.astype(kn::float16)), {4},
        {kn::float16_t(1.0f), kn::float16_t(3.0f), kn::float16_t(5.0f), kn::float16_t(3.0f)});
    CHECK(kn::fftconvolve(kn::asarray(2.0f), kn::asarray(3.0f)).item<float>() == 6);
    CHECK(kn::fftconvolve(kn::ones({0, 3}), kn::ones({1, 2}), {.axes = 1}).shape() == Shape{0, 4});
  });
}

TEST_CASE("convolve and correlate choose by size") {
  on_each_device([] {
    const auto steps = [](const Array& result) {
      const auto before = kn::test::activity_of();
      result.eval();
      return kn::test::activity_of().launches - before.launches;
    };
    const std::vector<float> a = kn::test::noise<float>(2000, 5), b = kn::test::noise<float>(600, 6);
    const std::vector<std::complex<float>> c = kn::test::complex_noise<float>(600, 7);
    const Wide x(a.begin(), a.end()), y(b.begin(), b.end());
    const Array p = kn::asarray(a), q = kn::asarray(b), z = kn::asarray(c);
    CHECK(steps(kn::convolve(p, q)) > 1);
    CHECK(near<float>(kn::convolve(p, q), convolved(x, y, 0, 2599), 2599));
    CHECK(near<float>(kn::convolve(q, p, {.mode = "same"}), convolved(x, y, 299, 2000), 2599));
    CHECK(near<float>(kn::convolve(p, q, {.mode = "valid"}), convolved(x, y, 599, 1401), 2599));
    Wide turned;
    for (auto i = c.rbegin(); i != c.rend(); ++i) turned.push_back(std::conj(WideComplex(*i)));
    CHECK(near<std::complex<float>>(kn::correlate(p, z, {.mode = "full"}), convolved(x, turned, 0, 2599), 2599));
    const Wide backwards(turned.rbegin(), turned.rend()), flipped(x.rbegin(), x.rend());
    Wide other;
    for (const WideComplex& value : backwards) other.push_back(std::conj(value));
    CHECK(near<std::complex<float>>(kn::correlate(z, p, {.mode = "same"}), convolved(other, flipped, 300, 2000), 2599));
    // Integers and reproducible scopes have sums, in one kernel.
    const Array whole = kn::asarray(std::vector<std::int32_t>(2000, 3)).eval();
    CHECK(kn::array_equal(kn::convolve(whole, whole, {.mode = "valid"}), kn::array({18000})));
    const kn::reproducible scope;
    CHECK(near<float>(kn::convolve(p, q, {.mode = "valid"}), convolved(x, y, 599, 1401), 2));
    CHECK(steps(kn::convolve(p, q, {.mode = "valid"})) <= 1);
  });
}

TEST_CASE("what fftconvolve cannot take") {
  const Array x = kn::ones({3}), grid = kn::ones({2, 3}), none = kn::ones({0});
  CHECK(message_of<kn::ShapeError>([&] { kn::fftconvolve(grid, x); }) ==
        "[fftconvolve] shapes (2, 3) and (3,) must have as many axes");
  CHECK(message_of<kn::ValueError>([&] { kn::fftconvolve(x, none); }) ==
        "[fftconvolve] got shapes (3,) and (0,); each must have one element at least along axis 0");
  CHECK(has(message_of<kn::ValueError>([&] { kn::fftconvolve(x, x, {.mode = "half"}); }), "mode is \"half\""));
  CHECK(has(message_of<kn::ShapeError>([&] {
              kn::fftconvolve(grid, kn::ones({3, 3}), {.axes = 1});
            }),
            "[fftconvolve]"));
  CHECK(has(message_of<kn::IndexError>([&] { kn::fftconvolve(x, x, {.axes = 1}); }), "[fftconvolve]"));
}

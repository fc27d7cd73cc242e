// SPDX-License-Identifier: Apache-2.0
// Fourier transforms: lengths of all factors, primes, batches along any axis, real ones, sizes and norms, against sums
// in long double and signals whose transforms are known.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fourier.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;
using C = std::complex<float>;

TEST_CASE("transforms are sums") {
  on_each_device([] {
    for (std::int64_t n = 1; n <= 17; ++n) {
      kn::test::check_sums<float>(n);
      kn::test::check_real_sums<float>(n);
    }
    for (const std::int64_t n : {22, 26, 32, 49, 64, 97, 100, 121, 128, 169, 243, 625, 1000, 1009, 1024}) {
      kn::test::check_sums<float>(n);
    }
    for (const std::int64_t n : {64, 97, 128, 1000, 1009}) kn::test::check_real_sums<float>(n);
    if (!kn::test::computes(kn::float64)) return;
    for (const std::int64_t n : kn::test::usual_and<std::int64_t>({1, 30, 97, 1024}, {2, 128, 1001, 2187})) {
      kn::test::check_sums<double>(n);
    }
    for (const std::int64_t n : kn::test::usual_and<std::int64_t>({30, 97}, {1, 2, 1024})) {
      kn::test::check_real_sums<double>(n);
    }
  });
}

TEST_CASE("every length up to 300" * doctest::skip(!kn::test::exhaustive())) {
  on_each_device(kn::float64, [] {
    for (std::int64_t n = 1; n <= 300; ++n) {
      kn::test::check_sums<float>(n);
      kn::test::check_real_sums<double>(n);
    }
    for (const std::int64_t n : {2187, 4096, 4097}) kn::test::check_sums<double>(n);
  });
}

TEST_CASE("long transforms of known signals") {
  on_each_device([] {
    for (const std::int64_t n : {4096, 4097, 8192, 65536, 105000}) kn::test::check_known<float>(n);
    if (!kn::test::computes(kn::float64)) return;
    for (const std::int64_t n : {2048, 4096, 4097, 8192, 30030}) kn::test::check_known<double>(n);
    // A convolution that a card computes in one kernel, in halves.
    kn::test::check_sums<double>(1201);
  });
}

TEST_CASE("three steps" * doctest::skip(!kn::test::exhaustive())) {
  on_each_device(kn::float64, [] {
    kn::test::check_known<double>(std::int64_t{1} << 23);
    kn::test::check_known<float>(std::int64_t{1} << 25);
  });
}

TEST_CASE("more groups of complex128 than a card has units") {
  on_each_device(kn::float64, [] {
    const std::int64_t n = 1024, lines = 300;
    const kn::test::KnownSignal<double> signal(n);
    const Array line = kn::reshape(kn::asarray(signal.given), {n, 1});
    const Array got = kn::fft::fft((line * kn::ones({lines}, {.dtype = kn::float64})).eval(), {.axis = 0});
    for (const std::int64_t at : {std::int64_t{0}, lines / 2, lines - 1}) {
      const Array its = got(kn::all, at).copy();
      CHECK(kn::test::part_of_bound<double>(kn::test::widened_list<std::complex<double>>(its), signal.values, n) <= 1);
    }
    CHECK(kn::all(got == got(kn::all, kn::slice(1))).item<bool>());
  });
}

TEST_CASE("lines of a batch along any axis, cut off and continued") {
  on_each_device([] {
    for (const std::int64_t n : {5, 12, 19}) {
      for (const std::int64_t axis : {0, 1, 2}) kn::test::check_lines<float>({12, 12, 12}, axis, n);
    }
    kn::test::check_lines<float>({3, 40}, 1, 40, 1);
    kn::test::check_lines<float>({40, 3}, 0, 40, 2);
    kn::test::check_lines<float>({2, 33, 17}, 1, 33, 3);
    kn::test::check_lines<float>({70, 2}, 0, 70, 2);
    kn::test::check_lines<float>({37, 256}, 1, 256);
    // More than local memory holds, beside other axes.
    if (kn::test::computes(kn::float64)) kn::test::check_lines<double>({2, 600, 3}, 1, 2058);
    kn::test::check_lines<float>({2, 2100}, 1, 2111);
  });
}

TEST_CASE("axes and sizes") {
  on_each_device([] {
    const auto values = kn::test::complex_noise<float>(6 * 7 * 8, 3);
    const Array x = kn::asarray(values, {6, 7, 8});
    const Array want = kn::fft::fft(kn::fft::fft(kn::fft::fft(x), {.axis = 1}), {.axis = 0});
    const auto near = [](const Array& a, const Array& b) {
      REQUIRE(a.shape() == b.shape());
      const std::vector<C> got = a.to_vector<C>(), all = b.to_vector<C>();
      float off = 0, most = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        off = std::max(off, std::abs(got[i] - all[i]));
        most = std::max(most, std::abs(all[i]));
      }
      return off <= 1e-5f * most;
    };
    CHECK(near(kn::fft::fftn(x), want));
    CHECK(near(kn::fft::ifftn(want), x));
    CHECK(near(kn::fft::fftn(x, {.axes = {0, 2}}), kn::fft::fft(kn::fft::fft(x), {.axis = 0})));
    const Array sized = kn::fft::fft(kn::fft::fft(x, {.n = 4, .axis = 0}), {.n = 9, .axis = 2});
    CHECK(near(kn::fft::fftn(x, {.s = Shape{9, 4}, .axes = {-1, 0}}), sized));
    CHECK(near(kn::fft::fftn(x, {.s = Shape{-1, 9}}), kn::fft::fft(kn::fft::fft(x, {.n = 9}), {.axis = 1})));
    CHECK(near(kn::fft::fft2(x), kn::fft::fftn(x, {.axes = {1, 2}})));
    CHECK(near(kn::fft::ifft2(x), kn::fft::ifftn(x, {.axes = {1, 2}})));
    const Array r = kn::real(x);
    CHECK(near(kn::fft::rfftn(r), kn::fft::fftn(r)(kn::ellipsis, kn::slice(5))));
    CHECK(near(kn::fft::irfftn(kn::fft::rfftn(r)), r));
    CHECK(near(kn::fft::irfftn(kn::fft::rfftn(r, {.axes = {2, 1}}), {.s = Shape{8, 7}, .axes = {2, 1}}), r));
    CHECK(near(kn::fft::irfft2(kn::fft::rfft2(r), {.s = Shape{7, 8}}), r));
    CHECK(near(kn::fft::fftn(x, {.axes = Shape{}}), x));
  });
}

TEST_CASE("norms") {
  on_each_device([] {
    const Array x = kn::asarray(std::vector<C>{{1, 0}, {0, 0}, {0, 0}, {0, 0}});
    const auto flat = [](float height) { return std::vector<C>(4, C(height)); };
    check_array<C>(kn::fft::fft(x), {4}, flat(1));
    check_array<C>(kn::fft::fft(x, {.norm = "ortho"}), {4}, flat(0.5f));
    check_array<C>(kn::fft::fft(x, {.norm = "forward"}), {4}, flat(0.25f));
    check_array<C>(kn::fft::ifft(x), {4}, flat(0.25f));
    check_array<C>(kn::fft::ifft(x, {.norm = "ortho"}), {4}, flat(0.5f));
    check_array<C>(kn::fft::ifft(x, {.norm = "forward"}), {4}, flat(1));
    const Array r = kn::asarray(std::vector<float>{1, 0, 0, 0});
    check_array<C>(kn::fft::ihfft(r), {3}, std::vector<C>(3, C(0.25f)));
    check_array<float>(kn::fft::hfft(x(kn::slice(3))), {4}, {1, 1, 1, 1});
    check_array<float>(kn::fft::hfft(x(kn::slice(3)), {.norm = "forward"}), {4}, {0.25f, 0.25f, 0.25f, 0.25f});
  });
}

TEST_CASE("types") {
  on_each_device([] {
    const Array whole = kn::asarray(std::vector<std::int32_t>{1, 2, 3, 4});
    CHECK(kn::fft::fft(whole).dtype() == kn::complex64);
    CHECK(kn::fft::rfft(whole).dtype() == kn::complex64);
    CHECK(kn::fft::irfft(whole).dtype() == kn::float32);
    check_array<C>(kn::fft::fft(whole), {4}, {{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}});
    check_array<C>(kn::fft::fft(kn::asarray(std::vector<float>{1, 2, 3, 4}, kn::float16)), {4},
                   {{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}});
    if (!kn::test::computes(kn::float64)) return;
    CHECK(kn::fft::fft(whole.astype(kn::float64)).dtype() == kn::complex128);
    const kn::DTypeScope scope(kn::float64);
    CHECK(kn::fft::fft(whole).dtype() == kn::complex128);
  });
}

TEST_CASE("no elements, and what is not finite") {
  on_each_device([] {
    CHECK(kn::fft::fft(kn::zeros({0, 4}, kn::complex64)).shape() == Shape{0, 4});
    CHECK(kn::fft::rfft(kn::zeros({3, 0, 4}, kn::float32)).eval().shape() == Shape{3, 0, 3});
    check_array<C>(kn::fft::fft(kn::zeros({0}, kn::complex64), {.n = 2}), {2}, {0, 0});
    // A line's do not reach its neighbours.
    const float inf = std::numeric_limits<float>::infinity();
    std::vector<float> values(3 * 8, 1);
    values[8] = inf;
    values[17] = std::nanf("");
    const Array lines = kn::abs(kn::fft::rfft(kn::asarray(values, {3, 8})));
    check_array<float>(lines(0), {5}, {8, 0, 0, 0, 0});
    CHECK_FALSE(kn::any(kn::isfinite(lines(kn::slice(1, 3)))).item<bool>());
  });
}

TEST_CASE("an expression goes in and comes out") {
  on_each_device([] {
    const Array x = kn::asarray(std::vector<C>{{1, 0}, {2, 0}, {3, 0}, {4, 0}});
    const Array y = kn::fft::ifft(kn::fft::fft(x * 2) * kn::fft::fft(x - x + 1)) + 1;
    check_array<C>(y, {4}, std::vector<C>(4, C(21)));
  });
}

TEST_CASE("frequencies and shifts") {
  on_each_device([] {
    check_array<float>(kn::fft::fftfreq(5, {.d = 0.5}), {5}, {0, 0.4f, 0.8f, -0.8f, -0.4f});
    check_array<float>(kn::fft::fftfreq(4), {4}, {0, 0.25f, -0.5f, -0.25f});
    check_array<float>(kn::fft::rfftfreq(5), {3}, {0, 0.2f, 0.4f});
    check_array<float>(kn::fft::rfftfreq(4, {.d = 2}), {3}, {0, 0.125f, 0.25f});
    check_array<float>(kn::fft::fftshift(kn::fft::fftfreq(4)), {4}, {-0.5f, -0.25f, 0, 0.25f});
    const Array x = kn::test::numbered<float>({3, 4});
    check_array<float>(kn::fft::fftshift(x, {.axes = 0}), {3, 4}, {8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(kn::array_equal(kn::fft::ifftshift(kn::fft::fftshift(x)), x));
  });
}

TEST_CASE("wrong calls") {
  const Array x = kn::zeros({3, 4}, kn::complex64);
  const auto value = [](auto call) { return message_of<kn::ValueError>(call); };
  CHECK(value([&] { kn::fft::fft(x, {.n = 0}); }) ==
        "[fft] cannot transform 0 elements along axis 1 of shape (3, 4); it takes 1 or more");
  CHECK(has(value([&] { kn::fft::irfft(x(kn::ellipsis, kn::slice(1))); }), "[irfft] cannot transform 0 elements"));
  CHECK(value([] {
          kn::fft::rfft2(kn::zeros({0, 4}));
        }) == "[rfft2] cannot transform 0 elements along axis 0 of shape (0, 4); it takes 1 or more");
  // A prime: the tables of such a length would take more memory than most hosts have.
  CHECK(value([&] { kn::fft::fft(x, {.n = 999'999'937}); }) ==
        "[fft] cannot transform 999999937 elements: above 33554432 it takes products of 2, 3, 5, 7, 11 and 13 alone");
  CHECK(has(value([&] { kn::fft::fftn(x, {.axes = {0, -2}}); }), "names axis 0 twice"));
  CHECK(has(value([&] { kn::fft::fftn(x, {.s = Shape{2}, .axes = {0, 1}}); }), ".s has 1 sizes for 2 axes"));
  CHECK(has(value([&] { kn::fft::fft(x, {.norm = "none"}); }), "[fft]"));
  CHECK(has(value([&] { kn::fft::rfftn(kn::ones({2}), {.axes = Shape{}}); }), "got no axes"));
  CHECK(has(message_of<kn::IndexError>([&] { kn::fft::fft(x, {.axis = 2}); }), "[fft]"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::fft::rfft(x); }), "[rfft] takes real numbers"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::fft::fftfreq(4, {.dtype = kn::int32}); }), "[fftfreq]"));
  CHECK(has(value([&] { kn::fft::rfftfreq(0); }), "n is 0"));
}

// SPDX-License-Identifier: Apache-2.0
// Fourier transforms as host commands: whole lines in vectors, and long ones in two steps, with lanes left over in
// each, and real ones of even lengths in pairs.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fourier.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::on_each_device;

TEST_CASE("lines that vectors hold, and longer ones") {
  on_each_device(kn::float64, [] {
    for (const std::int64_t n : {1, 2, 3, 17, 64, 65, 97, 130, 143, 260, 1009}) {
      kn::test::check_sums<float>(n);
      kn::test::check_real_sums<double>(n);
    }
    for (const std::int64_t n : {30, 34, 66, 77, 202, 1000, 2018}) kn::test::check_real_sums<float>(n);
    for (const std::int64_t n : {4097, 65536, 105000}) kn::test::check_known<float>(n);
    for (const std::int64_t n : {4096, 10007}) kn::test::check_known<double>(n);
  });
}

TEST_CASE("lines of a batch") {
  on_each_device(kn::float64, [] {
    for (const std::int64_t lines : {3, 16, 35}) {
      for (const std::int64_t n : {5, 19, 40}) {
        kn::test::check_lines<float>({lines, 40}, 1, n);
        kn::test::check_lines<double>({40, lines}, 0, n);
      }
    }
    kn::test::check_lines<float>({20, 37}, 1, 38);
    kn::test::check_lines<float>({3, 20, 18}, 1, 20);
    kn::test::check_lines<float>({2, 23, 40}, 1, 23);
    // One line after the other in two steps, cut off and continued.
    kn::test::check_lines<float>({4, 300}, 1, 200);
    kn::test::check_lines<float>({2, 150}, 1, 301);
    kn::test::check_lines<double>({5, 150}, 1, 211);
    kn::test::check_lines<float>({2, 151}, 1, 300);
    kn::test::check_lines<float>({2, 151}, 1, 404);
  });
}

TEST_CASE("a line's infinities stay its own") {
  on_each_device([] {
    std::vector<std::complex<float>> values(32 * 20, 1);
    values[47] = std::numeric_limits<float>::infinity();
    const Array there = kn::fft::fft(kn::asarray(values, {32, 20}));
    const Array finite = kn::all(kn::isfinite(there), {.axis = 1});
    CHECK(kn::count_nonzero(finite).item<std::int64_t>() == 31);
    CHECK_FALSE(finite(2).item<bool>());
  });
}

TEST_CASE("where the results do not fit, that is said before there are tables, which would not fit either") {
  on_each_device([] {
    const Array x = kn::ones({3}, kn::float32);
    for (const Array& y :
         {kn::fft::rfft(x, {.n = std::int64_t{1} << 40}), kn::fft::fft(x, {.n = std::int64_t{1} << 40})}) {
      CHECK(kn::test::has(kn::test::message_of<kn::OutOfMemory>([&] { y.eval(); }), " TiB "));
    }
  });
}

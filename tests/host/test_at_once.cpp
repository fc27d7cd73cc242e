// SPDX-License-Identifier: Apache-2.0
// What the calling thread computes at the call from small arrays in memory, beside the bits of kernels and plain loops:
// interpolation, short convolutions, counts, additions at positions, and single numbers.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/host_steps.hpp"
#include "support/same_bits.hpp"

namespace kn = koine;
using kn::Array;
using kn::DType;
using kn::test::check_bits;
using kn::test::does_steps;
using kn::test::mixed;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("convolutions of few terms have the bits of kernels") {
  if (!does_steps()) return;
  for (const DType type : {kn::float32, kn::float64}) {
    for (const std::int64_t size : {1, 2, 4, 5, 8, 16, 17, 64, 65}) {
      CAPTURE(size);
      const Array x = mixed({100}, type), y = mixed({size}, type);
      for (const char* mode : {"full", "same", "valid"}) {
        CAPTURE(mode);
        check_bits(
            [&] {
              return std::vector{kn::convolve(x, y, {.mode = mode}), kn::correlate(y, x, {.mode = mode})};
            },
            0);
      }
    }
    const Array special = kn::asarray(std::vector{0.0, -0.0, infinity, 1.0, not_a_number, -1e30, 1e30}, type).eval();
    const Array minus = kn::asarray(std::vector{-0.0, -1.0}, type).eval();
    check_bits([&] { return std::vector{kn::convolve(special, minus), kn::convolve(minus, minus)}; }, 0);
  }
}

TEST_CASE("a small convolution is the sum of products") {
  const std::vector<double> x = {1, 2, 3, 4}, y = {1, 10, 100};
  const Array a = kn::asarray(x, kn::float32).eval(), b = kn::asarray(y, kn::float32).eval();
  kn::synchronize();
  CHECK(kn::convolve(a, b).to_vector<float>() == std::vector<float>{1, 12, 123, 234, 340, 400});
  CHECK(kn::convolve(b, a, {.mode = "valid"}).to_vector<float>() == std::vector<float>{123, 234});
  CHECK(kn::correlate(a, b, {.mode = "same"}).to_vector<float>() == std::vector<float>{210, 321, 432, 43});
}

TEST_CASE("interpolation has the bits of kernels") {
  if (!does_steps()) return;
  const std::vector<double> points = {-infinity, -3e38, -2, -0.0, 0.0, 1, 1, 1.25, 3e38, infinity},
                            heights = {1, -2, infinity, 4, 5, -infinity, 7, 3e38, -3e38, 2};
  std::vector<double> sought = {-infinity, infinity, not_a_number, -0.0, 0.0,  1,    1e-300,
                                1.1,       1.24,     1.25,         -2.5, 1e38, -1e38};
  for (int i = -40; i < 40; ++i) sought.push_back(i * 0.0625);
  for (const DType type : {kn::float32, kn::float64}) {
    const Array at = kn::asarray(sought, type).eval(), xp = kn::asarray(points, type).eval(),
                fp = kn::asarray(heights, type).eval(), mixed_up = kn::flip(xp).eval();
    check_bits([&] { return std::vector{kn::interp(at, xp, fp)}; }, 0);
    check_bits([&] { return std::vector{kn::interp(at, xp, fp, {.left = -7.0, .right = 8.0})}; }, 0);
    check_bits([&] { return std::vector{kn::interp(at, mixed_up, fp)}; }, 0);
    check_bits([&] { return std::vector{kn::interp(at(kn::slice(0, 20)), xp(kn::slice(2, 7)), fp(kn::slice(2, 7)))}; },
               0);
    const Array few = mixed({7}, type), rises = kn::cumulative_sum(kn::abs(few)).eval();
    check_bits([&] { return std::vector{kn::interp(at, rises, few, {.period = 3.5})}; }, 0);
    check_bits([&] { return std::vector{kn::interp(at, xp(kn::slice(2, 3)), fp(kn::slice(3, 4)))}; }, 0);
  }
}

TEST_CASE("small interpolations go along straight lines") {
  const Array xp = kn::asarray({0.0, 1.0, 3.0}).eval(), fp = kn::asarray({1.0, 2.0, -2.0}).eval();
  const Array at = kn::asarray({-1.0, 0.25, 1.0, 2.5, 4.0}).eval();
  kn::synchronize();
  CHECK(kn::interp(at, xp, fp).to_vector<double>() == std::vector{1.0, 1.25, 2.0, -1.0, -2.0});
}

TEST_CASE("values added at positions that differ have the bits of exact sums") {
  if (!does_steps()) return;
  const Array x = mixed({50}, kn::float32), terms = mixed({6}, kn::float32);
  const Array at = kn::asarray({3, -1, 0, 17, 49 - 7, 20}).eval();
  const auto added = [&](const Array& to, const Array& where, const kn::Operand& values) {
    Array sum = to.copy().eval();
    kn::synchronize();
    sum.at(where).add(values);
    return std::vector{sum};
  };
  check_bits([&] { return added(x, at, terms); }, 0);
  check_bits([&] { return added(x, at, 0.1); }, 0);
  // Halfway between two numbers, and what cancels; with zeros of both signs.
  const Array edges =
      kn::asarray(std::vector{1.0, 1.0000001192092896, 1.0, -1.0, -0.0, 0.0, 1e-45, 3e38, -infinity}, kn::float32)
          .eval();
  const Array beside = kn::asarray(std::vector{5.9604644775390625e-08, 5.9604644775390625e-08, -2.98e-08, 1.0, -0.0,
                                               -0.0, -1e-45, 3e38, infinity},
                                   kn::float32)
                           .eval();
  const Array all = kn::arange(9).eval();
  check_bits([&] { return added(edges, all, beside); }, 0);
  const Array wide = mixed({50}, kn::float64), wide_terms = mixed({6}, kn::float64);
  check_bits([&] { return added(wide, at, wide_terms); }, 0);
}

TEST_CASE("values added at positions, beside a plain loop") {
  const std::vector<std::int32_t> start = {10, 20, 30, 40, 2147483647};
  Array x = kn::asarray(start).eval();
  const Array other = x, ones = kn::asarray(std::vector<std::int32_t>{1, 2, 3}).eval();
  kn::synchronize();
  x.at(kn::asarray({4, 0, -2})).add(ones);  // who else holds the values keeps them
  CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>{12, 20, 30, 43, std::int32_t{-2147483647} - 1});
  CHECK(other.to_vector<std::int32_t>() == start);
  x.at(kn::asarray({1, 1, -4})).add(ones);  // twice, and once from the end: all of them
  CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>{12, 26, 30, 43, std::int32_t{-2147483647} - 1});
  const Array uncounted = kn::asarray({0, 2}).eval();
  x.at(uncounted).add(7);
  x.at(uncounted).add(x(kn::slice(0, 2)));  // a part of the array itself
  CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>{38, 26, 63, 43, std::int32_t{-2147483647} - 1});
  CHECK_THROWS_AS(x.at(uncounted).add(ones), kn::ShapeError);
  CHECK(x(kn::slice(0, 4)).to_vector<std::int32_t>() == std::vector<std::int32_t>{38, 26, 63, 43});
  Array wrong = x;
  wrong.at(kn::asarray({0, 5}).eval()).add(1);
  CHECK_THROWS_AS((void)wrong.to_vector<std::int32_t>(), kn::IndexError);
}

TEST_CASE("short products with vectors have the bits of kernels") {
  if (!does_steps()) return;
  const Array a = mixed({5, 4}, kn::float32), v = mixed({4}, kn::float32), w = mixed({5}, kn::float32);
  check_bits([&] { return std::vector{kn::matmul(a, v), kn::matmul(w, a), kn::matmul(v, v)}; }, 0);
  const Array many = mixed({3, 5, 4}, kn::float32);
  CHECK(kn::matmul(many, v).shape() == kn::Shape{3, 5});
  CHECK(kn::matmul(w, many).shape() == kn::Shape{3, 4});
  CHECK(kn::matmul(v, v).shape() == kn::Shape{});
}

TEST_CASE("counts of few integers") {
  const Array x = kn::asarray({3, 0, 3, 9, 3}).eval();
  kn::synchronize();
  CHECK(kn::bincount(x).to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 0, 0, 3, 0, 0, 0, 0, 0, 1});
  CHECK(kn::bincount(x, {.minlength = 12}).size() == 12);
  CHECK(kn::bincount(kn::asarray({5000}).eval()).size() == 5001);
  CHECK_THROWS_AS(kn::bincount(kn::asarray({1, -1}).eval()), kn::ValueError);
}

namespace {

/// What an expression of single elements comes to at the call, and as kernels compute it.
template <class T, class Work>
void check_number(Work work, T expected) {
  const auto before = kn::memory_stats(kn::default_device()).in_use;
  const Array at_once = work();
  if (kn::test::does_steps()) CHECK(kn::memory_stats(kn::default_device()).in_use == before);
  CHECK(at_once.template item<T>() == expected);
  if (kn::test::without_variants("single numbers by kernels")) return;
  const kn::test::HostStepWork none(0);
  CHECK(work().template item<T>() == expected);
}

}  // namespace

TEST_CASE("operations on single elements are numbers at once") {
  const float a = 1.1F, b = -2.3F;
  const double d = 0.1;
  const std::uint64_t wide = 18446744073709551615U;
  const std::complex<float> z(1, -2), w(0.5F, 3);
  const Array x = kn::asarray(std::vector{a, b, 0.0F}).eval(), y = kn::asarray(std::vector{d, -d}).eval();
  const Array i = kn::asarray(std::vector<std::int32_t>{2147483647, -7}).eval();
  const Array u = kn::asarray(std::vector{wide}).eval(), c = kn::asarray(std::vector{z, w}).eval();
  const Array h = kn::asarray(std::vector{1.5, 0.2}, kn::float16).eval(), t = kn::asarray({true, false}).eval();
  kn::synchronize();
  check_number<float>([&] { return x(0) + x(1); }, a + b);
  check_number<float>([&] { return 0.5 / x(1); }, 0.5F / b);
  check_number<float>([&] { return kn::sqrt(abs(x(1))) * x(0) - 3; }, std::sqrt(2.3F) * a - 3);
  check_number<float>([&] { return x(0) / x(2); }, static_cast<float>(infinity));
  check_number<double>([&] { return x(0) * y(1); }, static_cast<double>(a) * -d);
  check_number<bool>([&] { return x(0) > x(1); }, true);
  check_number<bool>([&] { return kn::isnan(x(2) / x(2)); }, true);
  check_number<std::int32_t>([&] { return i(0) + 1; }, std::int32_t{-2147483647} - 1);
  check_number<std::int32_t>([&] { return i(1) % 4; }, 1);
  check_number<float>([&] { return i(1) + 0.5; }, -6.5F);
  check_number<std::uint64_t>([&] { return u(0) - 1; }, wide - 1);
  check_number<std::complex<float>>([&] { return c(0) + c(1); }, z + w);
  check_number<float>([&] { return kn::real(c(1)); }, 0.5F);
  check_number<float>([&] { return kn::astype(h(0) + h(1), kn::float32); },
                      static_cast<float>(kn::float16_t(1.5F + static_cast<float>(kn::float16_t(0.2F)))));
  check_number<bool>([&] { return t(0) & ~t(1); }, true);
  check_number<std::int64_t>([&] { return kn::asarray(3) * kn::asarray(4); }, std::int64_t{12});
}

TEST_CASE("an element is changed in place, and what was made of it stays") {
  Array x = kn::asarray(std::vector{1.0F, 2.0F, 3.0F, 4.0F}).eval();
  kn::synchronize();
  const void* const memory = kn::host_view(x).data();
  const Array before = x(1) + 10;
  for (int k = 0; k < 3; ++k) x(1) += 0.5;
  x(-1) = x(0) * 7;
  x(2) = before;
  x(0) *= x(0) + 1;
  CHECK(x.to_vector<float>() == std::vector{2.0F, 3.5F, 12.0F, 7.0F});
  CHECK(before.item<float>() == 12);
  if (kn::test::does_steps()) CHECK(kn::host_view(x).data() == memory);
  CHECK_THROWS_AS(x(0) = kn::asarray({1, 2}) + 1, kn::ShapeError);
  CHECK_THROWS_AS(x(0) += kn::asarray(std::complex<float>(0, 1)), kn::DTypeError);
  Array all = kn::zeros({2, 3}).eval();
  all(kn::ellipsis) = x(1) + x(2);
  CHECK(all.to_vector<float>() == std::vector<float>(6, 15.5F));
}

TEST_CASE("what depends on a position out of range is no number") {
  const Array wrong = kn::take(kn::arange(3), kn::asarray({1, 7})).eval();
  kn::synchronize();
  CHECK_THROWS_AS((void)(wrong(0) + 1).item<std::int64_t>(), kn::IndexError);
  Array x = kn::arange(3).eval();
  x(0) = wrong(0) + 1;
  CHECK_THROWS_AS((void)x.to_vector<std::int64_t>(), kn::IndexError);
}

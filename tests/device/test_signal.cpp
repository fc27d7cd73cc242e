// SPDX-License-Identifier: Apache-2.0
// convolve, correlate and interp against what NumPy gives (tests/golden/signal.py) and against plain loops.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/golden.hpp"
#include "support/inner.hpp"
#include "support/products.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

using V = std::vector<std::int64_t>;

/// Element k of the full convolution, from products in the order of x.
template <class T>
std::vector<T> convolved(const std::vector<T>& x, std::vector<T> y) {
  std::reverse(y.begin(), y.end());
  const auto size = static_cast<std::int64_t>(x.size()), other = static_cast<std::int64_t>(y.size());
  std::vector<T> result;
  for (std::int64_t k = 0; k < size + other - 1; ++k) {
    const std::int64_t first = std::max<std::int64_t>(0, k - other + 1), end = std::min(size, k + 1);
    result.push_back(kn::test::multiply(x, first, y, first - k + other - 1, 1, end - first));
  }
  return result;
}

/// Where the inputs overlap entirely, and, with `around`, where they overlap at all.
template <class T>
void check_type(bool around = false) {
  CAPTURE(kn::dtype_of<T>);
  on_each_device(kn::dtype_of<T>, [&] {
    std::vector<T> x, y, turned;
    for (int i = 0; i < 1000; ++i) x.push_back(kn::test::random_value<T>());
    for (int i = 0; i < 20; ++i) y.push_back(kn::test::random_value<T>());  // few enough for sums, not transforms
    for (const T value : y) {
      if constexpr (kn::test::is_complex_float<T>) {
        turned.insert(turned.begin(), std::conj(value));
      } else {
        turned.insert(turned.begin(), value);
      }
    }
    const auto want = convolved(x, y);
    const Array a = kn::asarray(x), b = kn::asarray(y), valid = kn::convolve(a, b, {.mode = "valid"});
    CHECK(valid.dtype() == kn::dtype_of<T>);
    check_array(valid, {981}, std::vector<T>(want.begin() + 19, want.begin() + 1000));
    if (!around) return;
    check_array(kn::convolve(a, b), {1019}, want);
    check_array(kn::correlate(a, b, {.mode = "full"}), {1019}, convolved(x, turned));
  });
}

template <class T>
void check_interp(double tolerance) {
  on_each_device(kn::dtype_of<T>, [&] {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> draw(0, 1);
    std::vector<T> x, xp, fp;
    for (int i = 0; i < 3000; ++i) x.push_back(T(static_cast<float>(12 * draw(random) - 1)));
    for (int i = 0; i <= 10; ++i) {
      xp.push_back(T(static_cast<float>(i)));
      fp.push_back(T(static_cast<float>(draw(random))));
    }
    const auto got = kn::interp(kn::asarray(x, {30, 100}), kn::asarray(xp), kn::asarray(fp));
    CHECK(got.shape() == Shape{30, 100});
    CHECK(got.dtype() == kn::dtype_of<T>);
    const auto values = got.template to_vector<double>();
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = std::clamp(static_cast<double>(x[i]), 0.0, 10.0), low = std::min(std::floor(at), 9.0);
      const auto place = static_cast<std::size_t>(low);
      const double y0 = static_cast<double>(fp[place]), y1 = static_cast<double>(fp[place + 1]);
      worst = std::max(worst, std::abs(values[i] - (y0 + (y1 - y0) * (at - low))));
    }
    CHECK(worst <= tolerance);
  });
}

}  // namespace

TEST_CASE("convolution and correlation are what NumPy's are") {
  on_each_device([] {
    const auto small = [](const V& values) { return kn::asarray(values); };
    const Array single = small({7}), pair = small({2, -1}), three = small({1, -3, 2}), four = small({0, 1, 5, -2});
    const Array eleven = kn::test::counted(11, [](std::int64_t i) { return i * 5 % 7 - 2; });
    int rows_checked = 0;
#include "golden/signal.inc"
#undef KN_GOLDEN
    CHECK(rows_checked > 150);
  });
}

TEST_CASE("convolution in every type") {
  check_type<std::int16_t>();
  check_type<kn::float16_t>();
  check_type<float>();
  check_type<std::complex<float>>(true);
  if (kn::test::without_variants("types of the kinds of these")) return;
  check_type<std::uint8_t>(true);
  check_type<double>();
  check_type<std::int8_t>();
  check_type<std::int32_t>();
  check_type<std::int64_t>();
  check_type<std::uint16_t>();
  check_type<std::uint32_t>();
  check_type<std::uint64_t>();
  check_type<kn::bfloat16_t>();
  check_type<std::complex<double>>();
}

TEST_CASE("inputs of convolution in any way of lying in memory, and pending") {
  on_each_device([] {
    std::vector<std::int32_t> x, y;
    for (int i = 0; i < 300; ++i) x.push_back(i * 7 % 31 - 9);
    for (int i = 0; i < 40; ++i) y.push_back(i * 3 % 11 - 5);
    const auto want = convolved(x, y);
    const V valid(want.begin() + 39, want.begin() + 300);
    for (const unsigned way : kn::test::usual_and({1u, 2u}, {0u, 3u})) {
      const Array a = kn::test::laid_out(kn::asarray(x), way), b = kn::test::laid_out(kn::asarray(y), way + 1);
      check_array<std::int64_t>(kn::convolve(a, b, {.mode = "valid"}), {261}, valid);
    }
    const Array a = kn::asarray(x), b = kn::asarray(y);
    const Array pending = kn::convolve((a * 3 - 1 + a) + 1 - 3 * a, b, {.mode = "valid"}) + 1;
    CHECK(pending.shape() == Shape{261});
    check_array<std::int64_t>(pending - 1, {261}, valid);
    // What many windows share is computed once.
    const Array costly = kn::exp(kn::sin(kn::arange(5000.0f)));
    kn::convolve(costly, kn::ones({64}), {.mode = "valid"}).eval();
    CHECK(kn::test::is_computed(costly));
  });
}

TEST_CASE("interpolation is what NumPy's is") {
  on_each_device([] {
    using F = std::vector<double>;
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const auto list = [](const F& values) { return kn::asarray(std::vector<float>(values.begin(), values.end())); };
    const Array x = list({-inf, -1, 0, 0.5, 1, 1.25, 2, 3, 3.5, 4, 4.5, inf, nan});
    const Array xp = list({0, 1, 2, 2, 4}), fp = list({1, 3, -1, 5, 8}), jumps = list({1, inf, -inf, -inf, 8});
    const Array turned = list({350, 10, -90, 120}), waves = list({1, 2, 4, -3});
    const Array angles = list({-720, -350, 0, 5, 90, 200, 300, 355, 719});
    int rows_checked = 0;
#define KN_GOLDEN(call, values)                                              \
  {                                                                          \
    CAPTURE(std::string(#call));                                             \
    const F want = values, got = (call).to_vector<double>();                 \
    REQUIRE(got.size() == want.size());                                      \
    for (std::size_t i = 0; i < got.size(); ++i) {                           \
      CAPTURE(i);                                                            \
      if (!std::isfinite(want[i])) {                                         \
        CHECK(kn::test::difference(F{got[i]}, F{want[i]}) == "");            \
      } else {                                                               \
        CHECK(std::abs(got[i] - want[i]) <= 1e-6 * (1 + std::abs(want[i]))); \
      }                                                                      \
    }                                                                        \
    ++rows_checked;                                                          \
  }
#include "golden/interp.inc"
#undef KN_GOLDEN
    CHECK(rows_checked == 7);
  });
}

TEST_CASE("interpolation in every floating type") {
  check_interp<kn::float16_t>(0x1p-11);
  check_interp<float>(2e-7);
  if (!kn::test::without_variants("interpolation in bfloat16 and float64")) {
    check_interp<kn::bfloat16_t>(0x1p-8);
    check_interp<double>(1e-15);
  }
  on_each_device([] {
    const Array xp = kn::array({0, 10, 20}),
                fp = kn::asarray(std::vector<std::complex<float>>{{1, 0}, {0, 2}, {-1, 0}});
    const Array value = kn::interp(5, xp, fp);
    CHECK(value.dtype() == kn::complex64);
    CHECK(value.shape() == Shape{});
    CHECK(value.item<std::complex<float>>() == std::complex<float>(0.5f, 1));
    CHECK(kn::interp(kn::array({5, 15}), xp, xp).dtype() == kn::float32);
    CHECK(kn::interp(kn::zeros({2, 0}), xp, xp).shape() == Shape{2, 0});
  });
}

TEST_CASE("what these cannot take") {
  const Array x = kn::ones({3}), grid = kn::ones({2, 2}), none = kn::ones({0});
  const Array z = kn::ones({3}, {.dtype = kn::complex64});
  CHECK(message_of<kn::ShapeError>([&] { kn::convolve(grid, x); }) ==
        "[convolve] shapes (2, 2) and (3,) must have one axis each");
  CHECK(message_of<kn::ValueError>([&] { kn::convolve(x, none); }) ==
        "[convolve] got 3 and 0 elements; each must have one at least");
  CHECK(message_of<kn::ValueError>([&] { kn::convolve(x, x, {.mode = "half"}); }) ==
        "[convolve] mode is \"half\"; it can be \"full\", \"same\" or \"valid\"");
  CHECK(has(message_of<kn::ValueError>([&] { kn::correlate(x, x, {.mode = ""}); }), "[correlate] mode is \"\""));
  CHECK(has(message_of<kn::ShapeError>([&] { kn::correlate(x, grid); }), "[correlate] shapes (3,) and (2, 2)"));
  CHECK(has(message_of<kn::ValueError>([&] { kn::correlate(none, x); }), "[correlate] got 0 and 3 elements"));
  CHECK(message_of<kn::ShapeError>([&] { kn::interp(x, x, kn::ones({4})); }) ==
        "[interp] xp has shape (3,) and fp has shape (4,); each must have one axis, of the same size");
  CHECK(has(message_of<kn::ShapeError>([&] { kn::interp(x, grid, grid); }), "[interp] xp has shape (2, 2)"));
  CHECK(message_of<kn::ValueError>([&] { kn::interp(x, none, none); }) ==
        "[interp] got no points; it needs at least one");
  CHECK(message_of<kn::ValueError>([&] { kn::interp(x, x, x, {.period = 0}); }) ==
        "[interp] .period is 0.000000; it must be finite and not zero");
  CHECK(message_of<kn::DTypeError>([&] { kn::interp(z, x, x); }) ==
        "[interp] the positions x and xp must be real; only fp may be complex");
  CHECK(has(message_of<kn::DTypeError>([&] { kn::interp(std::complex<float>(1, 0), x, x); }), "must be real"));
}

TEST_CASE("interpolation between huge and infinite points, and integer ones") {
  on_each_device([] {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto at = [](double x, std::vector<float> xp, std::vector<float> fp) {
      return kn::interp(x, kn::asarray(xp), kn::asarray(fp)).item<float>();
    };
    CHECK(at(0.5, {0, 1}, {-3e38f, 3e38f}) == 0);
    CHECK(std::abs(at(0.25, {0, 1}, {-3e38f, 3e38f}) + 1.5e38f) < 1e32f);
    CHECK(at(0, {-3e38f, 3e38f}, {0, 1}) == 0.5f);
    CHECK(std::abs(at(0, {-1e-30f, 1e-30f}, {-3e38f, 1e38f}) + 1e38f) < 1e32f);
    // As NumPy's interp.
    CHECK(at(1.5, {1, 2}, {0, infinity}) == infinity);
    CHECK(std::isnan(at(1.5, {1, 2}, {-infinity, infinity})));
    CHECK(at(1.5, {1, infinity}, {0, 1}) == 0);
    CHECK(at(1.5, {-infinity, 2}, {0, 1}) == 1);
    CHECK(std::isnan(at(1.5, {-infinity, infinity}, {0, 1})));
    CHECK(at(1.5, {1, 2}, {infinity, infinity}) == infinity);
    CHECK(at(1.5, {1, 2}, {infinity, 3}) == infinity);
    CHECK(at(1.5, {1, infinity}, {5, 5}) == 5);
    CHECK(at(infinity, {1, infinity}, {4, 5}) == 5);
    // Positions that float32 does not hold.
    const kn::Array places = kn::array({16777216, 16777220});
    check_array(kn::interp(kn::array({16777217, 16777219}), places, kn::array({0., 1.})), {2},
                std::vector<float>{0.25f, 0.75f});
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    check_array(kn::interp(kn::array({std::int64_t{-1}, most}), kn::array({-most - 1, most}), kn::array({0., 4.})), {2},
                std::vector<float>{2, 4});
  });
}

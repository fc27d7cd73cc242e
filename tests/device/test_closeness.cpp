// SPDX-License-Identifier: Apache-2.0
// isclose, allclose, array_equal and nan_to_num against NumPy's formulas in plain C++.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

constexpr float inf = INFINITY;

/// NumPy's isclose of two numbers.
bool close(double x, double y, const kn::ClosenessOptions& o) {
  if (std::isnan(x) || std::isnan(y)) return o.equal_nan && std::isnan(x) && std::isnan(y);
  if (std::isinf(x) || std::isinf(y)) return x == y;
  return std::abs(x - y) <= o.atol + o.rtol * std::abs(y);
}

/// All pairs of the values, compared on the device and here.
template <class T>
void check_pairs(const std::vector<T>& values, const kn::ClosenessOptions& options) {
  const auto n = static_cast<std::int64_t>(values.size());
  const Array x = kn::asarray(values, {n, 1}), y = kn::asarray(values, {1, n});
  const std::vector<bool> got = kn::isclose(x, y, options).template to_vector<bool>();
  REQUIRE(got.size() == values.size() * values.size());
  bool everything = true;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto a = static_cast<double>(values[i / values.size()]), b = static_cast<double>(values[i % values.size()]);
    CAPTURE(a);
    CAPTURE(b);
    CHECK(got[i] == close(a, b, options));
    everything = everything && got[i];
  }
  CHECK(kn::allclose(x, y, options) == everything);
  CHECK(kn::allclose(x, x, {.equal_nan = true}));
}

}  // namespace

TEST_CASE_TEMPLATE("isclose of floating types", T, kn::float16_t, kn::bfloat16_t, float, double) {
  const bool alike = kn::dtype_of<T> == kn::bfloat16 || kn::dtype_of<T> == kn::float64;
  if (alike && kn::test::without_variants("bfloat16 is as float16, float64 as float32")) return;
  on_each_device(kn::dtype_of<T>, [] {
    std::vector<T> values;
    for (const float v : {0.0f, -0.0f, 1.0f, 1.0078125f, -1.0f, 1000.0f, 1024.0f, 3e-9f, inf, -inf, float(NAN)}) {
      values.push_back(T(v));
    }
    check_pairs(values, {});
    check_pairs(values, {.equal_nan = true});
    if (std::is_same_v<T, kn::float16_t> && kn::test::without_variants()) return;
    // 1.0078125 - 1 = 2^-7: just within 2^-7 of 1.
    check_pairs(values, {.rtol = 0x1p-7, .atol = 0});
    check_pairs(values, {.rtol = 0, .atol = 24});
    check_pairs(values, {.rtol = 0, .atol = 0});
  });
}

TEST_CASE("the tolerance is x2's") {
  on_each_device([] {
    CHECK(kn::isclose(kn::asarray(std::vector<float>{9}), 10, {.rtol = 0.1}).item<bool>());
    CHECK_FALSE(kn::isclose(kn::asarray(std::vector<float>{10}), 9, {.rtol = 0.1}).item<bool>());
  });
}

TEST_CASE_TEMPLATE("isclose of integers, whose difference is exact", T, std::int8_t, std::uint8_t, std::int32_t,
                   std::int64_t, std::uint64_t) {
  constexpr bool alike = std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int32_t>;
  if (alike && kn::test::without_variants("uint8 and int32")) return;
  on_each_device([] {
    using Limits = std::numeric_limits<T>;
    const std::vector<T> values = {0, 1, 2, 100, 101, Limits::max(), T(Limits::max() - 1), Limits::min()};
    const auto n = static_cast<std::int64_t>(values.size());
    const Array x = kn::asarray(values, {n, 1}), y = kn::asarray(values, {1, n});
    const std::vector<bool> got = kn::isclose(x, y, {.rtol = 0, .atol = 1}).template to_vector<bool>();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const T a = values[i / values.size()], b = values[i % values.size()], low = std::min(a, b), high = std::max(a, b);
      CAPTURE(+a);
      CAPTURE(+b);
      CHECK(got[i] == (static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) <= 1));
    }
    CHECK(kn::isclose(kn::asarray(std::vector<T>{100}), kn::asarray(std::vector<T>{101}), {.rtol = 0.01, .atol = 0})
              .template item<bool>());
  });
}

TEST_CASE("isclose of bool and of complex numbers") {
  on_each_device([] {
    const Array flags = kn::asarray(std::vector<bool>{true, false});
    CHECK(kn::isclose(flags, true).to_vector<bool>() == std::vector<bool>{true, false});
    using C = std::complex<float>;
    const Array z = kn::asarray(std::vector<C>{{3, 4}, {3, 4}, {inf, 0}, {NAN, 0}});
    const Array w = kn::asarray(std::vector<C>{{3, 4.25f}, {3, 5}, {inf, 0}, {0, NAN}});
    CHECK(kn::isclose(z, w, {.rtol = 0, .atol = 0.5}).to_vector<bool>() == std::vector<bool>{true, false, true, false});
    CHECK(kn::isclose(z, w, {.rtol = 0, .atol = 0.5, .equal_nan = true}).to_vector<bool>()[3]);
  });
}

TEST_CASE("array_equal looks at shapes, then at values of any types") {
  on_each_device([] {
    const Array x = kn::array({{1, 2}, {3, 4}});
    CHECK(kn::array_equal(x, kn::array({{1., 2.}, {3., 4.}})));
    CHECK_FALSE(kn::array_equal(x, kn::array({{1, 2}, {3, 5}})));
    CHECK_FALSE(kn::array_equal(x, kn::array({1, 2, 3, 4})));
    CHECK_FALSE(kn::array_equal(x, 1));
    CHECK(kn::array_equal(kn::asarray(7), 7));
    CHECK(kn::array_equal(x.T(), kn::array({{1, 3}, {2, 4}})));
    CHECK(kn::array_equal(kn::ones({0, 3}), kn::zeros({0, 3})));
    CHECK_FALSE(kn::array_equal(kn::ones({0, 3}), kn::zeros({3, 0})));
    const Array nan = kn::array({1., std::nan("")});
    CHECK_FALSE(kn::array_equal(nan, nan));
    CHECK(kn::array_equal(nan, nan, {.equal_nan = true}));
    CHECK(kn::array_equal(x, x, {.equal_nan = true}));
    CHECK(kn::allclose(kn::ones({0}), kn::zeros({0})));
  });
}

TEST_CASE("nan_to_num") {
  on_each_device([] {
    const Array x = kn::asarray(std::vector<float>{NAN, inf, -inf, -0.0f, 2.5f});
    constexpr float most = std::numeric_limits<float>::max();
    CHECK(kn::nan_to_num(x).to_vector<float>() == std::vector<float>{0, most, -most, 0, 2.5f});
    CHECK(std::signbit(kn::nan_to_num(x)(3).item<float>()));
    CHECK(kn::nan_to_num(x, {.nan = -1, .posinf = 7, .neginf = 8}).to_vector<float>() ==
          std::vector<float>{-1, 7, 8, 0, 2.5f});
    CHECK(kn::nan_to_num(x.astype(kn::float16)).to_vector<float>()[1] == 65504);
    CHECK(kn::nan_to_num(x.astype(kn::bfloat16)).to_vector<float>()[2] == -0x1.fep127f);
    CHECK(kn::nan_to_num(kn::array({1, 2})).dtype() == kn::int64);
    CHECK(kn::nan_to_num(kn::ones({0, 2})).shape() == kn::Shape{0, 2});
  });
}

TEST_CASE("nan_to_num of float64") {
  on_each_device(kn::float64, [] {
    const Array x = kn::asarray(std::vector<double>{INFINITY, -INFINITY});
    constexpr double most = std::numeric_limits<double>::max();
    CHECK(kn::nan_to_num(x).to_vector<double>() == std::vector<double>{most, -most});
  });
}

TEST_CASE("wrong calls") {
  const Array x = kn::ones({2, 3}), y = kn::ones({4});
  CHECK(has(message_of<kn::ShapeError>([&] { kn::isclose(x, y); }), "[isclose] shapes (2, 3) and (4,)"));
  CHECK(has(message_of<kn::ShapeError>([&] { kn::allclose(x, y); }), "[allclose] shapes (2, 3) and (4,)"));
  CHECK(has(message_of<kn::ValueError>([&] { kn::isclose(x, x, {.rtol = -1}); }), "[isclose] .rtol is -1"));
  CHECK(has(message_of<kn::ValueError>([&] { kn::isclose(x, x, {.atol = std::nan("")}); }), "[isclose] .atol is nan"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::nan_to_num(x.astype(kn::complex64)); }),
            "[nan_to_num] does not take complex64"));
}

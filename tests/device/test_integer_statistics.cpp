// SPDX-License-Identifier: Apache-2.0
// Means, variances, quantiles and the like of integers that float32 does not hold, against exact arithmetic.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;
using kn::test::on_each_device;

namespace {

/// Sums of integers of 64 bits and their squares fit 128 bits in the tests' ranges but for the squares.
struct Moments {
  long double mean = 0, variance = 0;
};

template <class T>
Moments exact(const std::vector<T>& values) {
  __extension__ using Wide = __int128;
  Wide total = 0;
  for (const T v : values) total += v;
  const auto count = static_cast<Wide>(values.size());
  const Wide whole = total / count;
  const long double rest = static_cast<long double>(total - whole * count) / static_cast<long double>(count);
  Moments m;
  m.mean = static_cast<long double>(whole) + rest;
  for (const T v : values) {
    const long double d = static_cast<long double>(static_cast<Wide>(v) - whole) - rest;
    m.variance += d * d / static_cast<long double>(count);
  }
  return m;
}

bool near(long double got, long double want) { return std::abs(got - want) <= 3e-7L * std::abs(want); }

template <class T>
void check_moments(const std::vector<T>& values) {
  const Array x = kn::asarray(values);
  const Moments want = exact(values);
  CAPTURE(name(x.dtype()));
  CAPTURE(static_cast<double>(want.mean));
  CHECK(kn::mean(x).dtype() == kn::float32);
  CHECK(near(kn::mean(x).item<double>(), want.mean));
  CHECK(near(kn::nanmean(x).item<double>(), want.mean));
  CHECK(near(kn::var(x).item<double>(), want.variance));
  CHECK(near(kn::nanvar(x).item<double>(), want.variance));
  CHECK(near(kn::std(x).item<double>(), std::sqrt(want.variance)));
  CHECK(near(kn::nanstd(x).item<double>(), std::sqrt(want.variance)));
}

template <class T>
void check_type() {
  using Limits = std::numeric_limits<T>;
  const T most = Limits::max(), least = Limits::min();
  std::mt19937_64 random(5);
  std::vector<T> any(3001), high, pair = {most, least};
  for (T& v : any) v = static_cast<T>(random());
  for (int i = 0; i < 1000; ++i) high.push_back(static_cast<T>(most - i % 7));
  check_moments(any);
  check_moments(high);
  // Few elements are folded in one way whatever their number is.
  if (std::is_same_v<T, std::uint64_t> || kn::test::all_variants()) check_moments(pair);
  if (!kn::test::all_variants()) return;
  check_moments(std::vector<T>{most});
  check_moments(std::vector<T>{1, 2, 4});
}

}  // namespace

TEST_CASE("moments of integers of every type") {
  on_each_device([] {
    check_type<std::int32_t>();
    check_type<std::uint64_t>();
    if (kn::test::without_variants("six more types")) return;
    check_type<std::uint8_t>();
    check_type<std::int64_t>();
    check_type<std::int8_t>();
    check_type<std::int16_t>();
    check_type<std::uint16_t>();
    check_type<std::uint32_t>();
  });
}

TEST_CASE("moments of integers whose large parts cancel") {
  on_each_device([] {
    CHECK(kn::mean(kn::array({16777217, -16777216})).item<float>() == 0.5f);
    CHECK(kn::mean(kn::array({-16777217, 16777216}, {.dtype = kn::int32})).item<float>() == -0.5f);
    CHECK(kn::mean(kn::array({16777216, 16777217, 16777219})).item<float>() == 16777217.0f + 1.0f / 3);
    CHECK(kn::var(kn::array({16777217, 16777218})).item<float>() == 0.25f);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK(kn::mean(kn::array({most, -most, std::int64_t{1}})).item<float>() == 1.0f / 3);
    CHECK(kn::var(kn::array({most, most - 2})).item<float>() == 1);
    CHECK(kn::std(kn::array({most, -most - 1})).item<float>() == 0x1p63f);
    const Array rows = kn::array({{most, most - 2}, {std::int64_t{-5}, std::int64_t{5}}});
    check_array(kn::mean(rows, {.axis = 1, .keepdims = true}), {2, 1}, std::vector<float>{0x1p63f, 0});
    check_array(kn::var(rows, {.axis = 1, .correction = 1}), {2}, std::vector<float>{2, 50});
    CHECK(kn::mean(kn::array({true, false, true, true})).item<float>() == 0.75f);
    CHECK(kn::var(kn::array({true, false})).item<float>() == 0.25f);
    CHECK(std::isnan(kn::mean(kn::zeros({0}, {.dtype = kn::int32})).item<float>()));
    CHECK(std::isnan(kn::mean(kn::zeros({0}, {.dtype = kn::uint64})).item<float>()));
    CHECK(std::isnan(kn::var(kn::zeros({0}, {.dtype = kn::int32})).item<float>()));
    CHECK(std::isinf(kn::var(kn::array({1, 2}), {.correction = 2}).item<float>()));
  });
}

TEST_CASE("quantiles of integers are taken before they are rounded") {
  on_each_device([] {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK(kn::median(kn::array({-16777217, 16777216})).item<float>() == -0.5f);
    CHECK(kn::median(kn::array({16777217, 16777219})).item<float>() == 16777218);
    CHECK(kn::median(kn::array({most, -most})).item<float>() == 0);
    CHECK(kn::median(kn::array({most, -most - 1})).item<float>() == -0.5f);
    CHECK(kn::median(kn::full({2}, std::numeric_limits<std::uint64_t>::max())).item<float>() == 0x1p64f);
    CHECK(kn::quantile(kn::array({-16777216, 16777220}, {.dtype = kn::int32}), 0.25).item<float>() == -8388607);
    CHECK(kn::quantile(kn::array({1, 2, 4}), 0.3).item<float>() == 1.6f);
    CHECK(kn::median(kn::array({3, 250}, {.dtype = kn::uint8})).item<float>() == 126.5f);
    check_array(kn::percentile(kn::array({{1, 5}, {2, 8}}), 50, {.axis = 1}), {2}, std::vector<float>{3, 5});
  });
}

TEST_CASE("softmax and logsumexp of large integers") {
  on_each_device([] {
    for (const kn::DType type : kn::test::usual_and({kn::int64, kn::uint32}, {kn::int32, kn::uint64})) {
      const Array x = kn::array({{16777216, 16777217}, {1, 3}}, {.dtype = type});
      const float share = 1 / (1 + std::exp(-1.0f)), two = 1 / (1 + std::exp(-2.0f));
      const auto got = kn::softmax(x, {.axis = 1}).to_vector<float>();
      for (std::size_t i = 0; i < 4; ++i) {
        const float want = (i < 2 ? share : two), expected = i % 2 ? want : 1 - want;
        CHECK(std::abs(got[i] - expected) < 1e-6f);
      }
      CHECK(std::abs(kn::logsumexp(x, {.axis = 1}).to_vector<float>()[1] - (3 + std::log1p(std::exp(-2.0f)))) < 1e-6f);
      CHECK(kn::logsumexp(x, {.axis = 1, .keepdims = true}).shape() == kn::Shape{2, 1});
      CHECK(kn::logsumexp(kn::zeros({0}, {.dtype = type})).item<float>() == -std::numeric_limits<float>::infinity());
    }
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    check_array(kn::softmax(kn::array({most, -most - 1})), {2}, std::vector<float>{1, 0});
  });
}

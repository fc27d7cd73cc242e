// SPDX-License-Identifier: Apache-2.0
// median, quantile, percentile, bincount and histogram against plain C++: axes, types, NaN, infinities, edges,
// messages.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

const float not_a_number = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();

/// Between two neighbours in order, in long double.
long double plain_quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const long double place = static_cast<long double>(q) * static_cast<long double>(values.size() - 1);
  const auto first = static_cast<std::size_t>(std::floor(place));
  const long double a = values[first], b = values[std::min(first + 1, values.size() - 1)];
  return a + (b - a) * (place - static_cast<long double>(first));
}

std::vector<float> normal_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> draw(0, 1);
  std::vector<float> values(count);
  for (float& v : values) v = draw(random);
  return values;
}

}  // namespace

TEST_CASE("quantiles along axes, of even and odd numbers of elements") {
  on_each_device([] {
    for (const std::int64_t count : {1, 2, 3, 100, 5001}) {
      const auto values = normal_values(static_cast<std::size_t>(count * 6), 1);
      const Array x = kn::asarray(values, {2, count, 3});
      for (const double q : {0.0, 0.1, 0.5, 0.77, 1.0}) {
        CAPTURE(count);
        CAPTURE(q);
        const auto got = kn::quantile(x, q, {.axis = 1}).to_vector<float>();
        REQUIRE(got.size() == 6);
        for (std::size_t i = 0; i < 2; ++i) {
          for (std::size_t k = 0; k < 3; ++k) {
            std::vector<double> row;
            for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j) {
              row.push_back(values[(i * static_cast<std::size_t>(count) + j) * 3 + k]);
            }
            // The distance from the first neighbour is a float32.
            CHECK(std::abs(got[i * 3 + k] - plain_quantile(row, q)) < 1e-6L);
          }
        }
        const std::vector<double> all(values.begin(), values.end());
        CHECK(std::abs(kn::quantile(x, q).item<float>() - plain_quantile(all, q)) < 1e-6L);
        CHECK(kn::percentile(x, 100 * q, {.axis = {0, 1}}).shape() == Shape{3});
      }
      CHECK(kn::median(x, {.axis = {0, 2}, .keepdims = true}).shape() == Shape{1, count, 1});
      CHECK(kn::median(x).item<float>() == kn::quantile(x, 0.5).item<float>());
    }
    const Array several =
        kn::quantile(kn::array({{4, 1}, {2, 3}, {9, 5}}), std::vector<double>{0, 0.5, 0.75, 1}, {.axis = 0});
    check_array(several, {4, 2}, std::vector<float>{2, 1, 4, 3, 6.5f, 4, 9, 5});
    check_array(kn::percentile(kn::array({4, 1, 3, 2}), std::vector<double>{25, 50}), {2},
                std::vector<float>{1.75f, 2.5f});
  });
}

TEST_CASE("types, NaN and infinities of quantiles") {
  on_each_device([] {
    CHECK(kn::median(kn::array({3, 1, 2})).dtype() == kn::float32);
    CHECK(kn::median(kn::array({true, false, true})).item<float>() == 1);
    CHECK(kn::median(kn::ones({3}, {.dtype = kn::float16})).dtype() == kn::float16);
    CHECK(kn::median(kn::array({60000.f, 65000.f}).astype(kn::float16)).item<float>() == 62496);
    CHECK(kn::median(kn::full({}, 2.5f)).item<float>() == 2.5f);
    check_array(kn::median(kn::array({{1.f, not_a_number, 3.f}, {1.f, 2.f, 9.f}}), {.axis = 1}), {2},
                std::vector<float>{not_a_number, 2});
    CHECK(kn::median(kn::array({infinity, infinity, 1.f})).item<float>() == infinity);
    CHECK(kn::quantile(kn::array({infinity, 1.f}), 0).item<float>() == 1);
    CHECK(kn::quantile(kn::array({infinity, infinity, 1.f}), 0.75).item<float>() == infinity);
    if (kn::test::computes(kn::float64)) {
      CHECK(kn::quantile(kn::asarray(std::vector<double>{1, 2, 4}), 0.3).item<double>() == 1.6);
    }
  });
}

TEST_CASE("counts of small integers") {
  on_each_device([] {
    std::mt19937 random(3);
    std::vector<std::uint8_t> values(5000);
    for (auto& v : values) v = static_cast<std::uint8_t>(random() % 200);
    values[7] = 255;
    std::vector<std::int64_t> want(256);
    for (const auto v : values) ++want[v];
    check_array(kn::bincount(kn::asarray(values)), {256}, want);
    want.resize(300);
    check_array(kn::bincount(kn::asarray(values), {.minlength = 300}), {300}, want);
    check_array(kn::bincount(kn::array({3, 1, 1})), {4}, std::vector<std::int64_t>{0, 2, 0, 1});
    CHECK(kn::bincount(kn::zeros({0}, {.dtype = kn::int32})).shape() == Shape{0});
  });
}

TEST_CASE("histograms") {
  on_each_device([] {
    auto values = normal_values(20'000, 5);
    const auto plain = [&](const std::vector<float>& edges) {
      std::vector<std::int64_t> counts(edges.size() - 1);
      for (const float v : values) {
        for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
          const bool last = i + 2 == edges.size();
          counts[i] += v >= edges[i] && (last ? v <= edges[i + 1] : v < edges[i + 1]);
        }
      }
      return counts;
    };
    auto result = kn::histogram(kn::asarray(values, {100, 200}));
    auto edges = result.edges.to_vector<float>();
    REQUIRE(edges.size() == 11);
    CHECK(edges.front() == *std::min_element(values.begin(), values.end()));
    CHECK(edges.back() == *std::max_element(values.begin(), values.end()));
    check_array(result.counts, {10}, plain(edges));
    CHECK(kn::sum(result.counts).item<std::int64_t>() == 20'000);
    values[5] = not_a_number, values[6] = infinity;
    result = kn::histogram(kn::asarray(values), {.bins = 7, .range = {{-1.0, 2.5}}});
    edges = result.edges.to_vector<float>();
    check_array(result.edges, {8}, std::vector<float>{-1, -0.5f, 0, 0.5f, 1, 1.5f, 2, 2.5f});
    check_array(result.counts, {7}, plain(edges));
    edges = {-1, 0, 0.25f, 3};
    check_array(kn::histogram(kn::asarray(values), kn::asarray(edges)).counts, {3}, plain(edges));
    const auto same = kn::histogram(kn::array({2, 2, 2}), {.bins = 2});
    check_array(same.edges, {3}, std::vector<float>{1.5f, 2, 2.5f});
    check_array(same.counts, {2}, std::vector<std::int64_t>{0, 3});
    check_array(kn::histogram(kn::zeros({0}), {.bins = 2, .range = {{0.0, 1.0}}}).counts, {2},
                std::vector<std::int64_t>{0, 0});
  });
}

TEST_CASE("what these cannot take") {
  const Array x = kn::ones({3}), z = kn::ones({3}, {.dtype = kn::complex64});
  CHECK(message_of<kn::ValueError>([&] { kn::quantile(x, 1.5); }) == "[quantile] q is 1.5; it can be 0 to 1");
  CHECK(has(message_of<kn::ValueError>([&] { kn::percentile(x, not_a_number); }), "it can be 0 to 100"));
  CHECK(has(message_of<kn::ValueError>([&] { kn::quantile(x, std::vector<double>{}); }), "got no q"));
  CHECK(message_of<kn::ValueError>([&] {
          kn::median(kn::ones({2, 0}), {.axis = 1});
        }) == "[median] has no value for no elements: shape (2, 0) has none along the axes to reduce");
  CHECK(has(message_of<kn::IndexError>([&] { kn::median(x, {.axis = 1}); }), "[median] axis 1"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::median(z); }), "[median] does not take complex64"));
  CHECK(message_of<kn::DTypeError>([&] { kn::bincount(x); }) == "[bincount] does not take float32; it takes integers");
  CHECK(has(message_of<kn::ShapeError>([&] { kn::bincount(kn::ones({2, 2}, {.dtype = kn::int32})); }), "one axis"));
  CHECK(message_of<kn::ValueError>([&] {
          kn::bincount(kn::array({1, -2}));
        }) == "[bincount] x has -2; elements must be at least 0 and below 9223372036854775807");
  CHECK(has(message_of<kn::ValueError>([&] { kn::histogram(x, {.bins = 0}); }), "[histogram] bins is 0"));
  CHECK(has(message_of<kn::ValueError>([&] { kn::histogram(kn::zeros({0})); }), "no range"));
  CHECK(has(message_of<kn::ValueError>([&] { kn::histogram(x, {.range = {{1.0, 0.0}}}); }), "the range is"));
  CHECK(has(message_of<kn::ShapeError>([&] { kn::histogram(x, kn::ones({1})); }), "the edges"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::histogram(z); }), "[histogram]"));
}

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
#include "support/work.hpp"

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
    for (const std::int64_t count : kn::test::usual_and<std::int64_t>({1, 100, 5001}, {2, 3})) {
      const auto values = normal_values(static_cast<std::size_t>(count * 6), 1);
      const Array x = kn::asarray(values, {2, count, 3});
      for (const double q : {0.0, 0.1, 0.5, 0.77, 1.0}) {
        // A fraction that is one of the other constants is the same parameter, and so another program.
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

TEST_CASE("quantiles between huge and infinite neighbours") {
  on_each_device([] {
    const auto half = [](float a, float b) { return kn::median(kn::array({a, b})).item<float>(); };
    CHECK(half(1, infinity) == infinity);
    CHECK(half(-infinity, 1) == -infinity);
    CHECK(std::isnan(half(-infinity, infinity)));
    CHECK(half(-3e38f, 3e38f) == 0);
    CHECK(half(3e38f, 3.2e38f) == 3.1e38f);
    CHECK(half(-3.2e38f, -3e38f) == -3.1e38f);
    for (const double q : {0.1, 0.25, 0.6, 0.9}) {
      const auto at = [&](float a, float b) { return kn::quantile(kn::array({a, b}), q).item<float>(); };
      CHECK(std::abs(at(-3e38f, 3e38f) - (6e38 * q - 3e38)) < 1e32);
      CHECK(at(infinity, infinity) == infinity);
      CHECK(at(2, infinity) == infinity);
      CHECK(at(-infinity, 2) == -infinity);
      CHECK(std::isnan(at(-infinity, infinity)));
    }
    if (!kn::test::computes(kn::float64)) return;
    CHECK(kn::median(kn::asarray(std::vector<double>{-1.7e308, 1.7e308})).item<double>() == 0);
    CHECK(kn::quantile(kn::asarray(std::vector<double>{-1e308, 1e308}), 0.75).item<double>() == 5e307);
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
    // The type alone says how many counts there are: nothing runs before somebody looks.
    kn::Array lazy;
    CHECK(kn::test::work_of([&] { lazy = kn::bincount(kn::asarray(values), {.minlength = 256}); }).kernels == 0);
    check_array(lazy, {256}, want);
    // So do operations that keep what they are given within bounds.
    const kn::Array more = kn::asarray(std::vector<std::int32_t>(values.begin(), values.end())) + 5 * 256;
    for (const kn::Array& x : {more % 256, kn::clip(more - 1280, 0, 255), more & 255}) {
      CHECK(kn::test::work_of([&] { lazy = kn::bincount(x, {.minlength = 256}); }).kernels == 0);
      check_array(lazy, {256}, want);
    }
    want.resize(300);
    check_array(kn::bincount(kn::asarray(values), {.minlength = 300}), {300}, want);
    want.resize(256);
    check_array(kn::bincount(kn::asarray(values), {.minlength = 255}), {256}, want);
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

TEST_CASE("edges of histograms are those of linspace, and integers are counted by them exactly") {
  on_each_device([] {
    const auto check = [](const Array& x, const std::vector<std::int64_t>& values, double first, double last,
                          std::int64_t bins) {
      CAPTURE(first);
      CAPTURE(last);
      CAPTURE(bins);
      const auto result = kn::histogram(x, {.bins = bins, .range = {{first, last}}});
      const auto edges = result.edges.to_vector<float>();
      check_array(kn::linspace(first, last, bins + 1), {bins + 1}, edges);
      std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
      for (const std::int64_t value : values) {
        const auto v = static_cast<long double>(value);
        for (std::size_t i = 0; i < counts.size(); ++i) {
          counts[i] += v >= edges[i] && (i + 1 == counts.size() ? v <= edges[i + 1] : v < edges[i + 1]);
        }
      }
      check_array(result.counts, {bins}, counts);
    };
    check_array(kn::histogram(kn::array({29, 30, 31}), {.bins = 10, .range = {{0, 100}}}).counts, {10},
                std::vector<std::int64_t>{0, 0, 1, 2, 0, 0, 0, 0, 0, 0});
    std::vector<std::int64_t> values;
    for (std::int64_t i = -120; i <= 120; ++i) values.push_back(i);
    for (const std::int64_t bins : kn::test::usual_and<std::int64_t>({7, 49}, {1, 10})) {
      for (const double last : kn::test::usual_and({33.0, 100.0}, {10.0})) {
        for (const kn::DType type : kn::test::usual_and({kn::int64, kn::float32}, {kn::int8})) {
          check(kn::asarray(values, {.dtype = type}), values, -last / 4, last, bins);
        }
      }
    }
    const std::vector<std::int64_t> large = {16777215, 16777217, 16777219, 16777221, 16777222};
    check(kn::asarray(large), large, 16777216, 16777222, 3);
    check(kn::asarray(large, {.dtype = kn::uint64}), large, -7, -3, 2);
    if (!kn::test::without_variants()) {
      check(kn::asarray(large, {.dtype = kn::uint32}), large, -1e30, 1e30, 2);
      check(kn::asarray(large, {.dtype = kn::int32}), large, 3e9, 4e9, 2);
    }
    // Every element lies between the edges that follow from the elements, rounded as those may be.
    for (const std::int64_t base : {std::int64_t{16777217}, std::int64_t{-16777219}, std::int64_t{1} << 62}) {
      const Array x = kn::asarray(std::vector<std::int64_t>{base, base + 2, base + 1001});
      CHECK(kn::sum(kn::histogram(x).counts).item<std::int64_t>() == 3);
    }
    const Array ends = kn::asarray(
        std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});
    check_array(kn::histogram(ends, {.bins = 2}).counts, {2}, std::vector<std::int64_t>{1, 1});
    check_array(kn::histogram(kn::full({3}, ~std::uint64_t{0}), {.bins = 1}).counts, {1}, std::vector<std::int64_t>{3});
    check_array(kn::histogram(kn::array({true, false, true}), {.bins = 2}).counts, {2},
                std::vector<std::int64_t>{1, 2});
    check_array(kn::histogram(kn::array({-3e38f, 3e38f, 1.f}), {.bins = 4}).counts, {4},
                std::vector<std::int64_t>{1, 0, 1, 1});
    check_array(kn::histogram(kn::array({1, 2}), kn::array({0.f, 2.f, infinity})).counts, {2},
                std::vector<std::int64_t>{1, 1});
    for (const int most : {16777216, 100'000'000}) {  // above which a float32 has no next integer
      check_array(kn::histogram(kn::asarray(std::vector<std::int32_t>{0, most, 0, most, most}), {.bins = 3}).counts,
                  {3}, std::vector<std::int64_t>{2, 0, 3});
    }
    check_array(kn::histogram(kn::array({16777217, 16777216}), kn::array({0.f, 16777216.5f, 2e7f})).counts, {2},
                std::vector<std::int64_t>{0, 2});
  });
}

TEST_CASE("histograms that have no sensible edges") {
  on_each_device([] {
    const auto says = [](auto call, const char* part) { CHECK(has(message_of<kn::ValueError>(call), part)); };
    says([] { kn::histogram(kn::array({1.f, not_a_number})); }, "[histogram] the elements reach from nan to nan");
    says([] { kn::histogram(kn::array({1.f, infinity})); }, "[histogram] the elements reach from 1 to inf");
    const Array x = kn::ones({3});
    says([&] { kn::histogram(x, {.range = {{0.0, not_a_number}}}); }, "[histogram] the range is 0 to nan");
    says([&] { kn::histogram(x, {.range = {{-infinity, 1.0}}}); }, "[histogram] the range is -inf to 1");
    says([&] { kn::histogram(x, {.range = {{0, 1e300}}}); }, "finite as float32");
    says([&] { kn::histogram(x, kn::array({1.f, 0.f})); }, "[histogram] an edge is below");
    says([&] { kn::histogram(x, kn::array({0.f, not_a_number, 3.f})); }, "[histogram] an edge is below");
    says([&] { kn::histogram(x, {.bins = std::numeric_limits<std::int64_t>::max()}); }, "[histogram] bins is 9223");
    says([&] { kn::histogram(x, {.bins = std::int64_t{1} << 50}); }, "do not fit the memory");
    CHECK(has(message_of<kn::ShapeError>(
                  [] { kn::bincount(kn::array({1}), {.minlength = std::numeric_limits<std::int64_t>::max()}); }),
              "[bincount]"));
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

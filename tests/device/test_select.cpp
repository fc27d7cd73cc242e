// SPDX-License-Identifier: Apache-2.0
// topk, quantiles and histograms of rows too long for one group, and of many rows, against std::stable_sort: types of
// each size, values that are spread, that are all equal, that differ in one digit alone, and NaN and zeros among them.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;
using kn::test::on_each_device;

namespace {

template <class T>
bool is_nan(T x) {
  return x != x;
}

/// Whether a stands before b: NaN stand last.
template <class T>
bool before(T a, T b, bool descending) {
  if (is_nan(a) || is_nan(b)) return !is_nan(a);
  return descending ? b < a : a < b;
}

/// `spread`: how many different values there are; 0 for as many as possible.
template <class T>
std::vector<T> numbers(std::size_t count, unsigned spread, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& v : values) {
    const std::uint32_t bits = random();
    if constexpr (std::is_floating_point_v<T>) {
      v = spread == 0 ? static_cast<T>(std::ldexp(static_cast<double>(bits) - 2e9, -31))
                      : static_cast<T>(bits % spread);
    } else {
      v = static_cast<T>(spread == 0 ? bits : bits % spread);
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t i = 0; i < count; i += 997) {
      const T some[] = {T(0), T(-0.0), std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()};
      values[i] = some[i % 4];
    }
  }
  return values;
}

template <class T>
void check_topk(std::int64_t rows, std::int64_t count, unsigned spread, std::initializer_list<std::int64_t> ks) {
  CAPTURE(rows);
  CAPTURE(count);
  CAPTURE(spread);
  const auto values = numbers<T>(static_cast<std::size_t>(rows * count), spread, 3);
  const Array x = kn::asarray(values, {rows, count});
  for (const bool largest : {true, false}) {
    for (const std::int64_t k : ks) {
      CAPTURE(largest);
      CAPTURE(k);
      std::vector<T> want;
      std::vector<std::int64_t> places;
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto at = [&](std::int64_t i) { return values[static_cast<std::size_t>(row * count + i)]; };
        std::vector<std::int64_t> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::int64_t a, std::int64_t b) { return before(at(a), at(b), largest); });
        for (std::int64_t i = 0; i < k; ++i) {
          places.push_back(order[static_cast<std::size_t>(i)]);
          want.push_back(at(places.back()));
        }
      }
      const kn::TopkResult got = kn::topk(x, k, {.largest = largest});
      check_array<T>(got.values, {rows, k}, want);
      check_array(got.indices, {rows, k}, places);
    }
  }
}

template <class T>
void check_median(std::int64_t rows, std::int64_t count, unsigned spread) {
  CAPTURE(rows);
  CAPTURE(count);
  CAPTURE(spread);
  auto values = numbers<T>(static_cast<std::size_t>(rows * count), spread, 5);
  // A row without a NaN.
  for (std::int64_t i = 0; i < count; ++i) {
    if (is_nan(values[static_cast<std::size_t>(i)])) values[static_cast<std::size_t>(i)] = 0;
  }
  std::vector<double> want;
  std::vector<T> last;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<T> line(values.begin() + row * count, values.begin() + (row + 1) * count);
    std::sort(line.begin(), line.end(), [](T a, T b) { return before(a, b, false); });
    const auto middle = static_cast<std::size_t>((count - 1) / 2), next = static_cast<std::size_t>(count / 2);
    want.push_back(is_nan(line.back()) ? std::numeric_limits<double>::quiet_NaN()
                                       : (static_cast<double>(line[middle]) + static_cast<double>(line[next])) / 2);
  }
  const Array got = kn::median(kn::asarray(values, {rows, count}), {.axis = 1});
  const auto numbers_got = kn::astype(got, kn::float64).template to_vector<double>();
  REQUIRE(numbers_got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    CAPTURE(i);
    if (is_nan(want[i])) {
      CHECK(is_nan(numbers_got[i]));
    } else {
      CHECK(numbers_got[i] == doctest::Approx(want[i]).epsilon(1e-6));
    }
  }
}

}  // namespace

TEST_CASE("the first of rows that several groups share") {
  on_each_device([] {
    check_topk<float>(1, 150'001, 0, {1, 100, 5000});
    check_topk<float>(2, 70'000, 3, {10});
    check_topk<float>(1, 70'000, 1, {70});
    check_topk<std::uint8_t>(1, 70'000, 0, {300});
    check_topk<std::int16_t>(1, 70'000, 0, {9});
    if (kn::test::without_variants("types of four and eight bytes")) return;
    check_topk<std::int32_t>(3, 40'000, 1000, {1, 9000});
    check_topk<std::int64_t>(1, 70'000, 0, {64});
    if (kn::test::computes(kn::float64)) check_topk<double>(1, 70'000, 0, {64});
  });
}

TEST_CASE("the first of many rows") {
  on_each_device([] {
    check_topk<float>(5, 3000, 0, {1, 7, 700});
    check_topk<std::int64_t>(3, 2500, 90, {20});
    check_topk<std::uint8_t>(3, 2500, 0, {20});
  });
}

TEST_CASE("medians of long rows and of many") {
  on_each_device([] {
    for (const unsigned spread : {0U, 1U, 7U}) {
      check_median<float>(1, 120'000, spread);
      check_median<float>(3, 40'001, spread);
      check_median<float>(9, 2000, spread);
    }
    check_median<std::uint8_t>(1, 70'000, 0);
    check_median<std::int16_t>(1, 70'001, 0);
    if (kn::test::without_variants("types of four and eight bytes")) return;
    check_median<std::int32_t>(2, 70'000, 5000);
    if (kn::test::computes(kn::float64)) check_median<double>(1, 70'000, 0);
  });
}

TEST_CASE("several quantiles at once, next to each other and far apart") {
  on_each_device([] {
    for (const std::int64_t count : {1500, 50'001}) {
      auto values = numbers<float>(static_cast<std::size_t>(count), 0, 11);
      for (float& v : values) v = std::isfinite(v) ? v : 0.5F;
      auto sorted = values;
      std::sort(sorted.begin(), sorted.end());
      const Array got = kn::quantile(kn::asarray(values), {0, 0.5, 1});
      check_array<float>(
          got, {3},
          {sorted.front(),
           sorted[static_cast<std::size_t>(count / 2)] / 2 + sorted[static_cast<std::size_t>((count - 1) / 2)] / 2,
           sorted.back()});
    }
  });
}

TEST_CASE("histograms count what lies between edges, and at the last one") {
  on_each_device([] {
    const auto values = numbers<float>(30'000, 0, 13);
    for (const std::int64_t bins : {1, 7, 2048, 2049, 5000}) {
      CAPTURE(bins);
      std::vector<float> edges;
      for (std::int64_t k = 0; k <= bins; ++k) {
        edges.push_back(static_cast<float>(-0.75 + 1.5 * static_cast<double>(k) / static_cast<double>(bins)));
      }
      std::vector<std::int64_t> want(static_cast<std::size_t>(bins));
      for (const float v : values) {
        const auto above = std::upper_bound(edges.begin(), edges.end(), v) - edges.begin();
        if (v == edges.back()) {
          ++want.back();
        } else if (above > 0 && above <= bins) {
          ++want[static_cast<std::size_t>(above - 1)];
        }
      }
      check_array(kn::histogram(kn::asarray(values), kn::asarray(edges)).counts, {bins}, want);
    }
    // Integers beside edges that lie between them, far beyond them, and on them.
    const auto whole = numbers<std::int16_t>(5000, 0, 17);
    const std::vector<float> edges = {-1e30F, -32768.0F, -0.5F, 0.0F, 0.5F, 100.0F, 32767.0F, 1e30F};
    std::vector<std::int64_t> want(7);
    for (const std::int16_t v : whole) {
      const auto above = std::upper_bound(edges.begin(), edges.end(), static_cast<float>(v)) - edges.begin();
      ++want[static_cast<std::size_t>(above - 1)];
    }
    check_array(kn::histogram(kn::asarray(whole), kn::asarray(edges)).counts, {7}, want);
    // Edges may be equal; none is below the lowest of them, or above the highest.
    check_array(
        kn::histogram(kn::asarray(std::vector<float>{1, 2, 2, 3, 4, NAN}), kn::asarray(std::vector<float>{2, 2, 3, 3}))
            .counts,
        {3}, std::vector<std::int64_t>{0, 2, 1});
  });
}

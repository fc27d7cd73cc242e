// SPDX-License-Identifier: Apache-2.0
// Families with kernels of their own on arrays of more than 2^31 elements, whose positions fit no 32-bit integer:
// orders, groups, scans, masks, rows and products. They need a card with the memory, as test_big.cpp does. What is
// expected comes from counts and formulas.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <vector>

#include "support/arrays.hpp"
#include "support/big.hpp"

namespace kn = koine;
using kn::Array;
using kn::slice;
using kn::test::differing;
using kn::test::in_parts;
using kn::test::on_large_devices;
using kn::test::pattern;
using kn::test::two31;
using kn::test::two32;

namespace {

constexpr std::int64_t big = two31 + 11;

/// pattern(i) as uint8, made on the device.
Array patterns(std::int64_t size = big) {
  const Array i = kn::arange(size);
  return (i ^ (i >> 8) ^ (i >> 16) ^ (i >> 24) ^ ((i >> 32) * 37)).astype(kn::uint8).eval();
}

/// How often each value occurs among the first `size`.
std::array<std::int64_t, 256> counts_of(std::int64_t size = big) {
  std::array<std::int64_t, 256> counts{};
  std::mutex mutex;
  in_parts(size, [&](std::int64_t first, std::int64_t last) {
    std::array<std::int64_t, 256> mine{};
    for (std::int64_t i = first; i < last; ++i) ++mine[pattern(i)];
    const std::lock_guard lock(mutex);
    for (std::size_t v = 0; v < 256; ++v) counts[v] += mine[v];
  });
  return counts;
}

/// Element `rank` of all in order.
std::int64_t ranked(const std::array<std::int64_t, 256>& counts, std::int64_t rank) {
  std::int64_t value = 0;
  while (rank >= counts[static_cast<std::size_t>(value)]) rank -= counts[static_cast<std::size_t>(value++)];
  return value;
}

}  // namespace

TEST_CASE("sorts, medians and distinct values past 2^31") {
  on_large_devices(big, [] {
    const std::array<std::int64_t, 256> counts = counts_of();
    const Array x = patterns();
    for (const bool descending : {false, true}) {
      std::array<std::int64_t, 257> begins{};
      for (std::size_t k = 0; k < 256; ++k) begins[k + 1] = begins[k] + counts[descending ? 255 - k : k];
      const auto expected = [&](std::int64_t i) {
        const auto value = std::upper_bound(begins.begin(), begins.end(), i) - begins.begin() - 1;
        return static_cast<std::uint8_t>(descending ? 255 - value : value);
      };
      CHECK(differing(kn::sort(x, {.descending = descending}).to_vector<std::uint8_t>(), big, expected) == "");
    }
    CHECK(kn::median(x).item<double>() == static_cast<double>(ranked(counts, big / 2)));
    CHECK(kn::quantile(x, 1.0).item<double>() == 255);
    const Array lower = kn::partition(x, two31 - 2);
    CHECK(lower(two31 - 2).item<std::int64_t>() == ranked(counts, two31 - 2));
    const kn::UniqueCountsResult unique = kn::unique_counts(x);
    CHECK(unique.values.to_vector<int>().size() == 256);
    CHECK(unique.counts.to_vector<std::int64_t>() == std::vector<std::int64_t>(counts.begin(), counts.end()));
  });
}

TEST_CASE("the largest elements past 2^31 and their positions") {
  on_large_devices(big, [] {
    Array x = patterns() >> 1;  // at most 127
    const std::vector<std::int64_t> at = {big - 1, two31 + 1, 5, two31 - 1};
    for (std::size_t k = 0; k < at.size(); ++k) x(at[k]) = 250 - static_cast<int>(k);
    const kn::TopkResult most = kn::topk(x, 4);
    CHECK(most.values.to_vector<int>() == std::vector<int>{250, 249, 248, 247});
    CHECK(most.indices.to_vector<std::int64_t>() == at);
    CHECK(kn::argmax(x).item<std::int64_t>() == big - 1);
  });
}

TEST_CASE("histograms and sums by ids past 2^31") {
  on_large_devices(big, [] {
    const std::array<std::int64_t, 256> counts = counts_of();
    const Array x = patterns();
    std::vector<std::int64_t> by_16(16), by_7(7);
    std::vector<std::uint64_t> sums(7);
    for (std::int64_t v = 0; v < 256; ++v) {
      const std::int64_t count = counts[static_cast<std::size_t>(v)];
      by_16[static_cast<std::size_t>(v / 16)] += count;
      by_7[static_cast<std::size_t>(v % 7)] += count;
      sums[static_cast<std::size_t>(v % 7)] += static_cast<std::uint64_t>(v * count);
    }
    CHECK(kn::histogram(x, {.bins = 16, .range = {{0, 256}}}).counts.to_vector<std::int64_t>() == by_16);
    CHECK(kn::bincount(x).to_vector<std::int64_t>() == std::vector<std::int64_t>(counts.begin(), counts.end()));
    const Array ids = (x % 7).eval();
    CHECK(kn::segment_sum(x, ids, {.count = 7}).to_vector<std::uint64_t>() == sums);
    CHECK(kn::segment_count(ids, {.count = 7}).to_vector<std::int64_t>() == by_7);
    std::vector<int> largest(7);
    for (int v = 0; v < 256; ++v) largest[static_cast<std::size_t>(v % 7)] = v;
    CHECK(kn::segment_max(x, ids, {.count = 7}).to_vector<int>() == largest);
  });
}

TEST_CASE("sums of all elements so far, past 2^31") {
  on_large_devices(big, [] {
    const Array x = patterns();
    std::vector<std::uint8_t> expected(big);  // wraps as the type does
    std::uint8_t sum = 0;
    for (std::int64_t i = 0; i < big; ++i) expected[i] = sum = static_cast<std::uint8_t>(sum + pattern(i));
    CHECK(differing(kn::cumulative_sum(x, {.dtype = kn::uint8}).to_vector<std::uint8_t>(), big,
                    [&](std::int64_t i) { return expected[i]; }) == "");
    // 255 rows of more than 2^23 elements, and their columns.
    constexpr std::int64_t rows = 255, columns = big / rows;
    const Array table = x(slice(0, rows * columns)).reshape({rows, columns});
    const Array down = kn::cumulative_max(table, {.axis = 0});
    const std::vector<std::uint8_t> got = down.to_vector<std::uint8_t>();
    CHECK(differing(got, rows * columns, [&](std::int64_t i) {
            const std::uint8_t own = pattern(i);
            return i < columns ? own : std::max(own, got[i - columns]);
          }) == "");
  });
}

TEST_CASE("what a mask keeps past 2^31") {
  on_large_devices(big, [] {
    const Array x = patterns();
    constexpr std::int64_t step = 1'000'003, first = 17, kept = (big - first + step - 1) / step;
    const Array mask = (kn::arange(big) % step == first).eval();
    CHECK(differing(x(mask).to_vector<std::uint8_t>(), kept,
                    [](std::int64_t k) { return pattern(first + k * step); }) == "");
    CHECK(differing(kn::nonzero(mask)[0].to_vector<std::int64_t>(), kept,
                    [](std::int64_t k) { return first + k * step; }) == "");
    CHECK(kn::count_nonzero(mask).item<std::int64_t>() == kept);
    // Nearly all of them.
    CHECK(differing(x(kn::logical_not(mask)).to_vector<std::uint8_t>(), big - kept, [](std::int64_t i) {
            // Each gap is a step less one long.
            return pattern(i < first ? i : i + 1 + (i - first) / (step - 1));
          }) == "");
    Array put = kn::zeros({big}, {.dtype = kn::uint8});
    put(mask) = 9;
    CHECK(kn::sum(put).item<std::uint64_t>() == static_cast<std::uint64_t>(9 * kept));
    CHECK(put(first + (kept - 1) * step).item<int>() == 9);
  });
}

TEST_CASE("softmax of rows, and transposed copies, past 2^31") {
  constexpr std::int64_t columns = 1031, rows = two31 / columns + 2, size = rows * columns;
  static_assert(size > two31);
  on_large_devices(2 * size, [] {
    const Array x = ((kn::arange(size) % 5).astype(kn::float16) * 0.5).reshape({rows, columns}).eval();
    const std::vector<std::int64_t> sampled = {0,     1,         columns - 1,    columns, two31 - 1,
                                               two31, two31 + 1, size - columns, size - 1};
    const std::vector<float> got =
        kn::take(kn::softmax(x, {.axis = 1}).reshape({size}), kn::asarray(sampled)).to_vector<float>();
    for (std::size_t k = 0; k < sampled.size(); ++k) {
      const std::int64_t begin = sampled[k] / columns * columns;
      double sum = 0;
      for (std::int64_t i = begin; i < begin + columns; ++i) sum += std::exp(0.5 * static_cast<double>(i % 5));
      CAPTURE(sampled[k]);
      CHECK(got[k] == doctest::Approx(std::exp(0.5 * static_cast<double>(sampled[k] % 5)) / sum).epsilon(2e-3));
    }
    // Every row, by what the rows of one softmax come to.
    const Array sums = kn::sum(kn::softmax(x, {.axis = 1}), {.axis = 1, .dtype = kn::float32});
    CHECK(kn::max(kn::abs(sums - 1)).item<float>() < 2e-3f);
  });
  on_large_devices(size, [] {
    const Array x = patterns(size).reshape({rows, columns});
    CHECK(differing(x.T().copy().to_vector<std::uint8_t>(), size,
                    [](std::int64_t i) { return pattern(i % rows * columns + i / rows); }) == "");
  });
}

TEST_CASE("products on matrix units of more than 2^31 results, and what follows them") {
  constexpr std::int64_t side = 46'352, depth = 16;
  static_assert(side * side > two31);
  on_large_devices(2 * side * side, [] {
    // Small whole numbers, so that float16 is exact.
    std::vector<float> left(side * depth), right(depth * side), beside(side);
    for (std::int64_t i = 0; i < side * depth; ++i) left[i] = static_cast<float>(pattern(i) % 4);
    for (std::int64_t i = 0; i < depth * side; ++i) right[i] = static_cast<float>(pattern(i * 7919) % 3);
    for (std::int64_t i = 0; i < side; ++i) beside[i] = static_cast<float>(pattern(i * 31));
    const Array product =
        kn::matmul(kn::asarray(left, {side, depth}, kn::float16), kn::asarray(right, {depth, side}, kn::float16));
    const Array made = (product * 2 + kn::asarray(beside, kn::float16)).eval();
    CHECK(differing(made.astype(kn::uint16).to_vector<std::uint16_t>(), side * side, [&](std::int64_t at) {
            const std::int64_t i = at / side, j = at % side;
            float sum = 0;
            for (std::int64_t d = 0; d < depth; ++d) sum += left[i * depth + d] * right[d * side + j];
            return static_cast<std::uint16_t>(sum * 2 + beside[j]);
          }) == "");
  });
}

// SPDX-License-Identifier: Apache-2.0
// Several reductions over the same axes of one array: one kernel for each pass, whatever each of them is.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::on_each_device;

namespace {

/// The values along lines of a matrix: its rows, its columns, or all of it as one.
std::vector<std::vector<double>> lines_of(const Array& x, int axis) {
  const auto rows = static_cast<std::size_t>(x.shape()[0]), columns = static_cast<std::size_t>(x.shape()[1]);
  const std::vector<double> values = x.to_vector<double>();
  std::vector<std::vector<double>> lines(axis == 1 ? rows : axis == 0 ? columns : 1);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      lines[axis == 1 ? i : axis == 0 ? j : 0].push_back(values[i * columns + j]);
    }
  }
  return lines;
}

/// Kernels that one sum takes, which several at once take, too.
std::int64_t kernels_of_one(const Array& x, const kn::Axis& axis) {
  return kn::test::kernels_of(kn::sum(x, {.axis = axis}));
}

}  // namespace

TEST_CASE("sums, extremes and counts of one array are read once") {
  on_each_device([] {
    // Short rows, rows of many blocks, and columns; whole vectors and parts of them.
    using Size = std::pair<int, int>;
    for (const auto& [m, n] : kn::test::usual_and<Size>({{3, 40'001}, {9001, 5}}, {{300, 7}, {40, 100}, {1025, 64}})) {
      kn::random::Generator random(std::uint64_t(m + n));
      const Array x = random.normal({m, n}).eval();
      for (const int axis : {0, 1, 2}) {
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(axis);
        const kn::Axis axes = axis < 2 ? kn::Axis(axis) : kn::Axis(kn::none);
        const std::int64_t alone = kernels_of_one(x, axes);
        Array total, squares, low, high;
        CHECK(kn::test::work_of([&] {
                total = kn::sum(x, {.axis = axes});
                squares = kn::mean(x * x, {.axis = axes});
                low = kn::min(x, {.axis = axes});
                high = kn::max(kn::abs(x) + 1.0f, {.axis = axes});
                kn::eval(total, squares, low, high);
              }).kernels == alone);
        const auto lines = lines_of(x, axis);
        const std::vector<double> totals = total.to_vector<double>(), means = squares.to_vector<double>(),
                                  lows = low.to_vector<double>(), highs = high.to_vector<double>();
        for (std::size_t i = 0; i < lines.size(); ++i) {
          double sum = 0, of_squares = 0, size = 0, lowest = INFINITY, highest = 0;
          for (const double v : lines[i]) {
            sum += v;
            of_squares += v * v;
            size += std::abs(v);
            lowest = std::min(lowest, v);
            highest = std::max(highest, std::abs(v));
          }
          CHECK(std::abs(totals[i] - sum) <= 1e-6 * size);
          CHECK(means[i] == doctest::Approx(of_squares / double(lines[i].size())).epsilon(1e-6));
          CHECK(lows[i] == lowest);
          CHECK(std::abs(highs[i] - (highest + 1)) <= 1e-6 * highest);
        }
      }
    }
  });
}

TEST_CASE("variances and deviations of one expression are one kernel, with the bits of each alone") {
  on_each_device([] {
    const auto check = [](int m, int n, const kn::Axis& axis, kn::DType type) {
      CAPTURE(m);
      CAPTURE(n);
      CAPTURE(axis.given());
      const Array x = kn::random::Generator(std::uint64_t(m * n)).normal({m, n}).astype(type).eval();
      const auto make = [&] {
        const Array y = x * 3.0 + 5.0;
        return std::array{kn::var(y, {.axis = axis}), kn::std(y, {.axis = axis, .correction = 1}),
                          kn::std(y, {.axis = axis})};
      };
      const auto together = make(), alone = make();
      const std::int64_t of_one = kn::test::kernels_of(alone[0]);
      CHECK(kn::test::work_of([&] { kn::eval(together[0], together[1], together[2]); }).kernels == of_one);
      const double count = double(x.size()) / double(together[0].size());
      for (std::size_t k = 0; k < 3; ++k) CHECK(together[k].to_vector<float>() == alone[k].to_vector<float>());
      const auto lines = lines_of(x, axis.given() ? 0 : 2);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        double mean = 0, squares = 0;
        for (const double v : lines[i]) mean += v / count;
        for (const double v : lines[i]) squares += (v - mean) * (v - mean);
        const double expected[] = {9 * squares / count, 3 * std::sqrt(squares / (count - 1)),
                                   3 * std::sqrt(squares / count)};
        for (std::size_t k = 0; k < 3; ++k) {
          const double error = type == kn::float16 ? 2e-3 : 1e-6;
          CHECK(together[k].to_vector<double>()[i] == doctest::Approx(expected[k]).epsilon(error));
        }
      }
    };
    check(600, 40, kn::Axis(0), kn::float32);
    check(40'001, 3, kn::Axis(0), kn::test::without_variants("float16") ? kn::float32 : kn::float16);
    check(301, 700, kn::Axis(kn::none), kn::float32);
  });
}

TEST_CASE("the positions of the largest and of the smallest elements are found by one kernel, on cards with these") {
  on_each_device([] {
    const bool cpu = kn::default_device().type() == kn::DeviceType::cpu;
    // Few values, so that the first of equal ones is looked for; short rows, rows of many blocks, and columns.
    for (const auto& [m, n] : kn::test::usual_and<std::pair<int, int>>({{3, 40'001}, {9001, 5}}, {{300, 7}})) {
      const Array whole = kn::random::Generator(std::uint64_t(m + n)).integers(-900, 900, {m, n}).eval();
      for (const kn::DType type : kn::test::usual_and({kn::float32}, {kn::int16})) {
        const Array x = whole.astype(type).eval();
        for (const int axis : {0, 1, 2}) {
          CAPTURE(m);
          CAPTURE(n);
          CAPTURE(axis);
          CAPTURE(kn::name(type));
          const kn::Axis along = axis < 2 ? kn::Axis(axis) : kn::Axis(kn::none);
          const std::int64_t alone = kn::test::kernels_of(kn::argmax(x, {.axis = along}));
          Array high, low, largest, least;
          const std::int64_t kernels = kn::test::work_of([&] {
                                         const Array y = x + 1;
                                         high = kn::argmax(y, {.axis = along});
                                         low = kn::argmin(y, {.axis = along});
                                         if (!cpu) {
                                           largest = kn::max(y, {.axis = along});
                                           least = kn::min(y, {.axis = along}) * 2;
                                           kn::eval(high, low, largest, least);
                                         } else {
                                           kn::eval(high, low);
                                         }
                                       }).kernels;
          // What is made of results of two bytes is rounded first.
          CHECK(kernels == alone + (!cpu && type == kn::int16 ? 1 : 0));
          const auto lines = lines_of(x, axis);
          const std::vector<std::int64_t> highs = high.to_vector<std::int64_t>(), lows = low.to_vector<std::int64_t>();
          std::vector<double> most, fewest;
          if (!cpu) {
            most = largest.to_vector<double>();
            fewest = least.to_vector<double>();
          }
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < lines.size(); ++i) {
            if (!cpu) {
              wrong += most[i] != *std::max_element(lines[i].begin(), lines[i].end()) + 1;
              wrong += fewest[i] != 2 * (*std::min_element(lines[i].begin(), lines[i].end()) + 1);
            }
            wrong += highs[i] != std::max_element(lines[i].begin(), lines[i].end()) - lines[i].begin();
            wrong += lows[i] != std::min_element(lines[i].begin(), lines[i].end()) - lines[i].begin();
          }
          CHECK(wrong == 0);
        }
      }
    }
    std::vector<float> values(200'000, 1.0f);
    values[150'000] = NAN;
    values[70'000] = 2;
    values[90'000] = -3;
    for (const bool nan : {true, false}) {
      if (!nan) values[150'000] = 1;
      const Array x = kn::asarray(values), high = kn::argmax(x), low = kn::argmin(x), most = kn::max(x);
      kn::eval(high, low, most);
      CHECK((nan ? std::isnan(most.item<float>()) : most.item<float>() == 2));
      CHECK(high.item<std::int64_t>() == (nan ? 150'000 : 70'000));
      CHECK(low.item<std::int64_t>() == (nan ? 150'000 : 90'000));
    }
  });
}

// On a CPU they are made of a maximum and a sum, and several sums are added up in another order than one.
TEST_CASE("sums of exponentials of two expressions of one array take the kernels of one, on cards with its bits") {
  on_each_device([] {
    using Size = std::pair<int, int>;
    for (const auto& [m, n] : kn::test::usual_and<Size>({{3, 300'001}}, {{40'001, 3}, {1025, 64}})) {
      const Array x = kn::random::Generator(std::uint64_t(m + n)).normal({m, n}).eval();
      for (const int axis : {0, 1, 2}) {
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(axis);
        const kn::Axis along = axis < 2 ? kn::Axis(axis) : kn::Axis(kn::none);
        const Array alone[] = {kn::logsumexp(x * 3.0, {.axis = along}), kn::logsumexp(-x, {.axis = along})};
        const std::int64_t of_one = kn::test::kernels_of(alone[0]);
        const bool same_bits = kn::default_device().type() != kn::DeviceType::cpu;
        if (same_bits) alone[1].eval();
        const Array up = kn::logsumexp(x * 3.0, {.axis = along}), down = kn::logsumexp(-x, {.axis = along});
        CHECK(kn::test::work_of([&] { kn::eval(up, down); }).kernels == of_one);
        if (same_bits) {
          CHECK(up.to_vector<float>() == alone[0].to_vector<float>());
          CHECK(down.to_vector<float>() == alone[1].to_vector<float>());
        }
        const auto lines = lines_of(x, axis);
        const std::vector<double> ups = up.to_vector<double>(), downs = down.to_vector<double>();
        for (std::size_t i = 0; i < lines.size(); ++i) {
          double of_up = 0, of_down = 0;
          for (const double v : lines[i]) {
            of_up += std::exp(3 * v);
            of_down += std::exp(-v);
          }
          CHECK(std::abs(ups[i] - std::log(of_up)) <= 1e-6 * (1 + std::abs(std::log(of_up))));
          CHECK(std::abs(downs[i] - std::log(of_down)) <= 1e-6 * (1 + std::abs(std::log(of_down))));
        }
      }
    }
    // What becomes of both is theirs, too.
    const Array x = kn::random::Generator(4).normal({100'000}).eval();
    const std::int64_t of_one = kn::test::kernels_of(kn::logsumexp(x));
    const Array both = kn::logsumexp(x) + kn::logsumexp(-x);
    CHECK(kn::test::kernels_of(both) == of_one);
    double up = 0, down = 0;
    for (const double v : x.to_vector<double>()) {
      up += std::exp(v);
      down += std::exp(-v);
    }
    CHECK(both.item<double>() == doctest::Approx(std::log(up) + std::log(down)).epsilon(1e-6));
  });
}

TEST_CASE("results of several types, and reductions that must stay apart") {
  on_each_device([] {
    const Array x = kn::reshape((kn::arange(70'000) * 7919) % 251, {7, 10'000}).astype(kn::int32).eval();
    Array total, high, some, evens;
    CHECK(kn::test::work_of([&] {
            total = kn::sum(x, {.axis = 0});
            high = kn::max(x, {.axis = 0});
            evens = kn::count_nonzero(x % 2, {.axis = 0});
            some = kn::any(x > 249, {.axis = 0});
            kn::eval(total, high, evens, some);
          }).kernels == kernels_of_one(x, kn::Axis(0)));
    const auto lines = lines_of(x, 0);
    const std::vector<std::int64_t> totals = total.to_vector<std::int64_t>(), counts = evens.to_vector<std::int64_t>();
    const std::vector<std::int32_t> highs = high.to_vector<std::int32_t>();
    const std::vector<bool> any = some.to_vector<bool>();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::int64_t sum = 0, odd = 0;
      for (const double v : lines[i]) {
        sum += std::int64_t(v);
        odd += std::int64_t(v) % 2 != 0;
      }
      const double highest = *std::max_element(lines[i].begin(), lines[i].end());
      if (totals[i] != sum || counts[i] != odd || highs[i] != highest || any[i] != (highest > 249))
        FAIL("column " << i);
    }
    // One that reads the other is behind it.
    const Array middle = kn::mean(x), spread = kn::mean(kn::abs(x - middle));
    kn::eval(middle, spread);
    double mean = 0, distance = 0;
    const std::vector<double> values = x.to_vector<double>();
    for (const double v : values) mean += v / double(values.size());
    for (const double v : values) distance += std::abs(v - mean) / double(values.size());
    CHECK(spread.item<double>() == doctest::Approx(distance).epsilon(1e-5));
  });
}

// SPDX-License-Identifier: Apache-2.0
// What is made of reductions element by element, in the kernel of their last pass: kernels are counted, and values
// stand beside sums of doubles.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::kernels_of;
using kn::test::on_each_device;

namespace {

struct Shape2 {
  std::int64_t rows, columns;
};

/// The values along lines of a matrix: its rows, its columns, or all of it as one.
std::vector<std::vector<double>> lines_of(const Array& x, int axis) {
  const auto rows = static_cast<std::size_t>(x.shape()[0]), columns = static_cast<std::size_t>(x.shape()[1]);
  const std::vector<double> values = x.to_vector<double>();
  std::vector<std::vector<double>> lines(axis == 1 ? rows : axis == 0 ? columns : 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    lines[axis == 1 ? i / columns : axis == 0 ? i % columns : 0].push_back(values[i]);
  }
  return lines;
}

double sum_of(const std::vector<double>& line, const std::function<double(double)>& f) {
  double sum = 0;
  for (const double v : line) sum += f(v);
  return sum;
}

double square(double v) { return v * v; }

void check(const Array& x, const std::vector<double>& expected) {
  const std::vector<double> values = x.to_vector<double>();
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}

/// Rows of one block and of many, whole vectors and parts of them, columns, and all at once.
void on_each_shape(const std::function<void(const Array& x, const kn::Axis& axis, int number)>& test) {
  for (const auto& [rows, columns] : kn::test::usual_and<Shape2>({{300, 70}, {3, 40'001}}, {{40, 130}, {1025, 66}})) {
    kn::random::Generator random(std::uint64_t(rows + columns));
    const Array x = random.normal({rows, columns}).eval();
    for (const int axis : {0, 1, 2}) {
      CAPTURE(rows);
      CAPTURE(columns);
      CAPTURE(axis);
      test(x, axis < 2 ? kn::Axis(axis) : kn::Axis(kn::none), axis);
    }
  }
}

/// Kernels of a reduction by itself: as many for a sum as for an extreme, so that all take the same programs.
std::int64_t kernels_alone(const Array& x, const kn::Axis& axis) { return kernels_of(kn::sum(x * x, {.axis = axis})); }

/// Kernels more if somebody holds the reduction, which a card's kernel stores beside what is made of it.
std::int64_t kernels_beside() { return kn::default_device().type() == kn::DeviceType::cpu ? 1 : 0; }

}  // namespace

// A short reduction that is read is a loop, and takes fewer kernels than alone on cards.
TEST_CASE("roots, quotients and powers of a reduction take no kernel of their own") {
  on_each_device([] {
    on_each_shape([](const Array& x, const kn::Axis& axis, int number) {
      const std::int64_t alone = kernels_alone(x, axis);
      const Array root = kn::sqrt(kn::sum(x * x, {.axis = axis}));
      CHECK(kernels_of(root) <= alone);
      std::vector<double> roots, others;
      for (const auto& line : lines_of(x, number)) {
        roots.push_back(std::sqrt(sum_of(line, square)));
        others.push_back(1 / (roots.back() * 2 + 3));
      }
      check(root, roots);
      if (number != 0 && kn::test::without_variants("quotients of rows and of all")) return;
      const Array other = 1 / (kn::sqrt(kn::sum(x * x, {.axis = axis})) * 2 + 3);
      CHECK(kernels_of(other) <= alone);
      check(other, others);
    });
  });
}

TEST_CASE("arrays beside a reduction are read in its kernel") {
  on_each_device([] {
    on_each_shape([](const Array& x, const kn::Axis& axis, int number) {
      const auto lines = lines_of(x, number);
      // A part whose rows are not aligned, in row-major order.
      const auto count = static_cast<std::int64_t>(lines.size());
      Array whole = kn::arange(count + 1).astype(kn::float32).eval();
      const Array y = number == 2 ? whole(1) : whole(kn::slice(1, kn::none));
      y.eval();
      const std::int64_t alone = kernels_alone(x, axis);
      const Array result = kn::max(x, {.axis = axis}) * 0.5f + y;
      CHECK(kernels_of(result) <= alone);
      std::vector<double> expected;
      for (std::size_t k = 0; k < lines.size(); ++k) {
        double high = -INFINITY;
        for (const double v : lines[k]) high = std::fmax(high, v);
        expected.push_back(high * 0.5 + double(k + 1));
      }
      check(result, expected);
    });
  });
}

TEST_CASE("what several reductions of one array are made into is one kernel for each pass") {
  on_each_device([] {
    on_each_shape([](const Array& x, const kn::Axis& axis, int number) {
      const std::int64_t alone = kernels_alone(x, axis);
      const Array range = (kn::max(x, {.axis = axis}) - kn::min(x, {.axis = axis})) / 2 + kn::mean(x, {.axis = axis});
      CHECK(kernels_of(range) == alone);
      std::vector<double> expected;
      for (const auto& line : lines_of(x, number)) {
        double low = INFINITY, high = -INFINITY;
        for (const double v : line) {
          low = std::fmin(low, v);
          high = std::fmax(high, v);
        }
        expected.push_back((high - low) / 2 + sum_of(line, [](double v) { return v; }) / double(line.size()));
      }
      check(range, expected);
    });
  });
}

TEST_CASE("of reductions with unlike states the last one reads the others") {
  on_each_device([] {
    for (const auto& [rows, columns] : kn::test::usual_and<Shape2>({{9001, 33}}, {{300, 70}})) {
      const Array x = (kn::random::Generator(5).normal({rows, columns}) + 2).eval();
      const std::int64_t apart = kernels_of(kn::std(x, {.axis = 0})) + kernels_of(kn::mean(x, {.axis = 0}));
      const Array both = kn::std(x, {.axis = 0}) + kn::mean(x, {.axis = 0});
      CHECK(kernels_of(both) == apart);
      std::vector<double> expected;
      for (const auto& line : lines_of(x, 0)) {
        const auto size = double(line.size());
        const double mean = sum_of(line, [](double v) { return v; }) / size;
        expected.push_back(std::sqrt(sum_of(line, [&](double v) { return square(v - mean); }) / size) + mean);
      }
      check(both, expected);
    }
  });
}

TEST_CASE("integers, truths and other types of what is made of a reduction") {
  on_each_device([] {
    const Array x = kn::arange(0, 5000).astype(kn::int32).eval();
    const Array total = kn::sum(x);
    const Array twice = total.astype(kn::float32) / 2;
    CHECK(kernels_of(twice) == kernels_of(kn::sum(x)) + kernels_beside());  // somebody holds the sum
    CHECK(total.item<std::int64_t>() == 12'497'500);
    CHECK(twice.item<float>() == 6'248'750);
    const Array many = kn::sum(x) > 12'000'000;
    CHECK(kernels_of(many) == kernels_of(kn::sum(x)));
    CHECK(many.item<bool>());
    const Array half = kn::sqrt(kn::sum(x.astype(kn::float32))).astype(kn::float16);
    CHECK(kernels_of(half) == kernels_of(kn::sum(x.astype(kn::float32))));
    CHECK(half.item<float>() == doctest::Approx(std::sqrt(12'497'500.0)).epsilon(1e-3));
  });
}

TEST_CASE("the same structure again, and one in which somebody holds the reduction") {
  on_each_device([] {
    const Array x = kn::arange(0, 300'000).astype(kn::float32).eval();
    const std::int64_t alone = kernels_of(kn::sum(x));
    for (int time = 0; time < 4; ++time) {
      CAPTURE(time);
      const Array y = (x + float(time)).eval();
      const Array root = kn::sqrt(kn::sum(y));
      CHECK(kernels_of(root) <= alone);
      CHECK(root.item<double>() == doctest::Approx(std::sqrt(44'999'850'000.0 + 300'000.0 * time)));
      const Array total = kn::sum(y), held = kn::sqrt(total);
      CHECK(kernels_of(held) == alone + kernels_beside());
      CHECK(kernels_of(total) == 0);
      CHECK(total.item<double>() == doctest::Approx(44'999'850'000.0 + 300'000.0 * time));
      CHECK(held.item<double>() == root.item<double>());
    }
  });
}

TEST_CASE("several values that are made of reductions of columns, and these") {
  on_each_device([] {
    const Array x = kn::random::Generator(6).normal({1025, 66}).eval();
    const std::int64_t alone = kernels_of(kn::sum(x, {.axis = 0}));
    const Array total = kn::sum(x, {.axis = 0}), low = kn::min(x, {.axis = 0});
    const Array twice = total * 2, span = kn::abs(total) - low, shifted = low + 1;
    std::vector<double> totals, lows;
    for (const auto& line : lines_of(x, 0)) {
      totals.push_back(sum_of(line, [](double v) { return v; }));
      lows.push_back(*std::min_element(line.begin(), line.end()));
    }
    const auto kernels = kn::test::work_of([&] { kn::eval(twice, span, shifted, total); }).kernels;
    if (kernels_beside() == 0) CHECK(kernels == alone);
    CHECK(kernels_of(low) == 0);
    const std::vector<double> totals_read = total.to_vector<double>(), twice_read = twice.to_vector<double>(),
                              span_read = span.to_vector<double>(), shifted_read = shifted.to_vector<double>(),
                              low_read = low.to_vector<double>();
    for (std::size_t i = 0; i < totals.size(); ++i) {
      const auto near = [](double value) { return doctest::Approx(value).epsilon(1e-4).scale(10); };
      CHECK(totals_read[i] == near(totals[i]));
      CHECK(twice_read[i] == near(2 * totals[i]));
      CHECK(span_read[i] == near(std::abs(totals[i]) - lows[i]));
      CHECK(shifted_read[i] == near(lows[i] + 1));
      CHECK(low_read[i] == lows[i]);
    }
  });
}

TEST_CASE("reproducible sums are finished, too, with the bits of a root by itself") {
  on_each_device([] {
    const kn::reproducible scope;
    const Array x = kn::random::Generator(11).uniform({300'001}).eval();
    const Array total = kn::sum(x * x).eval();
    const Array root = kn::sqrt(kn::sum(x * x));
    CHECK(kernels_of(root) == kernels_of(kn::sum(x * x)));
    CHECK(root.item<float>() == kn::sqrt(total).item<float>());
  });
}

TEST_CASE("steps that each go on from the one before take as many kernels together as apart") {
  on_each_device([] {
    const Array x = kn::random::Generator(12).normal({700, 40}).eval();
    const auto step = [&](const Array& weights) { return weights - 0.001 * kn::sum(kn::tanh(x - weights), 0); };
    const Array begin = kn::zeros(40).eval();
    Array apart = begin, together = begin;
    std::int64_t kernels = 0;
    constexpr int steps = 5;
    for (int i = 0; i < steps; ++i) {
      apart = step(apart);
      kernels += kernels_of(apart);
    }
    for (int i = 0; i < steps; ++i) together = step(together);
    CHECK(kernels_of(together) == kernels);
    // Weights that somebody holds are stored in any case.
    std::vector<Array> held = {begin};
    for (int i = 0; i < steps; ++i) held.push_back(step(held.back()));
    CHECK(kernels_of(held.back()) <= kernels);
    std::vector<std::vector<double>> columns = lines_of(x, 0);
    std::vector<double> expected(40);
    for (int i = 0; i < steps; ++i) {
      for (std::size_t c = 0; c < expected.size(); ++c) {
        const double weight = expected[c];
        expected[c] -= 0.001 * sum_of(columns[c], [&](double v) { return std::tanh(v - weight); });
      }
    }
    for (const Array& result : {apart, together, held.back()}) check(result, expected);
  });
}

TEST_CASE("a finish reads what another kernel stores, and neither waits for the other") {
  on_each_device([] {
    const Array x = kn::random::Generator(13).normal({700, 40}).eval();
    const Array y = kn::random::Generator(14).normal({40}).eval(), z = kn::random::Generator(15).normal({40}).eval();
    // `dear` is of the sum's own level, or of one before; others are made of it and of what the sum's kernel stores.
    const auto made = [&](const Array& dear) {
      const Array total = kn::sum(x * x, 0);
      const Array finished = total * dear + 1, more = dear * total - kn::exp(dear), rest = kn::tanh(total) + dear;
      return std::vector<Array>{finished, more, rest, kn::sum(finished) + dear, dear};
    };
    const std::vector<double> y_read = y.to_vector<double>(), z_read = z.to_vector<double>();
    const auto columns = lines_of(x, 0);
    for (const bool behind : {false, true}) {
      CAPTURE(behind);
      const Array base = behind ? y / kn::sum(z * z) : y * z;
      std::vector<Array> results = made(kn::sin(base) * kn::cos(base) / (kn::abs(y) + 2));
      kn::eval(results[0], results[1], results[2], results[3], results[4]);
      const double squares = sum_of(z_read, square);
      std::vector<double> finished, more, rest, last, dear;
      for (std::size_t c = 0; c < 40; ++c) {
        const double b = behind ? y_read[c] / squares : y_read[c] * z_read[c];
        dear.push_back(std::sin(b) * std::cos(b) / (std::abs(y_read[c]) + 2));
        const double total = sum_of(columns[c], square), d = dear.back();
        finished.push_back(total * d + 1);
        more.push_back(d * total - std::exp(d));
        rest.push_back(std::tanh(total) + d);
      }
      const double sum = sum_of(finished, [](double v) { return v; });
      for (const double d : dear) last.push_back(sum + d);
      check(results[0], finished);
      check(results[1], more);
      check(results[2], rest);
      check(results[3], last);
      check(results[4], dear);
    }
  });
}

// SPDX-License-Identifier: Apache-2.0
// Reductions of rows in one kernel with what reads them: norms, shares and distances from means, in one launch each.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::on_each_device;

namespace {

const kn::ReductionOptions rows{.axis = -1}, kept{.axis = -1, .keepdims = true};

Array sum_of(const Array& x) { return kn::sum(x, {.axis = -1, .keepdims = true}); }

/// A matrix beside its values in double precision.
struct Matrix {
  std::size_t height, width;
  Array x;
  std::vector<double> values;

  Matrix(int m, int n) : height(std::size_t(m)), width(std::size_t(n)) {
    kn::random::Generator random(std::uint64_t(m) * 100'000 + std::uint64_t(n));
    x = random.normal({m, n}, {.loc = 1, .scale = 3});
    values = x.to_vector<double>();
  }
  double operator()(std::size_t i, std::size_t j) const { return values[i * width + j]; }
  /// The sum along row i of what `term` makes of its elements, remembered under a name of one letter.
  template <class Term>
  double sum(char remembered, std::size_t i, Term term) const {
    const auto [place, made] = sums.try_emplace({remembered, i}, 0.0);
    for (std::size_t j = 0; made && j < width; ++j) place->second += term((*this)(i, j));
    return place->second;
  }
  double mean(std::size_t i) const {
    return sum('m', i, [](double v) { return v; }) / double(width);
  }
  double variance(std::size_t i) const {
    const double middle = mean(i);
    return sum('v', i, [&](double v) { return (v - middle) * (v - middle); }) / double(width);
  }
  double squares(std::size_t i) const {
    return sum('s', i, [](double v) { return v * v; });
  }
  double powers(std::size_t i) const {
    return sum('e', i, [](double v) { return std::exp(v); });
  }
  mutable std::map<std::pair<char, std::size_t>, double> sums;
};

/// Compares an array, made by one kernel, with `expected(i, j)`, j being 0 of what has one element for a row.
template <class Make, class Expected>
void check_one_kernel(std::string_view what, const Matrix& matrix, Make make, Expected expected) {
  CAPTURE(what);
  CAPTURE(matrix.height);
  CAPTURE(matrix.width);
  Array result;
  CHECK(kn::test::work_of([&] {
          result = make();
          result.eval();
        }).kernels == 1);
  const std::vector<double> got = result.to_vector<double>();
  const std::size_t count = got.size() / matrix.height;
  for (std::size_t i = 0; i < matrix.height; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      const double want = expected(i, j), error = std::abs(got[i * count + j] - want);
      // Elements near zero are differences of larger ones.
      if (!(error <= 1e-5 * (1 + std::abs(want)))) FAIL("element (" << i << ", " << j << ") is off by " << error);
    }
  }
}

/// Reductions that are results themselves, beside what reads them.
void check_results_of_rows(int m, int n) {
  const Matrix a(m, n);
  const Array middle = kn::mean(a.x, kept), distance = a.x - middle,
              norm = kn::sqrt(kn::sum(distance * distance, {.axis = -1}));
  kn::eval(middle, distance, norm);
  const std::vector<double> means = middle.to_vector<double>(), norms = norm.to_vector<double>();
  const std::vector<double> distances = distance.to_vector<double>();
  for (std::size_t i = 0; i < a.height; ++i) {
    CHECK(means[i] == doctest::Approx(a.mean(i)).epsilon(1e-5));
    CHECK(norms[i] == doctest::Approx(std::sqrt(double(a.width) * a.variance(i))).epsilon(1e-5));
    for (std::size_t j = 0; j < a.width; ++j)
      CHECK(std::abs(distances[i * a.width + j] - (a(i, j) - a.mean(i))) < 1e-5);
  }
}

}  // namespace

TEST_CASE("what reads reductions of rows by element is one kernel with them") {
  on_each_device([] {
    // Rows of which a CPU takes as many at once as a vector has elements, some vectors, and the longest row; a part of
    // a vector, and a row for each group of work-items.
    for (const auto& [m, n] : kn::test::usual_and<std::pair<int, int>>(
             {{23, 5}, {9, 1000}, {2, 8192}}, {{7, 10}, {64, 8}, {5, 33}, {300, 257}, {130, 64}})) {
      const Matrix a{m, n};
      const Array &x = a.x, weight = kn::linspace(0.5, 1.5, n).astype(kn::float32).eval();
      const auto weight_of = [&](std::size_t j) { return 0.5 + double(j) / double(n - 1); };
      check_one_kernel(
          "layer norm by means", a,
          [&] {
            const Array distance = x - kn::mean(x, kept);
            return distance / kn::sqrt(kn::mean(distance * distance, kept) + 1e-5f) * weight + 1.0f;
          },
          [&](std::size_t i, std::size_t j) {
            return (a(i, j) - a.mean(i)) / std::sqrt(a.variance(i) + 1e-5) * weight_of(j) + 1;
          });
      check_one_kernel(
          "standard scores by std", a,
          [&] { return (x - kn::mean(x, kept)) / kn::std(x, {.axis = -1, .keepdims = true}); },
          [&](std::size_t i, std::size_t j) { return (a(i, j) - a.mean(i)) / std::sqrt(a.variance(i)); });
      check_one_kernel(
          "shares of a norm", a, [&] { return x / kn::sqrt(sum_of(x * x)); },
          [&](std::size_t i, std::size_t j) { return a(i, j) / std::sqrt(a.squares(i)); });
      check_one_kernel(
          "log of softmax", a,
          [&] {
            const Array below = x - kn::max(x, kept);
            return below - kn::log(sum_of(kn::exp(below)));
          },
          [&](std::size_t i, std::size_t j) { return a(i, j) - std::log(a.powers(i)); });
      check_one_kernel(
          "softmax", a, [&] { return kn::softmax(x, {.axis = -1}); },
          [&](std::size_t i, std::size_t j) { return std::exp(a(i, j)) / a.powers(i); });
      // Five loops over a row, and six.
      check_one_kernel(
          "softmax of standard scores", a,
          [&] {
            return kn::softmax((x - kn::mean(x, kept)) / kn::std(x, {.axis = -1, .keepdims = true}), {.axis = -1});
          },
          [&](std::size_t i, std::size_t j) {
            const auto power = [&](double v) { return std::exp((v - a.mean(i)) / std::sqrt(a.variance(i))); };
            return power(a(i, j)) / a.sum('p', i, power);
          });
    }
  });
}

TEST_CASE("what is made of reductions row by row is one kernel with them") {
  on_each_device([] {
    // On a CPU shorter rows have kernels that take many at once.
    const bool cpu = kn::default_device().type() == kn::DeviceType::cpu;
    for (const auto& [m, n] : {std::pair{cpu ? 30 : 300, cpu ? 999 : 257}, {9, 1000}, {2, 8192}}) {
      const Matrix a{m, n};
      const Array& x = a.x;
      check_one_kernel(
          "norm", a, [&] { return kn::sqrt(kn::sum(x * x, {.axis = -1})); },
          [&](std::size_t i, std::size_t) { return std::sqrt(a.squares(i)); });
      check_one_kernel(
          "signal to noise", a, [&] { return kn::mean(x, kept) / kn::std(x, {.axis = -1, .keepdims = true}); },
          [&](std::size_t i, std::size_t) { return a.mean(i) / std::sqrt(a.variance(i)); });
      // On a CPU a maximum, and a sum of what reads it.
      check_one_kernel(
          "logsumexp", a, [&] { return kn::logsumexp(x, rows); },
          [&](std::size_t i, std::size_t) { return std::log(a.powers(i)); });
    }
  });
}

TEST_CASE("types, and rows whose reductions somebody else reads, too") {
  on_each_device([] {
    // Integers, whose sums are of 64 bits, and bool_.
    const Array counts = kn::reshape(kn::arange(3000) % 7, {30, 100}).astype(kn::int32).eval();
    const Array few = counts.reshape({600, 5}), apart = few * 100 - sum_of(few);
    const Array first = kn::argmax(few, {.axis = -1, .keepdims = true}) * 10 - few;
    kn::eval(apart, first);
    const std::vector<std::int64_t> aparts = apart.to_vector<std::int64_t>(), firsts = first.to_vector<std::int64_t>();
    for (std::size_t i = 0; i < 600; ++i) {
      const auto at = [&](std::size_t j) { return std::int64_t(i * 5 + j) % 7; };
      const std::int64_t sum = at(0) + at(1) + at(2) + at(3) + at(4);
      std::size_t largest = 0;
      for (std::size_t j = 1; j < 5; ++j) largest = at(j) > at(largest) ? j : largest;
      for (std::size_t j = 0; j < 5; ++j) {
        CHECK(aparts[i * 5 + j] == at(j) * 100 - sum);
        CHECK(firsts[i * 5 + j] == std::int64_t(largest) * 10 - at(j));
      }
    }
    const Array rest = counts * 100 - sum_of(counts);
    const std::vector<std::int32_t> values = counts.to_vector<std::int32_t>();
    const std::vector<std::int64_t> got = rest.to_vector<std::int64_t>();
    for (std::size_t i = 0; i < 30; ++i) {
      std::int64_t sum = 0;
      for (std::size_t j = 0; j < 100; ++j) sum += values[i * 100 + j];
      for (std::size_t j = 0; j < 100; ++j) CHECK(got[i * 100 + j] == values[i * 100 + j] * 100 - sum);
    }
    const Array even = kn::logical_and(counts % 2 == 0, kn::logical_not(kn::all(counts < 7, kept)));
    CHECK_FALSE(kn::any(even).item<bool>());
    for (const auto& [m, n] : {std::pair{20, 200}, {20, 6}}) check_results_of_rows(m, n);
    const Matrix a(20, 200);
    // A result over its operand.
    Array y = a.x * 1.0f;
    y.eval();
    y = y / sum_of(y * y) + y;
    const std::vector<double> over = y.to_vector<double>();
    for (std::size_t i = 0; i < 20; ++i) {
      const double squares = a.squares(i);
      for (std::size_t j = 0; j < 200; ++j) {
        CHECK(std::abs(over[i * 200 + j] - a(i, j) * (1 + 1 / squares)) < 1e-5 * (1 + std::abs(a(i, j))));
      }
    }
  });
}

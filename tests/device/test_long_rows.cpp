// SPDX-License-Identifier: Apache-2.0
// Rows that registers do not hold, in kernels that read each from memory once and from a cache for each further loop.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::on_each_device;

namespace {

const kn::ReductionOptions kept{.axis = -1, .keepdims = true};
const kn::SumOptions kept_sum{.axis = -1, .keepdims = true};

/// As many rows as are enough for long ones to share a kernel.
std::int64_t enough_rows() { return 4 * std::int64_t{kn::default_device().compute_units()}; }

bool on_cpu() { return kn::default_device().type() == kn::DeviceType::cpu; }

/// What is known of a row in double precision.
struct Row {
  double mean = 0, variance = 0, largest = -std::numeric_limits<double>::infinity(), powers = 0, squares = 0;
  std::int64_t place = 0;

  Row(const double* x, std::int64_t n) {
    for (std::int64_t j = 0; j < n; ++j) {
      if (x[j] > largest) place = j;
      largest = std::max(largest, x[j]);
      mean += x[j] / double(n);
      squares += x[j] * x[j];
    }
    for (std::int64_t j = 0; j < n; ++j) {
      powers += std::exp(x[j] - largest);
      variance += (x[j] - mean) * (x[j] - mean) / double(n);
    }
  }
};

Array numbers(std::int64_t m, std::int64_t n, kn::DType type = kn::float32) {
  kn::random::Generator random(std::uint64_t(m) * 1'000'003 + std::uint64_t(n));
  return random.normal({m, n}, {.loc = 1, .scale = 3}).astype(type).eval();
}

/// Evaluates what `make` makes by one kernel, and compares each element with `expected(row, x)` of its row and its own
/// x, in steps of `eps` of `size(row, x)`.
template <class Make, class Expected>
void check_elements(const Array& x, Make make, double eps, Expected expected) {
  Array result;
  CHECK(kn::test::work_of([&] { result = make().eval(); }).kernels == 1);
  const std::int64_t m = x.shape()[0], n = x.shape()[1];
  const std::vector<double> values = x.to_vector<double>(), got = result.to_vector<double>();
  const std::int64_t each = std::int64_t(got.size()) / m;
  double worst = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    const Row row(values.data() + i * n, n);
    for (std::int64_t j = 0; j < each; ++j) {
      const auto [want, size] = expected(row, values[std::size_t(i * n + j)]);
      const double error = std::abs(got[std::size_t(i * each + j)] - want) / size;
      worst = error > worst || std::isnan(error) ? error : worst;
      if (std::isnan(error)) break;
    }
  }
  CHECK(worst <= eps);
}

void check_rows(std::int64_t m, std::int64_t n, kn::DType type, double eps) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(kn::name(type));
  const Array x = numbers(m, n, type);
  check_elements(
      x, [&] { return kn::softmax(x, {.axis = -1}); }, eps,
      [](const Row& row, double v) {
        // The smallest numbers of a float16 have fewer digits.
        const double want = std::exp(v - row.largest) / row.powers;
        return std::pair{want, std::max(want, 1e-4)};
      });
  check_elements(
      x,
      [&] {
        const Array distance = x - kn::mean(x, kept);
        return distance / kn::std(x, {.axis = -1, .keepdims = true});
      },
      eps,
      [](const Row& row, double v) {
        const double spread = std::sqrt(row.variance);
        return std::pair{(v - row.mean) / spread, (std::abs(v) + std::abs(row.mean)) / spread};
      });
  if (type == kn::float16) return;  // whose range sums of squares pass
  check_elements(
      x, [&] { return x / kn::sqrt(kn::sum(x * x, kept_sum)); }, eps,
      [](const Row& row, double v) {
        const double want = v / std::sqrt(row.squares);
        return std::pair{want, std::max(std::abs(want), 1e-4)};
      });
}

}  // namespace

TEST_CASE("what reads reductions of long rows by element is one kernel with them") {
  on_each_device([] {
    // Around the longest row that registers hold, and primes, which are no whole vectors.
    for (const std::int64_t n : kn::test::usual_and<std::int64_t>({8192, 16411}, {8191, 8193})) {
      check_rows(enough_rows(), n, kn::float32, 1e-5);
    }
    check_rows(enough_rows(), 20011, kn::float16, 2e-3);
    const bool wide = kn::test::computes(kn::float64) && !kn::test::without_variants("float64");
    if (wide) check_rows(enough_rows(), 5003, kn::float64, 1e-13);
    // The longest row of all, after one whose program differs by the size of what is kept alone.
    const std::int64_t longest = on_cpu() ? 262'144 : 65'536;
    if (on_cpu() && kn::test::all_variants()) check_rows(enough_rows(), 65'536, kn::float32, 1e-5);
    check_rows(enough_rows(), longest, kn::float32, 1e-5);
    const Array x = numbers(enough_rows(), longest + 1);
    CHECK(kn::test::kernels_of(kn::softmax(x, {.axis = -1})) > 1);
    // Few rows keep kernels that share the work on each.
    const Array few = x(kn::slice(0, 2), kn::slice(0, 16384));
    CHECK(kn::test::kernels_of(kn::softmax(few, {.axis = -1})) > 1);
  });
}

TEST_CASE("nothing of a long row adds up many elements one after another") {
  on_each_device([] {
    const std::int64_t n = on_cpu() ? 262'144 : 65'536, m = enough_rows();
    const Array x = kn::full({m, n}, 0.1f).eval();
    const Array shares = x / kn::sum(x, kept_sum);
    CHECK(kn::test::kernels_of(shares) == 1);
    const std::vector<float> got = shares.to_vector<float>();
    for (const float share : got) {
      const double error = std::abs(double(share) * double(n) - 1);
      if (!(error <= 5e-6)) FAIL("a share is off by " << error);
    }
  });
}

TEST_CASE("operands of long rows in other layouts, and a result over its operand") {
  on_each_device([] {
    const std::int64_t m = enough_rows(), n = 9001;
    const Array x = numbers(m, n), weight = numbers(1, n), bias = numbers(m, 1);
    const std::vector<double> xs = x.to_vector<double>(), ws = weight.to_vector<double>(),
                              bs = bias.to_vector<double>();
    // A row for all, an element for each row, every other row, and rows from the last element to the first.
    const Array both = x * weight + bias;
    const Array picked = kn::flip(x, 1)(kn::slice(0, kn::none, 2));
    Array y = x * 1.0f;
    y.eval();
    y = (y - kn::max(y, kept)) * 2.0f;
    for (const auto& [array, of] :
         {std::pair{both - kn::max(both, kept), 0}, {picked - kn::max(picked, kept), 1}, {y, 2}}) {
      CAPTURE(of);
      const std::vector<double> got = array.to_vector<double>();
      const std::int64_t height = array.shape()[0];
      double worst = 0;
      for (std::int64_t i = 0; i < height; ++i) {
        const auto value = [&, form = of](std::int64_t j) {
          if (form == 1) return xs[std::size_t(2 * i * n + n - 1 - j)];
          const double v = xs[std::size_t(i * n + j)];
          return form == 2 ? v : v * ws[std::size_t(j)] + bs[std::size_t(i)];
        };
        double largest = value(0);
        for (std::int64_t j = 1; j < n; ++j) largest = std::max(largest, value(j));
        for (std::int64_t j = 0; j < n; ++j) {
          const double want = (value(j) - largest) * (of == 2 ? 2 : 1);
          worst = std::max(worst, std::abs(got[std::size_t(i * n + j)] - want) / (std::abs(value(j)) + largest));
        }
      }
      CHECK(worst <= 1e-6);
    }
    // Columns do not lie side by side.
    const Array turned = kn::softmax(numbers(9001, m).T(), {.axis = -1});
    CHECK(std::abs(kn::sum(turned, {.axis = -1}).to_vector<double>()[0] - 1) < 1e-5);
  });
}

// SPDX-License-Identifier: Apache-2.0
// Sums of 2^28 numbers that differ, and products of such depth: within 1e-5 of what integers give exactly.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;

namespace {

constexpr std::int64_t count = std::int64_t{1} << 28;

/// Whole numbers from 1 to 4096 in no order, of which float32 holds each, but not the sum of some thousands.
std::int64_t number(std::int64_t i, std::uint32_t factor) { return 1 + (static_cast<std::uint32_t>(i) * factor >> 20); }
constexpr std::uint32_t one_factor = 2654435761u, other_factor = 2246822519u;

Array numbers(std::uint32_t factor) {
  std::vector<float> values(count);
  for (std::int64_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(number(i, factor));
  return kn::asarray(values);
}

void check_near(double got, double exact) { CHECK(std::abs(got / exact - 1) <= 1e-5); }

}  // namespace

TEST_CASE("sums and products of 2^28 numbers that differ") {
  if (!kn::test::exhaustive()) return kn::test::leave_out("2^28 numbers, without KOINE_TEST_EXHAUSTIVE=1");
  constexpr std::int64_t piece = std::int64_t{1} << 22, rows = count / piece, columns = 4;
  // Sums of squares and of products stay below 2^52.
  std::int64_t sum = 0, squares = 0, products = 0;
  std::vector<double> running;                         // at the end of each piece
  std::vector<std::int64_t> cells(rows * columns, 0);  // of pieces of both
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t x = number(i, one_factor);
    sum += x;
    squares += x * x;
    products += x * number(i, other_factor);
    if ((i + 1) % piece == 0) running.push_back(static_cast<double>(sum));
    for (std::int64_t j = 0; j < columns; ++j) {
      cells[static_cast<std::size_t>(i / piece * columns + j)] += x * number(j * piece + i % piece, other_factor);
    }
  }
  const double mean = static_cast<double>(sum) / count, variance = static_cast<double>(squares) / count - mean * mean;
  kn::test::on_each_device([&] {
    const Array x = numbers(one_factor), y = numbers(other_factor);
    for (const bool fixed : {false, true}) {
      CAPTURE(fixed);
      const kn::reproducible scope(fixed);
      check_near(kn::sum(x).item<double>(), static_cast<double>(sum));
      check_near(kn::mean(x).item<double>(), mean);
      check_near(kn::var(x).item<double>(), variance);
      check_near(kn::vecdot(x, y).item<double>(), static_cast<double>(products));
      const std::vector<double> sums = kn::cumulative_sum(x)(kn::slice(piece - 1, kn::none, piece)).to_vector<double>();
      REQUIRE(sums.size() == running.size());
      for (std::size_t k = 0; k < sums.size(); ++k) check_near(sums[k], running[k]);
      const Array left = kn::reshape(x, {rows, piece}),
                  right = kn::reshape(y(kn::slice(0, columns * piece)), {columns, piece});
      const std::vector<double> got = kn::matmul(left, right.T()).to_vector<double>();
      for (std::size_t k = 0; k < got.size(); ++k) check_near(got[k], static_cast<double>(cells[k]));
    }
  });
}

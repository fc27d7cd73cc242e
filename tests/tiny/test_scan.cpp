// SPDX-License-Identifier: Apache-2.0
// kernels/scan_rows.cl and scan_columns.cl: every number of work-items that share a block, rows and columns of one
// block and of several, whose totals a second scan adds up.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;

namespace {

/// Sums along the first axis or the last of numbers from 0 to 4, which every type holds exactly.
template <class T>
void check_sums(std::int64_t rows, std::int64_t columns, std::size_t axis) {
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  CAPTURE(rows);
  CAPTURE(columns);
  const auto value = [&](std::int64_t i, std::int64_t j) { return (i * columns + j * 3) % 5; };
  std::vector<T> values, sums(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) values.push_back(static_cast<T>(static_cast<float>(value(i, j))));
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto at = static_cast<std::size_t>(i * columns + j);
      const bool first = axis == 0 ? i == 0 : j == 0;
      const T before = first ? T(0) : sums[at - static_cast<std::size_t>(axis == 0 ? columns : 1)];
      sums[at] = static_cast<T>(before + values[at]);
    }
  }
  const Array x = kn::asarray(values, {rows, columns});
  check_array<T>(kn::cumulative_sum(x, {.axis = axis, .dtype = kn::dtype_of<T>}), {rows, columns}, sums);
}

}  // namespace

TEST_CASE("rows for one, 16 and all work-items of a group") {
  for (const std::int64_t columns : {1, 16, 17, 256, 300}) check_sums<float>(3, columns, 1);
}

TEST_CASE("rows of several blocks") {
  check_sums<float>(1, 8200, 1);
  check_sums<float>(1, 16400, 1);
  check_sums<std::int64_t>(2, 2100, 1);
  check_sums<double>(1, 2049, 1);
}

TEST_CASE("rows that lie apart, and columns of one block and of several") {
  check_sums<std::int32_t>(40, 3, 0);
  check_sums<float>(37, 40, 0);
  check_sums<std::uint8_t>(20, 33, 0);
  check_sums<float>(4100, 32, 0);
}

TEST_CASE("products and extremes") {
  check_array(kn::cumulative_prod(kn::array({2, -1, 3, 0, 5})), {5}, std::vector<std::int64_t>{2, -2, -6, 0, 0});
  check_array(kn::cumulative_max(kn::array({2.f, -1.f, 3.f, 0.f})), {4}, std::vector<float>{2, 2, 3, 3});
  check_array(kn::cumulative_min(kn::array({2.f, -1.f, 3.f, -4.f})), {4}, std::vector<float>{2, -1, -1, -4});
}

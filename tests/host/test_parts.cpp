// SPDX-License-Identifier: Apache-2.0
// Parts of a whole that the host computes where they belong, many elements at a time, beside plain loops.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/host_steps.hpp"
#include "support/same_bits.hpp"

namespace kn = koine;
using kn::Array;
using kn::slice;
using kn::test::does_steps;
using kn::test::host_steps_of;

namespace {

constexpr std::int64_t count = 20'000;  // more than a line, in several parts

/// Whole numbers that float16 holds, beside their values.
struct Numbers {
  Array array;
  std::vector<float> values;
};

Numbers numbers(kn::DType type, int factor) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i * factor % 509));
  Array array = kn::asarray(values, {.dtype = type}).eval();
  kn::synchronize();
  return {array, values};
}

}  // namespace

TEST_CASE("arrays are joined side by side, copied and computed") {
  if (!does_steps()) return;
  for (const kn::DType type : {kn::float32, kn::int64, kn::float16}) {
    CAPTURE(name(type));
    const auto [a, av] = numbers(type, 7);
    const auto [b, bv] = numbers(type, 11);
    std::vector<float> joined = av, computed;
    joined.insert(joined.end(), bv.begin(), bv.end());
    for (const float value : av) computed.push_back(value + 1);
    for (const float value : bv) computed.push_back(value + 2);
    const auto done = host_steps_of();
    CHECK(kn::concat({a, b}).to_vector<float>() == joined);
    CHECK(kn::concat({a + 1, b + 2}).to_vector<float>() == computed);
    CHECK(host_steps_of() > done);
    CHECK(kn::stack({a, b}).to_vector<float>() == joined);
  }
}

TEST_CASE("a value that several parts hold is in each of them") {
  if (!does_steps()) return;
  const auto [a, av] = numbers(kn::float32, 7);
  const Array twice = a * 2;
  std::vector<float> expected;
  for (int part = 0; part < 3; ++part) {
    for (const float value : av) expected.push_back(part == 1 ? 2 * value + 1 : 2 * value);
  }
  CHECK(kn::concat({twice, twice + 1, twice}).to_vector<float>() == expected);
}

TEST_CASE("a part of an array is made of the array itself") {
  if (!does_steps()) return;
  auto [x, values] = numbers(kn::float32, 7);
  x = (x + 0).eval();
  kn::synchronize();
  x(slice(0, 17'000)) = x(slice(0, 17'000)) * 2 + 1;
  for (std::size_t i = 0; i < 17'000; ++i) values[i] = 2 * values[i] + 1;
  CHECK(x.to_vector<float>() == values);
  kn::synchronize();
  x(slice(1, kn::none)) = x(slice(0, -1)) + 1;
  for (std::size_t i = values.size() - 1; i > 0; --i) values[i] = values[i - 1] + 1;
  CHECK(x.to_vector<float>() == values);
  kn::synchronize();
  x(slice(0, 10'000)) = x(slice(10'000, kn::none)) - x(slice(0, 10'000));
  for (std::size_t i = 0; i < 10'000; ++i) values[i] = values[i + 10'000] - values[i];
  CHECK(x.to_vector<float>() == values);
}

TEST_CASE("rows of a part are computed where they belong") {
  if (!does_steps()) return;
  constexpr std::int64_t rows = 100, columns = 200;
  auto [x, values] = numbers(kn::float32, 7);
  const auto [y, other] = numbers(kn::float32, 11);
  const auto at = [](std::int64_t row, std::int64_t column) {
    return static_cast<std::size_t>(row * columns + column);
  };
  Array whole = (x + 0).eval().reshape({rows, columns});
  const Array more = y.reshape({rows, columns});
  kn::synchronize();
  const auto done = host_steps_of();
  whole(slice(1, -1), slice(3, -2)) = 5;
  whole(slice(0, 1), slice(0, 150)) = more(slice(7, 8), slice(50, 200)) * 2;
  kn::eval({whole});
  CHECK(host_steps_of() >= done + 2);
  for (std::int64_t row = 1; row < rows - 1; ++row) {
    for (std::int64_t column = 3; column < columns - 2; ++column) values[at(row, column)] = 5;
  }
  for (std::int64_t column = 0; column < 150; ++column) values[at(0, column)] = 2 * other[at(7, column + 50)];
  CHECK(whole.to_vector<float>() == values);

  std::vector<float> beside;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) beside.push_back(values[at(row, column)]);
    for (std::int64_t column = 0; column < 130; ++column) beside.push_back(other[at(row, column)] + 1);
  }
  CHECK(kn::concat({whole, more(kn::all, slice(0, 130)) + 1}, {.axis = 1}).to_vector<float>() == beside);
}

TEST_CASE("rows beside each row of a matrix") {
  if (!does_steps()) return;
  const auto [x, values] = numbers(kn::float32, 7);
  const auto [y, other] = numbers(kn::float32, 11);
  for (const std::int64_t columns : {2, 5, 40, 125, 500, 2'500}) {
    CAPTURE(columns);
    const Array matrix = x.reshape({-1, columns}), blocks = x.reshape({-1, 2, columns});
    const Array row = y(slice(3, 3 + columns)), block = y(slice(3, 3 + 2 * columns)).reshape({2, columns});
    kn::synchronize();
    const auto done = host_steps_of();
    const Array products = (matrix * row).eval(), sums = (kn::where(blocks > block, block, blocks) + row).eval();
    CHECK(host_steps_of() == done + 2);
    std::vector<float> expected, smaller;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t in_row = i % static_cast<std::size_t>(columns),
                        in_block = i % static_cast<std::size_t>(2 * columns);
      expected.push_back(values[i] * other[3 + in_row]);
      smaller.push_back(std::min(values[i], other[3 + in_block]) + other[3 + in_row]);
    }
    CHECK(products.to_vector<float>() == expected);
    CHECK(sums.to_vector<float>() == smaller);
  }
}

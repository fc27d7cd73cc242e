// SPDX-License-Identifier: Apache-2.0
// Sums of neighbours of neighbours: what is made of one array at places beside each other is computed again by the
// kernel that reads it, and what is dear is stored once before.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::slice;
using kn::test::kernels_of;
using kn::test::on_each_device;

namespace {

constexpr int rows = 37, columns = 83;

/// Weights 1, 2, 1 down and across, of all but the edge.
Array blurred(const Array& x) {
  const auto before = slice(0, -2), in = slice(1, -1), after = slice(2, none);
  const Array down = x(before) + 2.0 * x(in) + x(after);
  return down(all, before) + 2.0 * down(all, in) + down(all, after);
}

std::vector<double> blurred(const std::vector<double>& x) {
  std::vector<double> result;
  for (int i = 1; i + 1 < rows; ++i) {
    for (int j = 1; j + 1 < columns; ++j) {
      double sum = 0;
      for (int k = -1; k <= 1; ++k) {
        for (int l = -1; l <= 1; ++l)
          sum += (2 - std::abs(k)) * (2 - std::abs(l)) * x[std::size_t((i + k) * columns + j + l)];
      }
      result.push_back(sum);
    }
  }
  return result;
}

void check(const Array& got, const std::vector<double>& want) {
  const auto values = got.to_vector<double>();
  REQUIRE(values.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(std::abs(values[i] - want[i]) < 1e-5 * (1 + std::abs(want[i])));
}

}  // namespace

TEST_CASE("a blur in two directions is one kernel, and two where what it blurs is dear") {
  on_each_device([] {
    const Array x = kn::random::Generator(5).uniform({rows, columns});
    std::vector<double> values = x.to_vector<double>();
    const Array plain = blurred(x);
    CHECK(kernels_of(plain) == 1);
    check(plain, blurred(values));
    const Array dear = blurred(kn::pow(kn::exp(x), 0.4));
    CHECK(kernels_of(dear) == 2);
    for (double& value : values) value = std::pow(std::exp(value), 0.4);
    check(dear, blurred(values));
  });
}

TEST_CASE("steps of Conway's Life are one kernel each, evaluated or not") {
  on_each_device([] {
    constexpr int steps = 4;
    Array board = (kn::random::Generator(6).uniform({rows, columns}) < 0.4).astype(kn::uint8).eval();
    auto cells = board.to_vector<std::uint8_t>();
    for (int step = 0; step < steps; ++step) {
      const Array column = kn::roll(board, 1, 0) + board + kn::roll(board, -1, 0);
      const Array neighbours = kn::roll(column, 1, 1) + column + kn::roll(column, -1, 1) - board;
      board = ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(kn::uint8);
    }
    CHECK(kernels_of(board) == steps);
    for (int step = 0; step < steps; ++step) {
      const auto before = cells;
      const auto at = [&](int i, int j) {
        return before[std::size_t((i + rows) % rows * columns + (j + columns) % columns)];
      };
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
          int alive = -at(i, j);
          for (int k = -1; k <= 1; ++k) {
            for (int l = -1; l <= 1; ++l) alive += at(i + k, j + l);
          }
          cells[std::size_t(i * columns + j)] = alive == 3 || (at(i, j) && alive == 2);
        }
      }
    }
    CHECK(board.to_vector<std::uint8_t>() == cells);
  });
}

TEST_CASE("a product by a short vector joins what it is made of and what reads it") {
  on_each_device([] {
    std::vector<std::uint8_t> pixels(std::size_t(rows * columns * 3));
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 37 % 256);
    const Array photo = kn::asarray(pixels, {rows, columns, 3}), weights = kn::array({0.25, 0.625, 0.125});
    const Array grey = kn::sqrt(kn::matmul(photo.astype(kn::float32) / 255.0, weights));
    const Array left = kn::matmul(weights, kn::asarray(pixels, {3, rows * columns}, kn::float32)) + 1.0;
    CHECK(kernels_of(grey) == 1);
    CHECK(kernels_of(left) == 1);
    std::vector<double> want, want_left;
    for (std::size_t i = 0; i < pixels.size(); i += 3) {
      want.push_back(std::sqrt((0.25 * pixels[i] + 0.625 * pixels[i + 1] + 0.125 * pixels[i + 2]) / 255));
    }
    constexpr std::size_t count = rows * columns;
    for (std::size_t i = 0; i < count; ++i) {
      want_left.push_back(0.25 * pixels[i] + 0.625 * pixels[count + i] + 0.125 * pixels[2 * count + i] + 1);
    }
    check(grey, want);
    check(left, want_left);
  });
}

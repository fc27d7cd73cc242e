// SPDX-License-Identifier: Apache-2.0
// Operands that lie beside a card's vectors, rolled, padded, cut off or mirrored, beside a reference that moves values
// by plain index arithmetic. Rows are longer and shorter than whole vectors, and long enough that vectors go across
// them; CPUs take the same views in their own loops.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
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

/// A matrix of small whole numbers, which every type holds, here and on the device.
struct Matrix {
  std::int64_t rows, columns;
  std::vector<double> values;
  Array array;

  Matrix(std::int64_t rows_, std::int64_t columns_, kn::DType type, int seed)
      : rows(rows_), columns(columns_), values(static_cast<std::size_t>(rows_ * columns_)) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = double((i * 7 + i / 13 + std::size_t(seed)) % 31);
    array = kn::asarray(values, kn::Shape{rows, columns}, type).eval();
  }
  double at(std::int64_t row, std::int64_t column) const { return values[std::size_t(row * columns + column)]; }
  double wrapped(std::int64_t row, std::int64_t column) const {
    return at((row % rows + rows) % rows, (column % columns + columns) % columns);
  }
  double nearest(std::int64_t row, std::int64_t column) const {
    return at(std::clamp<std::int64_t>(row, 0, rows - 1), std::clamp<std::int64_t>(column, 0, columns - 1));
  }
  double mirrored(std::int64_t row, std::int64_t column) const {
    const auto back = [](std::int64_t i, std::int64_t size) { return i < 0 ? -i : i < size ? i : 2 * size - 2 - i; };
    return at(back(row, rows), back(column, columns));
  }
};

using Element = std::function<double(std::int64_t, std::int64_t)>;

/// One kernel, whose element of a row and a column is `expected`.
void check(const Array& x, const Element& expected) {
  CHECK(kernels_of(x) == 1);
  std::vector<double> values;
  for (std::int64_t row = 0; row < x.shape()[0]; ++row) {
    for (std::int64_t column = 0; column < x.shape()[1]; ++column) values.push_back(expected(row, column));
  }
  CHECK(x.to_vector<double>() == values);
}

const auto all = kn::all;

void check_rolled(kn::DType type, std::int64_t columns, std::int64_t shift) {
  CAPTURE(columns);
  CAPTURE(shift);
  const Matrix a(5, columns, type, 1), b(5, columns, type, 2);
  check(a.array + kn::roll(b.array, shift, {.axis = 1}) * 2,
        [&](auto i, auto j) { return a.at(i, j) + b.wrapped(i, j - shift) * 2; });
}

void check_padded(kn::DType type, std::int64_t columns, std::int64_t width) {
  CAPTURE(columns);
  CAPTURE(width);
  const Matrix a(6, columns, type, 3);
  const auto inside = [&](std::int64_t i, std::int64_t j) { return i >= 0 && i < 6 && j >= 0 && j < columns; };
  const auto padded = [&](const char* mode) {
    return kn::pad(a.array, width, {.mode = mode, .constant_values = 9}) + 1;
  };
  check(padded("constant"),
        [&](auto i, auto j) { return (inside(i - width, j - width) ? a.at(i - width, j - width) : 9) + 1; });
  check(padded("edge"), [&](auto i, auto j) { return a.nearest(i - width, j - width) + 1; });
  check(padded("reflect"), [&](auto i, auto j) { return a.mirrored(i - width, j - width) + 1; });
}

}  // namespace

TEST_CASE("rolled operands, whose seams lie between vectors and in them") {
  on_each_device([] {
    for (const std::int64_t columns : {64, 67, 130}) {
      for (const std::int64_t shift : {1, 4, -3}) check_rolled(kn::float32, columns, shift);
    }
    // A vector longer than the row's pieces: several seams in one.
    const Matrix a(3, 97, kn::float32, 4);
    check(kn::roll(a.array, 1, {.axis = 1}) + kn::roll(a.array, 3, {.axis = 1}) - kn::roll(a.array, -2, {.axis = 1}),
          [&](auto i, auto j) { return a.wrapped(i, j - 1) + a.wrapped(i, j - 3) - a.wrapped(i, j + 2); });
    check(kn::roll(kn::roll(a.array, 1, {.axis = 0}), 1, {.axis = 1}) + 1,
          [&](auto i, auto j) { return a.wrapped(i - 1, j - 1) + 1; });
  });
}

TEST_CASE("elements of one, two and eight bytes, rolled and padded") {
  on_each_device([] {
    for (const std::int64_t shift : {1, 2, 3, 4, 5, -6}) check_rolled(kn::uint8, 259, shift);
    for (const std::int64_t shift : {1, 2, -3}) check_rolled(kn::int16, 259, shift);
    check_rolled(kn::float16, 131, 3);
    // Beside a vector of another type, and more of them than a card takes of other types.
    const Matrix bytes(7, 288, kn::int8, 3);
    check(kn::roll(bytes.array, 1, {.axis = 1}).astype(kn::float32) / 2,
          [&](auto i, auto j) { return bytes.wrapped(i, j - 1) / 2; });
    Array sum = bytes.array;
    for (int i = -1; i <= 1; ++i) {
      for (const int j : {-1, 1}) sum = sum + kn::roll(kn::roll(bytes.array, i, {.axis = 0}), j, {.axis = 1});
    }
    check(sum.astype(kn::int16), [&](auto i, auto j) {
      double all_six = bytes.at(i, j);
      for (int k = -1; k <= 1; ++k) all_six += bytes.wrapped(i + k, j - 1) + bytes.wrapped(i + k, j + 1);
      return double(std::int8_t(std::uint8_t(all_six)));
    });
    check_padded(kn::uint8, 259, 1);
  });
  on_each_device(kn::float64, [] { check_rolled(kn::float64, 67, 1); });
}

TEST_CASE("padded operands, whose results have rows of other lengths") {
  on_each_device([] {
    for (const std::int64_t columns : {62, 64, 127}) check_padded(kn::float32, columns, 1);
    check_padded(kn::float32, 100, 3);
  });
}

TEST_CASE("parts that begin beside a vector, backwards too") {
  on_each_device([] {
    for (const std::int64_t columns : {65, 68, 131}) {
      CAPTURE(columns);
      const Matrix a(5, columns, kn::float32, 5);
      const std::int64_t last = columns - 1;
      check(a.array(all, kn::slice(1, kn::none)) - a.array(all, kn::slice(0, last)),
            [&](auto i, auto j) { return a.at(i, j + 1) - a.at(i, j); });
      check(a.array + kn::flip(a.array, {.axis = 1}), [&](auto i, auto j) { return a.at(i, j) + a.at(i, last - j); });
      // One result, of the elements from 1 to the end, stored where vectors are not aligned.
      Array x = (a.array + 0).eval();
      x(all, kn::slice(1, kn::none)) = a.array(all, kn::slice(0, last)) * 2;
      check(x + 0, [&](auto i, auto j) { return j == 0 ? a.at(i, j) : a.at(i, j - 1) * 2; });
    }
  });
}

TEST_CASE("what is repeated for rows and columns, and positions, where vectors go across rows") {
  on_each_device([] {
    const Matrix a(7, 67, kn::float32, 6), row(1, 67, kn::float32, 7), column(7, 1, kn::float32, 8);
    const Array rolled = kn::roll(a.array, 2, {.axis = 1});
    check(rolled + row.array * 2 - column.array,
          [&](auto i, auto j) { return a.wrapped(i, j - 2) + row.at(0, j) * 2 - column.at(i, 0); });
    check(rolled + kn::arange(67) * 2 - kn::arange(7).reshape({7, 1}),
          [&](auto i, auto j) { return a.wrapped(i, j - 2) + double(j * 2) - double(i); });
    check(kn::roll(kn::broadcast_to(kn::arange(67), {7, 67}), 5, {.axis = 1}) + a.array.astype(kn::int64),
          [&](auto i, auto j) { return double((j + 62) % 67) + a.at(i, j); });
    // A short sum inside the kernel: its loads are in a loop.
    const Matrix points(67, 3, kn::float32, 9);
    const Array sums = kn::sum(points.array.reshape({1, 67, 3}) * column.array.reshape({7, 1, 1}), {.axis = 2});
    check(rolled + sums, [&](auto i, auto j) {
      return a.wrapped(i, j - 2) + column.at(i, 0) * (points.at(j, 0) + points.at(j, 1) + points.at(j, 2));
    });
  });
}

TEST_CASE("random numbers made in a kernel whose vectors go across rows are those of memory") {
  on_each_device([] {
    const Matrix a(9, 70, kn::float32, 10);
    const auto drawn = [] { return kn::random::Generator(3).uniform({9, 70}); };
    const std::vector<float> stored = drawn().eval().to_vector<float>();
    check(drawn() + kn::roll(a.array, 1, {.axis = 1}),
          [&](auto i, auto j) { return double(stored[std::size_t(i * 70 + j)] + float(a.wrapped(i, j - 1))); });
  });
}

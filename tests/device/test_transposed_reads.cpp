// SPDX-License-Identifier: Apache-2.0
// Operands that are contiguous along another axis than the results: read by square blocks inside the kernel of what
// uses them, beside a reference that moves values by plain index arithmetic.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::exhaustive;
using kn::test::kernels_of;
using kn::test::on_each_device;

namespace {

/// Numbers that tell positions apart, all of which every type here holds.
double value_at(std::int64_t flat) { return static_cast<double>((flat * 37 + flat / 11) % 101); }

Array numbers(const Shape& shape, kn::DType type = kn::float32) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(value_at(i));
  return kn::asarray(values, shape, type).eval();
}

/// Calls f(flat position, positions along three axes) for each element of a shape.
template <class F>
void each_element(const Shape& shape, F f) {
  std::int64_t flat = 0;
  for (std::int64_t a = 0; a < shape[0]; ++a) {
    for (std::int64_t b = 0; b < shape[1]; ++b) {
      for (std::int64_t c = 0; c < shape[2]; ++c) f(static_cast<std::size_t>(flat++), a, b, c);
    }
  }
}

/// x + y with the last two axes exchanged, of which x has this shape, by one kernel.
void check_sum(const Shape& shape, kn::DType type) {
  CAPTURE(shape);
  CAPTURE(type);
  const std::int64_t rows = shape[1], columns = shape[2];
  const Array x = numbers(shape, type), y = numbers({shape[0], columns, rows}, type);
  Array sum = x + kn::permute_dims(y, {0, 2, 1});
  CHECK(kernels_of(sum) == (shape.elements() > 0 ? 1 : 0));
  const std::vector<double> values = sum.to_vector<double>();
  std::vector<double> expected(values.size());
  each_element(shape, [&](std::size_t flat, auto a, auto b, auto c) {
    expected[flat] = value_at(static_cast<std::int64_t>(flat)) + value_at((a * columns + c) * rows + b);
  });
  CHECK(values == expected);
}

}  // namespace

TEST_CASE("a transposed operand is read in the kernel of what uses it, whatever the sizes") {
  on_each_device(kn::float64, [] {
    for (const Shape& shape : {Shape{1, 64, 64},
                               {1, 100, 75},
                               {1, 33, 1},
                               {1, 1, 33},
                               {1, 16, 17},
                               {3, 7, 16},
                               {2, 130, 270},
                               {1, 3, 500},
                               {1, 500, 3},
                               {5, 2, 4},
                               {1, 0, 5},
                               {4, 8, 300}}) {
      check_sum(shape, kn::float32);
    }
    if (!exhaustive()) return;
    for (const kn::DType type : {kn::float64, kn::float16, kn::uint8, kn::int64, kn::int16}) {
      for (std::int64_t rows = 1; rows < 70; rows += 3) {
        for (const std::int64_t columns : {1, 2, 5, 16, 31, 64, 300}) check_sum({2, rows, columns}, type);
      }
    }
  });
}

TEST_CASE("blocks are transposed in every type that vectors have") {
  on_each_device(kn::float64, [] {
    for (const kn::DType type : {kn::float64, kn::float16, kn::uint8, kn::int64}) check_sum({2, 37, 52}, type);
    const Array small = numbers({37, 52}) > 50.0;
    Array turned = kn::logical_not(small.T());
    CHECK(kernels_of(turned) == 1);
    const std::vector<bool> before = small.to_vector<bool>(), after = turned.to_vector<bool>();
    bool same = true;
    for (std::size_t a = 0; a < 52; ++a) {
      for (std::size_t b = 0; b < 37; ++b) same = same && after[a * 37 + b] != before[b * 52 + a];
    }
    CHECK(same);
  });
}

TEST_CASE("several operands, transposed, repeated, sliced, strided and made of positions, are read in one kernel") {
  on_each_device([] {
    const std::int64_t rows = 45, columns = 83;
    const Array x = numbers({rows, columns}), y = numbers({columns + 2, rows + 3}), z = numbers({columns, 2 * rows});
    const Array row = numbers({columns}), column = numbers({rows, 1});
    const Array part = y(kn::slice(1, columns + 1), kn::slice(2, rows + 2)).T();
    const Array apart = z(kn::all, kn::slice(kn::none, kn::none, 2)).T();
    const Array positions = kn::astype(kn::reshape(kn::arange(columns), {1, columns}), kn::float32);
    Array all = x * 2 + part + apart * row - column * 3 + kn::flip(x, {.axis = 1}) + positions;
    CHECK(kernels_of(all) <= 2);  // positions may be a kernel of their own
    const std::vector<float> values = all.to_vector<float>();
    std::vector<float> expected(values.size());
    for (std::int64_t b = 0; b < rows; ++b) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const double sum = value_at(b * columns + c) * 2 + value_at((c + 1) * (rows + 3) + b + 2) +
                           value_at(c * 2 * rows + 2 * b) * value_at(c) - value_at(b) * 3 +
                           value_at(b * columns + columns - 1 - c) + static_cast<double>(c);
        expected[static_cast<std::size_t>(b * columns + c)] = static_cast<float>(sum);
      }
    }
    CHECK(values == expected);
  });
}

TEST_CASE("axes in another order, and an operand beside its own transpose that is given up, come out right") {
  on_each_device([] {
    const Shape shape{6, 20, 34};
    const Array x = numbers(shape);
    for (const std::vector<std::int64_t>& order : {std::vector<std::int64_t>{2, 0, 1}, {1, 2, 0}, {2, 1, 0}}) {
      Array moved = kn::permute_dims(x, order) * 3;
      const std::vector<float> values = moved.to_vector<float>();
      const Shape sizes = moved.shape();
      std::vector<float> expected(values.size());
      each_element(sizes, [&](std::size_t flat, auto a, auto b, auto c) {
        std::int64_t at[3];
        const std::int64_t places[3] = {a, b, c};
        for (std::size_t k = 0; k < 3; ++k) at[order[k]] = places[k];
        expected[flat] = static_cast<float>(3 * value_at((at[0] * shape[1] + at[1]) * shape[2] + at[2]));
      });
      CHECK(values == expected);
    }
    const std::int64_t size = 70;
    Array square = numbers({size, size}) + 0;
    square.eval();
    square = square + square.T();
    const std::vector<float> values = square.to_vector<float>();
    std::vector<float> expected;
    for (std::int64_t a = 0; a < size; ++a) {
      for (std::int64_t b = 0; b < size; ++b) {
        expected.push_back(static_cast<float>(value_at(a * size + b) + value_at(b * size + a)));
      }
    }
    CHECK(values == expected);
  });
}

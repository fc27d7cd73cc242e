// SPDX-License-Identifier: Apache-2.0
// Element-wise kernels over short rows, which a CPU's vectors go through by tiles, beside a reference that finds each
// element by plain index arithmetic.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "support/devices.hpp"
#include "support/small_numbers.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::Shape;
using kn::slice;
using kn::test::exhaustive;
using kn::test::kernels_of;
using kn::test::numbers;
using kn::test::on_each_device;
using kn::test::value_at;

namespace {

/// points[r, 0, c] + table[b, c] + column[r, b, 0] + c: what a mixture of `beside` components computes of each point.
void check_mixture(std::int64_t rows, std::int64_t beside, std::int64_t inner, kn::DType type) {
  CAPTURE(rows);
  CAPTURE(beside);
  CAPTURE(inner);
  CAPTURE(type);
  const Array points = numbers({rows, 1, inner}, type), table = numbers({beside, inner}, type),
              column = numbers({rows, beside, 1}, type);
  Array sum = points + table + column + kn::arange(inner).astype(type);
  CHECK(kernels_of(sum) == 1);
  const std::vector<double> values = sum.to_vector<double>();
  std::vector<double> expected;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t b = 0; b < beside; ++b) {
      for (std::int64_t c = 0; c < inner; ++c) {
        expected.push_back(value_at(r * inner + c) + value_at(b * inner + c) + value_at(r * beside + b) +
                           static_cast<double>(c));
      }
    }
  }
  CHECK(values == expected);
}

}  // namespace

TEST_CASE("short rows that broadcasting keeps apart are computed in vectors, whatever their length") {
  on_each_device(kn::float64, [] {
    for (const auto& [rows, beside, inner] : std::vector<std::array<std::int64_t, 3>>{{700, 8, 4},
                                                                                      {701, 8, 4},
                                                                                      {1031, 5, 3},
                                                                                      {997, 3, 7},
                                                                                      {1500, 2, 13},
                                                                                      {1201, 2, 15},
                                                                                      {5, 2, 3},
                                                                                      {600, 90, 2}}) {
      check_mixture(rows, beside, inner, kn::float32);
    }
    for (const kn::DType type : {kn::float64, kn::float16, kn::uint8, kn::int64}) check_mixture(1021, 3, 5, type);
    if (!exhaustive()) return;
    for (const kn::DType type : {kn::float32, kn::float64, kn::bfloat16, kn::int16, kn::uint8}) {
      for (std::int64_t inner = 2; inner < 18; ++inner) {
        for (const std::int64_t beside : {2, 3, 8, 17}) check_mixture(1009, beside, inner, type);
      }
    }
  });
}

TEST_CASE("short rows from some offset on, in steps or reversed, are computed like others") {
  on_each_device(kn::float64, [] {
    const std::int64_t rows = 1337, columns = 9, beside = 3, inner = 5;
    const Array whole = numbers({rows, columns}, kn::float32), table = numbers({4, 12}, kn::float32);
    const Array scales = numbers({2 * rows}, kn::float32)(slice(1, kn::none, 2));
    const auto at = [&](std::int64_t r, std::int64_t c) { return value_at(r * columns + c); };
    const auto check = [&](const Array& values, auto&& expected) {
      const std::vector<double> found = values.to_vector<double>();
      std::vector<double> wanted;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t k = 0; k < beside; ++k) {
          for (std::int64_t c = 0; c < inner; ++c) wanted.push_back(expected(r, k, c));
        }
      }
      CHECK(found == wanted);
    };
    check(whole(all, kn::newaxis, slice(2, 7)) + table(slice(1, 4), slice(1, 11, 2)),
          [&](auto r, auto k, auto c) { return at(r, c + 2) + value_at((k + 1) * 12 + 1 + 2 * c); });
    check(kn::flip(whole, {.axis = 1})(all, kn::newaxis, slice(0, 5)) *
              kn::flip(table, {.axis = 0})(slice(0, 3), slice(7, 12)),
          [&](auto r, auto k, auto c) { return at(r, 8 - c) * value_at((3 - k) * 12 + 7 + c); });
    check(kn::flip(whole, {.axis = 0})(all, kn::newaxis, slice(4, 9)) + table(slice(0, 3), slice(0, 5)) +
              scales(all, kn::newaxis, kn::newaxis),
          [&](auto r, auto k, auto c) { return at(rows - 1 - r, c + 4) + value_at(k * 12 + c) + value_at(2 * r + 1); });
    // A result that is a part of an array is not contiguous.
    Array into = kn::zeros({rows, beside, 7}, kn::float32).eval();
    into(all, all, slice(1, 6)) = whole(all, kn::newaxis, slice(4, 9)) + table(slice(0, 3), slice(0, 5));
    check(into(all, all, slice(1, 6)), [&](auto r, auto k, auto c) { return at(r, c + 4) + value_at(k * 12 + c); });
    // Pixels in every second place of every second line, beside which nothing is stored.
    const std::int64_t high = 40, broad = 53, colours = 3;
    const Array pixels = numbers({high, broad, colours}, kn::uint8);
    Array picture = kn::ones({2 * high, 2 * broad, colours}, kn::uint8).eval();
    picture(slice(0, kn::none, 2), slice(1, kn::none, 2)) = pixels + 2;
    std::vector<double> expected(static_cast<std::size_t>(4 * high * broad * colours), 1);
    for (std::int64_t k = 0; k < high * broad * colours; ++k) {
      const std::int64_t y = k / (broad * colours), x = k / colours % broad;
      expected[static_cast<std::size_t>((2 * y * 2 * broad + 2 * x + 1) * colours + k % colours)] = value_at(k) + 2;
    }
    CHECK(picture.to_vector<double>() == expected);
  });
}

TEST_CASE("tiles that would not end with an outer axis are not used across it") {
  on_each_device(kn::float64, [] {
    // Seven rows of five lie apart from the next seven in all but the table, and these are no whole number of vectors.
    for (const std::int64_t beside : {std::int64_t{7}, std::int64_t{64}, std::int64_t{131}}) {
      CAPTURE(beside);
      const std::int64_t many = 90, inner = 5;
      const Array a = numbers({many, 1, inner}, kn::float32), b = numbers({beside, 1}, kn::float32);
      const std::vector<double> found = (a + b).to_vector<double>();
      std::vector<double> wanted;
      for (std::int64_t r = 0; r < many; ++r) {
        for (std::int64_t k = 0; k < beside; ++k) {
          for (std::int64_t c = 0; c < inner; ++c) wanted.push_back(value_at(r * inner + c) + value_at(k));
        }
      }
      CHECK(found == wanted);
    }
  });
}

TEST_CASE("short rows whose operands are in pieces are computed like others") {
  on_each_device(kn::float64, [] {
    const auto check = [](const Array& values, std::int64_t rows, std::int64_t inner, auto&& expected) {
      const std::vector<double> found = values.to_vector<double>();
      std::vector<double> wanted;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < inner; ++c) wanted.push_back(expected(r, c));
      }
      CHECK(found == wanted);
    };
    const std::int64_t rows = 1021;
    const Array scales = numbers({rows, 1}, kn::float32);
    for (const std::int64_t inner : {3, 5, 11}) {
      CAPTURE(inner);
      const Array a = numbers({rows, inner}, kn::float32), b = numbers({rows, inner + 2}, kn::float32);
      const auto at = [&](std::int64_t r, std::int64_t c) { return value_at(r * inner + c % inner); };
      // Turned by one and two places, beside a part of longer rows and one number for each row.
      check(kn::roll(a, 1, 1) + kn::roll(a, -2, 1) * scales + b(all, slice(1, -1)), rows, inner, [&](auto r, auto c) {
        return at(r, c + inner - 1) + at(r, c + 2) * value_at(r) + value_at(r * (inner + 2) + c + 1);
      });
      // Mirrored at both ends, where steps along a row change; a row more or less in the last tile.
      check(kn::pad(a, {{0, 0}, {2, 1}}, {.mode = "reflect"}) + 1, rows, inner + 3, [&](auto r, auto c) {
        const std::int64_t from = c < 2 ? 2 - c : c < inner + 2 ? c - 2 : 2 * inner - c;
        return at(r, from) + 1;
      });
      // Parts beside each other, and turned along an axis in the middle as well.
      check(kn::concat({scales, a * 2}, 1), rows, inner + 1,
            [&](auto r, auto c) { return c == 0 ? value_at(r) : 2 * at(r, c - 1); });
      const Array cube = numbers({rows, 2, inner}, kn::float32);
      check(kn::roll(cube, {1, 1}, {1, 2}) - cube(slice(0, 1)), rows, 2 * inner, [&](auto r, auto c) {
        const std::int64_t row = c / inner, column = c % inner;
        return value_at((2 * r + 1 - row) * inner + (column + inner - 1) % inner) - value_at(row * inner + column);
      });
    }
    const Array u = numbers({rows, 3}, kn::float32), v = numbers({3}, kn::float32);
    check(kn::linalg::cross(u, v), rows, 3, [&](auto r, auto c) {
      return value_at(3 * r + (c + 1) % 3) * value_at((c + 2) % 3) -
             value_at(3 * r + (c + 2) % 3) * value_at((c + 1) % 3);
    });
  });
}

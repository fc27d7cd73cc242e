// SPDX-License-Identifier: Apache-2.0
// Element-wise kernels over short rows, which a CPU's vectors go through by tiles, beside a reference that finds each
// element by plain index arithmetic.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::Shape;
using kn::slice;
using kn::test::exhaustive;
using kn::test::kernels_of;
using kn::test::on_each_device;

namespace {

/// Numbers that tell positions apart; sums of three are exact in all types here.
double value_at(std::int64_t flat) { return static_cast<double>((flat * 37 + flat / 11) % 61); }

Array numbers(const Shape& shape, kn::DType type) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(value_at(i));
  return kn::asarray(values, shape, type).eval();
}

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

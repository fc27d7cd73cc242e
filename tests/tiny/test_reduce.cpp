// SPDX-License-Identifier: Apache-2.0
// kernels/reduce_rows.cl and reduce_columns.cl: every number of work-items that share a result, blocks whose partial
// results a second pass combines, and every kind of reduction.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/reductions.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::slice;
using kn::test::check_array;
using kn::test::random_plain;
using kn::test::to_array;

namespace {

/// Sums along either axis of numbers from 0 up, which every type holds exactly.
template <class T>
void check_sums(std::int64_t rows, std::int64_t columns) {
  CAPTURE(rows);
  CAPTURE(columns);
  const auto value = [&](std::int64_t i, std::int64_t j) { return (i * columns + j) % 5; };
  const Array x = kn::asarray(
      kn::test::by_position<T>({rows, columns}, [&](auto& p) { return static_cast<float>(value(p[0], p[1])); }),
      {rows, columns});
  const auto total = [&](std::int64_t outer, std::int64_t inner, auto at) {
    return kn::test::by_position<T>({outer}, [&](auto& p) {
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k < inner; ++k) sum += at(p[0], k);
      return static_cast<float>(sum);
    });
  };
  check_array<T>(kn::sum(x, {.axis = 1}), {rows}, total(rows, columns, value));
  check_array<T>(kn::sum(x, {.axis = 0}), {columns},
                 total(columns, rows, [&](std::int64_t j, std::int64_t i) { return value(i, j); }));
}

}  // namespace

TEST_CASE("every kind of reduction, of rows, of columns and of all") {
  const auto plain = random_plain({6, 40});
  for (const auto& axes : std::vector<std::vector<std::size_t>>{{0}, {1}, {0, 1}}) {
    kn::test::check_all(to_array(plain, kn::int32), plain, axes, true);
  }
}

TEST_CASE("rows for one, 4, 32 and 256 work-items, aligned and not") {
  for (const std::int64_t columns : {3, 12, 28, 96, 191, 640}) check_sums<float>(3, columns);
}

TEST_CASE("long rows and columns take several blocks") {
  check_sums<float>(2, 33'001);
  check_sums<float>(1201, 32);
}

TEST_CASE("sums of narrow floats and of complex numbers") {
  check_sums<kn::float16_t>(5, 130);
  check_sums<kn::bfloat16_t>(5, 36);
  check_sums<std::complex<float>>(5, 130);
}

TEST_CASE("a lazy expression with a shift and a broadcast is reduced on the way") {
  const Array x = kn::arange(0, 200, 1, {.dtype = kn::float32});
  const Array y = kn::sum(kn::reshape(x(slice(1, 193)), {2, 96}) * x(slice(0, 96)) + 1, {.axis = 1});
  std::vector<float> want(2);
  for (int i = 0; i < 192; ++i) want[static_cast<std::size_t>(i / 96)] += static_cast<float>((i + 1) * (i % 96) + 1);
  const auto got = y.to_vector<float>();
  for (std::size_t i = 0; i < 2; ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-6));
}

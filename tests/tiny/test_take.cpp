// SPDX-License-Identifier: Apache-2.0
// kernels/take.cl: elements of every size, along the first and the last axis, and the report of an index out of range.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::by_position;
using kn::test::check_array;

namespace {

const std::vector<std::int64_t> positions = {6, 0, -1, 3, 3, -7, 2, 5, 1};

template <class T>
void check_take() {
  CAPTURE(kn::dtype_of<T>);
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  const Array x = kn::test::numbered<T>({7, 7});
  const auto picked = [](std::int64_t i) { return (positions[static_cast<std::size_t>(i)] + 7) % 7; };
  check_array<T>(kn::take(x, kn::asarray(positions), {.axis = 0}), {9, 7},
                 by_position<T>({9, 7}, [&](auto& p) { return static_cast<float>(picked(p[0]) * 7 + p[1]); }));
  check_array<T>(kn::take(x, kn::asarray(positions), {.axis = 1}), {7, 9},
                 by_position<T>({7, 9}, [&](auto& p) { return static_cast<float>(p[0] * 7 + picked(p[1])); }));
}

}  // namespace

TEST_CASE("elements of every size are picked") {
  check_take<std::uint8_t>();
  check_take<std::int16_t>();
  check_take<float>();
  check_take<std::int64_t>();
  check_take<std::complex<double>>();
}

TEST_CASE("several work-items may report an index out of range") {
  const Array x = kn::arange(7), wrong = kn::take(x, kn::asarray(std::vector<std::int64_t>{0, 7, 6, -8, 100}));
  CHECK_THROWS_AS(wrong.eval().to_vector<std::int64_t>(), kn::IndexError);
}

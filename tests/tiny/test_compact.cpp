// SPDX-License-Identifier: Apache-2.0
// kernels/compact.cl, and elementwise.cl with results that go where positions say: masks of more than one block,
// positions that come once and several times.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;

TEST_CASE("what a mask keeps, of every size of element") {
  constexpr std::int64_t count = 4500;
  const Array numbers = kn::arange(count), mask = numbers % 3 == 1;
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 1; i < count; i += 3) expected.push_back(i);
  check_array<std::int64_t>(kn::nonzero(mask)[0], {1500}, expected);
  check_array<std::int64_t>(numbers(mask), {1500}, expected);
  CHECK(kn::all(numbers.astype(kn::int8)(mask) == numbers(mask).astype(kn::int8)).item<bool>());
  CHECK(kn::all(numbers.astype(kn::int16)(mask) == numbers(mask).astype(kn::int16)).item<bool>());
  CHECK(kn::all(numbers.astype(kn::float32)(mask) == numbers(mask)).item<bool>());
}

TEST_CASE("values at positions, of equal ones the last") {
  Array x = kn::zeros({5}, {.dtype = kn::int32});
  x(kn::asarray(std::vector<std::int64_t>{1, 3, 1, -1, 3, 1})) = kn::asarray(std::vector<int>{1, 2, 3, 4, 5, 6});
  check_array<std::int32_t>(x, {5}, {0, 6, 0, 5, 4});
  x(kn::asarray(std::vector<std::int64_t>{0, 0, 2})) = 9;
  check_array<std::int32_t>(x, {5}, {9, 6, 9, 5, 4});
}

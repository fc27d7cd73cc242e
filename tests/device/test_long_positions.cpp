// SPDX-License-Identifier: Apache-2.0
// argmax and argmin of arrays so long that a CPU looks for the best values before their places: wherever the best is,
// however often it is there, and beside NaNs, the first of the best is found, as a plain loop finds it.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::on_each_device;

namespace {

/// The place of the first value that none is better than; a NaN is better than all.
std::int64_t first_best(const std::vector<double>& values, bool largest) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const bool better = largest ? values[i] > values[best] : values[i] < values[best];
    if (better || (values[i] != values[i] && values[best] == values[best])) best = i;
  }
  return static_cast<std::int64_t>(best);
}

void check(const std::vector<double>& values, kn::DType type = kn::float32) {
  const Array x = kn::asarray(values, type);
  CAPTURE(type);
  CHECK(kn::argmax(x).item<std::int64_t>() == first_best(values, true));
  CHECK(kn::argmin(x).item<std::int64_t>() == first_best(values, false));
}

}  // namespace

TEST_CASE("the first of the best of many values is found wherever it is") {
  on_each_device(kn::float64, [] {
    constexpr std::size_t count = 70'001;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    std::mt19937 random(2);
    std::vector<double> values(count);
    for (double& value : values) value = static_cast<double>(random() % 100);
    for (const kn::DType type : kn::test::usual_and({kn::float32, kn::float16, kn::uint8}, {kn::float64, kn::int64})) {
      check(values, type);
    }
    check(std::vector<double>(count, 3));
    check(std::vector<double>(count, infinity));
    check(std::vector<double>(count, -infinity));
    check(std::vector<double>(count, nan));
    for (const std::size_t at :
         {std::size_t{0}, std::size_t{5000}, std::size_t{32768}, std::size_t{66'000}, count - 1}) {
      CAPTURE(at);
      for (const double best : {nan, 1000.0, -1000.0}) {
        std::vector<double> with = values;
        with[at] = best;
        check(with);
        with[count - 2] = best;
        check(with);
      }
    }
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
    check(values);
    for (double& value : values) value = -value;
    check(values);
  });
}

// SPDX-License-Identifier: Apache-2.0
// Reductions, scans, sorts, sets, statistics and changes of shape give what NumPy gives (tests/golden/functions.py).
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;

namespace {

using V = std::vector<double>;

/// The first difference in words: of what cannot be told in float32 nothing, but signs of zeros count.
std::string difference(const V& got, const V& want) {
  if (got.size() != want.size()) return std::to_string(got.size()) + " elements";
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i])) continue;
    const bool near = got[i] == want[i] || std::abs(got[i] - want[i]) <= 4e-7 * std::abs(want[i]);
    if (near && (want[i] != 0 || std::signbit(got[i]) == std::signbit(want[i]))) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(got[i]) + ", not " + std::to_string(want[i]);
  }
  return "";
}

}  // namespace

TEST_CASE("functions give what NumPy gives") {
  kn::test::on_each_device([] {
    const Array v = kn::array({3, -1, 4, -1, 5, -9, 2, 6});
    const Array a = kn::reshape(kn::arange(12) * 7 % 12 - 4, {3, 4}),
                t = kn::reshape(kn::arange(24) * 5 % 24 - 9, {2, 3, 4});
    const float n = NAN, i = INFINITY;
    const Array f = kn::array({{0.5f, n, -2.0f, i}, {-0.0f, 0.0f, 1.5f, -i}, {n, 2.25f, n, 8.0f}});
    const Array g = kn::array({2.5f, -1.0f, 0.0f, -0.0f, 7.25f, 2.5f, -3.5f, 0.125f});
    const Array m = kn::array({{true, false, true, true}, {false, false, false, false}, {true, true, true, true}});
    const Array none = kn::zeros({0, 3});
    int rows = 0;
#define KN_GOLDEN(call, shape_, values)                       \
  {                                                           \
    CAPTURE(std::string(#call));                              \
    const Array got call;                                     \
    CHECK(got.shape() == shape_);                             \
    CHECK(difference(got.to_vector<double>(), values) == ""); \
    ++rows;                                                   \
  }
#include "golden/functions.inc"
#undef KN_GOLDEN
    CHECK(rows > 90);
  });
}

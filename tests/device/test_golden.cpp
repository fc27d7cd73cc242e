// SPDX-License-Identifier: Apache-2.0
// Reductions, scans, sorts, sets, statistics, changes of shape and element-wise functions give what NumPy gives
// (tests/golden/functions.py).
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;

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
    const Array s = kn::array(
                    {n, i, -i, 0.f, -0.f, 1.f, -1.f, 0.5f, -0.5f, 2.f, -2.5f, 80.f, -80.f, 3e38f, -3e38f, 1e-30f}),
                p = kn::array({n, i, -i, 0.f, -0.f, 1.f, -1.f, 2.f, -2.5f, 3e38f});
    const Array i8 = kn::array({-128, -127, -7, -1, 0, 1, 7, 127}, {.dtype = kn::int8}),
                d8 = kn::array({-128, -3, -1, 1, 2, 127}, {.dtype = kn::int8}),
                z8 = kn::array({0, 1, 3, 7}, {.dtype = kn::int8});
    struct Row {
      std::string call;
      Array got;
      Shape shape;
      V want;
    };
    const std::vector<Row> rows{
#define KN_GOLDEN(call, shape, values) {#call, Array call, shape, values},
#include "golden/functions.inc"
#undef KN_GOLDEN
    };
    // Together, so that many share a kernel: that takes fewer of them.
    std::vector<const Array*> all;
    for (const Row& row : rows) all.push_back(&row.got);
    kn::detail::eval_all(all);
    for (const Row& row : rows) {
      CAPTURE(row.call);
      CHECK(row.got.shape() == row.shape);
      CHECK(difference(row.got.to_vector<double>(), row.want) == "");
    }
    CHECK(rows.size() > 150);
  });
}

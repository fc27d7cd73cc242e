// SPDX-License-Identifier: Apache-2.0
// Element-wise work that comes again is not worked out again, and what differs in one thing alone is: constants, sizes,
// layouts, types, whether two operands are one, and what other kernels did in between.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::slice;
using kn::test::check_array;
using kn::test::numbered;

TEST_CASE("kernels that differ in one thing from the one before") {
  kn::test::on_each_device([] {
    const Array a = numbered({12}), b = numbered({12}) * 10, wide = numbered({4, 6}), copy = (b + 0).eval();
    const auto by_position = [](auto f) {
      std::vector<std::int32_t> values;
      for (std::int32_t i = 0; i < 12; ++i) values.push_back(f(i));
      return values;
    };
    for (int round = 0; round < 3; ++round) {
      check_array((a + b).eval(), {12}, by_position([](int i) { return 11 * i; }));
      check_array((a + copy).eval(), {12}, by_position([](int i) { return 11 * i; }));
      check_array((a + a).eval(), {12}, by_position([](int i) { return 2 * i; }));
      check_array((a + a).eval(), {12}, by_position([](int i) { return 2 * i; }));
      for (int k = 0; k < 3; ++k) {
        check_array((a * 3 + k).eval(), {12}, by_position([k](int i) { return 3 * i + k; }));
      }
      check_array((kn::flip(a) + copy).eval(), {12}, by_position([](int i) { return 11 + 9 * i; }));
      check_array((kn::roll(a, 5) + copy).eval(), {12}, by_position([](int i) { return (i + 7) % 12 + 10 * i; }));
      check_array((kn::roll(a, 6) + copy).eval(), {12}, by_position([](int i) { return (i + 6) % 12 + 10 * i; }));
      check_array((a(slice(0, 3)) + a(slice(1, 4))).eval(), {3}, std::vector{1, 3, 5});
      check_array((a(slice(0, 3)) + a(slice(2, 5))).eval(), {3}, std::vector{2, 4, 6});
      check_array((a(slice(0, 4)) + a(slice(2, 6))).eval(), {4}, std::vector{2, 4, 6, 8});
      // A kernel of whole rows, which has parameters of its own, in between.
      CHECK(kn::softmax(wide.astype(kn::float32)).eval().shape() == kn::Shape{4, 6});
      check_array((a + a).eval(), {12}, by_position([](int i) { return 2 * i; }));
      check_array((a.astype(kn::float32) + 1).eval().astype(kn::int32), {12}, by_position([](int i) { return i + 1; }));
      // Elements that are put to places.
      Array target = kn::zeros({12}, {.dtype = kn::int32});
      target(kn::asarray({2, 5})) = kn::asarray({7, 8}, {.dtype = kn::int32});
      check_array(target, {12}, by_position([](int i) { return i == 2 ? 7 : i == 5 ? 8 : 0; }));
      check_array((wide.T() + 1).eval()(0), {4}, std::vector{1, 7, 13, 19});
      check_array((wide + 1).eval()(0), {6}, std::vector{1, 2, 3, 4, 5, 6});
    }
  });
}

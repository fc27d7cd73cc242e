// SPDX-License-Identifier: Apache-2.0
// Reductions, scans and products of bool_ against plain loops.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;

namespace {

using Bools = std::vector<bool>;
using Ints = std::vector<std::int64_t>;

/// Rows that are all false, all true, and mixed, of `columns`.
Bools flags(std::int64_t columns) {
  std::mt19937 random(3);
  Bools values;
  for (int row = 0; row < 4; ++row) {
    for (std::int64_t i = 0; i < columns; ++i) values.push_back(row == 0 ? false : row == 1 ? true : random() % 2 == 0);
  }
  return values;
}

}  // namespace

TEST_CASE("extremes of bool_, and where they are") {
  kn::test::on_each_device([] {
    for (const std::int64_t columns : kn::test::usual_and<std::int64_t>({9000}, {1, 7, 300})) {
      CAPTURE(columns);
      const Bools values = flags(columns);
      const Array rows = kn::asarray(values, {4, columns}), turned = kn::asarray(values, {4, columns}).T();
      Bools most, least, rising, falling;
      Ints first_true, first_false;
      for (auto row = values.begin(); row != values.end(); row += columns) {
        const auto yes = std::find(row, row + columns, true), no = std::find(row, row + columns, false);
        most.push_back(yes != row + columns);
        least.push_back(no == row + columns);
        first_true.push_back(yes == row + columns ? 0 : yes - row);
        first_false.push_back(no == row + columns ? 0 : no - row);
        for (auto at = row; at != row + columns; ++at) {
          rising.push_back(at >= yes);
          falling.push_back(at < no);
        }
      }
      for (const auto& [x, axis] : {std::pair(rows, 1), std::pair(turned.eval(), 0)}) {
        CHECK(kn::max(x, {.axis = axis}).dtype() == kn::bool_);
        CHECK(kn::max(x, {.axis = axis}).to_vector<bool>() == most);
        CHECK(kn::min(x, {.axis = axis}).to_vector<bool>() == least);
        CHECK(kn::nanmax(x, {.axis = axis}).to_vector<bool>() == most);
        CHECK(kn::nanmin(x, {.axis = axis}).to_vector<bool>() == least);
        CHECK(kn::argmax(x, {.axis = axis}).to_vector<std::int64_t>() == first_true);
        CHECK(kn::argmin(x, {.axis = axis}).to_vector<std::int64_t>() == first_false);
        CHECK(kn::nanargmax(x, {.axis = axis}).to_vector<std::int64_t>() == first_true);
      }
      CHECK(kn::cumulative_max(rows, {.axis = 1}).to_vector<bool>() == rising);
      CHECK(kn::cumulative_min(rows, {.axis = 1}).to_vector<bool>() == falling);
      CHECK(kn::max(rows).item<bool>());
      CHECK_FALSE(kn::min(rows).item<bool>());
    }
  });
}

TEST_CASE("products of bool_ count, but those without a sum are AND") {
  kn::test::on_each_device([] {
    const Array a = kn::array({{true, true, false}, {false, true, true}}), v = kn::array({true, true, false});
    const auto check = [](const Array& x, const kn::Shape& shape, const Ints& want) {
      CHECK(x.dtype() == kn::int64);
      check_array(x, shape, want);
    };
    check(kn::matmul(a, a.T()), {2, 2}, {2, 1, 1, 2});
    check(kn::matmul(a, v), {2}, {2, 1});
    check(kn::vecdot(v, v), {}, {2});
    check(kn::tensordot(a, v, {.axes = 1}), {2}, {2, 1});
    check(kn::einsum("ij,kj->ik", {a, a}), {2, 2}, {2, 1, 1, 2});
    check(kn::convolve(v, v), {5}, {1, 2, 1, 0, 0});
    CHECK(kn::outer(v, v).to_vector<bool>() == Bools{true, true, false, true, true, false, false, false, false});
    CHECK(kn::outer(v, v).dtype() == kn::bool_);
    CHECK(kn::kron(v, kn::array({false, true})).to_vector<bool>() == Bools{false, true, false, true, false, false});
  });
}

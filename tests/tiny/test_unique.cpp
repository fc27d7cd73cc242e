// SPDX-License-Identifier: Apache-2.0
// kernels/unique.cl and kernels/scatter_reduce.cl: as many elements as a group has work-items and more, with and
// without places, of several sizes; and positions whose own elements a group takes before it puts others there.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;

namespace {

using V = std::vector<std::int64_t>;

template <class T>
void check_unique(std::int64_t count) {
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  CAPTURE(count);
  std::vector<T> values, distinct;
  std::map<T, V> found;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<T>(i * 7919 % 10'007 % 30));
    found[values.back()].push_back(i);
  }
  V first, counts, inverse(values.size());
  for (const auto& [value, places] : found) {
    for (const std::int64_t place : places) inverse[static_cast<std::size_t>(place)] = std::ssize(distinct);
    distinct.push_back(value);
    first.push_back(places[0]);
    counts.push_back(std::ssize(places));
  }
  const std::int64_t groups = std::ssize(distinct);
  const Array x = kn::asarray(values);
  const auto all = kn::unique_all(x);
  check_array<T>(all.values, {groups}, distinct);
  check_array(all.indices, {groups}, first);
  check_array(all.inverse_indices, {count}, inverse);
  check_array(all.counts, {groups}, counts);
  const auto counted = kn::unique_counts(x);
  check_array<T>(counted.values, {groups}, distinct);
  check_array(counted.counts, {groups}, counts);
}

}  // namespace

TEST_CASE("few elements, and as many as fill a group") {
  check_unique<std::uint8_t>(5);
  check_unique<float>(256);
  check_unique<float>(700);
  check_unique<std::int64_t>(300);
}

TEST_CASE("elements that are taken where others are put") {
  Array x = kn::asarray(V{0, 1, 2, 3, 4, 5});
  const Array at = kn::asarray(V{1, -1, 1, 3, 1}), y = kn::asarray(V{10, 20, 30, 40, 50});
  x(at) += y;
  check_array(x, {6}, V{0, 51, 2, 43, 4, 25});
  x.at(at).add(y);
  check_array(x, {6}, V{0, 141, 2, 83, 4, 45});
  // Of many entries few are looked at.
  V want(9000);
  want[1] = 90, want[8999] = 20, want[3] = 40;
  Array sums = kn::zeros({9000}), most = kn::zeros({9000}, {.dtype = kn::int64});
  sums.at(at).add(y);
  most.at(at).max(y);
  check_array(sums.astype(kn::int64), {9000}, want);
  want[1] = 50;
  check_array(most, {9000}, want);
}

// SPDX-License-Identifier: Apache-2.0
// Single element-wise operations and reductions in integers, which the host computes without a plan where they are
// small, beside the same computed by the standard library.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "support/devices.hpp"
#include "support/host_steps.hpp"
#include "support/same_bits.hpp"

namespace kn = koine;
using kn::Array;
using kn::slice;
using kn::test::does_steps;
using kn::test::host_steps_of;
using kn::test::on_each_device;

namespace {

// Around the elements that are computed at once, and the most that are computed so.
constexpr std::int64_t sizes[] = {1, 2, 255, 256, 257, 4096, 4097};

/// -3, 4, -2, 5, -1, -7, 0, ...: numbers of both signs, of which some are equal, and some zero.
std::vector<std::int32_t> numbers(std::int64_t count) {
  std::vector<std::int32_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<std::int32_t>((i * 7 + 4) % 13 - 7));
  return values;
}

template <class T, class Work>
std::vector<T> in_one_step(Work work) {
  const bool counted = does_steps();
  const auto before = host_steps_of();
  const Array result = work().eval();
  if (counted) CHECK(host_steps_of() == before + 1);
  return result.template to_vector<T>();
}

template <class F>
std::vector<std::int32_t> each_of(const std::vector<std::int32_t>& values, F f) {
  std::vector<std::int32_t> results;
  std::transform(values.begin(), values.end(), std::back_inserter(results), f);
  return results;
}

}  // namespace

TEST_CASE("an operation on arrays, numbers and views") {
  for (const std::int64_t count : sizes) {
    CAPTURE(count);
    const std::vector<std::int32_t> values = numbers(count);
    const std::vector<std::int32_t> backwards(values.rbegin(), values.rend());
    const Array x = kn::asarray(values).eval(), reversed = x(slice(kn::none, kn::none, -1)), one = x(-1);
    kn::synchronize();
    const std::int32_t last = values.back();
    CHECK(in_one_step<std::int32_t>([&] { return -x; }) == each_of(values, [](auto v) { return -v; }));
    CHECK(in_one_step<std::int32_t>([&] { return 5 - x; }) == each_of(values, [](auto v) { return 5 - v; }));
    CHECK(in_one_step<std::int32_t>([&] { return x * one; }) == each_of(values, [&](auto v) { return v * last; }));
    CHECK(in_one_step<std::int32_t>([&] { return -reversed; }) == each_of(backwards, [](auto v) { return -v; }));
    CHECK(in_one_step<std::int64_t>([&] { return x.astype(kn::int64); }) ==
          std::vector<std::int64_t>(values.begin(), values.end()));
    const Array positive = (x > 0).eval();
    CHECK(in_one_step<std::int32_t>([&] { return where(positive, x, reversed); }) == [&] {
      std::vector<std::int32_t> chosen;
      for (std::size_t i = 0; i < values.size(); ++i) chosen.push_back(values[i] > 0 ? values[i] : backwards[i]);
      return chosen;
    }());
  }
}

TEST_CASE("a number becomes an array of one element") {
  CHECK(in_one_step<std::int64_t>([] { return kn::full({}, 7); }) == std::vector<std::int64_t>{7});
  CHECK(in_one_step<double>([] { return kn::full({}, 0.1, {.dtype = kn::float64}); }) == std::vector{0.1});
}

TEST_CASE("a row and a column make a matrix") {
  const std::vector<std::int32_t> values = numbers(40);
  const Array x = kn::asarray(values).eval();
  kn::synchronize();
  std::vector<std::int32_t> sums;
  for (const std::int32_t column : values) {
    for (const std::int32_t row : values) sums.push_back(row + column);
  }
  CHECK(in_one_step<std::int32_t>([&] { return x + reshape(x, {-1, 1}); }) == sums);
}

TEST_CASE("an operation leaves what it read as it was, and a part of an array takes its result") {
  const Array x = kn::asarray(numbers(6)).eval();
  Array y = x.copy();
  kn::synchronize();
  y(slice(2, 4)) = -x(slice(0, 2));
  y(5) += 20;
  CHECK(y.to_vector<std::int32_t>() == std::vector<std::int32_t>{-3, 4, 3, -4, -1, 13});
  CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>{-3, 4, -2, 5, -1, -7});
}

TEST_CASE("reductions in integers") {
  for (const std::int64_t count : sizes) {
    CAPTURE(count);
    const std::vector<std::int32_t> values = numbers(count);
    const Array x = kn::asarray(values).eval(), backwards = x(slice(kn::none, kn::none, -1));
    kn::synchronize();
    const auto sum = std::accumulate(values.begin(), values.end(), std::int64_t{0});
    const auto zeros = std::count(values.begin(), values.end(), 0);
    for (const Array& each : {x, backwards}) {
      CHECK(in_one_step<std::int64_t>([&] { return kn::sum(each); }) == std::vector{sum});
      CHECK(in_one_step<std::int64_t>([&] { return kn::count_nonzero(each); }) == std::vector{count - zeros});
      CHECK(in_one_step<std::int32_t>([&] { return kn::max(each); }) ==
            std::vector{*std::max_element(values.begin(), values.end())});
      CHECK(in_one_step<std::int32_t>([&] { return kn::min(each); }) ==
            std::vector{*std::min_element(values.begin(), values.end())});
      CHECK(kn::any(each).item<bool>() == (zeros < count));
      CHECK(kn::all(each).item<bool>() == (zeros == 0));
    }
    const Array small = (x > 100).eval();
    CHECK(kn::any(small).item<bool>() == false);
    CHECK(kn::all(small == false).item<bool>() == true);
  }
}

TEST_CASE("a wrong position is told by what is computed from it") {
  const Array x = kn::asarray(numbers(6)).eval(), at = kn::asarray({1, 9}).eval();
  kn::synchronize();
  const Array taken = take(x, at).eval();
  CHECK_THROWS_AS((void)(-taken).to_vector<std::int32_t>(), kn::IndexError);
  CHECK_THROWS_AS((void)kn::count_nonzero(taken).item<std::int64_t>(), kn::IndexError);
}

TEST_CASE("a value that is computed where it is assigned stays what it was") {
  Array x = kn::asarray(numbers(6)).eval();
  kn::synchronize();
  Array part = x(1);
  part += 5;
  x(1) = part;
  CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>{-3, 9, -2, 5, -1, -7});
  x(1) = 100;
  CHECK(part.item<std::int32_t>() == 9);
  x(slice(0, 3)) = x(slice(0, 3)) * x(slice(3, 6));  // what lies elsewhere in the same memory
  CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>{-15, -100, 14, 5, -1, -7});
  const Array before = x;
  x(slice(kn::none, kn::none, -2)) += 1;
  x(0) = x(0) + x(0);
  CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>{-30, -99, 14, 6, -1, -6});
  CHECK(before.to_vector<std::int32_t>() == std::vector<std::int32_t>{-15, -100, 14, 5, -1, -7});
  x(5) = x(4);
  x(4) = x(5) - 1;
  CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>{-30, -99, 14, 6, -2, -1});
}

TEST_CASE("what is computed at once, and what is left pending") {
  const bool does = does_steps();
  const Array x = kn::asarray(numbers(100)).eval(), large = kn::asarray(numbers(5000)).eval();
  kn::synchronize();
  const Array next = x + 1, chain = (x + 1) * 2, long_one = -large;
  CHECK(kn::eval_at_once(next) == does);
  CHECK(kn::at_hand(next) == does);
  CHECK(kn::eval_at_once(x) == kn::at_hand(x));
  // Neither several operations nor more elements than are made without a plan.
  const auto before = host_steps_of();
  CHECK_FALSE(kn::eval_at_once(chain));
  CHECK_FALSE(kn::eval_at_once(long_one));
  CHECK(host_steps_of() == before);
  CHECK(chain(3).item<std::int32_t>() == (numbers(100)[3] + 1) * 2);
  CHECK(long_one(4999).item<std::int32_t>() == -numbers(5000)[4999]);
  // A position out of range is whoever's who observes the result.
  const Array outside = kn::take(x, kn::asarray({1, 100}));
  CHECK_FALSE(kn::eval_at_once(outside));
  CHECK_THROWS_AS(outside.to_vector<std::int32_t>(), kn::IndexError);
}

TEST_CASE("a number that is computed at once, and asked for beside what reads it") {
  on_each_device([] {
    const Array x = kn::asarray(std::vector<float>{1, 2, 3}), number = -x[1];
    const Array ramp = x * 2 + number, moved = kn::roll(x, 1) + number, total = kn::sum(x * 3 + number);
    kn::eval(ramp, moved, total, number);
    CHECK(ramp.to_vector<float>() == std::vector<float>{0, 2, 4});
    CHECK(moved.to_vector<float>() == std::vector<float>{1, -1, 0});
    CHECK(total.item<float>() == 12);
    CHECK(number.item<float>() == -2);
  });
}

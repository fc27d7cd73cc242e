// SPDX-License-Identifier: Apache-2.0
// Assignments of what is there already, which the host stores without a plan.
#include <doctest/doctest.h>
#include <koine/koine.hpp>
#include <koine/profile.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/host_steps.hpp"
#include "support/inner.hpp"
#include "support/same_bits.hpp"

namespace kn = koine;
using kn::Array;
using kn::slice;
using kn::test::activity_of;
using kn::test::does_steps;
using kn::test::host_steps_of;

namespace {

/// How many steps of the host, and how many launches, `work` takes.
template <class Work>
std::pair<std::uint64_t, std::uint64_t> steps_of(Work work) {
  const auto host = host_steps_of(), device = activity_of().launches;
  work();
  return {host_steps_of() - host, activity_of().launches - device};
}

const std::pair<std::uint64_t, std::uint64_t> one_step{1, 0};

/// 0, 1, ... 23 as an array of shape (4, 6), in memory of its own.
template <class T>
std::vector<T> numbers() {
  std::vector<T> values;
  for (int i = 0; i < 24; ++i) values.push_back(static_cast<T>(i));
  return values;
}

template <class T>
void store_parts(kn::DType type) {
  CAPTURE(name(type));
  std::vector<T> expected = numbers<T>();
  Array x = kn::asarray(expected, {.dtype = type}).reshape({4, 6});
  x = (x + kn::zeros_like(x)).eval();
  const Array row = kn::asarray({31, 32, 33}, {.dtype = type}).eval();
  kn::synchronize();
  CHECK(steps_of([&] { x(2, -1) = row(1); }) == one_step);
  expected[17] = static_cast<T>(32);
  CHECK(steps_of([&] { x(slice(0, 2), slice(1, 6, 2)) = row; }) == one_step);  // to both rows
  CHECK(steps_of([&] { x(3, slice(kn::none, kn::none, -2)) = row; }) == one_step);
  for (int i = 0; i < 3; ++i) {
    expected[static_cast<std::size_t>(1 + 2 * i)] = expected[static_cast<std::size_t>(7 + 2 * i)] =
        static_cast<T>(31 + i);
    expected[static_cast<std::size_t>(23 - 2 * i)] = static_cast<T>(31 + i);
  }
  CHECK(steps_of([&] { x(0) = x(3); }) == one_step);  // parts of one array that do not overlap
  std::copy(expected.begin() + 18, expected.end(), expected.begin());
  CHECK(x.to_vector<T>() == expected);
}

}  // namespace

TEST_CASE("a number or a computed array is stored in one step, whatever the layouts and the size of elements") {
  if (!does_steps()) return;
  store_parts<std::uint8_t>(kn::uint8);
  store_parts<float>(kn::float16);
  store_parts<std::int32_t>(kn::int32);
  store_parts<double>(kn::float64);
  store_parts<std::complex<double>>(kn::complex128);
}

TEST_CASE("a number is stored in the array's type") {
  if (!does_steps()) return;
  for (const kn::DType type : {kn::bool_, kn::int16, kn::float16, kn::bfloat16, kn::float32, kn::uint64}) {
    CAPTURE(name(type));
    Array x = kn::asarray({0, 0, 0, 0}, {.dtype = type});
    kn::synchronize();
    x(slice(1, 3)) = 1;
    x(0) = type == kn::bool_ ? kn::Scalar(true) : kn::Scalar(3);
    const int first = type == kn::bool_ ? 1 : 3;
    CHECK(x.to_vector<int>() == std::vector<int>{first, 1, 1, 0});
  }
}

TEST_CASE("a store beside pending work that reads the array is not seen by it") {
  if (!does_steps()) return;
  Array x = (kn::asarray(numbers<float>()) + 0).eval();
  const Array later = x * 2, same = x;
  x(3) = 100;
  CHECK(x(3).item<float>() == 100);
  CHECK(same(3).item<float>() == 3);
  CHECK(later(3).item<float>() == 6);
}

TEST_CASE("a part moves to one that overlaps it") {
  if (!does_steps()) return;
  Array y = (kn::asarray(numbers<float>()) + 0).eval();
  y(slice(1, 6)) = y(slice(0, 5));
  y(slice(10, 15)) = y(slice(11, 16));
  CHECK(y.to_vector<float>() ==
        std::vector<float>{0, 0, 1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 15, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  // One that somebody holds stays as it is.
  const Array held = y(slice(10, 15));
  y(slice(11, 16)) = held;
  CHECK(y(slice(9, 18)).to_vector<float>() == std::vector<float>{9, 11, 11, 12, 13, 14, 15, 16, 17});
  CHECK(held.to_vector<float>() == std::vector<float>{11, 12, 13, 14, 15});
}

TEST_CASE("memory of the program that an array borrows is not written") {
  if (!does_steps()) return;
  alignas(4096) static float values[64];
  std::iota(std::begin(values), std::end(values), 0.0f);
  Array x = kn::borrow(values);
  x(5) = 70;
  CHECK(values[5] == 5);
  CHECK(x(5).item<float>() == 70);
  CHECK(x(6).item<float>() == 6);
}

TEST_CASE("what is stored brings its faults with it") {
  if (!does_steps()) return;
  const Array wrong = kn::take(kn::asarray({1, 2, 3}), kn::asarray({1, 7})).eval();
  Array x = kn::zeros({4}, {.dtype = kn::int64});
  x = (x + 1).eval();
  kn::synchronize();
  x(slice(0, 2)) = wrong;
  CHECK_THROWS_AS((void)x.to_vector<int>(), kn::IndexError);
}

TEST_CASE("stores behind work that is under way are the device's") {
  if (!does_steps()) return;
  Array x = (kn::zeros({3'000'000}) + 1).eval();
  for (int i = 0; i < 4; ++i) x = kn::sin(x).eval();
  x(7) = 5;
  CHECK(x(7).item<float>() == 5);
}

TEST_CASE("a profile and the log name stores as they name kernels") {
  if (!does_steps()) return;
  Array x = (kn::zeros({16}) + 1).eval();
  const Array value = (kn::zeros({4}) + 2).eval();
  kn::synchronize();
  kn::profile::Session session;
  x(3) = 5;
  x(slice(4, 8)) = value;
  const auto commands = session.commands();
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].name == "fill_f32");
  CHECK(commands[0].bytes_read == 0);
  CHECK(commands[0].bytes_written == 4);
  CHECK(commands[1].name == "copy_u32");
  CHECK(commands[1].bytes_read == 16);
  CHECK(commands[1].bytes_written == 16);
}

TEST_CASE("values go to positions in one step, the last of equal positions counts") {
  if (!does_steps()) return;
  Array x = (kn::asarray(numbers<float>()).reshape({4, 6}) + 0).eval();
  std::vector<float> expected = numbers<float>();
  const Array rows = kn::asarray({2, -4, 2}).eval(), columns = kn::asarray(std::vector<std::uint8_t>{5, 0}).eval();
  const Array values = kn::asarray({71.0F, 72.0F, 73.0F}).reshape({3, 1}).eval();
  const Array each = kn::asarray({81.0F, 82.0F}).eval();
  kn::synchronize();
  CHECK(steps_of([&] { x(rows) = values; }) == one_step);
  for (std::size_t i = 0; i < 6; ++i) {
    expected[i] = 72;
    expected[12 + i] = 73;
  }
  CHECK(steps_of([&] { x(kn::all, columns) = each; }) == one_step);
  for (std::size_t row = 0; row < 4; ++row) {
    expected[row * 6 + 5] = 81;
    expected[row * 6] = 82;
  }
  CHECK(steps_of([&] { x(rows(slice(1, 2))) = -1; }) == one_step);
  for (std::size_t i = 0; i < 6; ++i) expected[i] = -1;
  CHECK(x.to_vector<float>() == expected);
}

TEST_CASE("values that are computed from what they are assigned to go to positions in place") {
  if (!does_steps()) return;
  Array x = (kn::asarray(numbers<float>()) + 0).eval();
  const Array at = kn::asarray({1, 4, 1}).eval(), more = kn::asarray({10.0F, 20.0F, 30.0F}).eval();
  kn::synchronize();
  const auto [host, device] = steps_of([&] { x(at) += more; });
  CHECK(host == 2);  // the sum, and the store
  CHECK(device == 0);
  std::vector<float> expected = numbers<float>();
  expected[1] = 31;
  expected[4] = 24;
  CHECK(x.to_vector<float>() == expected);
}

TEST_CASE("a position out of range is told when the array is observed, and nothing is written before") {
  if (!does_steps()) return;
  for (const std::int64_t wrong : {24, -25}) {
    Array x = (kn::asarray(numbers<float>()) + 0).eval();
    const Array before = x + 0;
    x(kn::asarray({std::int64_t{0}, wrong}).eval()) = 7;
    CHECK_THROWS_AS((void)x.to_vector<float>(), kn::IndexError);
    CHECK(before.to_vector<float>() == numbers<float>());
  }
}

TEST_CASE("stores by positions leave other holders of the memory alone, and bring faults with them") {
  if (!does_steps()) return;
  Array x = (kn::asarray(numbers<float>()) + 0).eval();
  const Array at = kn::asarray({3, 5}).eval(), same = x, part = x(slice(0, 4)), later = x * 2;
  x(at) = -5;
  CHECK(same(3).item<float>() == 3);
  CHECK(part(3).item<float>() == 3);
  CHECK(later(5).item<float>() == 10);
  CHECK(x(3).item<float>() == -5);
  Array y = (kn::zeros({4}, {.dtype = kn::int64}) + 1).eval();
  const Array wrong = kn::take(kn::asarray({1, 2, 3}), kn::asarray({1, 7})).eval();
  y(kn::asarray({0, 1}).eval()) = wrong;
  CHECK_THROWS_AS((void)y.to_vector<int>(), kn::IndexError);
}

TEST_CASE("a part of an array that somebody holds goes to another part of it in one step") {
  if (!does_steps()) return;
  Array x = (kn::asarray(numbers<float>()).reshape({4, 6}) + 0).eval();
  const Array row = x(3), twice = row * 2;
  kn::synchronize();
  CHECK(steps_of([&] { x(0) = row; }) == one_step);
  CHECK(x(0).to_vector<float>() == std::vector<float>{18, 19, 20, 21, 22, 23});
  x(3) = 1;  // no longer what `row` has
  CHECK(row.to_vector<float>() == std::vector<float>{18, 19, 20, 21, 22, 23});
  CHECK(twice(0).item<float>() == 36);
}

TEST_CASE("parts that overlap what they are made of are stored in one step") {
  if (!does_steps()) return;
  for (const std::int64_t size : {10, 1024, 1025}) {  // 4096 bytes and more
    CAPTURE(size);
    std::vector<float> expected(static_cast<std::size_t>(size));
    std::iota(expected.begin(), expected.end(), 0.0F);
    Array x = kn::asarray(expected).eval();
    kn::synchronize();
    const bool small = size <= 1024;
    const auto stored = [&](auto work) {
      kn::synchronize();
      const auto steps = steps_of(work);
      if (small) CHECK(steps == one_step);
    };
    stored([&] { x(slice(1, kn::none)) = x(slice(kn::none, -1)); });
    std::copy_backward(expected.begin(), expected.end() - 1, expected.end());
    CHECK(x.to_vector<float>() == expected);
    stored([&] { x(kn::ellipsis) = x(slice(kn::none, kn::none, -1)); });
    std::reverse(expected.begin(), expected.end());
    CHECK(x.to_vector<float>() == expected);
    stored([&] { x(slice(0, 8, 2)) = x(slice(2, 6)); });
    const std::vector<float> before = expected;
    for (std::size_t k = 0; k < 4; ++k) expected[2 * k] = before[2 + k];
    CHECK(x.to_vector<float>() == expected);
    stored([&] { x(slice(0, 9)) = x(slice(4, 5)); });  // one element to all
    std::fill(expected.begin(), expected.begin() + 9, expected[4]);
    CHECK(x.to_vector<float>() == expected);
  }
}

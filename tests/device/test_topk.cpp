// SPDX-License-Identifier: Apache-2.0
// topk, partition and searchsorted against plain C++: axes, ties, NaN, types, sorters, messages.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

const float not_a_number = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();

/// Numbers of which many are equal.
template <class T>
std::vector<T> few_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& v : values) v = static_cast<T>(static_cast<int>(random() % 50) - (std::is_signed_v<T> ? 25 : 0));
  return values;
}

/// Whether a stands before b in a rising order with NaN last.
bool below(float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

}  // namespace

TEST_CASE("the k largest and smallest along an axis, and where they are") {
  on_each_device([] {
    const std::int64_t rows = 6, count = 500;
    const auto values = few_values<std::int16_t>(static_cast<std::size_t>(rows * count), 1);
    const Array x = kn::asarray(values, {rows, count});
    for (const bool largest : {true, false}) {
      for (const std::int64_t k : {0, 1, 7, 500}) {
        CAPTURE(largest);
        CAPTURE(k);
        std::vector<std::int16_t> want;
        std::vector<std::int64_t> places;
        for (std::int64_t row = 0; row < rows; ++row) {
          const auto at = [&](std::int64_t i) { return values[static_cast<std::size_t>(row * count + i)]; };
          std::vector<std::int64_t> order(static_cast<std::size_t>(count));
          std::iota(order.begin(), order.end(), 0);
          std::stable_sort(order.begin(), order.end(),
                           [&](std::int64_t a, std::int64_t b) { return largest ? at(b) < at(a) : at(a) < at(b); });
          for (std::int64_t i = 0; i < k; ++i) {
            places.push_back(order[static_cast<std::size_t>(i)]);
            want.push_back(at(places.back()));
          }
        }
        const auto top = kn::topk(x, k, {.largest = largest});
        check_array(top.values, {rows, k}, want);
        check_array(top.indices, {rows, k}, places);
        const auto columns = kn::topk(x.T(), k, {.axis = 0, .largest = largest});
        check_array(columns.values.T(), {rows, k}, want);
        check_array(columns.indices.T(), {rows, k}, places);
      }
    }
    check_array(kn::topk(kn::array({not_a_number, 1.f, infinity, not_a_number, -2.f}), 4).values, {4},
                std::vector<float>{infinity, 1, -2, not_a_number});
    CHECK(kn::topk(kn::zeros({0, 3}), 2).values.shape() == Shape{0, 2});
  });
}

TEST_CASE("a partition has its element in place") {
  on_each_device([] {
    const auto values = few_values<float>(3000, 2);
    for (const std::int64_t kth : {0, 1500, 2999, -1}) {
      const auto got = kn::partition(kn::asarray(values), kth).to_vector<float>();
      auto want = values;
      const auto at = static_cast<std::ptrdiff_t>(kth < 0 ? kth + 3000 : kth);
      std::nth_element(want.begin(), want.begin() + at, want.end());
      const float pivot = want[static_cast<std::size_t>(at)];
      CHECK(got[static_cast<std::size_t>(at)] == pivot);
      CHECK(std::all_of(got.begin(), got.begin() + at, [&](float v) { return v <= pivot; }));
      CHECK(std::all_of(got.begin() + at, got.end(), [&](float v) { return v >= pivot; }));
    }
    check_array(kn::partition(kn::array({{3, 1}, {2, 5}, {1, 3}}), 1, {.axis = 0}), {3, 2},
                std::vector<std::int64_t>{1, 1, 2, 3, 3, 5});
  });
}

TEST_CASE("places in a sorted list") {
  on_each_device([] {
    for (const std::size_t count : {0u, 1u, 2u, 1000u, 70'000u}) {
      CAPTURE(count);
      std::vector<float> list = few_values<float>(count, 3);
      if (count > 10) list[3] = not_a_number, list[7] = -not_a_number, list[5] = infinity, list[8] = -0.0f;
      std::vector<std::int64_t> order(count);
      std::iota(order.begin(), order.end(), 0);
      std::vector<float> sorted = list;
      std::stable_sort(sorted.begin(), sorted.end(), below);
      std::vector<float> wanted = few_values<float>(6000, 4);
      wanted.insert(wanted.end(), {not_a_number, -not_a_number, 0.0f, -0.0f, infinity, -infinity, 0.5f, 1e30f});
      std::vector<std::int64_t> left, right;
      for (const float w : wanted) {
        left.push_back(std::lower_bound(sorted.begin(), sorted.end(), w, below) - sorted.begin());
        right.push_back(std::upper_bound(sorted.begin(), sorted.end(), w, below) - sorted.begin());
      }
      const Array x1 = kn::asarray(sorted), x2 = kn::asarray(wanted), loose = kn::asarray(list);
      const std::int64_t searches = std::ssize(wanted);
      check_array(kn::searchsorted(x1, x2), {searches}, left);
      check_array(kn::searchsorted(x1, kn::reshape(x2, {2, -1}), {.side = "right"}), {2, searches / 2}, right);
      check_array(kn::searchsorted(loose, x2, {.sorter = kn::argsort(loose)}), {searches}, left);
    }
    // Types promote; every size of key.
    const Array bytes = kn::asarray(std::vector<std::int8_t>{-5, 0, 3});
    check_array(kn::searchsorted(bytes, kn::asarray(std::vector<std::int64_t>{-1000, 2, 1000})), {3},
                std::vector<std::int64_t>{0, 2, 3});
    check_array(kn::searchsorted(bytes, kn::asarray(std::vector<std::int8_t>{-5, 4})), {2},
                std::vector<std::int64_t>{0, 3});
    check_array(kn::searchsorted(kn::asarray(std::vector<std::uint64_t>{1, 1ull << 63}),
                                 kn::asarray(std::vector<std::uint64_t>{1ull << 62, ~0ull})),
                {2}, std::vector<std::int64_t>{1, 2});
    check_array(kn::searchsorted(kn::arange(8).astype(kn::float16), kn::array({2.5f, 7.f}).astype(kn::float16)), {2},
                std::vector<std::int64_t>{3, 7});
    check_array(kn::searchsorted(kn::array({false, true}), kn::array({true})), {1}, std::vector<std::int64_t>{1});
    CHECK(kn::searchsorted(bytes, 1).item<std::int64_t>() == 2);
    check_array(
        kn::searchsorted(kn::arange(100)(kn::slice(10, 90, 3)), kn::arange(20)(kn::slice(kn::none, kn::none, -9))), {3},
        std::vector<std::int64_t>{3, 0, 0});
  });
}

TEST_CASE("what these cannot take") {
  const Array x = kn::ones({3});
  CHECK(message_of<kn::ValueError>([&] { kn::topk(x, 5); }) == "[topk] k is 5; axis -1 of shape (3,) has 3 elements");
  CHECK(has(message_of<kn::ValueError>([&] { kn::topk(x, -1); }), "k is -1"));
  CHECK(has(message_of<kn::IndexError>([&] { kn::topk(kn::ones({}), 0); }), "[topk] axis -1"));
  CHECK(message_of<kn::IndexError>([&] { kn::partition(x, 3); }) ==
        "[partition] kth 3 is out of range for axis -1 of size 3; it can be -3 to 2");
  CHECK(message_of<kn::ShapeError>([&] {
          kn::searchsorted(kn::ones({2, 3}), x);
        }) == "[searchsorted] x1 has shape (2, 3); it must have one axis");
  CHECK(has(message_of<kn::ShapeError>([&] { kn::searchsorted(x, x, {.sorter = kn::arange(2)}); }), "the sorter"));
  CHECK(message_of<kn::ValueError>([&] { kn::searchsorted(x, x, {.side = "middle"}); }) ==
        "[searchsorted] side is \"middle\"; it can be \"left\" or \"right\"");
  const Array z = kn::ones({3}, {.dtype = kn::complex64});
  CHECK(has(message_of<kn::DTypeError>([&] { kn::searchsorted(x, z); }), "[searchsorted] does not take complex64"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::topk(z, 1); }), "[topk]"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::partition(z, 1); }), "[partition]"));
}

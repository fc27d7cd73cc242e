// SPDX-License-Identifier: Apache-2.0
// isin and the unique values against std::map and plain loops: types, ties, zeros, NaN, shapes, messages.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;
using kn::test::work_of;

namespace {

template <class T>
void check_unique(const std::vector<T>& values, const Shape& shape) {
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  CAPTURE(kn::name(kn::dtype_of<T>));
  CAPTURE(shape);
  struct Value {
    std::int64_t first, count;
  };
  std::map<T, Value> found;  // no NaN here
  for (std::size_t i = 0; i < values.size(); ++i) {
    ++found.try_emplace(values[i], Value{static_cast<std::int64_t>(i), 0}).first->second.count;
  }
  std::vector<T> sorted;
  std::vector<std::int64_t> indices, counts, inverse;
  for (const auto& [value, where] : found) {
    sorted.push_back(value);
    indices.push_back(where.first);
    counts.push_back(where.count);
  }
  for (const T& v : values) inverse.push_back(std::distance(found.begin(), found.find(v)));
  const std::int64_t number = std::ssize(sorted);
  const Array x = kn::asarray(values, shape);
  const auto all = kn::unique_all(x);
  check_array(all.values, {number}, sorted);
  check_array(all.indices, {number}, indices);
  check_array(all.inverse_indices, shape, inverse);
  check_array(all.counts, {number}, counts);
  check_array(kn::unique_values(x), {number}, sorted);
  const auto counted = kn::unique_counts(x);
  check_array(counted.values, {number}, sorted);
  check_array(counted.counts, {number}, counts);
  const auto inverted = kn::unique_inverse(x);
  check_array(inverted.values, {number}, sorted);
  check_array(inverted.inverse_indices, shape, inverse);
}

template <class T>
void check_numbers() {
  std::mt19937 random(8);
  for (const Shape& shape : std::vector<Shape>{{0}, {1}, {2, 3}, {4, 0}, {256}, {257}, {30, 40}, {20'000}}) {
    std::vector<T> values, wide;
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
      values.push_back(static_cast<T>(random() % 100));
      // Of every size that the type holds, and most of both signs.
      const std::int64_t drawn = static_cast<std::int32_t>(random()), times = random() % 7;
      wide.push_back(i % 5 == 0 ? values[static_cast<std::size_t>(i / 2)] : static_cast<T>(drawn * times));
    }
    check_unique(values, shape);
    check_unique(wide, shape);
  }
}

}  // namespace

TEST_CASE("unique values of every kind of type") {
  on_each_device([] {
    check_numbers<std::uint8_t>();
    check_numbers<float>();
    if (!kn::test::without_variants("types of other sizes")) {
      check_numbers<std::int32_t>();
      check_numbers<std::int64_t>();
      check_numbers<double>();
    }
    check_unique<std::int32_t>(std::vector<std::int32_t>(5000, 7), {5000});
    check_array(kn::unique_values(kn::array({true, false, true})), {2}, std::vector<bool>{false, true});
    check_array(kn::unique_values(kn::array({3.f, 1.f, 3.f}).astype(kn::bfloat16)).astype(kn::float32), {2},
                std::vector<float>{1, 3});
    CHECK(kn::unique_values(kn::full({}, 4)).to_vector<std::int64_t>() == std::vector<std::int64_t>{4});
    CHECK(kn::unique_all(kn::full({}, 4)).inverse_indices.shape() == Shape{});
  });
}

TEST_CASE("each NaN is a value of its own, and zeros are one") {
  on_each_device([] {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Array x = kn::array({nan, 0.f, 2.f, -0.f, -nan, 2.f});
    const auto all = kn::unique_all(x);
    check_array(all.values, {4}, std::vector<float>{0, 2, nan, nan});
    check_array(all.indices, {4}, std::vector<std::int64_t>{1, 2, 0, 4});
    check_array(all.counts, {4}, std::vector<std::int64_t>{2, 2, 1, 1});
    check_array(all.inverse_indices, {6}, std::vector<std::int64_t>{2, 0, 1, 0, 3, 1});
    check_array(kn::unique_counts(x).counts, {4}, std::vector<std::int64_t>{2, 2, 1, 1});
    check_array(kn::unique_inverse(x).inverse_indices, {6}, std::vector<std::int64_t>{2, 0, 1, 0, 3, 1});
    check_array(kn::unique_values(x), {4}, std::vector<float>{0, 2, nan, nan});
    // Which zero it is: the first, or of values alone that of a sort.
    CHECK(!std::signbit(all.values.to_vector<float>()[0]));
    CHECK(!std::signbit(kn::unique_inverse(x).values.to_vector<float>()[0]));
    CHECK(std::signbit(kn::unique_values(x).to_vector<float>()[0]));
    CHECK(std::signbit(kn::unique_counts(x).values.to_vector<float>()[0]));
  });
}

TEST_CASE("the distinct values of few elements are one launch of a card") {
  on_each_device([] {
    if (kn::test::facts_of().cpu_loops) return;
    for (const std::int64_t size : {1, 10, 1000, 1792}) {
      CAPTURE(size);
      const Array x = (kn::arange(size) % 7).eval();
      CHECK(work_of([&] { kn::unique_values(x).eval(); }).kernels == 1);
      CHECK(work_of([&] { kn::unique_counts(x).counts.eval(); }).kernels == 1);
      CHECK(work_of([&] { kn::unique_inverse(x).inverse_indices.eval(); }).kernels == 1);
      CHECK(work_of([&] { kn::unique_all(x).indices.eval(); }).kernels == 1);
    }
  });
}

TEST_CASE("elements among others") {
  on_each_device([] {
    std::mt19937 random(9);
    for (const std::size_t count : {0u, 1u, 3u, 3000u}) {
      std::vector<std::int32_t> some(count);
      std::vector<std::int64_t> elements(4000);
      for (auto& v : some) v = static_cast<std::int32_t>(random() % 5000);
      for (auto& v : elements) v = static_cast<std::int64_t>(random() % 5000);
      std::vector<bool> want, inverted;
      for (const auto v : elements) {
        want.push_back(std::find(some.begin(), some.end(), v) != some.end());
        inverted.push_back(!want.back());
      }
      CAPTURE(count);
      const Array x1 = kn::asarray(elements, {40, 100}), x2 = kn::asarray(some);
      check_array(kn::isin(x1, x2), {40, 100}, want);
      check_array(kn::isin(x1, x2, {.invert = true}), {40, 100}, inverted);
    }
    const float nan = std::numeric_limits<float>::quiet_NaN();
    check_array(kn::isin(kn::array({nan, -0.f, 3.f, 5.f}), kn::array({{0.f, nan}, {5.f, 7.f}})), {4},
                std::vector<bool>{false, true, false, true});
    check_array(kn::isin(kn::array({1, 2}), 2), {2}, std::vector<bool>{false, true});
    // Promoted, not wrapped.
    check_array(kn::isin(kn::asarray(std::vector<std::int8_t>{1, -1}), kn::asarray(std::vector<std::int16_t>{257, -1})),
                {2}, std::vector<bool>{false, true});
  });
}

namespace {

/// Complex numbers by their real parts, then by their imaginary ones.
template <class P>
struct ByParts {
  bool operator()(const std::complex<P>& a, const std::complex<P>& b) const {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  }
};

template <class P>
void check_complex_sets() {
  using C = std::complex<P>;
  if (!kn::test::computes(kn::dtype_of<C>)) return;
  CAPTURE(kn::name(kn::dtype_of<C>));
  std::mt19937 random(10);
  const auto drawn = [&random] { return C(static_cast<P>(random() % 9) - 4, static_cast<P>(random() % 7) - 3); };
  for (const std::int64_t count : {0, 1, 2, 40, 20'000}) {
    CAPTURE(count);
    std::vector<C> values, some;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(drawn());
    for (std::int64_t i = 0; i < std::min<std::int64_t>(count, 25); ++i) some.push_back(drawn());
    std::map<C, std::pair<std::int64_t, std::int64_t>, ByParts<P>> found;  // the first place, how often
    for (std::int64_t i = 0; i < count; ++i) {
      ++found.try_emplace(values[static_cast<std::size_t>(i)], i, 0).first->second.second;
    }
    std::vector<C> sorted;
    std::vector<std::int64_t> indices, counts, inverse;
    for (const auto& [value, where] : found) {
      sorted.push_back(value);
      indices.push_back(where.first);
      counts.push_back(where.second);
    }
    std::vector<bool> among;
    for (const C& v : values) {
      inverse.push_back(std::distance(found.begin(), found.find(v)));
      among.push_back(std::find(some.begin(), some.end(), v) != some.end());
    }
    const std::int64_t number = std::ssize(sorted);
    const Array x = kn::asarray(values);
    const auto all = kn::unique_all(x);
    check_array(all.values, {number}, sorted);
    check_array(all.indices, {number}, indices);
    check_array(all.inverse_indices, {count}, inverse);
    check_array(all.counts, {number}, counts);
    check_array(kn::unique_values(x), {number}, sorted);
    check_array(kn::unique_counts(x).values, {number}, sorted);
    check_array(kn::unique_counts(x).counts, {number}, counts);
    check_array(kn::unique_inverse(x).inverse_indices, {count}, inverse);
    check_array(kn::isin(x, kn::asarray(some)), {count}, among);
    among.flip();
    check_array(kn::isin(x, kn::asarray(some), {.invert = true}), {count}, among);
  }
}

}  // namespace

TEST_CASE("sets of complex numbers") {
  on_each_device([] {
    check_complex_sets<float>();
    check_complex_sets<double>();
    CHECK(kn::unique_values(kn::ones({2, 0}, {.dtype = kn::complex64})).shape() == Shape{0});
    CHECK(kn::unique_inverse(kn::ones({2, 3}, {.dtype = kn::complex64})).inverse_indices.shape() == Shape{2, 3});
    const Array z = kn::array({std::complex<float>(1, 2), std::complex<float>(3, 0)});
    CHECK(kn::isin(z, 3).to_vector<bool>() == std::vector<bool>{false, true});
    CHECK(kn::isin(kn::array({1.f, 3.f}), z).to_vector<bool>() == std::vector<bool>{false, true});
    CHECK(kn::isin(std::complex<float>(1, 2), z).item<bool>());
  });
}

TEST_CASE("complex zeros are one whatever their signs, and each number with a NaN is a value of its own, last") {
  on_each_device([] {
    using C = std::complex<float>;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<C> values = {{0, -0.f}, {nan, 1},     {-0.f, 0}, {1, -0.f}, {0, nan}, {5, 1},
                                   {1, 0},    {-0.f, -0.f}, {nan, 1},  {0, nan},  {-2, 3}};
    const auto all = kn::unique_all(kn::asarray(values));
    const std::vector<C> sorted = all.values.to_vector<C>();
    REQUIRE(sorted.size() == 8);
    CHECK(sorted[0] == C(-2, 3));
    CHECK(sorted[1] == C(0, 0));
    CHECK(sorted[2] == C(1, 0));
    CHECK(sorted[3] == C(5, 1));
    for (std::size_t i = 4; i < 8; ++i) CHECK((std::isnan(sorted[i].real()) || std::isnan(sorted[i].imag())));
    CHECK(all.counts.to_vector<int>() == std::vector<int>{1, 3, 2, 1, 1, 1, 1, 1});
    // What the inverse names is the element itself.
    const auto inverse = all.inverse_indices.to_vector<std::size_t>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const C own = values[i], named = sorted[inverse[i]];
      const bool has_nan = std::isnan(own.real()) || std::isnan(own.imag());
      CHECK((has_nan ? inverse[i] >= 4 : named == own));
    }
    const std::vector<bool> among = {true, false, true, false, false, false, false, true, false, false, false};
    check_array(kn::isin(kn::asarray(values), kn::array({C(0, 0), C(nan, 1)})), {11}, among);
  });
}

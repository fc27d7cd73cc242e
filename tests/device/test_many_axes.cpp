// SPDX-License-Identifier: Apache-2.0
// Up to 64 axes, of size one and two, in every order: every family of kernels against loops in which an axis of size
// two is a bit of an element's number.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::on_each_device;

namespace {

/// An array with `bits` axes of size two, in order, among others of size one, and its elements in row-major order.
struct Bits {
  Array array;
  std::vector<std::int32_t> values;
  std::vector<std::int64_t> axes;  // of size two

  /// The distance between elements that are neighbours along the axis of size two with this number.
  std::size_t step(std::size_t number) const { return std::size_t{1} << (axes.size() - 1 - number); }
};

std::vector<std::int32_t> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> values(count);
  for (auto& value : values) value = static_cast<std::int32_t>(random() % 100);
  return values;
}

/// `axes` axes, `bits` of them of size two, spread evenly.
Bits plain(std::size_t axes, std::size_t bits) {
  Bits x;
  x.values = random_values(std::size_t{1} << bits, axes * 100 + bits);
  Shape shape = Shape::filled(axes, 1);
  for (std::size_t bit = 0; bit < bits; ++bit) {
    x.axes.push_back(static_cast<std::int64_t>(bit * axes / bits));
    shape[bit * axes / bits] = 2;
  }
  x.array = kn::asarray(x.values, shape);
  return x;
}

Array reversed(const Array& x) {
  std::vector<std::int64_t> order;
  for (std::int64_t axis = x.ndim(); axis-- > 0;) order.push_back(axis);
  return kn::permute_dims(x, order);
}

/// The same with all axes the other way round, a view.
Bits turned(const Bits& x) {
  Bits result;
  result.array = reversed(x.array);
  result.values.resize(x.values.size());
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    std::size_t mirrored = 0;
    for (std::size_t bit = 0; bit < x.axes.size(); ++bit) mirrored |= (i >> bit & 1) << (x.axes.size() - 1 - bit);
    result.values[mirrored] = x.values[i];
  }
  for (std::size_t bit = x.axes.size(); bit-- > 0;) result.axes.push_back(x.array.ndim() - 1 - x.axes[bit]);
  return result;
}

void check(const Array& got, const std::vector<std::int32_t>& want) {
  const std::vector<std::int32_t> values = got.to_vector<std::int32_t>();
  REQUIRE(values.size() == want.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < want.size(); ++i) wrong += values[i] != want[i];
  CHECK(wrong == 0);
}

/// Every other axis of size two reduced.
void check_sum(const Bits& x, const Array& array) {
  std::vector<std::int64_t> axes;
  for (std::size_t bit = 1; bit < x.axes.size(); bit += 2) axes.push_back(x.axes[bit]);
  std::vector<std::int32_t> want(x.values.size() >> axes.size());
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    std::size_t to = 0;
    for (std::size_t bit = 0; bit < x.axes.size(); bit += 2) to = 2 * to + (i & x.step(bit) ? 1 : 0);
    want[to] += x.values[i];
  }
  check(kn::sum(array, {.axis = axes}), want);
  const Array kept = kn::sum(array, {.axis = axes, .keepdims = true});
  CHECK(kept.ndim() == array.ndim());
  check(kept, want);
}

/// Each element from itself and its neighbour along an axis of size two; `second`: whether it is behind that.
std::vector<std::int32_t> in_pairs(const Bits& x, std::size_t number,
                                   const std::function<int(int own, int other, bool second)>& f) {
  std::vector<std::int32_t> result;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    result.push_back(f(x.values[i], x.values[i ^ x.step(number)], (i & x.step(number)) != 0));
  }
  return result;
}

void check_families(const Bits& x) {
  const Array& array = x.array;
  CAPTURE(array.shape());
  check_sum(x, array);
  const std::size_t number = x.axes.size() / 2;
  const std::int64_t axis = x.axes[number];
  const auto own = [](int a, int, bool) { return a; };
  check(kn::cumulative_sum(array, {.axis = axis}),
        in_pairs(x, number, [](int a, int b, bool second) { return second ? a + b : a; }));
  check(kn::sort(array, {.axis = axis}),
        in_pairs(x, number, [](int a, int b, bool second) { return second ? std::max(a, b) : std::min(a, b); }));
  const Array greatest = kn::argmax(array, {.axis = axis, .keepdims = true});
  check(kn::broadcast_to(greatest, array.shape()),
        in_pairs(x, number, [](int a, int b, bool second) { return second ? a > b : b > a; }));
  check(kn::take(array, kn::asarray(std::vector<std::int64_t>{1, 0}), {.axis = axis}),
        in_pairs(x, number, [](int, int b, bool) { return b; }));
  check(kn::round(kn::softmax(array.astype(kn::float32) / 10, {.axis = axis}) * 1000),
        in_pairs(x, number, [](int a, int b, bool) {
          const double share = 1 / (1 + std::exp((b - a) / 10.0));
          return static_cast<int>(std::nearbyint(share * 1000));
        }));
  const Array half = kn::sum(array, {.axis = axis, .keepdims = true});  // broadcast below
  check(array * 2 + half, in_pairs(x, number, [](int a, int b, bool) { return 3 * a + b; }));
  check(kn::where(array > half / 2, array, kn::flip(array, {.axis = axis})),
        in_pairs(x, number, [](int a, int b, bool) { return std::max(a, b); }));
  const Array twice = kn::concat({array, array}, {.axis = axis});
  check(kn::take(twice, kn::asarray(std::vector<std::int64_t>{2, 3}), {.axis = axis}), in_pairs(x, number, own));
}

}  // namespace

TEST_CASE("axes of size one do not count") {
  on_each_device([] {
    for (const std::size_t axes : {1, 2, 23, 29, 40, 64}) {
      const Bits x = plain(axes, 1);
      CAPTURE(axes);
      check_sum(x, x.array);
      check(kn::cumulative_sum(x.array, {.axis = x.axes[0]}), {x.values[0], x.values[0] + x.values[1]});
      CHECK(kn::argmax(x.array).item<int>() == (x.values[1] > x.values[0]));
    }
  });
}

TEST_CASE("every family with many axes") {
  on_each_device([] {
    const Bits x = plain(64, 16);
    check_families(turned(x));
    if (kn::test::without_variants()) return;
    check_families(x);
    check_families(turned(plain(17, 17)));
  });
}

TEST_CASE("more axes than a kernel's parameters describe") {
  on_each_device([] {
    // Of 24 axes, the even ones move through 4,096 values and the others repeat them, or the other way round.
    const Bits x = plain(24, 12);
    const Shape all = Shape::filled(24, 2);
    const Array even = kn::broadcast_to(x.array.astype(kn::uint8), all), odd = reversed(even);
    std::int32_t total = 0;
    for (const std::int32_t value : x.values) total += value;
    check(kn::sum(even, {.axis = x.axes}), std::vector<std::int32_t>(4096, total));
    std::vector<std::int32_t> large, back = turned(x).values;
    for (const std::int32_t value : back) large.push_back(4096 * value);
    check(kn::sum(odd, {.axis = x.axes}), large);
    CHECK(kn::argmax(odd).item<std::int64_t>() < 1 << 23);  // the last axis repeats
    const Array running = kn::cumulative_sum(odd, {.axis = 6}), once = kn::max(running, {.axis = x.axes});
    check(once, [&] {
      for (std::int32_t& value : large) value = value / 4096 * 2;
      return large;
    }());

    // Three operands that lie in three ways.
    const Array third = kn::flip(even, {.axis = 2}) + odd * 0;
    const Array mixed = kn::where(odd > 50, third(kn::ellipsis, kn::slice(kn::none, kn::none, -1)), even);
    CHECK(kn::test::kernels_of(mixed) == 1);  // nothing is copied to lie in fewer ways
    const std::vector<std::uint8_t> got = mixed.to_vector<std::uint8_t>();
    std::vector<std::size_t> evens(4096), odds(4096);  // of twelve bits, those of each kind
    for (std::size_t i = 0; i < 4096; ++i) {
      for (std::size_t bit = 6; bit-- > 0;) {
        evens[i] = 2 * evens[i] + (i >> (2 * bit + 1) & 1);
        odds[i] = 2 * odds[i] + (i >> (2 * bit) & 1);
      }
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t at = evens[i >> 12] << 6 | evens[i & 4095], other = odds[i >> 12] << 6 | odds[i & 4095];
      const std::int32_t want = x.values[back[other] > 50 ? at ^ 1 << 10 : at];
      wrong += got[i] != want;
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("products of many matrices in a batch of many axes") {
  on_each_device([] {
    // A batch of 28 axes, whose sizes read the same from behind, and matrices of one element.
    const Bits x = plain(30, 12);
    std::vector<std::int64_t> order{28, 29};
    for (std::int64_t axis = 0; axis < 28; ++axis) order.insert(order.begin(), axis);
    const Array back = kn::permute_dims(x.array, order);
    REQUIRE(back.shape() == x.array.shape());
    std::vector<std::int32_t> want = turned(x).values;
    for (std::size_t i = 0; i < want.size(); ++i) want[i] *= x.values[i];
    check(kn::matmul(x.array, back), want);
  });
}

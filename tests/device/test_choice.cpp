// SPDX-License-Identifier: Apache-2.0
// random::Generator, choice, permutation and shuffle.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <koine/creation.hpp>
#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/random.hpp>
#include <koine/types.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/draws.hpp"
#include "support/laws.hpp"

using koine::Array;
using koine::Shape;
using koine::random::Generator;
using namespace koine::test;
using Counts = std::vector<std::int64_t>;

namespace {

Counts numbers(const Array& x) { return x.to_vector<std::int64_t>(); }

Counts sorted(Counts values) {
  std::sort(values.begin(), values.end());
  return values;
}

Counts rising(std::int64_t n) {
  Counts values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

/// Where each number goes if keys of 64 bits of the stream are sorted.
Counts order_of_keys(std::int64_t n, std::uint64_t key) {
  Counts places = rising(n);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    return two_words(static_cast<std::uint64_t>(a), key) < two_words(static_cast<std::uint64_t>(b), key);
  });
  return places;
}

constexpr double weights[] = {0.125, 0.5, 0, 0.0625, 0.3125};

Array probabilities(koine::DType type = koine::float32) {
  return koine::asarray(std::vector<float>(std::begin(weights), std::end(weights)), type);
}

}  // namespace

TEST_CASE("a permutation is the order of random keys") {
  // Of 300,001 keys some agree in their upper halves.
  for (const std::int64_t n : {0, 1, 2, 1000, 70'001, 300'001}) {
    CAPTURE(n);
    Generator g(seed);
    const Array x = g.permutation(n);
    CHECK(x.dtype() == koine::int64);
    CHECK(numbers(x) == order_of_keys(n, seed));
    CHECK(g.counter() == static_cast<std::uint64_t>(2 * n));
  }
}

TEST_CASE("all orders come equally often") {
  std::map<Counts, std::size_t> index;
  Counts order = rising(4), seen;
  do index.emplace(order, index.size());
  while (std::next_permutation(order.begin(), order.end()));
  Generator g(31);
  // A row of keys is a permutation of its own: the same as many calls.
  const Array rows = koine::argsort(
      g.integers(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), {20'000, 4}));
  const Counts all = numbers(rows);
  for (std::size_t i = 0; i < all.size(); i += 4) {
    seen.push_back(static_cast<std::int64_t>(index.at(Counts(all.begin() + i, all.begin() + i + 4))));
  }
  CHECK(chance_of_counts(seen, [](double) { return 1.0 / 24; }) > significance);
  CHECK(numbers(Generator(31).permutation(4)) == Counts(all.begin(), all.begin() + 4));
}

TEST_CASE("permutation and shuffle move whole parts") {
  const Array x = koine::reshape(koine::arange(24), {4, 3, 2});
  for (const std::int64_t axis : {0, 1, -1}) {
    CAPTURE(axis);
    const std::int64_t size = x.shape(axis);
    const Array moved = Generator(seed).permutation(x, {.axis = axis});
    CHECK(moved.shape() == x.shape());
    const Array parts = koine::moveaxis(x, axis, 0), got = koine::moveaxis(moved, axis, 0);
    const Counts order = order_of_keys(size, seed);
    for (std::int64_t i = 0; i < size; ++i) {
      CHECK(numbers(got(i)) == numbers(parts(order[static_cast<std::size_t>(i)])));
    }
    Array y = x;
    Generator(seed).shuffle(y, {.axis = axis});
    CHECK(numbers(y) == numbers(moved));
  }
  CHECK(numbers(x) == rising(24));
  Array view = koine::arange(10)(koine::slice(koine::none, koine::none, -2));
  Generator(3).shuffle(view);
  CHECK(sorted(numbers(view)) == Counts{1, 3, 5, 7, 9});
  Array nothing = koine::zeros({0, 3});
  Generator(3).shuffle(nothing);
  CHECK(nothing.shape() == Shape{0, 3});
}

TEST_CASE("choices with and without replacement") {
  CHECK(numbers(Generator(seed).choice(10, {3, 4})) == numbers(Generator(seed).integers(0, 10, {3, 4})));
  const Array some = Generator(seed).choice(1000, {2, 5}, {.replace = false});
  CHECK(some.shape() == Shape{2, 5});
  const Counts order = order_of_keys(1000, seed);
  CHECK(numbers(some) == Counts(order.begin(), order.begin() + 10));
  const Array x = koine::reshape(koine::arange(12), {3, 4});
  const Array columns = Generator(seed).choice(x, {2, 2}, {.axis = 1});
  CHECK(columns.shape() == Shape{3, 2, 2});
  const Counts picks = numbers(Generator(seed).integers(0, 4, {4})), got = numbers(columns);
  for (std::size_t i = 0; i < 12; ++i) CHECK(got[i] == static_cast<std::int64_t>(i / 4 * 4) + picks[i % 4]);
  CHECK(Generator(1).choice(0, {0}).shape() == Shape{0});
  CHECK(Generator(1).choice(5, {}).shape() == Shape{});
  CHECK(Generator(1).choice(koine::zeros({0, 2}), {0}).shape() == Shape{0, 2});
}

TEST_CASE("choices by probabilities are the same bits on every device, and follow them") {
  for (const koine::DType type : {koine::float32, koine::bfloat16, koine::float64}) {
    if (!computes(type)) continue;
    // The weights are multiples of 1/16, so that sums are exact in every type.
    const Counts got = numbers(Generator(seed).choice(5, {5000}, {.p = probabilities(type)}));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      double sum = 0;
      std::int64_t expected = 0;
      while ((sum += weights[expected]) * 0x1p62 <= static_cast<double>(two_words(i) >> 2)) ++expected;
      wrong += got[i] != expected;
    }
    CHECK(wrong == 0);
  }
  const Counts values = numbers(Generator(8).choice(5, {200'000}, {.p = probabilities()}));
  CHECK(chance_of_counts(values, [](double k) { return weights[static_cast<std::size_t>(k)]; }) > significance);
  CHECK(std::count(values.begin(), values.end(), 2) == 0);
}

TEST_CASE("choices by probabilities without replacement") {
  const Array p = probabilities();
  CHECK(sorted(numbers(Generator(8).choice(5, {4}, {.replace = false, .p = p}))) == Counts{0, 1, 3, 4});
  // The first of two, and both, against what remains after the first.
  Counts pairs;
  Generator g(9);
  for (int i = 0; i < 1500; ++i) {
    const Counts pair = numbers(g.choice(5, {2}, {.replace = false, .p = p}));
    REQUIRE(pair[0] != pair[1]);
    pairs.push_back(pair[0] * 5 + pair[1]);
  }
  CHECK(chance_of_counts(pairs, [](double k) {
          const auto first = static_cast<std::size_t>(k) / 5, second = static_cast<std::size_t>(k) % 5;
          return first == second ? 0 : weights[first] * weights[second] / (1 - weights[first]);
        }) > significance);
}

TEST_CASE("bad arguments") {
  using koine::DTypeError, koine::IndexError, koine::ShapeError, koine::ValueError;
  Generator g(seed);
  const Array p = probabilities();
  CHECK(message_of<ValueError>([&] { g.permutation(-1); }) == "[permutation] n is -1; it cannot be negative");
  CHECK_THROWS_AS(g.permutation(koine::zeros({})), IndexError);
  CHECK_THROWS_AS(g.permutation(koine::zeros({2, 3}), {.axis = 2}), IndexError);
  Array scalar = koine::zeros({}), matrix = koine::zeros({2, 3});
  CHECK_THROWS_AS(g.shuffle(scalar), IndexError);
  CHECK(message_of<IndexError>([&] { g.shuffle(matrix, {.axis = -3}); }).starts_with("[shuffle] "));
  CHECK(message_of<ValueError>([&] { g.choice(-2, {2}); }) == "[choice] n is -2; it cannot be negative");
  CHECK(message_of<ValueError>([&] { g.choice(0, {2}); }) == "[choice] there is nothing to choose from");
  CHECK(message_of<ValueError>([&] {
          g.choice(3, {2, 2}, {.replace = false});
        }) == "[choice] 4 elements cannot be chosen from 3 without replacement");
  CHECK_THROWS_AS(g.choice(3, {-1}), ShapeError);
  CHECK_THROWS_AS(g.choice(koine::zeros({2}), {2}, {.axis = 1}), IndexError);
  CHECK(message_of<ShapeError>([&] { g.choice(4, {2}, {.p = p}); }) ==
        "[choice] p has shape (5,); there are 4 elements to choose from");
  CHECK(message_of<DTypeError>([&] { g.choice(5, {2}, {.p = koine::ones({5}, {.dtype = koine::int32})}); }) ==
        "[choice] p has type int32; it must be float16, bfloat16, float32 or float64");
  CHECK(message_of<ValueError>([&] { g.choice(5, {2}, {.p = p * 0.5}); }) ==
        "[choice] the sum of p is 0.5; it must be 1");
  CHECK(message_of<ValueError>([&] {
          g.choice(2, {2}, {.p = koine::asarray(std::vector<float>{-0.5f, 1.5f})});
        }) == "[choice] p has an element -0.5; probabilities are not negative");
  CHECK_THROWS_AS(g.choice(1, {2}, {.p = koine::full({1}, std::numeric_limits<float>::quiet_NaN())}), ValueError);
  CHECK(message_of<ValueError>([&] { g.choice(5, {5}, {.replace = false, .p = p}); }) ==
        "[choice] 5 elements cannot be chosen without replacement: 4 have a probability other than 0");
  CHECK(g.counter() == 0);  // none of these drew anything
  const auto devices = koine::devices();
  if (devices.size() > 1) {
    CHECK_THROWS_AS(g.choice(5, {2}, {.p = p, .device = devices[1]}), koine::DeviceError);
  }
}

// SPDX-License-Identifier: Apache-2.0
// random::Generator, poisson and binomial: against their methods in long double and against their laws.
#include <doctest/doctest.h>

#include <cmath>
#include <koine/creation.hpp>
#include <koine/error.hpp>
#include <koine/random.hpp>
#include <limits>
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

constexpr std::int64_t many = 200'000;

/// How many counts differ from the reference's at their places.
template <class Reference>
std::size_t differing_counts(const Array& x, Reference reference) {
  const Counts got = x.to_vector<std::int64_t>();
  std::size_t count = 0;
  for (std::size_t i = 0; i < got.size(); ++i) count += got[i] != reference(i);
  return count;
}

/// By inversion: the first count whose distribution function is above 63 bits of the stream.
template <class F>
std::int64_t inverted(std::uint64_t draw, F probability) {
  const long double u = static_cast<long double>(two_words(draw) >> 1) * 0x1p-63L;
  long double sum = 0;
  std::int64_t k = -1;
  while (sum <= u && k < 1000) sum += probability(static_cast<double>(++k));
  return k;
}

}  // namespace

TEST_CASE("poisson counts are those of inversion and of Hörmann's method") {
  for (const std::uint64_t counter : {std::uint64_t{0}, (std::uint64_t{1} << 34) - 5}) {
    const std::uint64_t first = (counter + 1) / 2;
    for (const double lam : {0.01, 1.0, 47.5, 255.9, 256.0, 1000.0}) {
      CAPTURE(lam);
      Generator g(seed, counter);
      // A number beside a border may fall to its other side.
      CHECK(differing_counts(g.poisson(lam, {2000}), [&](std::uint64_t i) {
              return lam < 256 ? inverted(first + i, [&](double k) { return poisson_probability(lam, k); })
                               : poisson(first + i, seed, lam);
            }) <= (lam < 256 ? 0 : 2));
      CHECK(g.counter() == 2 * (first + 2000));
    }
  }
}

TEST_CASE("binomial counts are those of inversion and of Hörmann's method") {
  struct Law {
    std::int64_t n;
    double p;
  };
  for (const auto& [n, p] :
       {Law{1, 0.25}, {511, 0.5}, {1'000'000, 1e-6}, {512, 0.5}, {30'000, 0.01}, {1'000'000, 0.375}}) {
    CAPTURE(n);
    CAPTURE(p);
    Generator g(seed), other(seed);
    const bool small = static_cast<double>(n) * p < 256;
    const Array x = g.binomial(n, p, {2000});
    CHECK(differing_counts(x, [&](std::uint64_t i) {
            return small ? inverted(i, [&](double k) { return binomial_probability(static_cast<double>(n), p, k); })
                         : binomial(i, seed, n, p);
          }) <= (small ? 0 : 2));
    if (p == 0.5) continue;
    // What happens rarely and what happens often are the same draw.
    const Counts often = other.binomial(n, 1 - p, {2000}).to_vector<std::int64_t>();
    CHECK(differing_counts(x, [&](std::uint64_t i) { return n - often[i]; }) <= (1 - (1 - p) == p ? 0 : 2));
  }
}

TEST_CASE("poisson counts follow their law") {
  for (const double lam : {0.0, 0.001, 0.7, 12.3, 255.99, 256.0, 30'000.0}) {
    CAPTURE(lam);
    const Counts counts = Generator(21).poisson(lam, {many}).to_vector<std::int64_t>();
    CHECK(chance_of_counts(counts, [&](double k) { return poisson_probability(lam, k); }) > significance);
    if (lam > 0.1) CHECK(has_moments(counts, lam, lam, 3 + 1 / lam));
  }
  // All but normal, and with the largest mean.
  for (const double lam : {1e9, 0x1p40}) {
    CAPTURE(lam);
    const Counts counts = Generator(22).poisson(lam, {many}).to_vector<std::int64_t>();
    CHECK(distance_from_law(counts, [&](double k) { return normal_distribution((k + 0.5 - lam) / std::sqrt(lam)); }) <
          1);
    CHECK(has_moments(counts, lam, lam, 3));
  }
}

TEST_CASE("binomial counts follow their law") {
  struct Law {
    std::int64_t n;
    double p;
  };
  for (const auto& [n, p] : {Law{0, 0.3},
                             {5, 0},
                             {5, 1},
                             {1, 0.5},
                             {511, 0.51},
                             {512, 0.5},
                             {640, 0.4},
                             {10'000, 0.0257},
                             {100, 0.9},
                             {1'000'000'000, 3e-9},
                             {1'000'000'000, 3e-7},
                             {100'000, 0.3}}) {
    CAPTURE(n);
    CAPTURE(p);
    const Counts counts = Generator(23).binomial(n, p, {many}).to_vector<std::int64_t>();
    const double trials = static_cast<double>(n), variance = trials * p * (1 - p);
    CHECK(chance_of_counts(counts, [&](double k) { return binomial_probability(trials, p, k); }) > significance);
    if (variance > 0) CHECK(has_moments(counts, trials * p, variance, 3 + (1 - 6 * p * (1 - p)) / variance));
  }
  const double n = 0x1p41;
  const Counts counts = Generator(24).binomial(std::int64_t{1} << 41, 0.5, {many}).to_vector<std::int64_t>();
  CHECK(distance_from_law(counts, [&](double k) { return normal_distribution((k + 0.5 - n / 2) / std::sqrt(n / 4)); }) <
        1);
}

TEST_CASE("counts of every integer type, with the same bits on every device") {
  const Counts small = Generator(5).poisson(3, {3000}).to_vector<std::int64_t>();
  const Counts large = Generator(5).binomial(100, 0.7, {3000}).to_vector<std::int64_t>();
  const Counts rejected = Generator(5).poisson(500, {3000}).to_vector<std::int64_t>();
  const auto check = [&]<class T>(T) {
    CHECK(differing<T>(Generator(5).poisson(3, {3000}, {.dtype = koine::dtype_of<T>}),
                       [&](std::uint64_t i) { return static_cast<T>(small[i]); }) == 0);
    CHECK(differing<T>(Generator(5).binomial(100, 0.7, {3000}, {.dtype = koine::dtype_of<T>}),
                       [&](std::uint64_t i) { return static_cast<T>(large[i]); }) == 0);
    if (sizeof(T) == 1) return;
    CHECK(differing<T>(Generator(5).poisson(500, {3000}, {.dtype = koine::dtype_of<T>}),
                       [&](std::uint64_t i) { return static_cast<T>(rejected[i]); }) == 0);
  };
  check(std::int8_t{});
  check(std::uint16_t{});
  check(std::int32_t{});
  check(std::uint64_t{});
  CHECK(fingerprint<std::int64_t>(Generator(1).poisson(4.5, {100'000})) == 2936082448606179793u);
  CHECK(fingerprint<std::int64_t>(Generator(1).poisson(1234.5, {100'000})) == 1479329949711882949u);
  CHECK(fingerprint<std::int64_t>(Generator(1).binomial(70'000, 0.25, {100'000})) == 11977114353081723900u);
}

TEST_CASE("two draws are one of twice as many, whatever the mean") {
  for (const double lam : {2.5, 2500.0}) {
    Generator parts(seed), whole(seed);
    Counts got;
    for (const std::int64_t size : {3, 0, 1, 10}) {
      const Counts more = parts.poisson(lam, {size}).to_vector<std::int64_t>();
      got.insert(got.end(), more.begin(), more.end());
    }
    CHECK(got == whole.poisson(lam, {2, 7}).to_vector<std::int64_t>());
    CHECK(parts.counter() == whole.counter());
  }
  CHECK(Generator(1).poisson(20, {}).shape() == Shape{});
  CHECK(Generator(1).binomial(3, 0.5, {2, 0}).shape() == Shape{2, 0});
}

TEST_CASE("bad arguments") {
  using koine::DTypeError, koine::ShapeError, koine::ValueError;
  Generator g(seed);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(message_of<ValueError>([&] { g.poisson(-1, {2}); }) == "[poisson] lam is -1; it can be 0 to 2^40");
  CHECK_THROWS_AS(g.poisson(nan, {2}), ValueError);
  CHECK_THROWS_AS(g.poisson(2e12, {2}), ValueError);
  CHECK(message_of<ValueError>([&] { g.poisson(100, {2}, {.dtype = koine::int8}); }) ==
        "[poisson] int8 holds counts up to 127, which is less than ten standard deviations above lam, 100; a wider "
        ".dtype is needed");
  CHECK(message_of<DTypeError>([&] { g.poisson(1, {2}, {.dtype = koine::float32}); }) ==
        "[poisson] draws int8 to int64 and uint8 to uint64, not float32");
  CHECK_THROWS_AS(g.poisson(1, {-2}), ShapeError);
  CHECK(message_of<ValueError>([&] { g.binomial(-1, 0.5, {2}); }) ==
        "[binomial] n is -1; of int64 it can be 0 to 9223372036854775807");
  CHECK(message_of<ValueError>([&] { g.binomial(200, 0.5, {2}, {.dtype = koine::int8}); }) ==
        "[binomial] n is 200; of int8 it can be 0 to 127");
  CHECK(message_of<ValueError>([&] { g.binomial(2, 1.5, {2}); }) == "[binomial] p is 1.5; it can be 0 to 1");
  CHECK_THROWS_AS(g.binomial(2, nan, {2}), ValueError);
  CHECK_THROWS_AS(g.binomial(std::int64_t{1} << 50, 0.5, {2}), ValueError);
  CHECK_THROWS_AS(g.binomial(2, 0.5, {2}, {.dtype = koine::bool_}), DTypeError);
  CHECK_THROWS_AS(g.binomial(2, 0.5, {-2}), ShapeError);
  CHECK(g.counter() == 0);  // none of these drew anything
}

// SPDX-License-Identifier: Apache-2.0
// random::Generator, exponential and gamma: against their methods in long double and against their laws.
#include <doctest/doctest.h>

#include <cmath>
#include <koine/creation.hpp>
#include <koine/error.hpp>
#include <koine/random.hpp>
#include <koine/types.hpp>
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

namespace {

constexpr std::int64_t many = 200'000;

/// How many numbers are further from the reference than `tolerance` of it.
template <class T, class Reference>
std::size_t apart(const Array& x, double tolerance, Reference reference) {
  const std::vector<T> got = x.to_vector<T>();
  std::size_t count = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const long double expected = reference(i);
    count += !(std::abs(static_cast<long double>(got[i]) - expected) <= tolerance * expected);
  }
  return count;
}

template <class T>
void check_exponential(double tolerance) {
  if (!computes(koine::dtype_of<T>)) return;
  for (const std::uint64_t counter : counters) {
    for (const std::int64_t size : {0, 5, 1001}) {
      Generator g(seed, counter);
      const std::uint64_t first = first_draw<T>(counter);
      const Array x = g.exponential({size}, {.dtype = koine::dtype_of<T>});
      CHECK(apart<T>(x, tolerance, [&](std::uint64_t i) { return exponential<T>(first + i, seed); }) == 0);
      CHECK(g.counter() == (first + static_cast<std::uint64_t>(size)) * (wide<T> ? 2 : 1));
    }
  }
  Generator g(17);
  const std::vector<T> values =
      g.exponential({many}, {.scale = 3, .dtype = koine::dtype_of<T>}).template to_vector<T>();
  CHECK(distance_from_law(values, [](double x) { return -std::expm1(-x / 3); }) < 1);
  CHECK(has_moments(values, 3, 9, 9));
}

// Shapes below, at and above 1, and so large that the numbers are all but normal.
constexpr double shapes[] = {0.03, 0.5, 1, 1.5, 7, 1000, 1e6};

template <class T>
void check_gamma(double tolerance) {
  if (!computes(koine::dtype_of<T>)) return;
  for (const double given : shapes) {
    const double k = static_cast<T>(given);
    CAPTURE(k);
    for (const std::uint64_t counter : {std::uint64_t{0}, (std::uint64_t{1} << 34) - 5}) {
      Generator g(seed, counter);
      const std::uint64_t first = (counter + 1) / 2;
      const Array x = g.gamma(k, {2000}, {.dtype = koine::dtype_of<T>});
      // A proposal may be accepted here and just refused there; a number may be too small for the type.
      CHECK(apart<T>(x, tolerance * std::max(1.0, 1 / k), [&](std::uint64_t i) {
              const long double number = gamma<T>(first + i, seed, k);
              return number < std::numeric_limits<T>::min() ? 0 : number;
            }) <= 1);
      CHECK(g.counter() == 2 * (first + 2000));
    }
    Generator g(18);
    const auto values = g.gamma(k, {many}, {.scale = 0.5, .dtype = koine::dtype_of<T>}).template to_vector<T>();
    // Below the smallest normal number all are 0.
    CHECK(distance_from_law(values, [&](double x) {
            return gamma_distribution(k, std::max<double>(2 * x, std::numeric_limits<T>::min()));
          }) < 1);
    CHECK(has_moments(values, k / 2, k / 4, 3 + 6 / k));
  }
}

/// The 16-bit types hold the nearest of the same numbers in float32.
template <class T>
void check_rounded() {
  const auto check = [](const Array& exact, const Array& x) {
    const std::vector<float> numbers = exact.to_vector<float>();
    CHECK(differing<T>(x, [&](std::uint64_t i) { return T(numbers[i]); }) == 0);
  };
  check(Generator(4, 1).exponential({3000}), Generator(4, 1).exponential({3000}, {.dtype = koine::dtype_of<T>}));
  check(Generator(4).gamma(2.5, {3000}), Generator(4).gamma(2.5, {3000}, {.dtype = koine::dtype_of<T>}));
}

}  // namespace

TEST_CASE("exponential numbers are logarithms of the stream's words") {
  check_exponential<float>(5e-7);
  check_exponential<double>(1e-15);
}

TEST_CASE("gamma numbers are Marsaglia's and Tsang's") {
  check_gamma<float>(2e-5);
  check_gamma<double>(2e-13);
}

TEST_CASE("16-bit types") {
  check_rounded<koine::float16_t>();
  check_rounded<koine::bfloat16_t>();
}

TEST_CASE("exponential and gamma numbers have the same bits on every device") {
  CHECK(fingerprint<float>(Generator(1).exponential({100'000})) == 15339290278470241347u);
  CHECK(fingerprint<float>(Generator(1).gamma(0.2, {100'000})) == 11545649840971174416u);
  CHECK(fingerprint<float>(Generator(1).gamma(30, {100'000})) == 4808643782292932480u);
  if (computes(koine::float64)) {
    CHECK(fingerprint<double>(Generator(1).exponential({100'000}, {.dtype = koine::float64})) == 17297447033606897440u);
    CHECK(fingerprint<double>(Generator(1).gamma(0.2, {100'000}, {.dtype = koine::float64})) == 2291055347509522157u);
    CHECK(fingerprint<double>(Generator(1).gamma(30, {100'000}, {.dtype = koine::float64})) == 10761015083521493529u);
  }
}

TEST_CASE("two draws are one of twice as many") {
  Generator parts(seed), whole(seed);
  std::vector<float> got;
  for (const std::int64_t size : {3, 0, 1, 10}) {
    const std::vector<float> more = parts.gamma(0.7, {size}).to_vector<float>();
    got.insert(got.end(), more.begin(), more.end());
  }
  CHECK(got == whole.gamma(0.7, {2, 7}).to_vector<float>());
  CHECK(parts.counter() == whole.counter());
}

TEST_CASE("scales and shapes of 0, and arrays without elements or axes") {
  Generator g(seed);
  const std::vector<float> zeros(100);
  CHECK(g.exponential({100}, {.scale = 0}).to_vector<float>() == zeros);
  CHECK(g.gamma(0, {100}).to_vector<float>() == zeros);
  CHECK(g.gamma(1e-40, {100}).to_vector<float>() == zeros);
  CHECK(g.gamma(3, {100}, {.scale = 0}).to_vector<float>() == zeros);
  CHECK(g.exponential({}).shape() == Shape{});
  CHECK(g.gamma(2, {}).item<float>() > 0);
  CHECK(g.gamma(2, {3, 0, 2}).shape() == Shape{3, 0, 2});
}

TEST_CASE("bad arguments") {
  using koine::DTypeError, koine::ShapeError, koine::ValueError;
  Generator g(seed);
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(message_of<ValueError>([&] { g.exponential({2}, {.scale = -1}); }) ==
        "[exponential] scale is -1; it must be finite and not negative");
  CHECK_THROWS_AS(g.exponential({2}, {.scale = nan}), ValueError);
  CHECK_THROWS_AS(g.exponential({2}, {.scale = 1e39}), ValueError);
  CHECK(message_of<DTypeError>([&] { g.exponential({2}, {.dtype = koine::int32}); }) ==
        "[exponential] draws float16, bfloat16, float32 or float64, not int32");
  CHECK_THROWS_AS(g.exponential({-1}), ShapeError);
  CHECK(message_of<ValueError>([&] { g.gamma(-0.5, {2}); }) == "[gamma] k is -0.5; it must be finite and not negative");
  CHECK_THROWS_AS(g.gamma(inf, {2}), ValueError);
  CHECK_THROWS_AS(g.gamma(nan, {2}), ValueError);
  CHECK(message_of<ValueError>([&] { g.gamma(1, {2}, {.scale = inf}); }) ==
        "[gamma] scale is inf; it must be finite and not negative");
  CHECK_THROWS_AS(g.gamma(1, {2}, {.dtype = koine::complex64}), DTypeError);
  CHECK_THROWS_AS(g.gamma(1, {2, -3}), ShapeError);
  CHECK(g.counter() == 0);  // none of these drew anything
  if (!koine::default_device().has_fp64()) CHECK_THROWS_AS(g.gamma(1, {2}, {.dtype = koine::float64}), DTypeError);
}

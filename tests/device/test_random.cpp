// SPDX-License-Identifier: Apache-2.0
// random::Generator, bit for bit against Random123's Philox and against Box and Muller's method in long double.
#include <doctest/doctest.h>

#include <cmath>
#include <koine/creation.hpp>
#include <koine/error.hpp>
#include <koine/random.hpp>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/draws.hpp"

using koine::Array;
using koine::DType;
using koine::Shape;
using koine::random::Generator;
using namespace koine::test;

namespace {

// Nothing, less than a block, less than a vector, several work-items on any device.
const Sizes sizes = {0, 1, 5, 31, 1000, 70'001};

struct Moments {
  double mean, deviation, skew, kurtosis;
};

template <class T>
Moments moments(const std::vector<T>& values) {
  double sums[4] = {};
  const double n = static_cast<double>(values.size());
  for (const T v : values) sums[0] += static_cast<double>(v);
  const double mean = sums[0] / n;
  for (const T v : values) {
    const double d = static_cast<double>(v) - mean;
    sums[1] += d * d;
    sums[2] += d * d * d;
    sums[3] += d * d * d * d;
  }
  const double variance = sums[1] / n;
  return {mean, std::sqrt(variance), sums[2] / n / std::pow(variance, 1.5), sums[3] / n / (variance * variance)};
}

template <class E, class F>
std::string message_of(F call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "no such error";
}

}  // namespace

TEST_CASE("Random123 gives its published known answers") {
  using Philox = r123::Philox4x32_R<10>;
  const auto philox = [](Philox::ctr_type counter, Philox::key_type key) { return Philox()(counter, key); };
  CHECK(philox({{0, 0, 0, 0}}, {{0, 0}}) == Philox::ctr_type{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  const std::uint32_t ones = 0xffffffff;
  CHECK(philox({{ones, ones, ones, ones}}, {{ones, ones}}) ==
        Philox::ctr_type{{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  CHECK(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {{0xa4093822, 0x299f31d0}}) ==
        Philox::ctr_type{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST_CASE("the device gives the known answer too") {
  // Over all of int64 but its largest number, an integer is the two words themselves, less one.
  Generator g(0);
  constexpr std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                         high = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> got = g.integers(low, high, {2}).to_vector<std::int64_t>();
  const auto words = [](std::int64_t value) {
    return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(low) + 1;
  };
  CHECK(words(got[0]) == 0xe169c58d6627e8d5);
  CHECK(words(got[1]) == 0x9b00dbd8bc57ac4c);
}

TEST_CASE("uniform numbers are the words' upper bits") {
  check_uniform<float>(24, sizes);
  check_uniform<double>(53, sizes);
  check_uniform<koine::float16_t>(11, sizes);
  check_uniform<koine::bfloat16_t>(8, sizes);
}

TEST_CASE("more numbers than work-items") {
  constexpr std::size_t count = 20'000'003;
  const std::vector<float> got = Generator(seed).uniform({count}).to_vector<float>();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; i += i < 1000 || i > count - 1000 ? 1 : 97) {
    wrong += got[i] != std::ldexp(static_cast<float>(word(i) >> 8), -24);
  }
  CHECK(wrong == 0);
}

TEST_CASE("uniform numbers between bounds are rounded once and stay below the upper one") {
  Generator g(seed);
  CHECK(differing<float>(g.uniform({10'000}, {.low = -3, .high = 0.1}), [](std::uint64_t i) {
          return std::fma(std::ldexp(static_cast<float>(word(i) >> 8), -24), 0.1f - -3.0f, -3.0f);
        }) == 0);
  if (computes(koine::float64)) {
    Generator d(seed);
    CHECK(
        differing<double>(d.uniform({10'000}, {.low = -3, .high = 0.1, .dtype = koine::float64}), [](std::uint64_t i) {
          return std::fma(std::ldexp(static_cast<double>(two_words(i) >> 11), -53), 0.1 - -3.0, -3.0);
        }) == 0);
  }
  // Bounds a few units in the last place apart: half of the numbers round up.
  const float above_one = std::nextafter(1.0f, 2.0f);
  for (const float v : g.uniform({1000}, {.low = 1, .high = above_one}).to_vector<float>()) REQUIRE(v == 1.0f);
  for (const float v : g.uniform({1000}, {.low = 100, .high = 100.125, .dtype = koine::float16}).to_vector<float>()) {
    REQUIRE((v == 100.0f || v == 100.0625f));
  }
  for (const float v : g.uniform({1000}, {.low = -2, .high = -1.984375, .dtype = koine::bfloat16}).to_vector<float>()) {
    REQUIRE((v == -2.0f || v == -1.9921875f));
  }
  for (const float v : g.uniform({1000}, {.low = -1, .high = 0, .dtype = koine::float16}).to_vector<float>())
    REQUIRE(v < 0);
}

TEST_CASE("uniform numbers are spread evenly") {
  constexpr int n = 1 << 20, bins = 64;
  std::vector<double> count(bins);
  const std::vector<float> values = Generator(7).uniform({n}).to_vector<float>();
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  REQUIRE(*least >= 0);
  REQUIRE(*most < 1);
  for (const float v : values) ++count[static_cast<std::size_t>(v * bins)];
  double chi2 = 0;
  for (const double c : count) chi2 += (c - n / bins) * (c - n / bins) / (n / bins);
  CHECK(chi2 < 127);  // passed by all but one seed in a million
}

TEST_CASE("integers are the upper half of words times range") {
  check_integers<std::int8_t>(-128, 128, sizes);
  check_integers<std::int16_t>(-3, 4, sizes);
  check_integers<std::int32_t>(0, 6, sizes);
  check_integers<std::int64_t>(-5'000'000'000, 7'000'000'000'000, sizes);
  check_integers<std::int64_t>(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                               sizes);
  check_integers<std::uint8_t>(0, 256, sizes);
  check_integers<std::uint16_t>(1, 2, sizes);
  check_integers<std::uint32_t>(0, std::int64_t{1} << 32, sizes);
  check_integers<std::uint64_t>(9, std::numeric_limits<std::int64_t>::max(), sizes);
}

TEST_CASE("every integer of a small range comes equally often") {
  std::map<std::int64_t, double> count;
  constexpr int n = 600'000;
  for (const std::int64_t v : Generator(3).integers(-2, 4, {n}).to_vector<std::int64_t>()) ++count[v];
  CHECK(count.size() == 6);
  CHECK(count.begin()->first == -2);
  double chi2 = 0;
  for (const auto& [value, c] : count) chi2 += (c - n / 6) * (c - n / 6) / (n / 6);
  CHECK(chi2 < 36);  // passed by all but one seed in a million
}

TEST_CASE("normal numbers are Box and Muller's") {
  // Absolute: a few roundings of numbers up to 6, and for the 16-bit types one more.
  check_normal<float>(1e-6L, sizes);
  check_normal<double>(2e-15L, sizes);
  check_normal<koine::float16_t>(0x1p-9L, sizes);
  check_normal<koine::bfloat16_t>(0x1p-6L, sizes);
}

TEST_CASE("normal numbers have the same bits on every device") {
  CHECK(fingerprint<float>(Generator(1).normal({100'000})) == 16835722558805170791u);
  CHECK(fingerprint<koine::float16_t>(Generator(1).normal({100'000}, {.dtype = koine::float16})) ==
        6345604987330325419u);
  CHECK(fingerprint<koine::bfloat16_t>(Generator(1).normal({100'000}, {.dtype = koine::bfloat16})) ==
        17262531986084763912u);
  if (computes(koine::float64)) {
    CHECK(fingerprint<double>(Generator(1).normal({100'000}, {.dtype = koine::float64})) == 5327375611217727508u);
  }
}

TEST_CASE("normal numbers have the moments and the tails of the normal distribution") {
  constexpr int n = 1 << 20;
  const std::vector<float> values = Generator(11).normal({n}).to_vector<float>();
  // Five standard errors each.
  const Moments m = moments(values);
  CHECK(std::abs(m.mean) < 5 / std::sqrt(n));
  CHECK(std::abs(m.deviation - 1) < 5 / std::sqrt(2.0 * n));
  CHECK(std::abs(m.skew) < 5 * std::sqrt(6.0 / n));
  CHECK(std::abs(m.kurtosis - 3) < 5 * std::sqrt(24.0 / n));
  for (const double limit : {0.01, 1.0, 2.0, 3.0, 4.0}) {
    const double expected = n * std::erfc(limit / std::numbers::sqrt2);
    const auto beyond = std::count_if(values.begin(), values.end(), [&](float v) { return std::abs(v) > limit; });
    CAPTURE(limit);
    CHECK(std::abs(static_cast<double>(beyond) - expected) < 5 * std::sqrt(expected) + 1);
  }
  const Moments scaled = moments(Generator(11).normal({n}, {.loc = -40, .scale = 0.5}).to_vector<float>());
  CHECK(scaled.mean == doctest::Approx(-40).epsilon(1e-4));
  CHECK(scaled.deviation == doctest::Approx(0.5).epsilon(0.01));
  for (const float v : Generator(1).normal({100}, {.loc = 2.5, .scale = 0}).to_vector<float>()) REQUIRE(v == 2.5f);
}

TEST_CASE("a stream goes on, a copy repeats, seeds differ") {
  for (const DType type : {koine::float32, koine::float16}) {
    Generator parts(seed), whole(seed);
    std::vector<float> got;
    for (const std::int64_t size : {3, 0, 1, 10}) {
      const std::vector<float> more = parts.normal({size}, {.dtype = type}).to_vector<float>();
      got.insert(got.end(), more.begin(), more.end());
    }
    CHECK(got == whole.normal({2, 7}, {.dtype = type}).to_vector<float>());
    CHECK(parts.counter() == whole.counter());
  }
  Generator g(seed);
  g.uniform({5});
  Generator copy = g, again(g.seed(), g.counter());
  const auto next = g.integers(0, 1000, {100}).to_vector<std::int64_t>();
  CHECK(copy.integers(0, 1000, {100}).to_vector<std::int64_t>() == next);
  CHECK(again.integers(0, 1000, {100}).to_vector<std::int64_t>() == next);
  CHECK(g.integers(0, 1000, {100}).to_vector<std::int64_t>() != next);
  CHECK(Generator(1).uniform({8}).to_vector<float>() != Generator(2).uniform({8}).to_vector<float>());
  CHECK(Generator(1).uniform({8}).to_vector<float>() !=
        Generator(1 + (std::uint64_t{1} << 32)).uniform({8}).to_vector<float>());
}

TEST_CASE("shapes") {
  Generator g(seed);
  CHECK(g.uniform({}).shape() == Shape{});
  CHECK(g.uniform({}).size() == 1);
  CHECK(g.normal({3, 0, 2}).shape() == Shape{3, 0, 2});
  CHECK(g.integers(0, 2, {2, 3, 4}).shape() == Shape{2, 3, 4});
}

TEST_CASE("distinct generators may be used by distinct threads") {
  std::vector<std::vector<float>> got(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < got.size(); ++t) {
    threads.emplace_back([&got, t] {
      Generator g(t);
      for (int i = 0; i < 10; ++i) got[t] = g.normal({10'000}).to_vector<float>();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < got.size(); ++t) {
    CHECK(got[t] == Generator(t, 90'000).normal({10'000}).to_vector<float>());
  }
}

TEST_CASE("bad arguments") {
  using koine::DTypeError, koine::ShapeError, koine::ValueError;
  Generator g(seed);
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(message_of<ValueError>([&] { g.uniform({2}, {.low = 1, .high = 0}); }) ==
        "[uniform] low is 1 and high is 0; low must be below high, and both and their difference finite in float32");
  CHECK_THROWS_AS(g.uniform({2}, {.low = 1, .high = 1}), ValueError);
  CHECK_THROWS_AS(g.uniform({2}, {.low = nan, .high = 1}), ValueError);
  CHECK_THROWS_AS(g.uniform({2}, {.low = 0, .high = inf}), ValueError);
  CHECK_THROWS_AS(g.uniform({2}, {.low = -3e38, .high = 3e38}), ValueError);
  CHECK_THROWS_AS(g.uniform({2}, {.low = 0, .high = 1e5, .dtype = koine::float16}), ValueError);
  CHECK(message_of<ValueError>([&] { g.uniform({2}, {.low = 1, .high = 1.0001, .dtype = koine::bfloat16}); }) ==
        "[uniform] low, 1, and high, 1.0001, are the same bfloat16");
  CHECK(message_of<DTypeError>([&] { g.uniform({2}, {.dtype = koine::int32}); }) ==
        "[uniform] draws float16, bfloat16, float32 or float64, not int32");
  CHECK_THROWS_AS(g.uniform({2}, {.dtype = koine::complex64}), DTypeError);
  CHECK_THROWS_AS(g.uniform({-1}), ShapeError);
  CHECK(message_of<ValueError>([&] { g.normal({2}, {.scale = -1}); }) ==
        "[normal] loc is 0 and scale is -1; both must be finite and scale not negative");
  CHECK_THROWS_AS(g.normal({2}, {.loc = nan}), ValueError);
  CHECK_THROWS_AS(g.normal({2}, {.scale = 1e39}), ValueError);
  CHECK_THROWS_AS(g.normal({2}, {.dtype = koine::bool_}), DTypeError);
  CHECK_THROWS_AS(g.normal({4, -2}), ShapeError);
  CHECK(message_of<ValueError>([&] { g.integers(5, 5, {2}); }) ==
        "[integers] low is 5 and high is 5; low must be below high");
  CHECK(message_of<DTypeError>([&] { g.integers(0, 2, {2}, {.dtype = koine::float32}); }) ==
        "[integers] draws int8 to int64 and uint8 to uint64, not float32");
  CHECK_THROWS_AS(g.integers(0, 2, {2}, {.dtype = koine::bool_}), DTypeError);
  CHECK(message_of<ValueError>([&] { g.integers(-1, 10, {2}, {.dtype = koine::uint8}); }) ==
        "[integers] uint8 holds 0 to 255; low is -1 and high, which is not drawn, is 10");
  CHECK_THROWS_AS(g.integers(0, 129, {2}, {.dtype = koine::int8}), ValueError);
  CHECK_THROWS_AS(g.integers(-32'769, 0, {2}, {.dtype = koine::int16}), ValueError);
  CHECK_THROWS_AS(g.integers(0, 2, {-1}), ShapeError);
  CHECK(g.counter() == 0);  // none of these drew anything
  if (!koine::default_device().has_fp64()) CHECK_THROWS_AS(g.uniform({2}, {.dtype = koine::float64}), DTypeError);
}

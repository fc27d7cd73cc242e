// SPDX-License-Identifier: Apache-2.0
// Koine's own elementary functions, which a reproducible scope asks for on every device, held to closer bounds than the
// op table's test has for drivers' functions. In the long run one float32 in 61, and where ci/run/functions.sh sets
// KOINE_TEST_ALL_FLOATS, all of them.
#include "support/allowances.hpp"
#include "support/devices.hpp"
#include "support/judge.hpp"
#include "support/values.hpp"

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace koine::test;
namespace kn = koine;
using kn::Array;

namespace {

/// A function of one or two arguments, what it should give, and by how many units in the last place it may be off.
struct Function {
  std::string name;
  double bound;
  std::function<Array(const Array&, const Array&)> own;
  std::function<long double(long double, long double)> wide;
  std::function<double(double, double)> twice;  ///< exact enough for float32, and faster
  bool of_one = false;
};

#define KN_OF_ONE(name, bound)                                             \
  Function {                                                               \
#name, bound, [](const Array& x, const Array&) { return kn::name(x); },  \
        [](long double x, long double) -> long double { return reference::name(x); }, \
        [](double x, double) -> double { return static_cast<double>(reference::name(x)); }, true \
  }
#define KN_OF_TWO(name, bound)                                                                     \
  Function {                                                                                       \
#name, bound, [](const Array& x, const Array& y) { return kn::name(x, y); },                     \
        [](long double x, long double y) -> long double { return reference::name(x, y); },           \
        [](double x, double y) -> double { return static_cast<double>(reference::name(x, y)); } \
  }

const std::vector<Function>& of_one() {
  static const std::vector<Function> functions = {
      KN_OF_ONE(sin, 1),    KN_OF_ONE(cos, 1),       KN_OF_ONE(tan, 1.5),   KN_OF_ONE(asin, 1.5),  KN_OF_ONE(acos, 1.5),
      KN_OF_ONE(atan, 1.5), KN_OF_ONE(exp, 1),       KN_OF_ONE(exp2, 1),    KN_OF_ONE(expm1, 1.5), KN_OF_ONE(log, 1),
      KN_OF_ONE(log2, 1.5), KN_OF_ONE(log10, 1),     KN_OF_ONE(log1p, 1),   KN_OF_ONE(sinh, 1),    KN_OF_ONE(cosh, 1),
      KN_OF_ONE(tanh, 1),   KN_OF_ONE(asinh, 1.5),   KN_OF_ONE(acosh, 1.5), KN_OF_ONE(atanh, 2),   KN_OF_ONE(cbrt, 1),
      KN_OF_ONE(erf, 1.5),  KN_OF_ONE(sigmoid, 1.6), KN_OF_ONE(rsqrt, 1.0), KN_OF_ONE(erfc, 2.0),  KN_OF_ONE(sinc, 1.5),
      KN_OF_ONE(lgamma, 4), KN_OF_ONE(tgamma, 4)};
  return functions;
}

const std::vector<Function>& of_two() {
  static const std::vector<Function> functions = {KN_OF_TWO(hypot, 1.5), KN_OF_TWO(atan2, 2)};
  return functions;
}

template <class T>
struct Pairs {
  std::vector<T> x, y;
};

/// Numbers of every exponent, in an order that brings tiny and huge ones into one vector, and ordinary ones.
template <class T>
Pairs<T> pairs(std::size_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::mt19937_64 random(16);
  std::uniform_real_distribution<double> ordinary(-1, 1);
  const auto one = [&](std::size_t i) -> T {
    constexpr double sizes[] = {1, 4, 20, 100, 1e5};
    if (i % 2 == 0) return std::bit_cast<T>(static_cast<Bits>(random()));
    return static_cast<T>(ordinary(random) * sizes[i / 2 % 5]);
  };
  Pairs<T> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.x.push_back(one(i));
    result.y.push_back(one(i + i / 16));
  }
  return result;
}

/// What is wrong with the values of functions at some points.
template <class T>
void check_together(std::span<const Function> functions, const Pairs<T>& points) {
  const kn::reproducible scope;
  const Array x = kn::asarray(points.x), y = kn::asarray(points.y);
  std::vector<Array> results;
  for (const Function& function : functions) results.push_back(function.own(x, y));
  std::vector<const Array*> list;
  for (const Array& result : results) list.push_back(&result);
  kn::detail::eval_all(list);
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const Function& function = functions[f];
    const std::vector<T> got = results[f].template to_vector<T>();
    std::size_t wrong = 0;
    std::string words;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const T a = points.x[i], b = points.y[i];
      // Most are rounded correctly, and need no closer look.
      if (sizeof(T) == 4 && got[i] != 0 && got[i] == static_cast<T>(function.twice(a, b))) continue;
      const auto reference = [&](long double p, long double q) -> long double {
        if constexpr (sizeof(T) == 4) return function.twice(static_cast<double>(p), static_cast<double>(q));
        return function.wide(p, q);
      };
      std::string want;
      const Bound bound{function.bound, function.bound, 0, may_flush(function.name, false)};
      const auto of_one = [&](long double p) { return reference(p, p); };
      if (function.of_one ? right<T, T>(function.name, bound, of_one, got[i], &want, widened(a))
                          : right<T, T>(function.name, bound, reference, got[i], &want, widened(a), widened(b))) {
        continue;
      }
      if (++wrong <= 5)
        words +=
            function.name + "(" + shown(a) + ", " + shown(b) + ") = " + shown(got[i]) + ", expected " + want + "\n";
    }
    CHECK_MESSAGE(wrong == 0, wrong, " are wrong:\n", words);
  }
}

/// Four functions to a kernel: one for each costs PoCL too long, one for all rusticl minutes.
template <class T>
void check(const std::vector<Function>& functions, const Pairs<T>& points) {
  std::span<const Function> left = functions;
  while (!left.empty()) {
    const std::size_t together = std::min<std::size_t>(4, left.size());
    check_together(left.first(together), points);
    left = left.subspan(together);
  }
}

}  // namespace

TEST_CASE("functions of one float32") {
  on_each_device([] {
    check(of_one(), pairs<float>(20'000));
    if (!exhaustive()) return;
    constexpr std::uint64_t end = std::uint64_t{1} << 32;
    const std::uint64_t step = std::getenv("KOINE_TEST_ALL_FLOATS") ? 1 : 61, some = step << 22;
    for (std::uint64_t first = 0; first < end; first += some) {
      Pairs<float> points;
      for (std::uint64_t bits = first; bits < std::min(first + some, end); bits += step) {
        points.x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      }
      points.y = points.x;
      check(of_one(), points);
    }
  });
}

TEST_CASE("functions of one float64") {
  on_each_device(kn::float64, [] { check(of_one(), pairs<double>(exhaustive() ? 10'000'000 : 20'000)); });
}

TEST_CASE("functions of two numbers") {
  on_each_device([] { check(of_two(), pairs<float>(exhaustive() ? 10'000'000 : 20'000)); });
  on_each_device(kn::float64, [] { check(of_two(), pairs<double>(exhaustive() ? 10'000'000 : 20'000)); });
}

// Bases of all sizes with exponents whose results are numbers; the exponents from 1 to 4 are products.
template <class T>
void check_pow() {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> log_size(-std::numeric_limits<T>::max_exponent,
                                                  std::numeric_limits<T>::max_exponent);
  Pairs<T> points;
  for (int i = 0; i < (exhaustive() ? 4'000'000 : 20'000); ++i) {
    const double log_base = i % 3 == 0 ? log_size(random) / 1000 : log_size(random), log_result = log_size(random);
    points.x.push_back(static_cast<T>(std::exp2(log_base)));
    points.y.push_back(static_cast<T>(i % 5 == 0 ? i / 5 % 5 : log_result / log_base));
  }
  check({{"pow", 2, [](const Array& x, const Array& y) { return kn::pow(x, y); },
          [](long double x, long double y) { return std::pow(x, y); },
          [](double x, double y) { return std::pow(x, y); }}},
        points);
}

TEST_CASE("powers") {
  on_each_device([] { check_pow<float>(); });
  on_each_device(kn::float64, [] { check_pow<double>(); });
}

/// Powers to a number that is known when they are asked for, some of which are products, roots and quotients.
template <class T>
void check_numbers_as_exponents() {
  std::vector<Function> functions;
  for (const double exponent : {2.0, 3.0, 4.0, 0.5, -0.5, -1.0, -2.0, 1.0, 0.0, 5.0, -3.0, 1.5}) {
    functions.push_back({"pow", 2, [=](const Array& x, const Array&) { return kn::pow(x, exponent); },
                         [=](long double x, long double) { return std::pow(x, static_cast<long double>(exponent)); },
                         [=](double x, double) { return std::pow(x, exponent); }});
  }
  Pairs<T> points = pairs<T>(5'000);
  const std::vector<T> special = special_values<T>();
  points.x.insert(points.x.end(), special.begin(), special.end());
  points.y = points.x;
  check(functions, points);
}

TEST_CASE("powers to a number") {
  on_each_device([] { check_numbers_as_exponents<float>(); });
  on_each_device(kn::float64, [] { check_numbers_as_exponents<double>(); });
}

TEST_CASE("powers of float16 to a number are rounded once") {
  std::vector<kn::float16_t> values;
  for (std::uint32_t bits = 0; bits < 0x10000; bits += 3) {
    values.push_back(kn::float16_t::from_bits(static_cast<std::uint16_t>(bits)));
  }
  on_each_device([&] {
    const Array x = kn::asarray(values);
    for (const double exponent : {2.0, 3.0, 0.5, -1.0, -2.0}) {
      CAPTURE(exponent);
      const std::vector<kn::float16_t> got = kn::pow(x, exponent).to_vector<kn::float16_t>();
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const long double want = std::pow(widened(values[i]), static_cast<long double>(exponent)),
                          value = widened(got[i]);
        const long double rounded_once = rounded<kn::float16_t>(want);
        const bool same = (std::isnan(want) && std::isnan(value)) || value == rounded_once;
        wrong += !same && !(std::abs(value - want) <= 0.51L * ulp<kn::float16_t>(want));
      }
      CHECK(wrong == 0);
    }
  });
}

// Whether the neighbours in a vector need another way decides nothing.
TEST_CASE("a value does not depend on its neighbours") {
  on_each_device([] {
    const kn::reproducible scope;
    const std::vector<float> angles{0.5f, 3.0f, 0.001f, 1000.0f, -7.0f}, exponents{2.0f, 3.0f, 1.0f, 4.0f};
    std::vector<float> mixed, alone, power, base;
    for (int i = 0; i < 64; ++i) {
      alone.push_back(angles[static_cast<std::size_t>(i) % angles.size()]);
      mixed.push_back(i % 7 == 3 ? 1e30f : alone.back());
      base.push_back(1.1f + 0.3f * static_cast<float>(i));
      power.push_back(i % 9 == 4 ? 2.5f : exponents[static_cast<std::size_t>(i) % exponents.size()]);
    }
    const std::vector<float> sine = kn::sin(kn::asarray(alone)).to_vector<float>();
    const std::vector<float> beside = kn::sin(kn::asarray(mixed)).to_vector<float>();
    const std::vector<float> powers = kn::pow(kn::asarray(base), kn::asarray(power)).to_vector<float>();
    const std::vector<float> squares = kn::pow(kn::asarray(base), 2).to_vector<float>();
    for (std::size_t i = 0; i < 64; ++i) {
      if (i % 7 != 3) CHECK(beside[i] == sine[i]);
      CHECK(squares[i] == base[i] * base[i]);
      if (power[i] == 2) CHECK(powers[i] == squares[i]);
    }
  });
}

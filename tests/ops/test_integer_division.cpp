// SPDX-License-Identifier: Apache-2.0
// Quotients, remainders and powers of integers beside 128-bit arithmetic: operands of every size, multiples and their
// neighbours, the ends of each type's range, and vectors in which one pair alone is too large for the short way.
#include "support/devices.hpp"

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace kn = koine;
using kn::Array;

namespace {

template <class T>
struct Wanted {
  T quotient, rest, power;
};

template <class T>
Wanted<T> wanted(T x, T y) {
  __extension__ using Wide = __int128;
  const Wide a = x, b = y;
  Wide quotient = b != 0 ? a / b : 0, rest = b != 0 ? a % b : 0;
  if (rest != 0 && (rest < 0) != (b < 0)) {
    quotient -= 1;
    rest += b;
  }
  std::uint64_t power = 1, square = static_cast<std::uint64_t>(x);
  for (auto left = static_cast<std::uint64_t>(y); left != 0; left /= 2, square *= square) {
    if (left % 2 == 1) power *= square;
  }
  if (b < 0) power = a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : ~std::uint64_t{0}) : 0;
  return {static_cast<T>(quotient), static_cast<T>(rest), static_cast<T>(power)};
}

template <class T>
void check(std::size_t count, int shift) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> x, y;
  const T ends[] = {0, 1, 2, 3, 7, Limits::max(), Limits::max() - 1, Limits::min(), Limits::min() + 1, T(-1), T(-7)};
  for (const T a : ends) {
    for (const T b : ends) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  std::mt19937_64 random(18);
  const auto any = [&] { return static_cast<T>(static_cast<T>(random()) >> random() % (8 * sizeof(T))); };
  while (x.size() < count) {
    const T b = any(), a = any(), multiple = static_cast<T>((b != 0 ? a / (b == T(-1) ? 1 : b) : 0));
    const bool near = random() % 2 == 0;
    x.push_back(
        near ? static_cast<T>(static_cast<std::uint64_t>(multiple) * static_cast<std::uint64_t>(b) + random() % 3 - 1)
             : a);
    y.push_back(b);
  }
  // Vectors of small numbers, but for one in 37.
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 37 == 36) continue;
    x[i] = static_cast<T>(x[i] >> shift);
    y[i] = static_cast<T>(y[i] >> shift);
  }
  const Array a = kn::asarray(x), b = kn::asarray(y);
  const Array quotients = kn::floor_divide(a, b), rests = kn::remainder(a, b), powers = kn::pow(a, b);
  kn::eval(quotients, rests, powers);
  const auto quotient = quotients.to_vector<T>(), rest = rests.to_vector<T>(), power = powers.to_vector<T>();
  std::size_t wrong = 0;
  std::string words;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Wanted<T> want = wanted(x[i], y[i]);
    if (quotient[i] == want.quotient && rest[i] == want.rest && power[i] == want.power) continue;
    if (wrong++ < 5) words += std::to_string(x[i]) + " and " + std::to_string(y[i]) + "\n";
  }
  CHECK_MESSAGE(wrong == 0, kn::name(kn::dtype_of<T>), ": ", wrong, " are wrong: ", words);
}

}  // namespace

TEST_CASE("quotients, remainders and powers of integers") {
  kn::test::on_each_device([] {
    const std::size_t count = kn::test::exhaustive() ? 3'000'000 : 20'000;
    check<std::int8_t>(count, 0);
    check<std::uint8_t>(count, 0);
    check<std::int16_t>(count, 0);
    check<std::uint16_t>(count, 0);
    check<std::int32_t>(count, 0);
    check<std::uint32_t>(count, 0);
    for (const int shift : {0, 13, 14, 20, 40}) {
      check<std::int64_t>(count, shift);
      check<std::uint64_t>(count, shift);
    }
  });
}

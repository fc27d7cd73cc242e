// SPDX-License-Identifier: Apache-2.0
// Cosine and sine transforms of all types, norms and parities of length, against their sums in long double.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fourier.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;
using kn::test::WideComplex;

namespace {

using Wide = std::vector<long double>;

/// The matrix of a transform that is not scaled, element by element.
long double element(bool sine, std::int64_t type, std::int64_t n, std::int64_t k, std::int64_t j) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  const long double sign = k % 2 == 0 ? 1 : -1;
  const auto wave = [&](std::int64_t turns, std::int64_t parts) {
    const long double angle = pi * static_cast<long double>(turns % (2 * parts)) / static_cast<long double>(parts);
    return 2 * (sine ? std::sin(angle) : std::cos(angle));
  };
  switch (type) {
    case 1:
      if (sine) return wave((j + 1) * (k + 1), n + 1);
      return j == 0 ? 1 : j == n - 1 ? sign : wave(j * k, n - 1);
    case 2: return wave((2 * j + 1) * (sine ? k + 1 : k), 2 * n);
    case 3:
      if (sine) return j == n - 1 ? sign : wave((j + 1) * (2 * k + 1), 2 * n);
      return j == 0 ? 1 : wave(j * (2 * k + 1), 2 * n);
    default: return wave((2 * j + 1) * (2 * k + 1), 4 * n);
  }
}

/// The orthogonal one.
long double orthogonal(bool sine, std::int64_t type, std::int64_t n, std::int64_t k, std::int64_t j) {
  const long double whole = 2 * (type == 1 ? sine ? n + 1 : n - 1 : n), root = std::sqrt(2.0L);
  const auto at_end = [&](std::int64_t i) {
    return type == 4 || (sine && type == 1) ? false : sine ? i == n - 1 : i == 0 || (type == 1 && i == n - 1);
  };
  const long double before = type != 2 && at_end(j) ? root : 1, after = type <= 2 && at_end(k) ? 1 / root : 1;
  return element(sine, type, n, k, j) * before * after / std::sqrt(whole);
}

template <class Element>
std::vector<WideComplex> sums(const Wide& x, const Element& entry) {
  std::vector<WideComplex> result;
  const auto n = static_cast<std::int64_t>(x.size());
  for (std::int64_t k = 0; k < n; ++k) {
    long double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += x[static_cast<std::size_t>(j)] * entry(n, k, j);
    result.emplace_back(sum);
  }
  return result;
}

using Function = Array (*)(const Array&, const kn::fft::DctOptions&);

template <class T>
void check_length(std::int64_t n, bool all_norms = true) {
  CAPTURE(n);
  const std::vector<T> values = kn::test::noise<T>(n, static_cast<unsigned>(n));
  const Wide wide(values.begin(), values.end());
  const Array x = kn::asarray(values);
  for (const bool sine : {false, true}) {
    const Function there = sine ? kn::fft::dst : kn::fft::dct, back = sine ? kn::fft::idst : kn::fft::idct;
    for (std::int64_t type = 1; type <= 4; ++type) {
      if (type == 1 && !sine && n == 1) continue;
      CAPTURE(sine);
      CAPTURE(type);
      const std::int64_t whole = 2 * (type == 1 ? sine ? n + 1 : n - 1 : n);
      const std::int64_t turned = type == 2 || type == 3 ? 5 - type : type;
      const auto near = [&](const Array& got, const std::vector<WideComplex>& want, long double scale) {
        CHECK(got.dtype() == x.dtype());
        std::vector<WideComplex> scaled;
        for (const WideComplex& value : want) scaled.push_back(value * scale);
        return kn::test::part_of_bound<T>(kn::test::widened_list<T>(got), scaled, whole) <= 1;
      };
      const auto of = [&](std::int64_t which) {
        return [=](std::int64_t m, std::int64_t k, std::int64_t j) { return element(sine, which, m, k, j); };
      };
      const auto fair = [&](std::int64_t which) {
        return [=](std::int64_t m, std::int64_t k, std::int64_t j) { return orthogonal(sine, which, m, k, j); };
      };
      const std::vector<WideComplex> forth = sums(wide, of(type)), home = sums(wide, of(turned));
      CHECK(near(there(x, {.type = type}), forth, 1));
      CHECK(near(back(x, {.type = type}), home, 1.0L / whole));
      if (!all_norms) continue;
      CHECK(near(there(x, {.type = type, .norm = "forward"}), forth, 1.0L / whole));
      CHECK(near(there(x, {.type = type, .norm = "ortho"}), sums(wide, fair(type)), 1));
      CHECK(near(back(x, {.type = type, .norm = "forward"}), home, 1));
      CHECK(near(back(x, {.type = type, .norm = "ortho"}), sums(wide, fair(turned)), 1));
    }
  }
}

}  // namespace

TEST_CASE("cosine and sine transforms are sums") {
  on_each_device([] {
    check_length<float>(64);
    if (kn::test::without_variants("lengths of 1 and 3, and float64")) return;
    check_length<float>(1, false);
    check_length<float>(3);
    if (kn::test::computes(kn::float64)) check_length<double>(30, false);
  });
}

TEST_CASE("cosine and sine transforms of more lengths" * doctest::skip(!kn::test::exhaustive())) {
  on_each_device(kn::float64, [] {
    for (std::int64_t n = 1; n <= 70; ++n) check_length<double>(n);
    for (const std::int64_t n : {127, 1000, 1009}) check_length<float>(n);
  });
}

TEST_CASE("along an axis, cut off and continued, there and back") {
  on_each_device([] {
    const Array x = kn::asarray(kn::test::noise<float>(3 * 10 * 4, 9), {3, 10, 4});
    for (const std::int64_t n : {6, 10, 13}) {
      const Array got = kn::fft::dct(x, {.n = n, .axis = 1});
      REQUIRE(got.shape() == Shape{3, n, 4});
      Wide line(static_cast<std::size_t>(n));
      const Array its = x(2, kn::all, 3);
      for (std::int64_t j = 0; j < std::min<std::int64_t>(n, 10); ++j) {
        line[static_cast<std::size_t>(j)] = its(j).item<float>();
      }
      const auto want =
          sums(line, [](std::int64_t m, std::int64_t k, std::int64_t j) { return element(false, 2, m, k, j); });
      CHECK(kn::test::part_of_bound<float>(kn::test::widened_list<float>(got(2, kn::all, 3)), want, n) <= 1);
    }
    const Array again = kn::fft::idst(kn::fft::dst(x, {.axis = 0}), {.axis = 0});
    CHECK(kn::allclose(again, x, {.atol = 1e-6}));
  });
}

TEST_CASE("types and wrong calls of cosine and sine transforms") {
  on_each_device([] {
    const Array whole = kn::array({1, 2, 3});
    CHECK(kn::fft::dct(whole).dtype() == kn::float32);
    CHECK(kn::fft::idst(whole.astype(kn::float16)).dtype() == kn::float32);
    CHECK(kn::fft::dct(kn::zeros({0, 4})).shape() == Shape{0, 4});
  });
  const Array x = kn::ones({2, 3});
  CHECK(message_of<kn::ValueError>([&] { kn::fft::dct(x, {.type = 5}); }) ==
        "[dct] .type is 5; it can be 1, 2, 3 or 4");
  CHECK(message_of<kn::ValueError>([&] { kn::fft::idct(x, {.type = 1, .n = 1}); }) ==
        "[idct] cannot transform 1 elements along axis 1 of shape (2, 3); it takes 2 or more");
  CHECK(has(message_of<kn::ValueError>([&] { kn::fft::dst(x, {.n = 0}); }), "[dst] cannot transform 0 elements"));
  CHECK(has(message_of<kn::ValueError>([&] { kn::fft::idst(x, {.norm = "none"}); }), "[idst] norm is \"none\""));
  CHECK(
      has(message_of<kn::DTypeError>([&] { kn::fft::dct(x.astype(kn::complex64)); }), "[dct] does not take complex64"));
  CHECK(has(message_of<kn::IndexError>([&] { kn::fft::dst(x, {.axis = 2}); }), "[dst]"));
}

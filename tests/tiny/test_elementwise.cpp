// SPDX-License-Identifier: Apache-2.0
// kernels/elementwise.cl in every way of reading and writing memory, on arrays that end where their buffers end, so
// that an interpreter sees each access past an end.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/numbers.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::Shape;
using kn::slice;
using kn::test::by_position;
using kn::test::check_array;

namespace {

/// Elements that fill 768 bytes, which is what a buffer of them gets; as rows, two of them.
template <class T>
constexpr std::int64_t count = 768 / sizeof(T);

/// Small enough for every type, exact in each.
template <class T>
T value_at(std::int64_t i) {
  if constexpr (std::is_same_v<T, bool>) {
    return i % 3 == 0;
  } else if constexpr (kn::test::is_small_float<T>) {
    return T(static_cast<float>(i % 50));
  } else {
    return static_cast<T>(static_cast<int>(i % 50));
  }
}

template <class T>
void check_reads_and_writes() {
  CAPTURE(kn::dtype_of<T>);
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  constexpr std::int64_t n = count<T>;
  const Array x = kn::asarray(by_position<T>({n}, [](auto& p) { return value_at<T>(p[0]); }));
  const auto same = [](const Array& y, const Shape& shape, auto source) {
    check_array<T>(y, shape, by_position<T>(shape, [&](auto& p) { return value_at<T>(source(p)); }));
  };
  // Whole vectors, the end of a buffer off a vector's start, steps, a column and a row along the other axis.
  const Array pass = kn::where(kn::asarray(true), x, x);
  same(pass, {n}, [](auto& p) { return p[0]; });
  const Array x2 = kn::reshape(x, {2, n / 2});
  same(kn::where(x(slice(1, none)) == x(slice(1, none)), x(slice(1, none)), x(0)), {n - 1},
       [](auto& p) { return p[0] + 1; });
  same(kn::where(kn::asarray(true), x(slice(none, none, -3)), x(0)), {n / 3}, [](auto& p) { return n - 1 - 3 * p[0]; });
  same(kn::where(kn::asarray(true), x2.T(), x(slice(0, 2))), {n / 2, 2}, [](auto& p) { return p[1] * (n / 2) + p[0]; });
  // Written through a subscript: off a vector's start to the end, and with a step.
  Array y = kn::flip(x).eval();
  y(slice(1, none)) = x(slice(1, none));
  y(slice(none, none, -2)) = x(slice(0, n / 2));
  same(y, {n}, [](auto& p) { return p[0] == 0 ? n - 1 : p[0] % 2 == 1 ? (n - 1 - p[0]) / 2 : p[0]; });
}

}  // namespace

TEST_CASE("every element type is read and written in every way") {
  // One of each size, and one that is kept otherwise than it is computed.
  check_reads_and_writes<bool>();
  check_reads_and_writes<kn::float16_t>();
  check_reads_and_writes<std::int32_t>();
  check_reads_and_writes<std::complex<float>>();
  check_reads_and_writes<std::complex<double>>();
  if (kn::test::without_variants("six more types")) return;
  check_reads_and_writes<std::int8_t>();
  check_reads_and_writes<std::uint16_t>();
  check_reads_and_writes<std::uint64_t>();
  check_reads_and_writes<kn::bfloat16_t>();
  check_reads_and_writes<float>();
  check_reads_and_writes<double>();
}

TEST_CASE("types of several widths in one kernel") {
  const Array bytes = kn::arange(200, {.dtype = kn::uint8}), halves = bytes.astype(kn::float16);
  const Array sum = bytes + halves + kn::arange(200) * kn::asarray(2.0f);
  check_array<float>(sum, {200}, by_position<float>({200}, [](auto& p) { return 4 * p[0]; }));
}

TEST_CASE("an expression of every kind of function, fused") {
  const Array x = kn::arange(0, 1, 1.0 / 64);
  const Array y = kn::exp(kn::sin(x) + kn::sqrt(x)) / (1 + kn::pow(x, 1.5)) - kn::tanh(kn::log1p(x)) * kn::floor(x * 8);
  const auto want = by_position<float>({64}, [](auto& p) {
    const double v = static_cast<double>(p[0]) / 64;
    return std::exp(std::sin(v) + std::sqrt(v)) / (1 + std::pow(v, 1.5)) - std::tanh(std::log1p(v)) * std::floor(v * 8);
  });
  const auto got = y.to_vector<float>();
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
}

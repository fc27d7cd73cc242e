// SPDX-License-Identifier: Apache-2.0
// What the host computes has the bits that the device's kernels give: each operation on each type,
// casts, views, reductions in both orders, whole rows. (ctest lets the host do steps in this folder alone.)
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/same_bits.hpp"

namespace kn = koine;
using kn::Array;
using kn::DType;
using kn::Shape;
using kn::test::all_variants;
using kn::test::check_bits;
using kn::test::does_steps;
using kn::test::exhaustive;
using kn::test::mixed;

namespace {

/// Every operation of the table that takes the type and has the same bits in kernels and in C++.
std::vector<Array> all_operations(const Array& x, const Array& y) {
  std::vector<Array> results;
  const auto add = [&](const char* name, const std::function<Array()>& call) {
    for (const char* drivers : {"erfc", "lgamma", "sinc", "tgamma"}) {
      if (std::strcmp(name, drivers) == 0) return;
    }
    try {
      results.push_back(call());
    } catch (const kn::DTypeError&) {  // it does not take the type
    }
  };
#define KN_CALL_1(name) kn::name(x)
#define KN_CALL_2(name) kn::name(x, y)
#define KN_OP(name, arity, ...) add(#name, [&] { return KN_CALL_##arity(name); });
#include "graph/ops.def"
  return results;
}

template <class T>
void check_operations() {
  auto points = kn::test::points<T>(400);
  points.x1.resize(400);
  points.x2.resize(400);
  const Array x = kn::asarray(points.x1).eval(), y = kn::asarray(points.x2).eval();
  kn::synchronize();
  // A kernel has room for so many results.
  const std::size_t count = all_operations(x, y).size(), at_once = 24;
  for (std::size_t first = 0; first < count; first += at_once) {
    check_bits([&] {
      const std::vector<Array> all = all_operations(x, y);
      return std::vector<Array>(all.begin() + static_cast<std::ptrdiff_t>(first),
                                all.begin() + static_cast<std::ptrdiff_t>(std::min(count, first + at_once)));
    });
  }
}

const DType types[] = {kn::bool_,    kn::int8,    kn::int16,   kn::int32,     kn::int64,
                       kn::uint8,    kn::uint16,  kn::uint32,  kn::uint64,    kn::float16,
                       kn::bfloat16, kn::float32, kn::float64, kn::complex64, kn::complex128};

template <class T>
void check_casts() {
  const Array x = kn::asarray(kn::test::points<T>(300).x1).eval();
  kn::synchronize();
  check_bits([&] {
    std::vector<Array> results;
    for (const DType to : types) {
      const bool lost = kn::is_complex(x.dtype()) && !kn::is_complex(to) && to != kn::bool_;
      if (to != x.dtype() && !lost) results.push_back(x.astype(to));
    }
    return results;
  });
}

}  // namespace

TEST_CASE("operations") {
  if (!does_steps()) return;
  check_operations<float>();
  check_operations<std::int32_t>();
  check_operations<std::complex<float>>();
  if (!exhaustive()) return kn::test::leave_out("operations of eleven more types, without KOINE_TEST_EXHAUSTIVE");
  check_operations<double>();
  check_operations<std::complex<double>>();
  check_operations<kn::float16_t>();
  check_operations<kn::bfloat16_t>();
  check_operations<bool>();
  check_operations<std::int8_t>();
  check_operations<std::int16_t>();
  check_operations<std::int64_t>();
  check_operations<std::uint8_t>();
  check_operations<std::uint16_t>();
  check_operations<std::uint32_t>();
  check_operations<std::uint64_t>();
}

TEST_CASE("casts from one type to all others") {
  if (!does_steps()) return;
  check_casts<double>();
  check_casts<std::int64_t>();
  check_casts<std::complex<float>>();
  if (!exhaustive()) return kn::test::leave_out("casts of twelve more types, without KOINE_TEST_EXHAUSTIVE");
  check_casts<float>();
  check_casts<std::complex<double>>();
  check_casts<kn::float16_t>();
  check_casts<kn::bfloat16_t>();
  check_casts<bool>();
  check_casts<std::int8_t>();
  check_casts<std::int16_t>();
  check_casts<std::int32_t>();
  check_casts<std::uint8_t>();
  check_casts<std::uint16_t>();
  check_casts<std::uint32_t>();
  check_casts<std::uint64_t>();
}

TEST_CASE("views, broadcasts, positions and choices") {
  if (!does_steps()) return;
  const Array x = mixed({6, 7, 5}, kn::float32), row = mixed({5}, kn::float32), whole = mixed({7, 6}, kn::int32);
  kn::synchronize();
  check_bits([&] {
    return std::vector{kn::permute_dims(x, {2, 0, 1}) * 2 + kn::permute_dims(kn::flip(x), {2, 0, 1})};
  });
  check_bits([&] { return std::vector{kn::where(x > row, x, row), x(kn::all, kn::slice(1, 6, 2)) + 1}; }, 2);
  check_bits([&] { return std::vector{kn::roll(x, 2, {.axis = 2}) - kn::roll(x, -3, {.axis = 1})}; });
  check_bits([&] { return std::vector{kn::pad(x, {{1, 2}, {0, 0}, {3, 1}}) + 1}; });
  check_bits([&] { return std::vector{kn::arange(300) * 3 + 1}; });
  check_bits([&] { return std::vector{kn::full({3, 4}, 2.5f)}; });
  check_bits([&] { return std::vector{whole.astype(kn::float16).T() / 3}; });
}

TEST_CASE("views, constants and choices of complex numbers") {
  if (!does_steps()) return;
  for (const DType type : kn::test::usual_and({kn::complex64}, {kn::complex128})) {
    const Array x = (mixed({6, 7}, kn::float64) + mixed({7}, kn::float64) * std::complex<double>(0, 0.3)).astype(type);
    const Array row = x(0).copy(), z = x.eval(), at = kn::asarray({3, 0, -1, 7, 3}) % 6;
    kn::eval(row, at);
    kn::synchronize();
    check_bits([&] { return std::vector{z.T() * std::complex<double>(2, -1), kn::flip(z.T(), {.axis = 1})}; });
    check_bits([&] { return std::vector{kn::where(kn::real(z) > 0, z, row), z(kn::all, kn::slice(1, 6, 2)) + 1}; }, 2);
    check_bits([&] { return std::vector{kn::full({3, 4}, std::complex<double>(2, 5), {.dtype = type})}; });
    check_bits([&] { return std::vector{kn::take(z, at, {.axis = 0}) - row}; });
    check_bits([&] { return std::vector{kn::sum(kn::abs(z))}; });
  }
}

TEST_CASE("reductions") {
  if (!does_steps()) return;
  // `more` than a plain sum: each of them has a program for rows and columns of each size.
  const auto check = [](const Shape& shape, const kn::Axis& axis, DType type, bool more = all_variants()) {
    CAPTURE(to_string(shape));
    const Array x = mixed(shape, type);
    kn::synchronize();
    check_bits([&] { return std::vector{kn::sum(x, {.axis = axis})}; });
    if (type != kn::float32 || !more) return;
    check_bits([&] { return std::vector{kn::sum(x * x, {.axis = axis}) * 2 + 1}; });
    check_bits([&] {
      return std::vector{kn::max(x, {.axis = axis}), kn::mean(x, {.axis = axis}), kn::prod(x, {.axis = axis})};
    });
    const kn::reproducible scope;
    check_bits([&] { return std::vector{kn::sum(x + 1, {.axis = axis})}; });
  };
  for (const std::int64_t count : {1, 2, 15, 16, 17, 100, 1000, 4000}) {
    check({count}, kn::none, kn::float32, count == 4000 || all_variants());
  }
  for (const Shape& shape : {Shape{3, 5}, Shape{40, 17}, Shape{9, 100}, Shape{100, 9}, Shape{70, 33}}) {
    const bool more = shape[0] == 40 || all_variants();
    check(shape, 0, kn::float32, more);
    check(shape, 1, kn::float32, more);
  }
  check({6, 7, 8}, kn::Axis{0, 2}, kn::float32);
  check({1000}, kn::none, kn::float16);
  check({1000}, kn::none, kn::bfloat16);
  check({1000}, kn::none, kn::float64);
  check({1000}, kn::none, kn::int8);
  check({30, 20}, 1, kn::uint32);
  const Array flags = mixed({50, 6}, kn::int32) > 3;
  kn::synchronize();
  check_bits([&] { return std::vector{kn::any(flags, {.axis = 1}), kn::all(flags, {.axis = 1})}; });
  check_bits([&] { return std::vector{kn::count_nonzero(flags)}; });
}

TEST_CASE("reductions of several blocks, by as many passes as the kernels take") {
  if (!does_steps()) return;
  // `more` than a sum in either order: of all elements, of rows, and of wide and narrow columns.
  const auto check = [](const Shape& shape, const kn::Axis& axis, DType type, bool more = all_variants()) {
    CAPTURE(to_string(shape));
    const Array x = mixed(shape, type);
    kn::synchronize();
    // Folded where it lies, or computed at once before.
    const auto each = [&] { return more || all_variants() ? x * 2 : x; };
    check_bits([&] { return std::vector{kn::sum(each(), {.axis = axis})}; });
    if (type != kn::float32) return;
    {
      const kn::reproducible scope;
      check_bits([&] { return std::vector{kn::sum(each(), {.axis = axis})}; });
    }
    if (!more) return;
    check_bits([&] { return std::vector{kn::sum(x, {.axis = axis})}; });
    check_bits([&] { return std::vector{kn::sqrt(kn::mean(x * x, {.axis = axis})) + 1}; });
    check_bits([&] {
      return std::vector{kn::max(x, {.axis = axis}), kn::mean(x, {.axis = axis}), kn::min(x, {.axis = axis})};
    });
    if (shape.size() < 3) check_bits([&] { return std::vector{kn::argmax(x, {.axis = axis})}; });
  };
  for (const std::int64_t count : {32'767, 32'769, 70'001}) check({count}, kn::none, kn::float32);
  check({300'000}, kn::none, kn::float32, true);
  // Beside what is computed at once; rows, and few, many and very many columns, which threads share.
  check({70, 1000}, 1, kn::float32, true);
  check({90, 131}, 1, kn::float64);
  check({3, 4096}, 1, kn::float32);
  check({4099, 64}, 0, kn::float32, true);
  for (const Shape& shape : {Shape{300, 1000}, Shape{7, 30'001}}) check(shape, 0, kn::float32);
  check({500, 300}, 0, kn::float64);
  check({5, 40'009}, 1, kn::float32);
  check({40'009, 5}, 0, kn::float32);
  for (const Shape& shape : {Shape{40'009, 3}, Shape{3'000, 2}}) {  // narrow columns
    check(shape, 0, kn::float32);
  }
  check({20, 700, 3}, 1, kn::float32);
  check({20'011, 33}, 0, kn::float32);
  check({300, 20, 33}, kn::Axis{0, 2}, kn::float32);
  check({33, 20, 300}, kn::Axis{0, 1}, kn::float32);
  check({100'003}, kn::none, kn::float16);
  check({100'003}, kn::none, kn::float64);
  check({50'021}, kn::none, kn::int8);
  // Rows that a fixed order's running values do not divide.
  const Array part = mixed({500, 101}, kn::float32)(kn::all, kn::slice(0, 99)), flags = mixed({70'000}, kn::int32) > 3;
  kn::synchronize();
  check_bits([&] { return std::vector{kn::sum(part)}; });
  check_bits([&] { return std::vector{kn::any(flags), kn::all(flags)}; });
  const Array x = mixed({300, 500}, kn::float32), row = mixed({500}, kn::float32);
  kn::synchronize();
  check_bits([&] { return std::vector{kn::sum(x * row - 1, {.axis = 1}), kn::sum(x * row, {.axis = 1})}; });
  check_bits([&] { return std::vector{x * row + x, x > row, kn::exp(x).astype(kn::float16)}; });
  check_bits([&] { return std::vector{kn::count_nonzero(flags)}; });
  const kn::reproducible scope;
  check_bits([&] { return std::vector{kn::sum(part)}; });
}

TEST_CASE("whole rows") {
  if (!does_steps()) return;
  for (const Shape& shape :
       kn::test::usual_and<Shape>({{50, 7}, {2, 500}, {60, 17}}, {{3, 1}, {5, 17}, {10, 10}, {1, 64}})) {
    CAPTURE(to_string(shape));
    const Array x = mixed(shape, kn::float32);
    kn::synchronize();
    check_bits([&] { return std::vector{kn::softmax(x)}; });
    check_bits([&] { return std::vector{x / kn::sqrt(kn::sum(x * x, {.axis = -1, .keepdims = true}) + 1)}; });
  }
  const Array half = mixed({4, 33}, kn::float16);
  kn::synchronize();
  check_bits([&] { return std::vector{kn::softmax(half)}; });
}

TEST_CASE("places, and distances from the means of rows") {
  if (!does_steps()) return;
  const Array x = mixed({9, 33}, kn::float32), narrow = mixed({40, 5}, kn::float32), wide = mixed({3, 40}, kn::float64),
              whole = mixed({50}, kn::int16);
  const Array ties = kn::asarray({2.0f, 5.0f, 5.0f, 1.0f, 1.0f}).eval();
  const Array nans = kn::where(kn::arange(40) % 7 == 3, NAN, kn::arange(40).astype(kn::float32)).eval();
  kn::synchronize();
  check_bits([&] { return std::vector{kn::argmax(x, {.axis = 1})}; });
  check_bits([&] { return std::vector{kn::argmin(x, {.axis = 0})}; });
  for (const Array& each : {x, whole, ties, nans}) {
    check_bits([&] { return std::vector{kn::argmax(each)}; });
    if (all_variants()) check_bits([&] { return std::vector{kn::argmin(each)}; });
  }
  check_bits([&] { return std::vector{x - kn::var(x, {.axis = 1, .keepdims = true})}; });
  for (const Array& each : kn::test::usual_and<Array>({x, narrow}, {wide})) {
    check_bits([&] {
      const auto mean = kn::mean(each, {.axis = -1, .keepdims = true}),
                 std = kn::std(each, {.axis = -1, .keepdims = true});
      return std::vector{(each - mean) / (std + 1)};
    });
  }
}

TEST_CASE("elements taken by positions") {
  if (!does_steps()) return;
  const Array x = mixed({20, 6}, kn::float32), half = mixed({30}, kn::float16);
  const Array at = kn::asarray({3, 0, -1, 7, 3}).eval();
  kn::synchronize();
  check_bits([&] { return std::vector{kn::take(x, at, {.axis = 0}) * 2}; });
  check_bits([&] { return std::vector{kn::take(half, at) + 1}; });
  check_bits([&] { return std::vector{kn::sum(kn::take(x, at, {.axis = 0}))}; });
}

TEST_CASE("rolled rows") {
  if (!does_steps()) return;
  const Array x = mixed({8, 30}, kn::float32);
  kn::synchronize();
  check_bits([&] { return std::vector{kn::softmax(kn::roll(x, 4, {.axis = 1}))}; }, 2);
  check_bits([&] { return std::vector{kn::sum(x - kn::roll(x, 3, {.axis = 1}), {.axis = 1})}; });
}

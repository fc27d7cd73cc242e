// SPDX-License-Identifier: Apache-2.0
// The same as test_same_bits.cpp of scans, moments, random numbers, searches, sorts, sums by ids, scatters and masks.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <vector>

#include "support/same_bits.hpp"

namespace kn = koine;
using kn::Array;
using kn::DType;
using kn::none;
using kn::Shape;
using kn::slice;
using kn::test::check_bits;
using kn::test::check_same;
using kn::test::does_steps;
using kn::test::HostStepWork;
using kn::test::mixed;
using kn::test::usual_and;

TEST_CASE("distances from the mean of several blocks") {
  if (!does_steps()) return;
  // `more` is what a deviation is used for, too.
  const auto check = [](const Shape& shape, const kn::Axis& axis, DType type, bool more = kn::test::all_variants()) {
    CAPTURE(to_string(shape));
    const Array x = mixed(shape, type) + 1000;
    x.eval();
    kn::synchronize();
    check_bits([&] { return std::vector{kn::var(x, {.axis = axis})}; });
    if (!more) return;
    check_bits([&] { return std::vector{kn::std(x, {.axis = axis}) * 2 + 1}; }, type == kn::bfloat16 ? 2 : 1);
  };
  for (const std::int64_t count : {1, 2, 17, 257, 70'001}) check({count}, kn::none, kn::float32, count > 257);
  for (const Shape& shape : usual_and<Shape>({{9, 100}, {5, 40'009}, {20'011, 33}}, {{100, 9}, {70, 7}})) {
    check(shape, 0, kn::float32);
    check(shape, 1, kn::float32);
  }
  check({300, 20, 33}, kn::Axis{0, 2}, kn::float32);
  check({5'000, 21}, 0, kn::float32, true);
  if (!kn::test::without_variants("float64")) check({70'001}, kn::none, kn::float64, true);
  check({40'001}, kn::none, kn::bfloat16);
  const Array part = mixed({500, 101}, kn::float32)(kn::all, kn::slice(0, 99));
  kn::synchronize();
  check_bits([&] { return std::vector{kn::std(part)}; });
}

TEST_CASE("scans") {
  if (!does_steps()) return;
  for (const std::int64_t count : {1, 15, 16, 17, 300, 4'095, 4'097, 70'001, 5'000'000}) {
    CAPTURE(count);
    const Array x = mixed({count}, kn::float32);
    kn::synchronize();
    check_bits([&] { return std::vector{kn::cumulative_sum(x * 2)}; });
  }
  for (const Shape& shape : {Shape{7, 5'000}, Shape{5'000, 7}, Shape{5'000, 70}, Shape{3, 300, 40}}) {
    CAPTURE(to_string(shape));
    const Array x = mixed(shape, kn::float32);
    kn::synchronize();
    for (const int axis : {0, 1}) check_bits([&] { return std::vector{kn::cumulative_sum(x, {.axis = axis})}; });
  }
  for (const DType type : usual_and({kn::float16}, {kn::int8, kn::uint32, kn::float64})) {
    const Array x = mixed({9'000}, type);
    kn::synchronize();
    check_bits([&] { return std::vector{kn::cumulative_sum(x)}; });
    check_bits([&] { return std::vector{kn::cumulative_max(x)}; });
  }
  const Array x = mixed({9'000}, kn::float32) * 1e-3f + 1;
  x.eval();
  kn::synchronize();
  check_bits([&] { return std::vector{kn::cumulative_prod(x)}; });
  const kn::reproducible scope;
  check_bits([&] { return std::vector{kn::cumulative_sum(x)}; });
}

TEST_CASE("random numbers") {
  if (!does_steps()) return;
  for (const DType type : usual_and({kn::float32, kn::float64}, {kn::float16, kn::bfloat16})) {
    for (const std::int64_t before : {0, 3}) {
      const auto check = [&](auto draw) {
        check_bits(
            [&] {
              kn::random::Generator generator(42);
              generator.uniform({before + 1}, {.dtype = type}).eval();
              return std::vector{draw(generator)};
            },
            2);
      };
      check([&](auto& g) { return g.uniform({1003}, {.low = -2, .high = 3, .dtype = type}); });
      check([&](auto& g) { return g.normal({1003}, {.loc = 1, .scale = 2, .dtype = type}); });
      check([&](auto& g) { return g.exponential({1003}, {.scale = 3, .dtype = type}); });
    }
  }
  for (const DType type : {kn::int32, kn::uint8, kn::int64}) {
    check_bits([&] { return std::vector{kn::random::Generator(7).integers(0, 100, {1001}, {.dtype = type})}; });
  }
  // By several threads.
  check_bits([&] { return std::vector{kn::random::Generator(7).uniform({70'003})}; });
  check_bits([&] { return std::vector{kn::random::Generator(7).integers(-9, 1000, {70'003}, {.dtype = kn::int64})}; });
  // Made where they are read.
  check_bits([&] { return std::vector{kn::random::Generator(7).normal({40, 33}).T() * 2}; }, 0);
  check_bits([&] { return std::vector{kn::mean(kn::exp(kn::random::Generator(7).uniform({70'001})))}; }, 0);
}

TEST_CASE("reductions and scans of complex numbers") {
  if (!does_steps()) return;
  for (const DType type : usual_and({kn::complex64}, {kn::complex128})) {
    const Array whole = mixed({70'001}, kn::float64), second = mixed({70'001}, kn::float32);
    const Array x = (whole + second * std::complex<double>(0.25, 0.5)).astype(type).eval();
    const Array table = x(slice(0, 69'300)).reshape({33, 70, 30}).copy().eval();
    kn::synchronize();
    check_bits([&] { return std::vector{kn::mean(x)}; });
    check_bits([&] { return std::vector{kn::cumulative_sum(x)}; });
    for (const int axis : usual_and({0, 2}, {1})) {
      check_bits([&] { return std::vector{kn::sum(table, {.axis = axis})}; }, 0);
    }
    if (kn::test::without_variants("products, and fixed orders")) continue;
    check_bits([&] { return std::vector{kn::sum(x)}; });
    check_bits([&] { return std::vector{kn::prod(x(slice(0, 300)) * 0.1)}; });
    check_bits([&] { return std::vector{x - kn::mean(x * x)}; }, 2);
    const kn::reproducible scope;
    check_bits([&] { return std::vector{kn::sum(x)}; });
    check_bits([&] { return std::vector{kn::sum(table, {.axis = 1})}; }, 0);
  }
}

TEST_CASE("random numbers by rejection") {
  if (!does_steps()) return;
  constexpr std::int64_t many = 40'003;  // several parts
  for (const DType type : usual_and({kn::float32}, {kn::float64, kn::float16, kn::bfloat16})) {
    for (const double shape : {0.3, 7.5}) {
      check_bits(
          [&] {
            kn::random::Generator generator(42);
            generator.uniform({3}, {.dtype = type}).eval();
            return std::vector{generator.gamma(shape, {many}, {.scale = 3, .dtype = type})};
          },
          2);
    }
  }
  for (const DType type : usual_and({kn::int64}, {kn::uint16, kn::int32, kn::uint64})) {
    check_bits([&] { return std::vector{kn::random::Generator(7).poisson(1000.5, {many}, {.dtype = type})}; });
    check_bits([&] { return std::vector{kn::random::Generator(7).binomial(30'000, 0.3, {many}, {.dtype = type})}; });
  }
  check_bits([&] { return std::vector{kn::random::Generator(7).poisson(0x1p39, {many})}; });
}

TEST_CASE("products of one sum for each result") {
  if (!does_steps()) return;
  const auto check = [](const Shape& left, const Shape& right, DType type) {
    CAPTURE(to_string(left));
    CAPTURE(to_string(right));
    CAPTURE(name(type));
    Array x = mixed(left, type), y = mixed(right, type);
    kn::eval(x, y);
    kn::synchronize();
    const auto product = [&] { return std::vector{kn::matmul(x, y)}; };
    check_bits(product);
    // Columns lie side by side.
    if (left.size() == 2 && left == right) check_bits([&] { return std::vector{kn::matmul(x.T(), y.T())}; });
  };
  const auto in_some_shapes = [&](DType type) {
    check({2, 1}, {1, 2}, type);
    check({37, 37}, {37, 37}, type);
    check({17, 300}, {300, 1031}, type);  // more than a block each way
    check({3, 1, 5, 7}, {2, 7, 4}, type);
  };
  for (const DType type : usual_and({kn::uint8}, {kn::int32, kn::int8, kn::int64})) in_some_shapes(type);
  check({1, 9000}, {9000, 1}, kn::int16);
  const kn::reproducible scope;
  for (const DType type : usual_and({kn::float32, kn::complex64}, {kn::float16, kn::bfloat16, kn::float64})) {
    in_some_shapes(type);
  }
}

TEST_CASE("elements taken by positions that are stored") {
  if (!does_steps()) return;
  const Array x = mixed({20, 6, 5}, kn::float32), half = mixed({30}, kn::float16);
  const Array at = kn::asarray({3, 0, -1, 5, 3}).eval();
  kn::synchronize();
  for (const int axis : {0, 1}) check_bits([&] { return std::vector{kn::take(x, at, {.axis = axis})}; });
  check_bits([&] { return std::vector{kn::take(half, at)}; });
}

TEST_CASE("searches, selections and histograms") {
  if (!does_steps()) return;
  for (const DType type : usual_and({kn::float32, kn::int16}, {kn::float16, kn::float64, kn::uint32})) {
    Array x = mixed({3'000}, type), rows = mixed({40, 300}, type);
    if (kn::is_real_floating(type)) {
      const auto number = kn::arange(3'000).astype(type);
      x = kn::where(number % 97 == 3, NAN, kn::where(number % 89 == 4, -0.0, kn::where(number % 83 == 5, 0.0, x)));
      x = kn::where(number == 7, INFINITY, x);
    }
    const Array list = kn::sort(x);
    kn::eval(x, rows, list);
    kn::synchronize();
    check_bits([&] { return std::vector{kn::searchsorted(list, x)}; });
    check_bits([&] { return std::vector{kn::searchsorted(list, x, {.side = "right"})}; });
    check_bits([&] { return std::vector{kn::median(x), kn::median(rows, {.axis = 1})}; }, 0);
    check_bits([&] { return std::vector{kn::quantile(rows, std::vector{0.1, 0.5, 0.93}, {.axis = 0})}; }, 0);
    check_bits([&] { return std::vector{kn::histogram(rows, 17).counts}; }, 0);
    check_bits([&] { return std::vector{kn::histogram(x, kn::asarray({0, 3, 5, 40, 100}, type)).counts}; }, 0);
  }
}

TEST_CASE("sums by ids, and ties") {
  if (!does_steps()) return;
  const Array ids = kn::asarray({3, 0, 2, 3, 3, 1}).eval(), values = mixed({6, 4}, kn::int16);
  kn::synchronize();
  check_bits([&] { return std::vector{kn::bincount(ids)}; }, 0);
  check_bits([&] { return std::vector{kn::segment_sum(values, ids, {.count = 5})}; }, 0);
  check_bits([&] { return std::vector{kn::random::Generator(5).permutation(100'000)}; }, 0);
  const Array many = (kn::arange(3'000) * 7919 % 50).eval();
  for (const DType type : usual_and({kn::float32}, {kn::float64})) {
    Array x = mixed({3'000, 2}, type), y = mixed({3'000}, type);
    const Array number = kn::arange(3'000);
    y = kn::where(many == 7, kn::where(number % 2 == 0, INFINITY, y), kn::where(many == 9, NAN, y)).astype(type);
    y = kn::where(many == 11, y * 1e-38, kn::where(many == 13, -0.0, y)).astype(type);
    kn::eval(x, y);
    kn::synchronize();
    check_bits([&] { return std::vector{kn::segment_sum(x, many, {.count = 50})}; }, 0);
    check_bits(
        [&] {
          return std::vector{kn::segment_sum(y, many, {.count = 50}), kn::segment_mean(y, many, {.count = 50})};
        },
        0);
    check_bits(
        [&] {
          Array sums = kn::full({60}, -0.0, {.dtype = type});
          sums.at(many).add(y);
          return std::vector{sums};
        },
        0);
  }
  // Sums of 16 bits are rounded to so few digits at once. Exponents near each other, far apart, and the last one.
  for (const DType type : {kn::float16, kn::bfloat16}) {
    for (const int most : {4, 12, 120}) {
      std::vector<float> numbers(3'000);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const int k = static_cast<int>(i), exponent = k * 31 % (2 * most) - most;
        numbers[i] = std::ldexp(static_cast<float>(k * 37 % 511 - 255), exponent);
      }
      if (most == 12) numbers[50] = INFINITY, numbers[60] = numbers[70] = NAN;
      const Array x = kn::asarray(numbers, type);
      check_bits([&] { return std::vector{kn::segment_sum(x, many, {.count = 50})}; }, 0);
      check_bits(
          [&] {
            Array sums = kn::asarray(std::vector<float>(60, -0.0F), type);
            sums.at(many).add(x);
            return std::vector{sums};
          },
          0);
    }
  }
}

TEST_CASE("sums by ids and takes that threads share") {
  if (!does_steps()) return;
  constexpr std::int64_t rows = 150'001, groups = 701;
  const Array number = kn::arange(rows).eval(), ids = (number * 7919 % groups).astype(kn::int32).eval();
  const Array small_ids = (number * 31 % 201).astype(kn::uint8).eval();
  kn::synchronize();
  const auto sums = [&](const Array& values) {
    return std::vector{kn::segment_sum(values, ids, {.count = groups}),
                       kn::segment_sum(values, small_ids, {.count = 201})};
  };
  for (const DType type : usual_and({kn::float32}, {kn::float64})) {
    const Array near = mixed({rows}, type), of_two = mixed({rows, 2}, type);
    // No exponent is near all others, and then some are infinite.
    const Array far = (near * kn::where(number % 5 == 0, 1e-25, 1.)).astype(type).eval();
    const Array odd = kn::where(number % 9973 == 5, -INFINITY, far).astype(type).eval();
    kn::synchronize();
    for (const Array& values : {near, of_two, far, odd}) {
      check_bits([&] { return sums(values); }, 0);
    }
    check_bits(
        [&] {
          Array start = kn::full({groups}, 0.1, {.dtype = type});
          start.at(ids).add(far);
          return std::vector{start};
        },
        0);
    check_bits([&] { return std::vector{kn::take(near, ids), kn::take(far, ids - groups) * 2}; }, 0);
  }
  for (const DType type : usual_and({kn::complex64}, {kn::complex128})) {
    const Array x = mixed({rows, 3}, kn::float64),
                turned = mixed({rows, 3}, kn::float32) * std::complex<double>(0, 0.3);
    const Array values = (x + turned).astype(type).eval();
    kn::synchronize();
    check_bits([&] { return sums(values); }, 0);
    check_bits([&] { return sums(values(kn::all, 1)); }, 0);
  }
  for (const DType type : usual_and({kn::int64, kn::bool_}, {kn::int8, kn::uint32})) {
    const Array values = mixed({rows}, kn::int16).astype(type).eval();
    kn::synchronize();
    check_bits([&] { return sums(values); }, 0);
  }
  check_bits([&] { return std::vector{kn::bincount(ids)}; }, 0);
  const kn::test::HostStepWork all(kn::test::any_work);
  const Array other = kn::where(number == 140'000, groups, ids).eval(), values = mixed({rows}, kn::float32);
  kn::synchronize();
  CHECK_THROWS_WITH_AS(kn::segment_sum(values, other, {.count = groups}).to_vector<float>(),
                       doctest::Contains("id 701 is out of range"), kn::IndexError);
  CHECK_THROWS_AS(kn::take(values, kn::where(number == 140'000, rows, ids)).to_vector<float>(), kn::IndexError);
}

TEST_CASE("extremes and products by ids") {
  if (!does_steps()) return;
  constexpr std::int64_t rows = 70'001, groups = 301;
  const Array number = kn::arange(rows).eval();
  // Groups of none, of one, of some hundred and of tens of thousands of rows.
  const Array some = kn::where(number % 3 == 0, 7, kn::where(number % 1000 == 1, 300, number * 7919 % 290)).eval();
  const auto products = [&](const Array& values, const Array& ids) {
    const Array rising = kn::sort(ids);
    kn::eval(values, rising);
    kn::synchronize();
    check_bits([&] { return std::vector{kn::segment_prod(values, rising, {.count = groups, .sorted = true})}; }, 0);
  };
  const auto check = [&](const Array& values, const Array& ids) {
    kn::eval(values, ids);
    kn::synchronize();
    check_bits([&] { return std::vector{kn::segment_max(values, ids, {.count = groups})}; }, 0);
    check_bits([&] { return std::vector{kn::segment_min(values, ids, {.count = groups})}; }, 0);
    products(values, ids);
  };
  for (const DType type : usual_and({kn::float32}, {kn::float16, kn::float64, kn::bfloat16})) {
    // Near 1, so that products stay finite and depend on their order.
    const Array near = (1 + mixed({rows, 2}, kn::float32) * 1e-4).astype(type), one = near(kn::all, 0).copy();
    check(near, some);
    check(one, some.astype(kn::uint8));
    const Array odd = kn::where(some == 5, NAN, kn::where(some == 6, number % 2 == 0, one));
    check(kn::where(some == 8, -0.0, kn::where(some == 9, -INFINITY, odd)).astype(type), some);
    check(kn::full({rows}, 1.001, {.dtype = type}), some);
    check_bits(
        [&] {
          Array high = kn::full({groups}, 1.0, {.dtype = type}), low = high.copy(), all = high.copy();
          high.at(some).max(one);
          low.at(some).min(one);
          all.at(some).multiply(one);
          return std::vector{high, low, all};
        },
        0);
  }
  for (const DType type : usual_and({kn::uint8}, {kn::int8, kn::uint16, kn::int32, kn::int64, kn::uint64})) {
    check(mixed({rows}, kn::int16).astype(type), some.astype(kn::int16));
  }
  for (const DType type : usual_and({kn::complex64}, {kn::complex128})) {
    products((1 + mixed({rows}, kn::float32) * std::complex<double>(1e-4, 2e-4)).astype(type), some);
  }
  // Few rows, of one block, and of as many as fill blocks.
  for (const std::int64_t few : {1, 5, 64, 65, 128, 4096}) {
    CAPTURE(few);
    check(mixed({few}, kn::float32), kn::floor_divide(kn::arange(few), 7) % groups);
  }
  const kn::test::HostStepWork all(kn::test::any_work);
  const Array values = mixed({rows}, kn::float32), other = kn::where(number == 60'000, groups, some).eval();
  const Array fall = kn::where(number == 60'000, 3, kn::floor_divide(number, 300)).eval();
  kn::synchronize();
  CHECK_THROWS_WITH_AS(kn::segment_max(values, other, {.count = groups}).to_vector<float>(),
                       doctest::Contains("id 301 is out of range"), kn::IndexError);
  CHECK_THROWS_WITH_AS(kn::segment_prod(values, other, {.count = groups}).to_vector<float>(),
                       doctest::Contains("id 301 is out of range"), kn::IndexError);
  CHECK_THROWS_WITH_AS(kn::segment_prod(values, fall, {.count = groups, .sorted = true}).to_vector<float>(),
                       doctest::Contains("stands behind a larger one"), kn::IndexError);
}

TEST_CASE("elements of arrays that lie in memory in any way") {
  if (!does_steps()) return;
  for (const DType type : usual_and({kn::float32}, {kn::uint8, kn::float16, kn::int64})) {
    const Array x = mixed({7, 1, 5, 1, 3}, type), y = mixed({7, 15}, type), row = mixed({300}, type);
    kn::synchronize();
    check_bits([&] { return std::vector{kn::permute_dims(x, {0, 1, 2, 3, 4}) + x(0, 0, 0)}; }, 0);
    check_bits([&] { return std::vector{kn::permute_dims(x, {2, 0, 4, 3, 1}).copy(), kn::flip(y, {1}) + 1}; }, 0);
    check_bits([&] { return std::vector{kn::stack({row, row + 1, row}, {.axis = -1}), kn::repeat(row, 3)}; }, 0);
    check_bits([&] { return std::vector{kn::stack({y, y + 1}, {.axis = 1}), kn::repeat(y, 2, {.axis = 0})}; }, 0);
    check_bits([&] { return std::vector{kn::broadcast_to(y(kn::all, kn::newaxis, kn::all), {7, 4, 15}) + y(1)}; }, 0);
    check_bits(
        [&] {
          return std::vector{y(slice(none, none, 2), slice(1, none, 3)) + 1, kn::expand_dims(y, 1) * y(0)};
        },
        0);
    check_bits(
        [&] {
          Array z = kn::zeros({7, 15}, {.dtype = type});
          z(slice(none, none, 3), slice(1, none, 4)) = y(slice(none, none, 3), slice(1, none, 4)) + 1;
          return std::vector{z};
        },
        0);
  }
}

TEST_CASE("what small masks keep") {
  if (!does_steps()) return;
  for (const std::int64_t size : {1, 2, 63, 250}) {
    const Array number = kn::arange(size).eval();
    for (const std::int64_t every : {1, 2, 3, 1000}) {  // all of them, and one
      const Array mask = (number * 7 % every == 0).eval();
      kn::synchronize();
      std::vector<std::int64_t> expected;
      for (std::int64_t i = 0; i < size; ++i) {
        if (i * 7 % every == 0) expected.push_back(i);
      }
      const auto steps = kn::test::host_steps_of();
      CHECK(kn::nonzero(mask)[0].to_vector<std::int64_t>() == expected);
      CHECK(kn::nonzero(kn::logical_not(mask))[0].size() == size - static_cast<std::int64_t>(expected.size()));
      CHECK(kn::test::host_steps_of() > steps);
      for (const DType type : usual_and({kn::uint8, kn::float32, kn::complex128}, {kn::float16, kn::int64})) {
        std::vector<std::int64_t> got;
        for (const std::complex<double> value : number.astype(type).eval()(mask).to_vector<std::complex<double>>()) {
          got.push_back(static_cast<std::int64_t>(value.real()));
        }
        CHECK(got == expected);
      }
    }
  }
}

TEST_CASE("values put where positions say, of equal ones the last") {
  if (!does_steps()) return;
  const Array x = mixed({500}, kn::float32), at = (kn::arange(300) * 7919 % 200).eval(),
              half = mixed({40, 6}, kn::float16);
  const Array rows = kn::asarray({3, 0, -1, 7, 3}).eval();
  kn::synchronize();
  check_bits(
      [&] {
        Array y = x;
        y(at) = kn::arange(300).astype(kn::float32) * 2;
        return std::vector{y};
      },
      0);
  check_bits(
      [&] {
        Array y = half;
        y(rows) = kn::reshape(kn::arange(30), {5, 6}).astype(kn::float16);
        return std::vector{y};
      },
      0);
}

TEST_CASE("what the host does only in place of kernels that are not compiled yet: sorts, and what masks keep") {
  if (!does_steps()) return;
  std::vector<Array> inputs;
  for (const DType type : usual_and({kn::float32, kn::float16, kn::uint32}, {kn::float64, kn::int8})) {
    Array x = mixed({1'000}, type);
    if (kn::is_real_floating(type)) {
      const auto number = kn::arange(1'000).astype(type);
      x = kn::where(number % 97 == 3, NAN, kn::where(number % 89 == 4, -0.0, kn::where(number % 83 == 5, 0.0, x)));
    }
    inputs.push_back(x.eval());
  }
  const auto all = [&] {
    std::vector<Array> results;
    const auto add = [&](const Array& result) {
      results.push_back(result.eval());
      kn::synchronize();
    };
    for (const Array& x : inputs) {
      const Array rows = kn::reshape(x, {10, 100});
      add(x(x > 3));  // of the masks of all types together fewer than the times after which a kernel is compiled
      if (x.dtype() == kn::float32) {
        add(kn::nonzero(x > 5)[0]);
        add(kn::unique_values(x));
      }
      for (const bool descending : {false, true}) {
        add(kn::sort(rows, {.axis = 1, .descending = descending}));
        add(kn::argsort(rows, {.axis = 1, .descending = descending}));
      }
      const kn::TopkResult largest = kn::topk(rows, 5);
      add(largest.values);
      add(largest.indices);
    }
    return results;
  };
  kn::synchronize();
  const auto built = kn::test::activity_of().built;
  const std::vector<Array> host = all();
  CHECK(kn::test::activity_of().built == built);
  const HostStepWork none(0);
  check_same(host, all());
  CHECK(kn::test::activity_of().built > built);
}

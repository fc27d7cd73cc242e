// SPDX-License-Identifier: Apache-2.0
// Custom reductions and scans against plain C++.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fixed_order.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::ReductionKernel;
using kn::ScanKernel;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::kernels_of;
using kn::test::laid_out;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

/// Small whole numbers, of which sums and products of two are exact in float32.
template <class T>
std::vector<T> small(std::int64_t count) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>((i * 37) % 11 - 5));
  return values;
}

const ReductionKernel& norm() {
  static const ReductionKernel kernel(
      "T x", "T y", {.map = "x * x", .combine = "a + b", .finish = "sqrt(a)", .identity = "0"}, "norm");
  return kernel;
}

/// The largest of those below a limit, which no reduction of the library's is.
const ReductionKernel& below() {
  static const ReductionKernel kernel(
      "T x, T limit", "T y",
      {.map = "x < limit ? x : LOW", .combine = "max(a, b)", .identity = "LOW", .preamble = "#define LOW (T)(-100)"},
      "below");
  return kernel;
}

/// What is above zero replaces what came before: associative, and not commutative.
const ScanKernel& latest(bool exclusive = false) {
  static const ScanKernel kernel("T x", "T y", {.combine = "b > 0 ? b : a", .identity = "-9"}, "latest");
  static const ScanKernel before("T x", "T y", {.combine = "b > 0 ? b : a", .identity = "-9", .exclusive = true},
                                 "latest_before");
  return exclusive ? before : kernel;
}

}  // namespace

TEST_CASE("reductions over shapes, axes and layouts") {
  on_each_device([] {
    struct Sample {
      Shape shape;
      kn::Axis axis;
      Shape outer;  // results
      std::int64_t outside, count, inside;
    };
    const Sample samples[] = {{{}, kn::none, {}, 1, 1, 1},
                              {{1}, 0, {}, 1, 1, 1},
                              {{7}, 0, {}, 1, 7, 1},
                              {{100'003}, kn::none, {}, 1, 100'003, 1},
                              {{5, 600}, 1, {5}, 5, 600, 1},
                              {{600, 37}, 0, {37}, 1, 600, 37},
                              {{6, 50, 9}, 1, {6, 9}, 6, 50, 9},
                              {{300, 5}, 1, {300}, 300, 5, 1},
                              {{0, 3}, 1, {0}, 0, 3, 1},
                              {{3, 0}, 1, {3}, 3, 0, 1},
                              {{3, 0}, kn::none, {}, 1, 0, 1}};
    for (const Sample& s : samples) {
      CAPTURE(kn::to_string(s.shape));
      const auto xs = small<float>(s.shape.elements());
      std::vector<float> norms, most;
      for (std::int64_t o = 0; o < s.outside; ++o) {
        for (std::int64_t i = 0; i < s.inside; ++i) {
          double sum = 0;
          float high = -100;
          for (std::int64_t k = 0; k < s.count; ++k) {
            const float v = xs[static_cast<std::size_t>((o * s.count + k) * s.inside + i)];
            sum += v * v;
            if (v < 3) high = std::max(high, v);
          }
          norms.push_back(std::sqrt(static_cast<float>(sum)));
          most.push_back(high);
        }
      }
      for (const unsigned way : {0u, 2u}) {
        // Of columns, and of an axis between others.
        if (way == 2 && s.inside < 9 && kn::test::without_variants("rows with their axes turned")) continue;
        const Array x = laid_out(kn::asarray(xs, s.shape), way);
        check_array<float>(norm()(x, {.axis = s.axis}), s.outer, norms);
        if ((way == 0 && s.count == 600) || kn::test::all_variants()) {
          check_array<float>(below()(x, 3, {.axis = s.axis}), s.outer, most);
        }
        CHECK(norm()(x, {.axis = s.axis, .keepdims = true}).ndim() == x.ndim());
      }
    }
  });
}

TEST_CASE("reductions of several types, and an accumulator of its own") {
  on_each_device([] {
    const ReductionKernel sum("T x", "T y", {.combine = "a + b", .identity = "0"}, "my_sum");
    for (const kn::DType type : kn::test::usual_and({kn::float16, kn::complex64},
                                                    {kn::int8, kn::int16, kn::int32, kn::int64, kn::uint8, kn::uint16,
                                                     kn::uint32, kn::uint64, kn::bfloat16, kn::float32, kn::float64})) {
      if (!kn::test::computes(type)) continue;
      CAPTURE(kn::name(type));
      const Array x = kn::asarray(std::vector<float>(120, 1), {3, 40}, type);
      const Array y = sum(x, {.axis = 1});
      CHECK(y.dtype() == type);
      using C = std::complex<float>;
      check_array<C>(y, {3}, {40, 40, 40});
      check_array<C>(sum(x, {.axis = 0}), {40}, std::vector<C>(40, 3));
    }
    const ReductionKernel parity("bool x", "bool y", {.combine = "a != b", .identity = "false"}, "parity");
    std::vector<bool> bits;
    for (int k = 0; k < 3 * 1001; ++k) bits.push_back(k % 3 == 0);
    const Array odd = kn::asarray(bits, {3, 1001}).eval();
    check_array<bool>(parity(odd, {.axis = 1}), {3}, {334 % 2 == 1, 334 % 2 == 1, 333 % 2 == 1});
    // Bytes that are added up in 32 bits, and given as 64.
    const ReductionKernel wide("uchar x", "long y", {.combine = "a + b", .identity = "0", .accumulator = "int"},
                               "wide");
    const Array bytes = kn::full({70'000}, 200, {.dtype = kn::uint8}).eval();
    CHECK(wide(bytes).item<std::int64_t>() == 14'000'000);
    check_array<std::int64_t>(wide(kn::reshape(bytes, {700, 100}), {.axis = 0}), {100},
                              std::vector<std::int64_t>(100, 140'000));
    // Of complex numbers, whose product has an identity of its own.
    const ReductionKernel product(
        "complex64 x", "complex64 y",
        {.combine = "(float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)", .identity = "(float2)(1, 0)"}, "product");
    using C = std::complex<float>;
    check_array<C>(product(kn::asarray(std::vector<C>{{1, 2}, {0, -1}, {3, 0}})), {}, {C(1, 2) * C(0, -1) * C(3, 0)});
    CHECK(product(kn::zeros({0}, {.dtype = kn::complex64})).item<C>() == C(1, 0));
  });
}

TEST_CASE("a reduction of several inputs with positions, finished as others write it") {
  on_each_device([] {
    const ReductionKernel distance(
        "T x, T y", "T d", {.map = "(x - y) * (x - y)", .combine = "a + b", .finish = "d = sqrt(a)", .identity = "0"},
        "distance");
    const Array x = kn::asarray(std::vector{3.0f, 0.0f, 1.0f}), y = kn::asarray(std::vector{0.0f, 4.0f, 1.0f});
    CHECK(distance(x, y).item<float>() == 5.0f);
    CHECK(distance(x, 1.0f).item<float>() == std::sqrt(5.0f));
    const ReductionKernel first(
        "float x", "long y", {.map = "x > 0 ? i : n", .combine = "min(a, b)", .identity = "LONG_MAX"}, "first_above");
    CHECK(first(kn::asarray(std::vector{-1.0f, 0.0f, 2.0f, 3.0f})).item<std::int64_t>() == 2);
    CHECK(first(kn::asarray(std::vector{-1.0f, 0.0f})).item<std::int64_t>() == 2);
  });
}

TEST_CASE("reductions share kernels as the library's own do") {
  on_each_device([] {
    const Array x = kn::asarray(small<float>(64 * 600), {64, 600}).eval();
    CHECK(kernels_of(norm()(x * 2 + 1, {.axis = 1})) == kernels_of(kn::sum(x * 2 + 1, {.axis = 1})));
    // What reads each row's result shares its kernel.
    const ReductionKernel sum("T x", "T y", {.combine = "a + b", .identity = "0"}, "my_sum");
    const Array unit = x / norm()(x, {.axis = 1, .keepdims = true});
    CHECK(kernels_of(unit) == 1);
    const auto xs = x.to_vector<float>();
    std::vector<float> expected;
    for (std::size_t row = 0; row < 64; ++row) {
      float total = 0;
      for (std::size_t k = 0; k < 600; ++k) total += xs[row * 600 + k] * xs[row * 600 + k];
      for (std::size_t k = 0; k < 600; ++k) expected.push_back(xs[row * 600 + k] / std::sqrt(total));
    }
    check_array<float>(unit, {64, 600}, expected);
    // A short one is a loop in its reader.
    const Array narrow = kn::asarray(small<float>(50 * 7), {50, 7}).eval();
    const Array twice = sum(narrow, {.axis = 1}) * 2;
    CHECK(kernels_of(twice) == 1);
    const auto ns = narrow.to_vector<float>();
    std::vector<float> sums(50, 0.0f);
    for (std::size_t k = 0; k < ns.size(); ++k) sums[k / 7] += 2 * ns[k];
    check_array<float>(twice, {50}, sums);
  });
}

TEST_CASE("reproducible scopes keep to the documented tree, of whole numbers too") {
  on_each_device([] {
    const ReductionKernel sum("T x", "T y", {.combine = "a + b", .identity = "0"}, "my_sum");
    // Means of two, rounded: the order shows. Zeros are none.
    const ReductionKernel middle("int x", "int y",
                                 {.combine = "a == 0 ? b : b == 0 ? a : (a + b) / 2", .identity = "0"}, "middle");
    std::vector<float> xs;
    std::vector<std::int32_t> ks;
    for (int k = 0; k < 10'000; ++k) {
      xs.push_back(1.0f / static_cast<float>(k + 1));
      ks.push_back((k * 7919) % 10'007);
    }
    const auto mean = [](std::int32_t a, std::int32_t b) { return a == 0 ? b : b == 0 ? a : (a + b) / 2; };
    const kn::reproducible scope;
    CHECK(sum(kn::asarray(xs)).item<float>() == kn::test::fixed_sum(xs));
    CHECK(middle(kn::asarray(ks)).item<std::int32_t>() == kn::test::fixed_tree<std::int32_t>(ks, 0, mean));
    std::vector<float> columns(100, 0.0f);
    std::vector<std::vector<float>> each(100);
    for (std::size_t k = 0; k < xs.size(); ++k) each[k % 100].push_back(xs[k]);
    for (std::size_t k = 0; k < 100; ++k) columns[k] = kn::test::fixed_sum(each[k]);
    check_array<float>(sum(kn::asarray(xs, {100, 100}), {.axis = 0}), {100}, columns);
  });
}

TEST_CASE("scans over shapes, axes and layouts, inclusive and exclusive") {
  on_each_device([] {
    struct Sample {
      Shape shape;
      std::int64_t axis, outside, count, inside;
    };
    const Sample samples[] = {
        {{0}, 0, 1, 0, 1},        {{1}, 0, 1, 1, 1},          {{17}, 0, 1, 17, 1},          {{20'000}, 0, 1, 20'000, 1},
        {{5, 300}, 1, 5, 300, 1}, {{300, 64}, 0, 1, 300, 64}, {{9000, 40}, 0, 1, 9000, 40}, {{4, 33, 5}, 1, 4, 33, 5},
        {{3, 0}, 0, 1, 3, 0}};
    for (const Sample& s : samples) {
      CAPTURE(kn::to_string(s.shape));
      const auto xs = small<std::int32_t>(s.shape.elements());
      std::vector<std::int32_t> inclusive(xs.size()), exclusive(xs.size());
      for (std::int64_t o = 0; o < s.outside; ++o) {
        for (std::int64_t i = 0; i < s.inside; ++i) {
          std::int32_t last = -9;
          for (std::int64_t k = 0; k < s.count; ++k) {
            const auto at = static_cast<std::size_t>((o * s.count + k) * s.inside + i);
            exclusive[at] = last;
            if (xs[at] > 0) last = xs[at];
            inclusive[at] = last;
          }
        }
      }
      if (s.count == 17 && kn::test::without_variants("short ones")) continue;
      for (const unsigned way : kn::test::usual_and({0u, 2u}, {1u})) {
        CAPTURE(way);
        if (way == 2 && s.inside != 5 && kn::test::without_variants("axes turned")) continue;
        const Array x = laid_out(kn::asarray(xs, s.shape), way);
        check_array<std::int32_t>(latest()(x, {.axis = s.axis}), s.shape, inclusive);
        // Which of the two it is shows at the ends of loops, whatever the layout.
        if ((way == 0 && s.shape.elements() >= 20'000) || kn::test::all_variants()) {
          check_array<std::int32_t>(latest(true)(x, {.axis = s.axis}), s.shape, exclusive);
        }
      }
    }
  });
}

TEST_CASE("scans of several types, of expressions, with a map") {
  on_each_device([] {
    const ScanKernel sums("T x", "T y", {.combine = "a + b", .identity = "0"}, "my_sums"),
        before("T x", "T y", {.combine = "a + b", .identity = "0", .exclusive = true}, "sums_before");
    for (const kn::DType type : kn::test::usual_and(
             {kn::complex64}, {kn::bfloat16, kn::int16, kn::int64, kn::uint8, kn::float16, kn::float32, kn::float64})) {
      if (!kn::test::computes(type)) continue;
      CAPTURE(kn::name(type));
      for (const Shape& shape : {Shape{60}, Shape{60, 40}}) {
        using C = std::complex<float>;
        const Array x = kn::asarray(std::vector<float>(static_cast<std::size_t>(shape.elements()), 1), shape, type);
        CHECK(sums(x, {.axis = 0}).dtype() == type);
        const auto expected =
            kn::test::by_position<C>(shape, [](const Shape& p) { return static_cast<float>(p[0] + 1); });
        check_array<C>(sums(x, {.axis = 0}), shape, expected);
        auto exclusive = expected;
        for (C& value : exclusive) value -= 1;
        check_array<C>(before(x, {.axis = 0}), shape, exclusive);
      }
    }
    const ScanKernel dots("float x, float y", "float z", {.map = "x * y", .combine = "a + b", .identity = "0"}, "dots");
    const Array x = kn::asarray(std::vector{1.0f, 2.0f, 3.0f}).eval();
    const Array z = dots(x + 1, x);
    CHECK(kernels_of(z) == 1);
    check_array<float>(z, {3}, {2, 8, 20});
  });
}

TEST_CASE("wrong reductions and scans") {
  on_each_device([] {
    const auto reduction = [](const kn::ReductionTexts& texts, const char* inputs = "T x", const char* output = "T y") {
      return message_of<kn::ValueError>([&] { ReductionKernel(inputs, output, texts, "r"); });
    };
    CHECK(has(reduction({.combine = "a + b"}), "[r] needs an .identity"));
    CHECK(has(reduction({.identity = "0"}), "[r] needs a .combine"));
    CHECK(has(reduction({.combine = "a + b", .identity = "0"}, "T x, T z"), "[r] needs a .map"));
    CHECK(has(reduction({.combine = "a + b", .identity = "0"}, "T x", "T y, T z"), "[r] has one output, got 2"));
    CHECK(has(reduction({.combine = "a + b;", .identity = "0"}), ".combine \"a + b;\", character 6: ';' has no place"));
    CHECK(has(reduction({.combine = "a, b", .identity = "0"}), "',' stands between two expressions"));
    CHECK(has(reduction({.combine = "(a + b", .identity = "0"}), "'(' is not closed"));
    CHECK(has(reduction({.combine = "a + b", .identity = "0", .accumulator = "flaot"}),
              ".accumulator: 'flaot' is not a type"));
    CHECK(has(reduction({.combine = "a + b", .identity = "0", .accumulator = "U"}), "the type U of .accumulator"));
    CHECK(has(message_of<kn::ValueError>([] { ScanKernel("T x", "T y", {.combine = "a + b"}, "s"); }),
              "[s] needs an .identity"));
    const Array x = kn::ones({3, 4});
    CHECK(has(message_of<kn::IndexError>([&] { norm()(x, {.axis = 2}); }), "[norm] "));
    CHECK(has(message_of<kn::ValueError>([&] { norm()(x, x); }), "[norm] takes 1 argument (T x), got 2"));
    CHECK(has(message_of<kn::ValueError>([&] { latest()(x); }), "[latest] needs an .axis for shape (3, 4)"));
    CHECK(has(message_of<kn::ValueError>([&] { latest()(kn::ones({})); }), "[latest] takes one dimension or more"));
    CHECK(has(message_of<kn::IndexError>([&] { latest()(x, {.axis = 2}); }), "[latest] "));
    const ReductionKernel real("complex64 x", "float y", {.combine = "a + b", .identity = "0"}, "real_sum");
    CHECK(has(message_of<kn::DTypeError>([&] { real(kn::ones({3}, {.dtype = kn::complex64})); }),
              "[real_sum] combines values of type float32"));
    const ReductionKernel wrong("float x", "float y", {.combine = "a + q", .identity = "0"}, "wrong_sum");
    const std::string what = message_of<kn::KernelBuildError>([&] { wrong(x).eval(); });
    CAPTURE(what);
    CHECK(has(what, "wrong_sum.combine:1:5: "));
    CHECK(has(what, "> 1 | a + q\n    |     ^\n"));
  });
}

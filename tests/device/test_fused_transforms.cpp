// SPDX-License-Identifier: Apache-2.0
// Element-wise code around a transform, in the transform's kernels on cards: values are those of sums in long double,
// have the bits of what is stored in between, and kernels are counted.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/fourier.hpp"
#include "support/inner.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::kernels_of;
using kn::test::on_each_device;
using kn::test::usual_and;

namespace {

/// Whether a card's kernels transform, rather than a CPU's or the host.
bool by_card_kernels() { return !kn::test::facts_of().cpu_loops; }

Array signals(const Shape& shape) { return kn::asarray(kn::test::complex_noise<float>(shape.elements(), 5), shape); }
Array reals(const Shape& shape, unsigned seed = 6) {
  return kn::asarray(kn::test::noise<float>(shape.elements(), seed), shape);
}

std::vector<std::complex<float>> values_of(const Array& x) { return x.to_vector<std::complex<float>>(); }

/// Stores an array, or leaves it to what reads it.
using Stored = std::function<Array(const Array&)>;

/// What `make` comes to has the same bits whether what it stores through its argument is stored or not, and takes no
/// kernel beside those of `transforms`.
void check_same(const std::string& what, const std::function<Array(const Stored&)>& make, std::int64_t transforms) {
  CAPTURE(what);
  const std::vector<std::complex<float>> apart = values_of(make([](const Array& x) { return x.eval(); }));
  for (int round = 0; round < 3; ++round) {  // the plan is kept and followed
    const Array together = make([](const Array& x) { return x; });
    const std::int64_t kernels = kernels_of(together);
    if (by_card_kernels()) CHECK(kernels == transforms);
    CHECK(values_of(together) == apart);
  }
}

struct Lines {
  Shape shape;
  std::int64_t axis;
};

}  // namespace

TEST_CASE("what is made before and after a transform takes no kernel of its own") {
  on_each_device([] {
    // One step, steps of columns, a convolution in several kernels; two steps, a convolution in one.
    for (const Lines& lines :
         usual_and<Lines>({{{3, 60}, 1}, {{64, 5}, 0}, {{4099}, 0}}, {{{8192}, 0}, {{2, 97}, 1}})) {
      const std::int64_t n = lines.shape[static_cast<std::size_t>(lines.axis)], axis = lines.axis;
      CAPTURE(n);
      const kn::fft::FftOptions along{.axis = axis};
      const Array x = signals(lines.shape).eval();
      const Shape line = axis == 0 && lines.shape.size() == 2 ? Shape{n, 1} : Shape{n};
      const Array window = reals(line).eval(), filter = signals(lines.shape).eval();
      const std::int64_t one = kernels_of(kn::fft::fft(x, along));
      const auto fft = [&](const Array& a) { return kn::fft::fft(a, along); };
      check_same(
          "a window", [&](const Stored& s) { return fft(s(x * window)); }, one);
      check_same(
          "a power", [&](const Stored& s) { return kn::pow(kn::abs(s(fft(x))), 2); }, one);
      check_same(
          "a filter", [&](const Stored& s) { return kn::fft::ifft(s(s(fft(x)) * filter), along); }, 2 * one);
    }
  });
}

TEST_CASE("real transforms, both ends, and what is as short as numbers are") {
  on_each_device([] {
    const Array x = reals({4, 90}).eval(), window = reals({90}, 8).eval();
    const Array filter = reals({46}, 9).eval(), half = kn::asarray(x.to_vector<float>(), x.shape(), kn::float16);
    const std::int64_t one = kernels_of(kn::fft::rfft(x));
    check_same(
        "a spectrum", [&](const Stored& s) { return kn::square(kn::abs(s(kn::fft::rfft(s(x * window))))); }, one);
    check_same(
        "a filter", [&](const Stored& s) { return kn::fft::irfft(s(s(kn::fft::rfft(x)) * filter)); }, 2 * one);
    check_same(
        "continued", [&](const Stored& s) { return kn::fft::irfft(s(x.astype(kn::complex64) + 1), {.n = 200}); }, 1);
    check_same(
        "float16", [&](const Stored& s) { return kn::fft::fft(s(half.astype(kn::complex64))); }, 1);
    check_same(
        "to float16", [&](const Stored& s) { return kn::abs(s(kn::fft::rfft(x))).astype(kn::float16); }, 1);
    CHECK(kn::fft::fft(half).dtype() == kn::complex64);
    if (kn::test::without_variants("cut transforms, and halves of float16")) return;
    check_same(
        "cut and scaled", [&](const Stored& s) { return s(kn::fft::rfft(s(2 * x), {.n = 64, .norm = "ortho"})) / 3; },
        1);
    check_same(
        "float16, a half", [&](const Stored& s) { return kn::fft::rfft(s(half.astype(kn::float32))); }, 1);
  });
}

TEST_CASE("filtered signals are sums") {
  on_each_device([] {
    for (const std::int64_t n : {60, 97}) {
      const auto values = kn::test::complex_noise<float>(n, 1), factors = kn::test::complex_noise<float>(n, 2);
      const auto weights = kn::test::noise<float>(n, 3);
      std::vector<kn::test::WideComplex> wide;
      for (std::size_t i = 0; i < values.size(); ++i)
        wide.push_back(kn::test::WideComplex(values[i]) * (long double)weights[i]);
      wide = kn::test::sums_of(wide, n, false);
      for (std::size_t i = 0; i < values.size(); ++i) wide[i] *= kn::test::WideComplex(factors[i]);
      wide = kn::test::sums_of(wide, n, true);
      const Array made = kn::fft::ifft(kn::fft::fft(kn::asarray(values) * kn::asarray(weights)) * kn::asarray(factors),
                                       {.norm = "forward"});
      // Two transforms, each within its bound.
      CHECK(kn::test::part_of_bound<float>(kn::test::widened_list<std::complex<float>>(made), wide, n) <= 2);
    }
  });
}

TEST_CASE("what somebody else wants, too, is stored") {
  on_each_device([] {
    const Array x = signals({3, 60}).eval(), window = reals({60}).eval();
    const auto given = values_of(x * window), expected = values_of(kn::fft::fft((x * window).eval()));
    const Array weighted = x * window, spectrum = kn::fft::fft(weighted), power = kn::abs(spectrum);
    const auto powers = values_of(power);
    CHECK(values_of(spectrum) == expected);
    CHECK(values_of(weighted) == given);
    CHECK(powers == values_of(kn::abs(spectrum.eval())));
    // Of two in one evaluation, and of one that another kernel reads.
    const Array first = kn::fft::fft(x * window), second = kn::fft::fft(x * (2 * window));
    kn::eval({first, second});
    CHECK(values_of(first) == expected);
    if (kn::test::without_variants("sums of two transforms")) return;
    const Array both = kn::fft::fft(x * window) + kn::fft::fft(x + 1) * window;
    CHECK(values_of(both) == values_of(first.eval() + kn::fft::fft((x + 1).eval()).eval() * window));
    const Array sum = kn::fft::fft(x * window) + kn::sum(x * window, {.axis = 1, .keepdims = true});
    CHECK(values_of(sum) ==
          values_of(first.eval() + kn::sum((x * window).eval(), {.axis = 1, .keepdims = true}).eval()));
  });
}

TEST_CASE("what moves elements stands before or behind transforms") {
  on_each_device([] {
    const Array x = signals({24, 60}).eval();
    const auto fft = [](const Array& a) { return kn::fft::fft(a); };
    const auto check = [&](const std::function<Array(const Stored&)>& make) {
      CHECK(values_of(make([](const Array& a) { return a; })) ==
            values_of(make([](const Array& a) { return a.eval(); })));
    };
    check([&](const Stored& s) { return fft(s(x.T() * 2)); });
    check([&](const Stored& s) { return kn::fft::fftshift(kn::abs(s(fft(x)))); });
    check([&](const Stored& s) { return kn::fft::ifft2(s(kn::fft::fft2(s(x * 2)) * x)); });
    check([&](const Stored& s) { return fft(s(kn::sum(x, 0) * x)); });
    if (kn::test::without_variants()) return;
    check([&](const Stored& s) { return fft(s(kn::roll(x, 7, {.axis = 1}) + x)); });
    check([&](const Stored& s) { return s(fft(x)).T() * x.T(); });
    check([&](const Stored& s) { return fft(s(kn::flip(x, {1}) + 1)); });
    check([&](const Stored& s) { return kn::reshape(s(fft(x)), {12, 120}) * 2 + 1; });
  });
}

TEST_CASE("a plan says what goes into a transform") {
  on_each_device([] {
    if (!by_card_kernels()) return;
    const Array x = signals({3, 60}).eval(), window = reals({60}).eval();
    const Array power = kn::abs(kn::fft::fft(x * window));
    const std::string text = kn::explain(power);
    CAPTURE(text);
    CHECK(text.find("1 step,") != std::string::npos);
    CHECK(text.find("abs_fft_mul") != std::string::npos);
  });
}

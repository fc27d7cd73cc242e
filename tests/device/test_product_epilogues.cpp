// SPDX-License-Identifier: Apache-2.0
// What is made of a matrix product element by element, in the product's kernel: values have the bits of a product that
// is stored and read again, and kernels are counted.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/devices.hpp"
#include "support/fourier.hpp"
#include "support/inner.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::kernels_of;
using kn::test::on_each_device;
using kn::test::usual_and;
using kn::test::without_variants;

namespace {

using Made = std::function<Array(const Array& product)>;

Array numbers(const kn::Shape& shape, unsigned seed, kn::DType type = kn::float32) {
  return kn::asarray(kn::test::noise<double>(shape.elements(), seed), shape, type);
}

std::vector<double> values_of(const Array& x) { return x.to_vector<double>(); }

/// Whether a card's kernel stores products of this kind, rather than a CPU's or a library of the host's.
bool by_card_kernels() { return !kn::test::facts_of().cpu_loops; }

/// Whatever is made of the product has the same bits where that was stored before, and takes no kernel of its own.
void check_same(const Array& a, const Array& b, const Made& make) {
  const Array product = kn::matmul(a, b);
  const std::int64_t alone = kernels_of(product), apart = alone + 1;
  const Array expected = make(product);
  const Array made = make(kn::matmul(a, b));
  const std::int64_t kernels = kernels_of(made);
  CHECK(kernels <= apart);
  if (by_card_kernels()) CHECK(kernels == alone);
  CHECK(made.dtype() == expected.dtype());
  CHECK(made.shape() == expected.shape());
  CHECK(values_of(made) == values_of(expected));
}

struct Sizes {
  kn::Shape a, b;
};
const Sizes tiles = {{70, 33}, {33, 65}}, few_columns = {{4200, 12}, {12, 8}};

}  // namespace

TEST_CASE("biases, scales, residuals and activations take no kernel beside a product's") {
  on_each_device([] {
    // Tiles, few columns, a vector, one whose depth is split, batches; few rows, more batches.
    const std::vector<Sizes> all_sizes = usual_and<Sizes>(
        {tiles, few_columns, {{3000, 40}, {40, 1}}, {{2, 30'000}, {30'000, 1}}, {{3, 70, 17}, {3, 17, 70}}},
        {{{9, 13}, {13, 4200}}, {{5, 1, 70, 17}, {3, 17, 33}}});
    for (const Sizes& sizes : all_sizes) {
      const Array a = numbers(sizes.a, 1), b = numbers(sizes.b, 2);
      const kn::Shape shape = kn::matmul(a, b).shape();
      CAPTURE(kn::matmul(a, b).shape().elements());
      const Array row = numbers({shape.back()}, 3), column = numbers({shape[shape.size() - 2], 1}, 4);
      const Array whole = numbers(shape, 5);
      check_same(a, b, [&](const Array& p) { return kn::maximum(p + row, 0); });
      // What reads whole rows and single columns is told apart in one place for all kernels.
      if (&sizes == &all_sizes.front() || kn::test::all_variants()) {
        check_same(a, b, [&](const Array& p) { return whole - 0.1 * (p + column); });
      }
    }
  });
}

TEST_CASE("a product is stored where somebody else wants it, too") {
  on_each_device([] {
    const Array a = numbers({70, 33}, 1), b = numbers({33, 65}, 2), row = numbers({65}, 3);
    const Array product = kn::matmul(a, b), biased = product + row;
    const std::vector<double> first = values_of(biased), second = values_of(product);
    CHECK(values_of(product + row) == first);
    CHECK(values_of(kn::matmul(a, b)) == second);
    if (without_variants("products that two places read")) return;
    // Read at two places, and by what is no element-wise code.
    const Array turned = kn::matmul(a, a.T());
    CHECK(values_of(kn::matmul(a, a.T()) + kn::flip(kn::matmul(a, a.T()), {0})) ==
          values_of(turned.eval() + kn::flip(turned, {0})));
    const Array again = kn::matmul(a, b);
    const Array sum = kn::sum(again, 0) + (again + row);
    CHECK(values_of(sum) == values_of(kn::sum(product, 0) + (product + row)));
  });
}

TEST_CASE("of several products in one expression one takes the rest") {
  on_each_device([] {
    const Array a = numbers({70, 33}, 1), b = numbers({33, 65}, 2), c = numbers({70, 20}, 3), d = numbers({20, 65}, 4);
    const Array first = kn::matmul(a, b), second = kn::matmul(c, d);
    const std::int64_t alone = kernels_of(first) + kernels_of(second);
    const Array sum = kn::matmul(a, b) * 2 + kn::matmul(c, d);
    const std::int64_t kernels = kernels_of(sum);
    if (by_card_kernels()) CHECK(kernels == alone);
    CHECK(values_of(sum) == values_of(first * 2 + second));
    if (without_variants("products of what products are made to")) return;
    // One whose operand is what the other is made to.
    const Array hidden = kn::maximum(kn::matmul(a, b), 0);
    const Array chained = kn::matmul(hidden, b.T()) * 0.5 + kn::matmul(a, kn::matmul(b, b.T()) - 1);
    const Array stored = kn::maximum(first, 0);
    const Array expected =
        kn::matmul(stored, b.T()).eval() * 0.5 + kn::matmul(a, (kn::matmul(b, b.T()).eval() - 1).eval()).eval();
    CHECK(values_of(chained) == values_of(expected));
  });
}

TEST_CASE("products of 16 bits are rounded before anything is made of them") {
  on_each_device([] {
    for (const kn::DType type : usual_and({kn::float16}, {kn::bfloat16})) {
      const Array a = numbers({70, 33}, 1, type), b = numbers({33, 65}, 2, type), row = numbers({65}, 3, type);
      check_same(a, b, [&](const Array& p) { return kn::maximum(p * 3 + row, 0); });
      if (kn::test::all_variants()) check_same(a, b, [](const Array& p) { return p.astype(kn::float32) * 3; });
    }
    const Array a = numbers({70, 33}, 1), b = numbers({33, 65}, 2);
    check_same(a, b, [](const Array& p) { return p.astype(kn::float16); });
    if (without_variants("products that are made bool_")) return;
    check_same(a, b, [](const Array& p) { return p > 0; });
  });
}

TEST_CASE("epilogues read what lies anyhow, positions, and functions of any kind") {
  on_each_device([] {
    const Array a = numbers({70, 33}, 1), b = numbers({33, 65}, 2), other = numbers({65, 70}, 3);
    const Array wide = numbers({140, 195}, 4);
    // In float64, of which vectors are short: PoCL's functions have other bits for each length.
    check_same(a, b,
               [&](const Array& p) { return kn::where(p > other.T(), kn::tanh(p), kn::exp(-p)).astype(kn::float64); });
    check_same(a, b, [&](const Array& p) {
      return p / wide(kn::slice(kn::none, kn::none, 2), kn::slice(kn::none, kn::none, -3));
    });
    check_same(a, b, [&](const Array& p) { return kn::reshape(p, {7, 10, 65}) * kn::arange(65); });
    if (without_variants("masks, rolls and reductions beside a product")) return;
    check_same(a, b, [&](const Array& p) { return kn::where(kn::tril(kn::ones({70, 65})) > 0, p, -1); });
    // Rolled and short reductions beside: stored first.
    const Array mean = kn::mean(wide(kn::slice(0, 70), kn::slice(0, 8)), {.axis = 1, .keepdims = true});
    const Array expected = kn::matmul(a, b).eval() - mean + kn::roll(other.T(), 3, 1);
    CHECK(values_of(kn::matmul(a, b) - mean + kn::roll(other.T(), 3, 1)) == values_of(expected));
  });
}

TEST_CASE("products of great depth go on where the sums of their blocks are added up") {
  on_each_device([] {
    const Array a = numbers({6, 20'000}, 1), b = numbers({20'000, 40}, 2), whole = numbers({6, 40}, 3);
    const Array product = kn::matmul(a, b);
    const std::int64_t alone = kernels_of(product);
    const Array made = whole - 0.1 * kn::matmul(a, b);
    const std::int64_t kernels = kernels_of(made);
    if (by_card_kernels()) CHECK(kernels == alone);
    CHECK(values_of(made) == values_of(whole - 0.1 * product));
    if (without_variants("a row beside a product of great depth")) return;
    // A row beside is read by a kernel of its own.
    const Array row = numbers({40}, 4);
    CHECK(values_of(kn::matmul(a, b) + row) == values_of(product + row));
  });
}

// Where a program of the device's own is refused, the kernel in its place may cut the depth into blocks.
TEST_CASE("biases of products whose tiles are few") {
  on_each_device([] {
    for (const auto& [m, k, n] : usual_and<std::array<std::int64_t, 3>>({{65, 2048, 65}}, {{700, 333, 707}})) {
      const Array a = numbers({m, k}, 1), b = numbers({k, n}, 2), row = numbers({n}, 3);
      const Array product = kn::matmul(a, b).eval();
      CHECK(values_of(kn::maximum(kn::matmul(a, b) + row, 0)) == values_of(kn::maximum(product + row, 0)));
    }
  });
}

TEST_CASE("in reproducible scopes, too") {
  on_each_device([] {
    const kn::reproducible scope;
    for (const Sizes& sizes : usual_and<Sizes>({tiles}, {few_columns})) {
      const Array a = numbers(sizes.a, 1), b = numbers(sizes.b, 2), row = numbers({sizes.b.back()}, 3);
      check_same(a, b, [&](const Array& p) { return kn::exp(p * 0.1) + row; });
    }
  });
}

TEST_CASE("a network of two layers is two kernels forwards") {
  on_each_device([] {
    const Array x = numbers({80, 70}, 1), w1 = numbers({70, 65}, 2), b1 = numbers({65}, 3), w2 = numbers({65, 40}, 4),
                b2 = numbers({40}, 5);
    const auto forward = [&](const Made& stored) {
      const Array hidden = kn::maximum(stored(kn::matmul(x, w1)) + b1, 0);
      return stored(kn::matmul(hidden, w2)) + b2;
    };
    const Array expected = forward([](const Array& p) { return p.eval(); });
    const Array result = forward([](const Array& p) { return p; });
    const std::int64_t kernels = kernels_of(result);
    if (by_card_kernels()) CHECK(kernels == 2);
    CHECK(values_of(result) == values_of(expected));
  });
}

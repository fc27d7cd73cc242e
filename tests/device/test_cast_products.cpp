// SPDX-License-Identifier: Apache-2.0
// Products of operands that are cast: the kernel that multiplies reads what they are cast from. Values have the bits of
// a cast by itself, made here by conversions of the host's, and kernels are counted.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/cast_products.hpp"
#include "support/devices.hpp"
#include "support/fourier.hpp"
#include "support/inner.hpp"
#include "support/products.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::DType;
using kn::slice;
using kn::test::cast_before;
using kn::test::kernels_of;
using kn::test::on_each_device;
using kn::test::Way;
using kn::test::without_variants;

namespace {

/// Whether products of float32 and float64 run in kernels of a card's.
bool by_card_kernels() { return !kn::test::facts_of().cpu_loops; }

/// A product of what is stored in one type and multiplied in another against plain loops; small whole numbers, whose
/// sums are exact in any order.
template <class S, class T>
void check_product(const Array& a, const Array& b, DType b_type) {
  CAPTURE(a.shape());
  CAPTURE(b.shape());
  const DType type = kn::dtype_of<T>;
  const std::int64_t m = a.shape(-2), k = a.shape(-1), n = b.shape(-1);
  const kn::Shape shape = kn::matmul(a.astype(type), b.astype(type)).shape();
  kn::Shape batch = shape;
  batch.erase(batch.size() - 1);
  batch.erase(batch.size() - 1);
  const auto spread = [&](const Array& x, std::int64_t rows, std::int64_t columns) {
    kn::Shape full = batch;
    full.push_back(rows);
    full.push_back(columns);
    return kn::broadcast_to(x, full).template to_vector<T>();
  };
  const std::vector<T> av = spread(a, m, k), bv = spread(b, k, n);
  std::vector<T> expected;
  for (std::int64_t i = 0; i < batch.elements() * m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      expected.push_back(kn::test::multiply(av, i * k, bv, i / m * k * n + j, n, k));
    }
  }
  const Array left = a.astype(type), right = b_type == type ? b : b.astype(type);
  kn::test::check_array(kn::matmul(left, right), shape, expected);
}

/// Of the devices that test a pair in every run, and of all where all variants are asked for.
template <class S, class T>
void check_layouts(bool usual_on_cards, bool usual_on_cpus) {
  on_each_device(kn::dtype_of<T>, [&] {
    const bool usual = by_card_kernels() ? usual_on_cards : usual_on_cpus;
    if (!usual && without_variants("casts that other pairs of types stand for")) return;
    const DType type = kn::dtype_of<T>;
    const auto check = [&](const kn::Shape& a, Way a_way, const kn::Shape& b, Way b_way) {
      // A card's kernels are the same for all strides; the copies that references are made of are not.
      const bool plain = a_way == Way::contiguous && b_way == Way::contiguous && a.size() == 2;
      if (!plain && by_card_kernels() && !kn::test::all_variants()) return;
      check_product<S, T>(kn::test::matrix<S>(a, a_way), kn::test::matrix<T>(b, b_way), type);
    };
    check({67, 64}, Way::transposed, {64, 63}, Way::contiguous);
    check({13, 40}, Way::contiguous, {40, 34}, Way::transposed);
    check({30, 21}, Way::stepped, {21, 40}, Way::stepped);
    check({30, 21}, Way::repeated, {21, 40}, Way::repeated);
    check({9, 0}, Way::contiguous, {0, 5}, Way::contiguous);
    check({9, 1}, Way::contiguous, {1, 5}, Way::contiguous);
    check({30, 21}, Way::contiguous, {21, 40}, Way::contiguous);
    check({4200, 12}, Way::contiguous, {12, 8}, Way::contiguous);
    check({4200, 20}, Way::stepped, {20, 4}, Way::repeated);
    check({3, 10, 11}, Way::transposed, {11, 12}, Way::contiguous);
    check({2, 1, 3, 6, 5}, Way::contiguous, {4, 1, 5, 7}, Way::stepped);
    check({40, 1, 600}, Way::contiguous, {40, 600, 3}, Way::transposed);
    if (by_card_kernels() && !kn::test::all_variants()) return;
    // Both operands, of which neither has the product's type.
    check_product<S, T>(kn::test::matrix<S>({14, 60}, Way::contiguous), kn::test::matrix<S>({60, 9}, Way::contiguous),
                        kn::dtype_of<S>);
    // Views of what is cast, from an offset that is no multiple of four, backwards and in another shape.
    const Array x = kn::test::matrix<S>({25, 44}, Way::contiguous), y = kn::test::matrix<T>({41, 6}, Way::contiguous);
    const Array part = kn::matmul(x.astype(type)(kn::slice(kn::none, kn::none, -2), slice(3, kn::none)), y);
    CHECK(part.template to_vector<T>() ==
          kn::matmul(cast_before<T>(x(kn::slice(kn::none, kn::none, -2), slice(3, kn::none))), y)
              .template to_vector<T>());
    const Array flat = kn::test::matrix<S>({1, 25 * 41}, Way::contiguous);
    CHECK(kn::matmul(kn::reshape(flat.astype(type), {25, 41}), y).template to_vector<T>() ==
          kn::matmul(cast_before<T>(kn::reshape(flat, {25, 41})), y).template to_vector<T>());
  });
}

Array halves(const kn::Shape& shape) {
  return kn::asarray(kn::test::noise<double>(shape.elements(), 3), shape, kn::float16);
}
Array floats(const kn::Shape& shape) {
  return kn::asarray(kn::test::noise<double>(shape.elements(), 4), shape, kn::float32);
}

}  // namespace

TEST_CASE("matrices by vectors: float16 as float32, and each type as either floating one") {
  on_each_device([] {
    kn::test::check_cast_vectors<float>(kn::float16);
    if (without_variants("casts by kernels of the vectors")) return;
    for (const DType stored : kn::test::real_types) {
      if (!kn::test::computes(stored)) continue;
      kn::test::check_cast_vectors<float>(stored);
      if (kn::test::computes(kn::float64)) kn::test::check_cast_vectors<double>(stored);
    }
  });
}

TEST_CASE("products of any layouts: float16 as float32") { check_layouts<kn::float16_t, float>(true, false); }
TEST_CASE("products of any layouts: int8 as int32") { check_layouts<std::int8_t, std::int32_t>(false, true); }
TEST_CASE("products of any layouts: every pair" * doctest::skip(!kn::test::all_variants())) {
  check_layouts<kn::bfloat16_t, float>(false, false);
  check_layouts<kn::bfloat16_t, double>(false, false);
  check_layouts<double, float>(false, false);
  check_layouts<float, double>(false, false);
  check_layouts<std::uint8_t, float>(false, false);
  check_layouts<std::int16_t, double>(false, false);
  check_layouts<std::uint32_t, std::int64_t>(false, false);
  check_layouts<std::int64_t, std::int32_t>(false, false);
  check_layouts<std::int16_t, std::uint8_t>(false, false);
  // What is stored first.
  check_layouts<float, kn::float16_t>(false, false);
  check_layouts<kn::float16_t, kn::bfloat16_t>(false, false);
  check_layouts<float, std::int32_t>(false, false);
  check_layouts<float, std::complex<float>>(false, false);
}

TEST_CASE("a product whose operand is cast takes no kernel for that") {
  on_each_device([] {
    const Array x = halves({90, 70}), y = floats({70});
    const std::int64_t alone = kernels_of(kn::matmul(cast_before<float>(x), y));
    CHECK(kernels_of(kn::matmul(x.astype(kn::float32), y)) == alone);
    // By the rules of promotion, of either side, through views.
    CHECK(kernels_of(kn::matmul(x, y)) == alone);
    CHECK(kernels_of(kn::matmul(y, kn::reshape(x.astype(kn::float32), {70, 90}))) == alone);
    if (by_card_kernels()) {
      // Tiles with an epilogue.
      const Array a = halves({70, 33}), b = floats({33, 65}), row = floats({65}), c = a.astype(kn::float32);
      const std::int64_t tiles = kernels_of(kn::matmul(cast_before<float>(a), b) + row);
      const Array expected = kn::matmul(cast_before<float>(a), b) + row, got = kn::matmul(c, b) + row;
      CHECK(kernels_of(got) == tiles);
      CHECK(got.to_vector<float>() == expected.to_vector<float>());
      if (without_variants("what a card does as a CPU")) return;
    }
    // From what a kernel of its own has computed, and of integers.
    const Array sums = kn::cumulative_sum(x, {.axis = 0});
    const std::int64_t before = kernels_of(kn::cumulative_sum(x, {.axis = 0}));
    CHECK(kernels_of(kn::matmul(sums.astype(kn::float32), y)) == before + alone);
    const Array i = kn::test::matrix<std::int8_t>({40, 30}, Way::contiguous),
                j = kn::test::matrix<std::int32_t>({30, 20}, Way::contiguous);
    CHECK(kernels_of(kn::matmul(i, j)) == kernels_of(kn::matmul(cast_before<std::int32_t>(i), j)));
  });
}

TEST_CASE("a cast that others want is computed once") {
  on_each_device([] {
    const Array x = halves({90, 70}), y = floats({70}), z = floats({70});
    const std::vector<float> first = kn::matmul(cast_before<float>(x), y).to_vector<float>(),
                             second = kn::matmul(cast_before<float>(x), z).to_vector<float>();
    const std::int64_t alone = kernels_of(kn::matmul(cast_before<float>(x), y));
    // Two products of one evaluation, which both read what is stored.
    const Array shared = x.astype(kn::float32), both = kn::stack({kn::matmul(shared, y), kn::matmul(shared, z)});
    std::vector<float> joined = first;
    joined.insert(joined.end(), second.begin(), second.end());
    CHECK(both.to_vector<float>() == joined);
    // A cast that is in memory, and one that is held: the second time it is worth keeping.
    const Array stored = x.astype(kn::float32).eval();
    CHECK(kn::matmul(stored, y).to_vector<float>() == first);
    const Array held = x.astype(kn::float32);
    CHECK(kernels_of(kn::matmul(held, y)) == alone);
    CHECK_FALSE(kn::test::is_computed(held));
    CHECK(kn::matmul(held, z).to_vector<float>() == second);
    CHECK(kn::test::is_computed(held));
    CHECK(kn::matmul(held, y).to_vector<float>() == first);
    if (without_variants("casts of what is computed element by element")) return;
    // By one kernel, which stores it as it is cast.
    const Array sum = x + x;
    CHECK(kn::matmul(sum.astype(kn::float32), y).to_vector<float>() ==
          kn::matmul(cast_before<float>(cast_before<kn::float16_t>(sum)), y).to_vector<float>());
  });
}

TEST_CASE("plans that are kept read the arrays of each evaluation") {
  on_each_device([] {
    const Array y = floats({70});
    for (unsigned round = 0; round < 5; ++round) {
      CAPTURE(round);
      const Array x = kn::asarray(kn::test::noise<double>(90 * 70, round), {90, 70}, kn::float16);
      const std::vector<float> expected = kn::matmul(cast_before<float>(x), y).to_vector<float>();
      const Array product = kn::matmul(x.astype(kn::float32), y);
      CHECK(kernels_of(product) == 1);
      CHECK(product.to_vector<float>() == expected);
    }
  });
}

TEST_CASE("what a product reads is written over only once it has been read") {
  on_each_device([] {
    Array x = halves({90, 70});
    const Array y = floats({70}), before = cast_before<float>(x), product = kn::matmul(x.astype(kn::float32), y);
    x(all, slice(0, 35)) = 0;
    CHECK(product.to_vector<float>() == kn::matmul(before, y).to_vector<float>());
  });
}

TEST_CASE("a plan says that a product reads through a cast") {
  on_each_device([] {
    const Array x = halves({90, 70}), y = floats({70});
    const std::string text = kn::explain(kn::matmul(x.astype(kn::float32), y));
    CAPTURE(text);
    CHECK(kn::test::has(text, "astype"));
    CHECK_FALSE(kn::test::has(text, "= astype(m1)  float32 (90, 70)  stored"));
    // Half of the bytes of a matrix of float32.
    CHECK(kn::test::has(text, kn::test::bytes_text(90 * 70 * 2 + 70 * 4)));
  });
}

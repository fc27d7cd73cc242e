// SPDX-License-Identifier: Apache-2.0
// Batches of small matrices whose sides are no multiples of anything, as many as a card has a work-group for each of
// (kernels/matmul_many.cl).
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

#include "support/devices.hpp"
#include "support/products.hpp"

namespace kn = koine;
using kn::test::check_product;
using kn::test::matrix;
using kn::test::on_each_device;
using kn::test::Way;

namespace {

std::int64_t many() { return kn::default_device().type() == kn::DeviceType::gpu ? 150 : 3; }

template <class T>
void check(const kn::Shape& a, Way a_way, const kn::Shape& b, Way b_way) {
  check_product<T>(matrix<T>(a, a_way), matrix<T>(b, b_way));
}

template <class T>
void check_type() {
  on_each_device(kn::dtype_of<T>, [] {
    check<T>({many(), 33, 19}, Way::contiguous, {many(), 19, 35}, Way::contiguous);
    check<T>({many(), 17, 29}, Way::transposed, {many(), 29, 31}, Way::stepped);
  });
}

}  // namespace

TEST_CASE("many small products of every kind of type") {
  check_type<float>();
  if (kn::test::without_variants("the others convert elements alone, or are complex")) return;
  check_type<std::complex<float>>();
  check_type<double>();
  check_type<std::int8_t>();
  check_type<kn::float16_t>();
  check_type<kn::bfloat16_t>();
}

TEST_CASE("many small products of float32: tiles, blocks of the depth, shared and stepped operands") {
  on_each_device(kn::float32, [] {
    // Two tiles down; the depth at once, in several blocks, and less than a step of four.
    check<float>({many(), 65, 18}, Way::contiguous, {many(), 18, 30}, Way::transposed);
    check<float>({many(), 23, 150}, Way::contiguous, {many(), 150, 37}, Way::contiguous);
    check<float>({many(), 50, 1}, Way::contiguous, {many(), 1, 47}, Way::contiguous);
    // More of the depth than small products go along, of few rows.
    check<float>({many(), 3, 301}, Way::transposed, {many(), 301, 12}, Way::stepped);
    // The same matrix for all, and batches of several axes.
    check<float>({2, many(), 21, 9}, Way::stepped, {9, 63}, Way::transposed);
    check<float>({many(), 1, 19, 22}, Way::contiguous, {2, 22, 33}, Way::repeated);
  });
}

TEST_CASE("what is made of many small products is computed with them") {
  on_each_device(kn::float32, [] {
    const kn::Array a = matrix<float>({many(), 33, 18}, Way::contiguous).eval();
    const kn::Array b = matrix<float>({many(), 18, 35}, Way::contiguous).eval();
    const kn::Array bias = matrix<float>({1, 35}, Way::contiguous).eval();
    std::vector<float> want = kn::matmul(a, b).to_vector<float>();
    const std::vector<float> row = bias.to_vector<float>();
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = std::max(want[i] + row[i % 35], 0.0f);
    CHECK(kn::maximum(kn::matmul(a, b) + bias, 0.0f).to_vector<float>() == want);
  });
}

TEST_CASE("in reproducible scopes each of many small products has the bits of a product by itself") {
  on_each_device(kn::float32, [] {
    const auto scope = kn::reproducible();
    kn::random::Generator generator(5);
    const kn::Array a = generator.uniform({many(), 33, 90}).eval(), b = generator.uniform({many(), 90, 19}).eval();
    const kn::Array all = kn::matmul(a, b).eval();
    for (const std::int64_t i : {std::int64_t{0}, many() - 1}) {
      CHECK(all(i).to_vector<float>() == kn::matmul(a(i), b(i)).to_vector<float>());
    }
  });
}

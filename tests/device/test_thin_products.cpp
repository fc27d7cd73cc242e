// SPDX-License-Identifier: Apache-2.0
// Products where one side has few rows or columns: many small matrices, tall ones by narrow ones and by vectors.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>

#include "support/devices.hpp"
#include "support/products.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_product;
using kn::test::matrix;
using kn::test::on_each_device;
using kn::test::Way;

namespace {

template <class T>
void check_thin() {
  on_each_device(kn::dtype_of<T>, [] {
    const auto check = [](const kn::Shape& a, Way a_way, const kn::Shape& b, Way b_way) {
      check_product<T>(matrix<T>(a, a_way), matrix<T>(b, b_way));
    };
    // Four neighbours at a time or not, on either side and of the results; more columns than a work-item takes.
    check({600, 8, 8}, Way::contiguous, {600, 8, 8}, Way::contiguous);
    check({601, 8, 12}, Way::transposed, {601, 12, 16}, Way::contiguous);
    check({700, 7, 5}, Way::contiguous, {700, 5, 3}, Way::transposed);
    check({4100, 1, 2}, Way::contiguous, {4100, 2, 2}, Way::contiguous);
    check({140, 32, 32}, Way::contiguous, {140, 32, 32}, Way::contiguous);
    check({33, 63}, Way::contiguous, {63, 4200}, Way::contiguous);
    check({4200, 24}, Way::contiguous, {24, 25}, Way::transposed);
    // Of a depth that a card may take in blocks.
    check({4200, 300}, Way::contiguous, {300, 5}, Way::contiguous);
    // A long side of A or of B, and a batch that shares it.
    check({4200, 12}, Way::contiguous, {12, 11}, Way::contiguous);
    check({4200, 20}, Way::stepped, {20, 4}, Way::repeated);
    check({9, 13}, Way::contiguous, {13, 4200}, Way::contiguous);
    check({4, 16}, Way::transposed, {16, 4200}, Way::transposed);
    check({2, 1, 5, 8}, Way::contiguous, {3, 8, 1400}, Way::contiguous);
    // Walked backwards, and from an offset that is no multiple of four.
    const Array a = matrix<T>({601, 8, 8}, Way::contiguous), b = matrix<T>({601, 8, 8}, Way::contiguous);
    check_product<T>(kn::flip(a, {0}), b(kn::all, kn::all, kn::slice(1, 6)));
    check_product<T>(a(kn::slice(1, kn::none)), b(kn::slice(1, kn::none)));
  });
}

template <class T>
void check_vectors() {
  on_each_device(kn::dtype_of<T>, [] {
    // So many rows that a work-item of a card takes several; fewer elements in a row than slices, and more.
    for (const Way way : {Way::contiguous, Way::transposed}) {
      check_product<T>(matrix<T>({40'003, 3}, way), matrix<T>({3, 1}, Way::contiguous));
      check_product<T>(matrix<T>({17'001, 33}, way), matrix<T>({33, 1}, Way::stepped));
    }
    check_product<T>(matrix<T>({1, 65}, Way::contiguous), matrix<T>({65, 131}, Way::contiguous));
    check_product<T>(matrix<T>({1, 70'001}, Way::contiguous), matrix<T>({70'001, 2}, Way::contiguous));
    check_product<T>(matrix<T>({40, 1, 600}, Way::contiguous), matrix<T>({40, 600, 3}, Way::transposed));
  });
}

}  // namespace

TEST_CASE("thin products: float32") { check_thin<float>(); }
TEST_CASE("few results of a great depth, in blocks and a shorter one") {
  on_each_device([] {
    for (const Way way : {Way::contiguous, Way::transposed}) {
      check_product<float>(matrix<float>({2, 530'001}, way), matrix<float>({530'001, 16}, Way::contiguous));
    }
  });
}
TEST_CASE("few lines of a great depth: every kind of type, in slices that a group adds up") {
  on_each_device(kn::float64, [] {
    check_product<double>(matrix<double>({23, 24'001}, Way::transposed), matrix<double>({24'001, 23}, Way::contiguous));
    // One work-item has all results, and the columns of one operand are the rows of the other.
    const Array x = matrix<double>({20'000, 3}, Way::contiguous).eval();
    check_product<double>(x.T(), x);
  });
  using Complex = std::complex<float>;
  on_each_device(kn::complex64, [] {
    check_product<Complex>(matrix<Complex>({24, 22'000}, Way::contiguous),
                           matrix<Complex>({22'000, 31}, Way::transposed));
  });
  on_each_device([] {
    check_product<float>(matrix<float>({10, 9'001}, Way::transposed), matrix<float>({9'001, 50}, Way::contiguous));
  });
  using Wide = std::complex<double>;
  on_each_device(kn::complex128, [] {
    check_product<Wide>(matrix<Wide>({7, 9'000}, Way::transposed), matrix<Wide>({9'000, 11}, Way::contiguous));
  });
}
TEST_CASE("long matrices by narrow ones, in tiles") {
  on_each_device(kn::float64, [] {
    check_product<double>(matrix<double>({33'001, 23}, Way::contiguous), matrix<double>({23, 19}, Way::contiguous));
  });
  on_each_device([] {
    check_product<float>(matrix<float>({33'001, 50}, Way::contiguous), matrix<float>({50, 10}, Way::transposed));
    check_product<float>(matrix<float>({9, 29}, Way::contiguous), matrix<float>({29, 33'000}, Way::contiguous));
  });
}
TEST_CASE("thin products: float64") { check_thin<double>(); }
TEST_CASE("thin products: bfloat16") { check_thin<kn::bfloat16_t>(); }
TEST_CASE("thin products: complex64") { check_thin<std::complex<float>>(); }
TEST_CASE("thin products: int16" * doctest::skip(!kn::test::exhaustive())) { check_thin<std::int16_t>(); }
TEST_CASE("tall matrices by vectors: float32") { check_vectors<float>(); }
TEST_CASE("tall matrices by vectors: complex128" * doctest::skip(!kn::test::exhaustive())) {
  check_vectors<std::complex<double>>();
}

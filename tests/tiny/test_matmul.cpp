// SPDX-License-Identifier: Apache-2.0
// kernels/matmul_*.cl: edges of tiles, strides, batches, vectors and split depths, as small as they can be.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>

#include "support/devices.hpp"
#include "support/products.hpp"

namespace kn = koine;
using kn::test::check_product;
using kn::test::matrix;
using kn::test::Way;

namespace {

template <class T>
void check_type() {
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  // Two results that fill their buffers: 896 elements are as many bytes as the pool gives out, in every type.
  check_product<T>(matrix<T>({14, 20}, Way::contiguous), matrix<T>({20, 64}, Way::transposed));
  check_product<T>(matrix<T>({64, 9}, Way::transposed), matrix<T>({9, 14}, Way::contiguous));
  check_product<T>(matrix<T>({2, 5, 7}, Way::stepped), matrix<T>({7, 3}, Way::repeated));
}

template <class T>
void check_vectors() {
  for (const Way way : {Way::contiguous, Way::transposed, Way::stepped}) {
    check_product<T>(matrix<T>({40, 35}, way), matrix<T>({35, 1}, Way::contiguous));
  }
  // The depth is split over work-groups where there are few rows.
  check_product<T>(matrix<T>({1, 16'500}, Way::contiguous), matrix<T>({16'500, 1}, Way::contiguous));
  check_product<T>(matrix<T>({2, 16'500}, Way::transposed), matrix<T>({16'500, 1}, Way::contiguous));
}

}  // namespace

TEST_CASE("small products of every kind of type") {
  check_type<std::int8_t>();
  check_type<std::uint32_t>();
  check_type<kn::float16_t>();
  check_type<kn::bfloat16_t>();
  check_type<float>();
  check_type<double>();
  check_type<std::complex<float>>();
}

TEST_CASE("more rows and columns than the largest tile has") {
  check_product<float>(matrix<float>({130, 9}, Way::contiguous), matrix<float>({9, 131}, Way::contiguous));
}

TEST_CASE("many small products") {
  for (const Way way : {Way::contiguous, Way::transposed}) {
    check_product<float>(matrix<float>({515, 2, 3}, way), matrix<float>({515, 3, 9}, Way::contiguous));
  }
}

TEST_CASE("matrices times vectors") {
  check_vectors<float>();
  check_vectors<kn::float16_t>();
  check_vectors<std::complex<float>>();
}

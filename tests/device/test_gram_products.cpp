// SPDX-License-Identifier: Apache-2.0
// Matrices by their own transposes, of which a BLAS computes the upper triangle: beside plain loops, at sizes where
// threads share strips of the results or blocks of the depth.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>

#include "support/devices.hpp"
#include "support/products.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_product;
using kn::test::matrix;
using kn::test::on_each_device;
using kn::test::Way;

namespace {

/// (n, k) by its transpose, and back.
template <class T>
void check(const Shape& shape, Way way) {
  const Array x = matrix<T>(shape, way).eval();
  check_product<T>(x, x.mT());
}

template <class T>
void check_type() {
  on_each_device(kn::dtype_of<T>, [] {
    check<T>({33, 7}, Way::contiguous);
    check<T>({64, 4100}, Way::transposed);   // in blocks of the depth, the last one a short one
    check<T>({270, 19}, Way::contiguous);    // in strips, the last one a narrow one
    check<T>({3, 40, 50}, Way::transposed);  // matrices for all threads
  });
}

}  // namespace

TEST_CASE("matrices by their own transposes are whole products") {
  check_type<float>();
  check_type<double>();
  if (kn::test::without_variants()) return;
  check_type<std::complex<float>>();
  check_type<std::complex<double>>();
}

TEST_CASE("matrices in one memory that are not each other's transposes are multiplied as they are") {
  on_each_device([] {
    const Array x = matrix<float>({65, 4100}, Way::contiguous).eval();
    const auto upper = kn::slice(0, 64), lower = kn::slice(1, kn::none);
    check_product<float>(x(upper), x(lower).T());
    check_product<float>(x(upper), x(upper, kn::slice(kn::none, kn::none, -1)).T());
    check_product<float>(x(upper, kn::slice(0, 64)), x(upper, kn::slice(0, 64)));
  });
}

TEST_CASE("a part of a matrix by its own transpose") {
  on_each_device([] {
    const Array x = matrix<float>({80, 4200}, Way::contiguous).eval();
    const Array part = x(kn::slice(3, 70), kn::slice(5, 4150));
    check_product<float>(part, part.T());
    check_product<float>(part.T()(kn::slice(0, 300)), part(kn::all, kn::slice(0, 300)));
  });
}

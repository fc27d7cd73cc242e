// SPDX-License-Identifier: Apache-2.0
// The type of numbers that nothing else gives one.
#include "support/arrays.hpp"
#include "support/devices.hpp"

#include <koine/koine.hpp>

#include <complex>
#include <thread>

namespace kn = koine;
using kn::Array;

namespace {

void check_default(kn::DType real, kn::DType complex) {
  CHECK(kn::default_dtype() == real);
  CHECK(kn::default_dtypes().real_floating == real);
  CHECK(kn::default_dtypes().complex_floating == complex);
  const Array integers = kn::array({1, 2, 3});
  for (const Array& x :
       {kn::array({0.5, 0.1}), kn::zeros(2), kn::ones(2), kn::empty(2), kn::full(2, 0.5), kn::eye(2), kn::asarray(0.5),
        kn::linspace(0, 1, 3), kn::arange(0, 1, 0.5), kn::random::Generator(1).normal(2), sin(integers), mean(integers),
        integers / 2, integers * 0.5, median(integers), softmax(integers)}) {
    CHECK(x.dtype() == real);
  }
  CHECK(kn::array({std::complex<double>(1, 2)}).dtype() == complex);
  CHECK(kn::linspace(0, std::complex<double>(0, 1), 3).dtype() == complex);
  CHECK((integers * std::complex<double>(0, 1)).dtype() == complex);
  CHECK(integers.dtype() == kn::int64);
  // A scalar stays weak beside an array.
  CHECK((kn::ones(2, kn::float32) * 0.5).dtype() == kn::float32);
  CHECK((kn::ones(2, kn::float32) * std::complex<double>(0, 1)).dtype() == kn::complex64);
  CHECK((kn::ones(2, kn::float16) * 0.5).dtype() == kn::float16);
}

}  // namespace

TEST_CASE("literals, creation, random numbers and functions of integers take the default type") {
  kn::test::on_each_device([] {
    check_default(kn::float32, kn::complex64);
    if (!kn::default_device().has_fp64()) return;
    {
      const kn::DTypeScope scope(kn::float64);
      check_default(kn::float64, kn::complex128);
      // As it is in the double data beside it.
      CHECK(array_equal(kn::array({0.5, 0.1}), kn::asarray(std::vector<double>{0.5, 0.1})));
      CHECK(to_string(kn::array({0.1})) == "[0.1]");
      {
        const kn::DTypeScope inner(kn::float32);
        check_default(kn::float32, kn::complex64);
      }
      check_default(kn::float64, kn::complex128);
      std::thread([] { CHECK(kn::default_dtype() == kn::float32); }).join();
    }
    kn::set_default_dtype(kn::float64);
    std::thread([] { CHECK(kn::default_dtype() == kn::float64); }).join();
    check_default(kn::float64, kn::complex128);
    kn::set_default_dtype(kn::float32);
    check_default(kn::float32, kn::complex64);
  });
  CHECK(kn::test::message_of<kn::ValueError>([] { kn::set_default_dtype(kn::float16); }) ==
        "[set_default_dtype] float16 cannot be the default type; float32 and float64 can");
  CHECK_THROWS_AS(kn::DTypeScope(kn::int64), kn::ValueError);
}

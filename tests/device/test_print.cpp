// SPDX-License-Identifier: Apache-2.0
// Printing arrays.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <sstream>
#include <string>

namespace kn = koine;

TEST_CASE("small arrays are printed whole") {
  CHECK(to_string(kn::array({1, 2, 3})) == "[1, 2, 3]");
  CHECK(to_string(kn::array({{1, -20}, {300, 4}})) == "[[  1, -20],\n [300,   4]]");
  CHECK(to_string(kn::array({0.5, 1.0, 1e20})) == "[  0.5,    1., 1e+20]");
  CHECK(to_string(kn::asarray(2.5)) == "2.5");
  CHECK(to_string(kn::array({true, false})) == "[ true, false]");
  CHECK(to_string(kn::array({1, 2}, {.dtype = kn::int8})) == "[1, 2] int8");
  CHECK(to_string(kn::array({1.5}, {.dtype = kn::float16})) == "[1.5] float16");
  CHECK(to_string(kn::array({std::complex<float>(1, -2)})) == "[1.-2.i]");
  CHECK(to_string(kn::array({NAN, INFINITY})) == "[nan, inf]");
  CHECK(to_string(kn::reshape(kn::arange(8), {2, 2, 2})) == "[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]]");
  CHECK(to_string(kn::zeros({0, 3})) == "[] shape (0, 3)");
}

TEST_CASE("long arrays are shortened, and the stream operator is the same") {
  CHECK(to_string(kn::arange(2000)) == "[   0,    1,    2, ..., 1997, 1998, 1999]");
  std::ostringstream text;
  kn::Array x = kn::reshape(kn::arange(2000), {1000, 2});
  text << x(kn::slice(0, 2)) << x;
  CHECK(text.str() ==
        "[[0, 1],\n [2, 3]][[   0,    1],\n [   2,    3],\n [   4,    5],\n ...,\n [1994, 1995],\n [1996, 1997],\n"
        " [1998, 1999]]");
}

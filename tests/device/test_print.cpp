// SPDX-License-Identifier: Apache-2.0
// Printing arrays.
#include "support/arrays.hpp"
#include "support/devices.hpp"

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <iomanip>
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

TEST_CASE("precision, threshold, line width and notation, by options and by the stream") {
  kn::test::on_each_device([] {
    const kn::Array x = kn::asarray(std::vector<double>{1.23456789, 2, 1e-9, 1e20}, kn::float64);
    CHECK(kn::to_string(x, {.precision = 3}) == "[1.235,    2., 1e-09, 1e+20] float64");
    const kn::Array thirds = kn::asarray(std::vector<float>{1.f / 3, 2.f / 3});
    CHECK(kn::to_string(thirds, {.precision = 2}) == "[0.33, 0.67]");
    CHECK(kn::to_string(thirds, {.precision = 0}) == "[0., 1.]");
    CHECK(kn::to_string(kn::arange(6), {.threshold = 4, .edgeitems = 1}) == "[0, ..., 5]");
    CHECK(kn::to_string(kn::arange(6), {.linewidth = 8}) == "[0, 1,\n 2, 3,\n 4, 5]");
    CHECK(kn::to_string(kn::arange(3), {.width = 3}) == "[  0,   1,   2]");
    CHECK(kn::to_string(kn::asarray(7), {.width = 3}) == "  7");
    std::ostringstream out;
    out << std::setprecision(3) << thirds << ' ' << std::setw(8) << thirds << ' ' << std::fixed << thirds << ' '
        << std::scientific << std::setprecision(1) << thirds;
    CHECK(out.str() == "[0.333, 0.667] [   0.333,    0.667] [0.333, 0.667] [3.3e-01, 6.7e-01]");
    kn::set_print_options({.precision = 1, .threshold = 3, .edgeitems = 1});
    std::ostringstream chosen;
    chosen << thirds << kn::arange(5);
    CHECK(chosen.str() == "[0.3, 0.7][0, ..., 4]");
    CHECK(kn::print_options().threshold == 3);
    kn::set_print_options({});
    CHECK(kn::test::message_of<kn::ValueError>([] { kn::set_print_options({.precision = -1}); }) ==
          "[set_print_options] .precision is -1; it can be 0 or more");
    CHECK_THROWS_AS(kn::to_string(thirds, {.edgeitems = 0}), kn::ValueError);
  });
}

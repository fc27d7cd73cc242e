// SPDX-License-Identifier: Apache-2.0
// Complex functions at zeros, infinities and NaN: the tables of the Python array API standard 2025.12, which are those
// of C99's Annex G, and the symmetries by which they cover the other quadrants; and numbers too small to be changed.
#include "support/devices.hpp"

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

using namespace koine::test;
namespace kn = koine;
using kn::Array;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = std::numbers::pi;

/// A part of a result, whose sign may be left open, or turned to that of the cosine (in the real part) or the sine (in
/// the imaginary one) of the imaginary part of z.
struct Part {
  double value;
  bool any_sign = false, turned = false;
  Part(double size, bool open = false, bool cis = false) : value(size), any_sign(open), turned(cis) {}
};
Part either(double value) { return {value, true}; }
Part cis(double value) { return {value, false, true}; }

/// Real parts, imaginary parts, and what the function gives for each of their pairs.
struct Row {
  std::vector<double> a, b;
  Part real, imag;
};

enum class Parity { none, odd, even };

struct Table {
  std::string name;
  std::function<Array(const Array&)> function;
  Parity parity;
  std::vector<Row> rows;
};

/// Finite numbers of type P, with and without zeros, and above 0.
template <class P>
struct Numbers {
  std::vector<double> positive{0x1p-100, 0.5, 1, 3, std::numeric_limits<P>::max()}, nonzero = positive, finite;
  Numbers() {
    for (const double x : positive) nonzero.push_back(-x);
    finite = nonzero;
    finite.push_back(0.0);
    finite.push_back(-0.0);
  }
};

template <class P>
std::vector<Table> tables() {
  const Numbers<P> number;
  const auto &positive = number.positive, &nonzero = number.nonzero, &finite = number.finite;
  std::vector<double> all = finite;
  for (const double x : {infinity, -infinity, nan}) all.push_back(x);
  std::vector<double> nonzero_or_infinite = nonzero;
  nonzero_or_infinite.push_back(infinity);
  const std::vector<double> zeros{0.0, -0.0}, infinities{infinity, -infinity}, inf{infinity}, minus_inf{-infinity},
      no_number{nan}, zero{0.0};
  return {
      {"acos",
       [](const Array& z) { return kn::acos(z); },
       Parity::none,
       {{zeros, zero, pi / 2, -0.0},
        {zeros, no_number, pi / 2, nan},
        {finite, inf, pi / 2, -infinity},
        {nonzero, no_number, nan, nan},
        {minus_inf, positive, pi, -infinity},
        {inf, positive, 0.0, -infinity},
        {minus_inf, inf, 3 * pi / 4, -infinity},
        {inf, inf, pi / 4, -infinity},
        {infinities, no_number, nan, either(infinity)},
        {no_number, finite, nan, nan},
        {no_number, inf, nan, -infinity},
        {no_number, no_number, nan, nan}}},
      {"acosh",
       [](const Array& z) { return kn::acosh(z); },
       Parity::none,
       {{zeros, zero, 0.0, pi / 2},
        {finite, inf, infinity, pi / 2},
        {nonzero, no_number, nan, nan},
        {zero, no_number, nan, either(pi / 2)},
        {minus_inf, positive, infinity, pi},
        {inf, positive, infinity, 0.0},
        {minus_inf, inf, infinity, 3 * pi / 4},
        {inf, inf, infinity, pi / 4},
        {infinities, no_number, infinity, nan},
        {no_number, finite, nan, nan},
        {no_number, inf, infinity, nan},
        {no_number, no_number, nan, nan}}},
      {"asinh",
       [](const Array& z) { return kn::asinh(z); },
       Parity::odd,
       {{zero, zero, 0.0, 0.0},
        {positive, inf, infinity, pi / 2},
        {finite, no_number, nan, nan},
        {inf, positive, infinity, 0.0},
        {inf, inf, infinity, pi / 4},
        {inf, no_number, infinity, nan},
        {no_number, zero, nan, 0.0},
        {no_number, nonzero, nan, nan},
        {no_number, inf, either(infinity), nan},
        {no_number, no_number, nan, nan}}},
      {"atanh",
       [](const Array& z) { return kn::atanh(z); },
       Parity::odd,
       {{zero, zero, 0.0, 0.0},
        {zero, no_number, 0.0, nan},
        {{1}, zero, infinity, 0.0},
        {positive, inf, 0.0, pi / 2},
        {nonzero, no_number, nan, nan},
        {inf, positive, 0.0, pi / 2},
        {inf, inf, 0.0, pi / 2},
        {inf, no_number, 0.0, nan},
        {no_number, finite, nan, nan},
        {no_number, inf, either(0.0), pi / 2},
        {no_number, no_number, nan, nan}}},
      {"cosh",
       [](const Array& z) { return kn::cosh(z); },
       Parity::even,
       {{zero, zero, 1, 0.0},
        {zero, inf, nan, either(0.0)},
        {zero, no_number, nan, either(0.0)},
        {nonzero, inf, nan, nan},
        {nonzero, no_number, nan, nan},
        {inf, zero, infinity, 0.0},
        {inf, nonzero, cis(infinity), cis(infinity)},
        {inf, inf, either(infinity), nan},
        {inf, no_number, infinity, nan},
        {no_number, zeros, nan, either(0.0)},
        {no_number, nonzero, nan, nan},
        {no_number, no_number, nan, nan}}},
      {"exp",
       [](const Array& z) { return kn::exp(z); },
       Parity::none,
       {{zeros, zero, 1, 0.0},
        {finite, inf, nan, nan},
        {finite, no_number, nan, nan},
        {inf, zero, infinity, 0.0},
        {minus_inf, finite, cis(0.0), cis(0.0)},
        {inf, nonzero, cis(infinity), cis(infinity)},
        {minus_inf, inf, either(0.0), either(0.0)},
        {inf, inf, either(infinity), nan},
        {minus_inf, no_number, either(0.0), either(0.0)},
        {inf, no_number, either(infinity), nan},
        {no_number, zero, nan, 0.0},
        {no_number, nonzero_or_infinite, nan, nan},
        {no_number, no_number, nan, nan}}},
      {"expm1",
       [](const Array& z) { return kn::expm1(z); },
       Parity::none,
       {{zeros, zero, 0.0, 0.0},
        {finite, inf, nan, nan},
        {finite, no_number, nan, nan},
        {inf, zero, infinity, 0.0},
        {minus_inf, finite, -1, cis(0.0)},
        {inf, nonzero, cis(infinity), cis(infinity)},
        {minus_inf, inf, -1, either(0.0)},
        {inf, inf, either(infinity), nan},
        {minus_inf, no_number, -1, either(0.0)},
        {inf, no_number, either(infinity), nan},
        {no_number, zero, nan, 0.0},
        {no_number, nonzero_or_infinite, nan, nan},
        {no_number, no_number, nan, nan}}},
      {"log",
       [](const Array& z) { return kn::log(z); },
       Parity::none,
       {{{-0.0}, zero, -infinity, pi},
        {zero, zero, -infinity, 0.0},
        {finite, inf, infinity, pi / 2},
        {finite, no_number, nan, nan},
        {minus_inf, positive, infinity, pi},
        {inf, positive, infinity, 0.0},
        {minus_inf, inf, infinity, 3 * pi / 4},
        {inf, inf, infinity, pi / 4},
        {infinities, no_number, infinity, nan},
        {no_number, finite, nan, nan},
        {no_number, inf, infinity, nan},
        {no_number, no_number, nan, nan}}},
      {"log1p",
       [](const Array& z) { return kn::log1p(z); },
       Parity::none,
       {{{-1}, zero, -infinity, 0.0},
        {finite, inf, infinity, pi / 2},
        {finite, no_number, nan, nan},
        {minus_inf, positive, infinity, pi},
        {inf, positive, infinity, 0.0},
        {minus_inf, inf, infinity, 3 * pi / 4},
        {inf, inf, infinity, pi / 4},
        {infinities, no_number, infinity, nan},
        {no_number, finite, nan, nan},
        {no_number, inf, infinity, nan},
        {no_number, no_number, nan, nan}}},
      {"sign",
       [](const Array& z) { return kn::sign(z); },
       Parity::none,
       {{zeros, zeros, 0.0, 0.0}, {no_number, all, nan, nan}, {all, no_number, nan, nan}}},
      {"sinh",
       [](const Array& z) { return kn::sinh(z); },
       Parity::odd,
       {{zero, zero, 0.0, 0.0},
        {zero, inf, either(0.0), nan},
        {zero, no_number, either(0.0), nan},
        {positive, inf, nan, nan},
        {positive, no_number, nan, nan},
        {inf, zero, infinity, 0.0},
        {inf, positive, cis(infinity), cis(infinity)},
        {inf, inf, either(infinity), nan},
        {inf, no_number, either(infinity), nan},
        {no_number, zero, nan, 0.0},
        {no_number, nonzero, nan, nan},
        {no_number, no_number, nan, nan}}},
      {"sqrt",
       [](const Array& z) { return kn::sqrt(z); },
       Parity::none,
       {{zeros, zero, 0.0, 0.0},
        {all, inf, infinity, infinity},
        {finite, no_number, nan, nan},
        {minus_inf, positive, 0.0, infinity},
        {inf, positive, infinity, 0.0},
        {minus_inf, no_number, nan, either(infinity)},
        {inf, no_number, infinity, nan},
        {no_number, finite, nan, nan},
        {no_number, no_number, nan, nan}}},
      {"tanh",
       [](const Array& z) { return kn::tanh(z); },
       Parity::odd,
       {{zero, zero, 0.0, 0.0},
        {nonzero, inf, nan, nan},
        {zero, inf, 0.0, nan},
        {nonzero, no_number, nan, nan},
        {zero, no_number, 0.0, nan},
        {inf, positive, 1, 0.0},
        {inf, inf, 1, either(0.0)},
        {inf, no_number, 1, either(0.0)},
        {no_number, zero, nan, 0.0},
        {no_number, nonzero_or_infinite, nan, nan},
        {no_number, no_number, nan, nan}}},
  };
}

/// Whether a part of a result is what the table has.
bool is_right(double got, const Part& want, double epsilon) {
  if (std::isnan(want.value)) return std::isnan(got);
  if (!want.any_sign && std::signbit(got) != std::signbit(want.value)) return false;
  const double size = std::abs(want.value);
  return std::isinf(size) ? std::isinf(got) : std::abs(std::abs(got) - size) <= 2 * epsilon * size;
}

template <class P>
std::string shown(std::complex<P> z) {
  return "(" + std::to_string(z.real()) + ", " + std::to_string(z.imag()) + ")";
}

template <class P>
void check_tables() {
  using C = std::complex<P>;
  for (const Table& table : tables<P>()) {
    struct Case {
      C z;
      Part real, imag;
    };
    std::vector<Case> cases;
    for (const Row& row : table.rows) {
      for (const double a : row.a) {
        for (const double b : row.b) {
          // f(conj z) is conj f(z), and an odd function has f(-z) = -f(z), an even one f(-z) = f(z).
          const auto add = [&](double x, double y, double real_sign, double imag_sign) {
            Part real = row.real, imag = row.imag;
            real.value *= real_sign * (real.turned ? std::copysign(1, std::cos(b)) : 1);
            imag.value *= imag_sign * (imag.turned ? std::copysign(1, std::sin(b)) : 1);
            cases.push_back({C(static_cast<P>(x), static_cast<P>(y)), real, imag});
          };
          // The sign of 0 is 0 in both parts, whatever theirs are.
          const double mirrored = table.name == "sign" ? 1 : -1;
          add(a, b, 1, 1);
          add(a, -b, 1, mirrored);
          if (table.parity == Parity::none) continue;
          const double turned = table.parity == Parity::odd ? -1 : 1;
          add(-a, -b, turned, turned);
          add(-a, b, turned, -turned);
        }
      }
    }
    std::vector<C> points;
    for (const Case& each : cases) points.push_back(each.z);
    const std::vector<C> got = table.function(kn::asarray(points)).template to_vector<C>();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const double epsilon = std::numeric_limits<P>::epsilon();
      const bool right =
          is_right(got[i].real(), cases[i].real, epsilon) && is_right(got[i].imag(), cases[i].imag, epsilon);
      CHECK_MESSAGE(right, table.name, shown(points[i]), " is ", shown(got[i]), ", expected ",
                    shown(std::complex<double>(cases[i].real.value, cases[i].imag.value)));
    }
  }
}

/// sin z = -i sinh iz and so on, in all parts and signs, as the standard defines the circular functions.
template <class P>
void check_turned() {
  using C = std::complex<P>;
  using Function = Array (*)(const Array&);
  struct Pair {
    std::string name;
    Function circular, hyperbolic;
  };
  const std::vector<Pair> pairs = {
      {"sin", [](const Array& z) { return kn::sin(z); }, [](const Array& z) { return kn::sinh(z); }},
      {"tan", [](const Array& z) { return kn::tan(z); }, [](const Array& z) { return kn::tanh(z); }},
      {"asin", [](const Array& z) { return kn::asin(z); }, [](const Array& z) { return kn::asinh(z); }},
      {"atan", [](const Array& z) { return kn::atan(z); }, [](const Array& z) { return kn::atanh(z); }}};
  std::vector<C> points, turned;
  for (const double x : {0.0, -0.0, 0.5, -3.0, infinity, -infinity, nan}) {
    for (const double y : {0.0, -0.0, 0.5, -3.0, infinity, -infinity, nan}) {
      points.emplace_back(static_cast<P>(x), static_cast<P>(y));
      turned.emplace_back(static_cast<P>(-y), static_cast<P>(x));
    }
  }
  const auto same = [](P a, P b) { return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b; };
  for (const Pair& pair : pairs) {
    const auto got = pair.circular(kn::asarray(points)).template to_vector<C>();
    const auto other = pair.hyperbolic(kn::asarray(turned)).template to_vector<C>();
    for (std::size_t i = 0; i < points.size(); ++i) {
      CHECK_MESSAGE((same(got[i].real(), other[i].imag()) && same(got[i].imag(), -other[i].real())), pair.name,
                    shown(points[i]), " is ", shown(got[i]));
    }
  }
}

/// Of these functions z is the value where z is tiny; subnormal parts come through where the device has them.
template <class P>
void check_tiny() {
  using C = std::complex<P>;
  const P least = std::numeric_limits<P>::denorm_min(), normal = std::numeric_limits<P>::min();
  if ((kn::asarray(std::vector{normal}) * P(0.5)).template item<P>() == 0) return leave_out("no subnormal numbers");
  std::vector<C> points;
  for (const P x : {least, 3 * least, normal / 4, normal, -normal}) {
    for (const P y : {least, -7 * least, normal / 2, normal}) points.emplace_back(x, y);
  }
  const Array z = kn::asarray(points);
  const std::vector<std::pair<std::string, Array>> results = {
      {"sin", kn::sin(z)},     {"sinh", kn::sinh(z)},  {"tan", kn::tan(z)},     {"tanh", kn::tanh(z)},
      {"asin", kn::asin(z)},   {"atan", kn::atan(z)},  {"asinh", kn::asinh(z)}, {"atanh", kn::atanh(z)},
      {"expm1", kn::expm1(z)}, {"log1p", kn::log1p(z)}};
  for (const auto& [name, result] : results) {
    const auto got = result.template to_vector<C>();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const P off = std::max(std::abs(got[i].real() - points[i].real()), std::abs(got[i].imag() - points[i].imag()));
      CHECK_MESSAGE(off <= 2 * least, name, " of point ", i, " is off by ", off / least, " of the least number");
    }
  }
}

}  // namespace

TEST_CASE("complex functions at zeros, infinities and NaN are the standard's") {
  on_each_device([] { check_tables<float>(); });
  if (kn::test::without_variants("complex128")) return;
  on_each_device(kn::float64, [] { check_tables<double>(); });
}

TEST_CASE("circular functions are the hyperbolic ones of a turned number") {
  on_each_device([] { check_turned<float>(); });
  if (kn::test::without_variants("complex128")) return;
  on_each_device(kn::float64, [] { check_turned<double>(); });
}

TEST_CASE("functions that leave tiny complex numbers as they are") {
  on_each_device([] { check_tiny<float>(); });
  if (kn::test::without_variants("complex128")) return;
  on_each_device(kn::float64, [] { check_tiny<double>(); });
}

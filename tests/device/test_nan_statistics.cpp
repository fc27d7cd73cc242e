// SPDX-License-Identifier: Apache-2.0
// Reductions that pass over NaN, against plain loops.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::has;
using kn::test::message_of;
using kn::test::on_each_device;

namespace {

using Values = std::vector<double>;

/// What is left of a line without its NaN.
Values without(const Values& line) {
  Values left;
  std::copy_if(line.begin(), line.end(), std::back_inserter(left), [](double v) { return v == v; });
  return left;
}

double total(const Values& line) {
  double sum = 0;
  for (const double v : without(line)) sum += v;
  return sum;
}

double mean(const Values& line) { return total(line) / static_cast<double>(without(line).size()); }

double variance(const Values& line, double correction) {
  const double center = mean(line), count = static_cast<double>(without(line).size());
  double squares = 0;
  for (const double v : without(line)) squares += (v - center) * (v - center);
  return count > correction ? squares / (count - correction) : NAN;
}

double extreme(const Values& line, bool largest) {
  const Values left = without(line);
  if (left.empty()) return NAN;
  return largest ? *std::max_element(left.begin(), left.end()) : *std::min_element(left.begin(), left.end());
}

double position(const Values& line, bool largest) {
  const double wanted = extreme(line, largest);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == wanted) return static_cast<double>(i);
  }
  return -1;
}

/// Quarters between -4 and 4, a third of them NaN; the first of `outer` lines has nothing but NaN and the second
/// nothing but -inf beside them.
std::vector<Values> lines(std::size_t outer, std::size_t inner) {
  std::mt19937 random(5);
  std::vector<Values> result(outer, Values(inner));
  for (std::size_t line = 0; line < outer; ++line) {
    for (double& v : result[line]) {
      const double value = line == 1 ? -INFINITY : static_cast<double>(random() % 33) / 4 - 4;
      v = line == 0 || random() % 3 == 0 ? NAN : value;
    }
  }
  return result;
}

/// Checks a reduction of each line along rows and down columns; values may be off by `tolerance` of their size.
template <class T>
void check_lines(const std::vector<Values>& table, const std::function<Array(const Array&, int, bool)>& reduce,
                 const std::function<double(const Values&)>& expected, double tolerance) {
  const auto rows = static_cast<std::int64_t>(table.size()), columns = static_cast<std::int64_t>(table[0].size());
  std::vector<T> flat;
  for (const Values& line : table) {
    for (const double v : line) flat.push_back(T(static_cast<float>(v)));
  }
  const Array x = kn::asarray(flat, {rows, columns});
  const Array turned = kn::asarray(kn::test::transposed(flat, rows, columns), {columns, rows});
  const Array along = reduce(x, 1, false), down = reduce(turned, 0, true);
  CHECK(along.shape() == Shape{rows});
  CHECK(down.shape() == Shape{1, rows});
  const auto first = along.to_vector<double>(), second = down.to_vector<double>();
  for (std::size_t line = 0; line < table.size(); ++line) {
    CAPTURE(line);
    const double want = expected(table[line]);
    for (const double got : {first[line], second[line]}) {
      if (std::isnan(want) || std::isinf(want)) {
        CHECK(kn::test::difference(Values{got}, Values{want}) == "");
      } else {
        CHECK(std::abs(got - want) <= tolerance * (1 + std::abs(want)));
      }
    }
  }
}

template <class T>
void check_type() {
  const double tolerance = kn::finfo(kn::dtype_of<T>).eps * 2 + 1e-6;
  for (const std::size_t inner : kn::test::usual_and<std::size_t>({7, 1000}, {1})) {
    CAPTURE(inner);
    // Of small types, which are computed as float32 is, what is folded within its reader is for the long run.
    const bool few = kn::dtype_of<T> == kn::float16 && !kn::test::all_variants();
    if (inner < 1000 && few) continue;
    const std::vector<Values> table = lines(4, inner);
    check_lines<T>(
        table, [](const Array& x, int axis, bool keep) { return kn::nansum(x, {.axis = axis, .keepdims = keep}); },
        total, tolerance);
    check_lines<T>(
        table, [](const Array& x, int axis, bool keep) { return kn::nanmean(x, {.axis = axis, .keepdims = keep}); },
        mean, tolerance);
    if (inner == 7 && !kn::test::all_variants()) continue;
    for (const double correction : kn::test::usual_and({1.0}, {0.0, 2.5})) {
      check_lines<T>(
          table,
          [&](const Array& x, int axis, bool keep) {
            return kn::nanvar(x, {.axis = axis, .correction = correction, .keepdims = keep});
          },
          [&](const Values& line) { return variance(line, correction); }, tolerance);
      if (kn::test::without_variants("roots of variances")) continue;
      check_lines<T>(
          table,
          [&](const Array& x, int axis, bool keep) {
            return kn::nanstd(x, {.axis = axis, .correction = correction, .keepdims = keep});
          },
          [&](const Values& line) { return std::sqrt(variance(line, correction)); }, tolerance);
    }
    for (const bool largest : {true, false}) {
      if (few && !largest) continue;
      check_lines<T>(
          table,
          [&](const Array& x, int axis, bool keep) {
            const kn::ReductionOptions options{.axis = axis, .keepdims = keep};
            return largest ? kn::nanmax(x, options) : kn::nanmin(x, options);
          },
          [&](const Values& line) { return extreme(line, largest); }, 0);
      if (!largest && kn::test::without_variants("positions of minima")) continue;
      check_lines<T>(
          table,
          [&](const Array& x, int axis, bool keep) {
            const kn::ArgOptions options{.axis = axis, .keepdims = keep};
            return largest ? kn::nanargmax(x, options) : kn::nanargmin(x, options);
          },
          [&](const Values& line) { return position(line, largest); }, 0);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("lines with NaN, all NaN, and -inf", T, kn::float16_t, kn::bfloat16_t, float, double) {
  // One type of each size that kernels differ for; each takes some forty programs.
  if (!kn::test::exhaustive() && (kn::dtype_of<T> == kn::bfloat16 || kn::dtype_of<T> == kn::float64)) return;
  on_each_device(kn::dtype_of<T>, [] { check_type<T>(); });
}

TEST_CASE("NaN in products, in complex numbers and in the whole array") {
  on_each_device([] {
    const Array x = kn::asarray(std::vector<float>{NAN, 2, 3, NAN, 4, -2}, {2, 3});
    CHECK(kn::nanprod(x).item<float>() == -48);
    CHECK(kn::nanprod(x, {.axis = 1}).to_vector<float>() == std::vector<float>{6, -8});
    CHECK(kn::nanprod(kn::full({3}, NAN)).item<float>() == 1);
    CHECK(kn::nansum(kn::full({3}, NAN)).item<float>() == 0);
    CHECK(kn::nanargmax(x).item<int>() == 4);
    CHECK(kn::nanargmin(x).item<int>() == 5);
    CHECK(kn::nanargmax(x, {.keepdims = true}).shape() == Shape{1, 1});
    CHECK(kn::nanargmax(x.T(), {.axis = 0}).to_vector<int>() == std::vector<int>{2, 1});
    using C = std::complex<float>;
    const Array z = kn::asarray(std::vector<C>{{1, 2}, {NAN, 1}, {1, NAN}, {3, -2}});
    CHECK(kn::nansum(z).item<C>() == C(4, 0));
    CHECK(kn::nanmean(z).item<C>() == C(2, 0));
  });
}

TEST_CASE("integers, bool and no elements as without \"nan\"") {
  on_each_device([] {
    const Array x = kn::asarray(std::vector<std::int32_t>{4, -7, 9});
    CHECK(kn::nansum(x).dtype() == kn::int64);
    CHECK(kn::nansum(x).item<int>() == 6);
    CHECK(kn::nansum(x > 0).item<int>() == 2);
    CHECK(kn::nanprod(x, {.dtype = kn::float32}).item<float>() == -252);
    CHECK(kn::nanmax(x).dtype() == kn::int32);
    CHECK(kn::nanmax(x).item<int>() == 9);
    CHECK(kn::nanmin(x).item<int>() == -7);
    CHECK(kn::nanargmin(x).item<int>() == 1);
    CHECK(kn::nanmean(x).item<float>() == 2);
    CHECK(kn::nanvar(x).item<double>() == doctest::Approx((4.0 + 81 + 49) / 3));
    CHECK(kn::nansum(kn::ones({0})).item<float>() == 0);
    CHECK(std::isnan(kn::nanmean(kn::ones({0})).item<float>()));
    CHECK(std::isnan(kn::nanvar(kn::ones({0})).item<float>()));
    CHECK(kn::nanmax(kn::ones({0, 3}), {.axis = 1}).shape() == Shape{0});
    CHECK(kn::nanargmax(kn::ones({0, 3}), {.axis = 1}).shape() == Shape{0});
  });
}

TEST_CASE("wrong calls") {
  const Array x = kn::ones({2, 3}), z = x.astype(kn::complex64), none = kn::ones({0, 3});
  CHECK(has(message_of<kn::IndexError>([&] { kn::nansum(x, {.axis = 2}); }), "[nansum] axis 2 is out of range"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::nanprod(x, {.dtype = kn::bool_}); }), "[nanprod] cannot accumulate"));
  CHECK(has(message_of<kn::IndexError>([&] { kn::nanmean(x, {.axis = -3}); }), "[nanmean] axis -3 is out of range"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::nanvar(z); }), "[nanvar] does not take complex64"));
  CHECK(has(message_of<kn::DTypeError>([&] { kn::nanstd(z); }), "[nanstd] does not take complex64"));
  CHECK(has(message_of<kn::ValueError>([&] { kn::nanmax(none); }), "[nanmax] has no value for no elements"));
  CHECK(has(message_of<kn::ValueError>([&] { kn::nanargmax(x, {.axis = {0, 1}}); }), "[nanargmax] takes one axis"));
  CHECK(has(message_of<kn::ValueError>([&] { kn::nanargmin(none, {.axis = 0}); }), "[nanargmin] has no value"));
}

// SPDX-License-Identifier: Apache-2.0
// Every row of the table of reductions against its definition. A public row without one does not compile.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "support/devices.hpp"
#include "support/tables.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::graph::Gives;
using kn::graph::ReductionInfo;

namespace {

using Values = std::vector<double>;

namespace reference {

double sum(const Values& v) {
  double total = 0;
  for (const double x : v) total += x;
  return total;
}
double mean(const Values& v) { return sum(v) / static_cast<double>(v.size()); }
double var(const Values& v) {
  double squares = 0;
  for (const double x : v) squares += (x - mean(v)) * (x - mean(v));
  return squares / static_cast<double>(v.size());
}
double std(const Values& v) { return std::sqrt(var(v)); }
double prod(const Values& v) {
  double product = 1;
  for (const double x : v) product *= x;
  return product;
}
double argmax(const Values& v) { return static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin()); }
double argmin(const Values& v) { return static_cast<double>(std::min_element(v.begin(), v.end()) - v.begin()); }
double max(const Values& v) { return *std::max_element(v.begin(), v.end()); }
double min(const Values& v) { return *std::min_element(v.begin(), v.end()); }
double logsumexp(const Values& v) {
  double total = 0;
  for (const double x : v) total += std::exp(x);
  return std::log(total);
}
double count_nonzero(const Values& v) {
  return static_cast<double>(v.size()) - static_cast<double>(std::count(v.begin(), v.end(), 0.0));
}
double any(const Values& v) { return count_nonzero(v) > 0; }
double all(const Values& v) { return count_nonzero(v) == static_cast<double>(v.size()); }

}  // namespace reference

struct Reduction {
  const ReductionInfo& row;
  std::function<Array(const Array&, const kn::Axis&, bool)> function;
  std::function<double(const Values&)> definition;
};

std::vector<Reduction> reductions() {
  return {
#define KN_REDUCTION_STEP(...)
#define KN_REDUCTION(name, ...)                                \
  {kn::graph::info(kn::graph::ReduceKind::name),               \
   [](const Array& x, const kn::Axis& axis, bool keepdims) {   \
     return kn::name(x, {.axis = axis, .keepdims = keepdims}); \
   },                                                          \
   reference::name},
#include "graph/reductions.def"
  };
}

kn::DType given(Gives gives, kn::DType type) {
  const bool whole = kn::is_integer(type) || kn::is_bool(type);
  switch (gives) {
    case Gives::boolean: return kn::bool_;
    case Gives::count:
    case Gives::position: return kn::int64;
    case Gives::floating: return whole ? kn::float32 : type;
    case Gives::same: return type;
    case Gives::sum: return !whole ? type : kn::is_unsigned_integer(type) ? kn::uint64 : kn::int64;
  }
  return type;
}

/// The values of a (rows, columns) array that go into each result.
std::vector<Values> lines(const Values& values, std::int64_t rows, std::int64_t columns, std::int64_t axis) {
  std::vector<Values> result(static_cast<std::size_t>(axis == 0 ? columns : rows));
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    result[static_cast<std::size_t>(axis == 0 ? i % columns : i / columns)].push_back(
        values[static_cast<std::size_t>(i)]);
  }
  return result;
}

bool has_extreme(const ReductionInfo& row) { return row.gives == Gives::same || row.gives == Gives::position; }

Values reals_of(const Array& x) {
  Values reals;
  for (const std::complex<double> value : x.to_vector<std::complex<double>>()) reals.push_back(value.real());
  return reals;
}

/// Both axes of the shape, but of the type's other kinds one alone: each takes a program of its own. Of bool_ and int8,
/// which reductions take alike, every second one, and those that the other has not.
void check_type(kn::DType type, bool both_axes) {
  constexpr std::int64_t rows = 40, columns = 21;
  // Products stay within every type, and not all elements are true.
  Values values;
  for (int i = 0; i < rows * columns; ++i) values.push_back(i % 71 == 3 ? 2 : i % 11 == 5 && i > 99 ? 0 : 1);
  const Array x = kn::asarray(values, {rows, columns}, {.dtype = type});
  const Values seen = reals_of(x);
  std::size_t number = 0;
  for (const Reduction& reduction : reductions()) {
    const ReductionInfo& row = reduction.row;
    const bool other_has_it = ++number % 2 == static_cast<std::size_t>(type == kn::bool_);
    CAPTURE(row.name);
    CAPTURE(kn::name(type));
    if (kn::is_complex(type) && row.domain == kn::graph::Domain::real_or_bool) {
      CHECK_THROWS_AS(reduction.function(x, 0, false), kn::DTypeError);
      continue;
    }
    for (const std::int64_t axis : {0, 1}) {
      if (axis == 0 && !both_axes) continue;
      const Array result = reduction.function(x, axis, false);
      CHECK(result.dtype() == given(row.gives, type));
      CHECK(reduction.function(x, axis, true).shape() == (axis == 0 ? Shape{1, columns} : Shape{rows, 1}));
      if ((type == kn::bool_ || type == kn::int8) && other_has_it && kn::test::without_variants()) continue;
      const Values got = reals_of(result);
      std::size_t k = 0;
      const double precision = kn::size_of(result.dtype()) == 2 && row.gives == Gives::floating ? 1e-2 : 1e-6;
      for (const Values& line : lines(seen, rows, columns, axis)) {
        CHECK(got[k++] == doctest::Approx(reduction.definition(line)).epsilon(precision));
      }
    }
  }
}

}  // namespace

TEST_CASE("every reduction of the table, of every kind of type") {
  kn::test::on_each_device([] {
    for (const kn::DType type : kn::test::usual_and({kn::bool_, kn::int8, kn::complex64}, {kn::uint64, kn::float16})) {
      check_type(type, false);
    }
    check_type(kn::float32, true);
  });
}

TEST_CASE("what every reduction of the table gives for no elements") {
  for (const Reduction& reduction : reductions()) {
    const ReductionInfo& row = reduction.row;
    CAPTURE(row.name);
    const Array none = kn::ones({2, 0});
    if (has_extreme(row)) {
      CHECK_THROWS_AS(reduction.function(none, 1, false), kn::ValueError);
      continue;
    }
    for (const double got : reduction.function(none, 1, false).to_vector<double>()) {
      CHECK((std::isnan(row.nothing) ? std::isnan(got) : got == row.nothing));
    }
  }
}

TEST_CASE("a scan ends with what its reduction gives") {
  const std::map<std::string_view, std::function<Array(const Array&)>> scans = {
      {"cumulative_sum", [](const Array& x) { return kn::cumulative_sum(x); }},
      {"cumulative_prod", [](const Array& x) { return kn::cumulative_prod(x); }},
      {"cumulative_max", [](const Array& x) { return kn::cumulative_max(x); }},
      {"cumulative_min", [](const Array& x) { return kn::cumulative_min(x); }}};
  const Array x = kn::array({3, -2, 5, 1, -4, 2});
  for (const Reduction& reduction : reductions()) {
    if (reduction.row.scan.empty()) continue;
    CAPTURE(reduction.row.name);
    REQUIRE(scans.contains(reduction.row.scan));
    CHECK(scans.at(reduction.row.scan)(x)(-1).item<double>() == reduction.function(x, kn::none, false).item<double>());
  }
}

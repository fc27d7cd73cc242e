// SPDX-License-Identifier: Apache-2.0
// Places of extremes in kernels of whole rows, beside what else is made of the rows.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/devices.hpp"
#include "support/with_type.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::on_each_device;

namespace {

const kn::ReductionOptions kept{.axis = -1, .keepdims = true};

/// The first place of each row that goes before all others; NaN goes before numbers.
template <class T>
std::vector<std::int64_t> first_places(const std::vector<T>& values, std::int64_t n, bool largest) {
  std::vector<std::int64_t> places;
  for (std::size_t row = 0; row < values.size(); row += std::size_t(n)) {
    const auto before = [&](double a, double b) {
      return (std::isnan(a) && !std::isnan(b)) || (largest ? a > b : a < b);
    };
    std::int64_t place = 0;
    for (std::int64_t j = 1; j < n; ++j) {
      if (before(double(values[row + std::size_t(j)]), double(values[row + std::size_t(place)]))) place = j;
    }
    places.push_back(place);
  }
  return places;
}

/// Rows of few distinct values, so that the largest and the smallest come several times.
template <class T>
void check_ties(std::int64_t m, std::int64_t n) {
  const kn::DType type = kn::dtype_of<T>;
  if (!kn::test::computes(type)) return;
  CAPTURE(kn::name(type));
  CAPTURE(n);
  std::mt19937 random(700);
  const bool has_sign = kn::is_signed_integer(type) || !(kn::is_integer(type) || kn::is_bool(type));
  std::vector<double> values;
  for (std::int64_t i = 0; i < m * n; ++i) {
    values.push_back(static_cast<double>(random() % (kn::is_bool(type) ? 2 : 40)) - (has_sign ? 20 : 0));
  }
  const Array x = kn::asarray(values, {m, n}, type);
  for (const bool largest : {true, false}) {
    if (!largest && m < 37 && kn::test::without_variants("minima, of types that maxima have")) continue;
    // What makes the kernel one of whole rows: something that each element reads.
    const Array extreme = largest ? kn::max(x, kept) : kn::min(x, kept);
    const Array same = x == extreme, place = largest ? kn::argmax(x, {.axis = -1}) : kn::argmin(x, {.axis = -1});
    CHECK(kn::test::work_of([&] { kn::eval(place, same); }).kernels == 1);
    CHECK(place.template to_vector<std::int64_t>() == first_places(values, n, largest));
    const std::vector<bool> found = same.template to_vector<bool>();
    const std::vector<std::int64_t> places = place.template to_vector<std::int64_t>();
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j <= places[std::size_t(i)]; ++j) {
        CHECK(found[std::size_t(i * n + j)] == (j == places[std::size_t(i)]));
      }
    }
  }
}

}  // namespace

TEST_CASE("places of extremes share a kernel with what each element reads, whatever the type") {
  on_each_device([] {
    check_ties<float>(37, 700);
    check_ties<kn::float16_t>(9, 515);
    check_ties<bool>(9, 1000);
    // Rows that registers do not hold.
    const std::int64_t enough = 4 * std::int64_t{kn::default_device().compute_units()};
    check_ties<float>(enough, 16411);
    check_ties<std::int32_t>(enough, 8200);
    if (kn::test::without_variants("seven more types")) return;
    check_ties<float>(5, 1031);
    check_ties<std::int8_t>(9, 1000);
    check_ties<std::uint64_t>(9, 512);
    check_ties<double>(9, 1000);
    check_ties<kn::bfloat16_t>(9, 515);
    check_ties<std::uint8_t>(9, 1031);
    check_ties<std::int32_t>(9, 1000);
    check_ties<std::int64_t>(9, 513);
  });
}

TEST_CASE("the first NaN is the place of both extremes, and infinities are elements like others") {
  on_each_device([] {
    const std::int64_t m = 4, n = 1200;
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> values(std::size_t(m * n), -inf);  // of row 3 all
    for (std::int64_t j = 0; j < 3 * n; ++j) values[std::size_t(j)] = float(j % 97) - 50;
    for (const std::int64_t j : {1199, 400, 77}) values[std::size_t(j)] = nan;
    for (const std::int64_t j : {900, 23}) values[std::size_t(n + j)] = inf;
    const Array x = kn::asarray(values, {m, n});
    for (const bool largest : {true, false}) {
      const Array place = largest ? kn::argmax(x, {.axis = -1}) : kn::argmin(x, {.axis = -1});
      const Array below = x - (largest ? kn::max(x, kept) : kn::min(x, kept));
      CHECK(kn::test::work_of([&] { kn::eval(below, place); }).kernels == 1);
      CHECK(place.to_vector<std::int64_t>() == first_places(values, n, largest));
    }
  });
}

TEST_CASE("the place of the largest softmax is one kernel, and so are an extreme and its place") {
  on_each_device([] {
    const std::int64_t m = 40, n = 1500;
    kn::random::Generator random(7);
    const Array x = random.uniform({m, n}).eval();
    const std::vector<float> values = x.to_vector<float>();
    const Array share = kn::softmax(4.0f * x, {.axis = -1}), place = kn::argmax(share, {.axis = -1});
    CHECK(kn::test::kernels_of(place) == 1);
    const std::vector<std::int64_t> places = place.to_vector<std::int64_t>(), want = first_places(values, n, true);
    // Exponentials of neighbours may round to the same share.
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t row = i * std::size_t(n);
      CHECK(values[row + std::size_t(places[i])] >= values[row + std::size_t(want[i])] - 1e-6f);
    }
    const Array least = kn::min(x, {.axis = -1}), at = kn::argmin(x, {.axis = -1});
    CHECK(kn::test::work_of([&] { kn::eval(least, at); }).kernels == 1);
    CHECK(at.to_vector<std::int64_t>() == first_places(values, n, false));
    const Array most = kn::max(x, {.axis = -1}), top = kn::argmax(x, {.axis = -1});
    CHECK(kn::test::work_of([&] { kn::eval(top, most); }).kernels == 1);
    CHECK(top.to_vector<std::int64_t>() == want);
    const std::vector<float> largest = most.to_vector<float>();
    for (std::size_t i = 0; i < largest.size(); ++i) {
      CHECK(largest[i] == values[i * std::size_t(n) + std::size_t(want[i])]);
    }
  });
}

TEST_CASE("a place is of the elements as they were, where a result is stored over them") {
  on_each_device([] {
    const std::int64_t m = 33, n = 1029;
    kn::random::Generator random(11);
    const Array x = random.uniform({m, n}).eval();
    const std::vector<float> values = x.to_vector<float>();
    // What is stored over the elements is larger than all of them at first, and smaller behind.
    const Array ramp = kn::linspace(100, -100, n).astype(kn::float32).eval();
    Array y = x * 1.0f;
    y.eval();
    const Array place = kn::argmax(y, {.axis = -1});
    y = (y - kn::max(y, kept)) + ramp;
    kn::eval(y, place);
    CHECK(place.to_vector<std::int64_t>() == first_places(values, n, true));
  });
}

TEST_CASE("statistics that pass over NaN, and means of integers, are one kernel for rows") {
  on_each_device([] {
    const std::int64_t m = 20, n = 800;
    kn::random::Generator random(3);
    const Array some = random.uniform({m, n}).eval();
    const Array x = kn::where(some < 0.25f, std::numeric_limits<float>::quiet_NaN(), some * 10.0f).eval();
    const std::vector<double> values = x.to_vector<double>();
    std::vector<double> means, variances, maxima;
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < m; ++i) {
      double count = 0, sum = 0, squares = 0, largest = -1;
      std::int64_t place = -1;
      for (std::int64_t j = 0; j < n; ++j) {
        const double v = values[std::size_t(i * n + j)];
        if (std::isnan(v)) continue;
        ++count;
        sum += v;
        if (v > largest) place = j;
        largest = std::max(largest, v);
      }
      for (std::int64_t j = 0; j < n; ++j) {
        const double v = values[std::size_t(i * n + j)];
        if (!std::isnan(v)) squares += (v - sum / count) * (v - sum / count);
      }
      means.push_back(sum / count);
      variances.push_back(squares / count);
      maxima.push_back(largest);
      places.push_back(place);
    }
    const auto check = [&](Array result, const std::vector<double>& want) {
      CHECK(kn::test::kernels_of(result) == 1);
      const std::vector<double> got = result.to_vector<double>();
      for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
    };
    check(kn::nanmean(x, {.axis = -1}), means);
    check(kn::nanvar(x, {.axis = -1}), variances);
    check(kn::nanmax(x, {.axis = -1}), maxima);
    const Array place = kn::nanargmax(x, {.axis = -1});
    CHECK(kn::test::kernels_of(place) == 1);
    CHECK(place.to_vector<std::int64_t>() == places);
    const Array whole = (some * 1000.0f).astype(kn::int32).eval();
    const std::vector<std::int32_t> counts = whole.to_vector<std::int32_t>();
    std::vector<double> want(std::size_t(m), 0.0);
    for (std::size_t k = 0; k < counts.size(); ++k) want[k / std::size_t(n)] += counts[k] / double(n);
    check(kn::mean(whole, {.axis = -1}), want);
  });
}

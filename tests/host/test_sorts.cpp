// SPDX-License-Identifier: Apache-2.0
// Sorts by the host, of keys of few values, of narrow and of wide ranges, with ties in their upper halves and without:
// against std::stable_sort.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "support/devices.hpp"
#include "support/host_steps.hpp"

namespace kn = koine;
using kn::Array;

namespace {

/// NaN comes last, whatever the order is.
template <class T>
bool before(T a, T b, bool descending) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
  }
  return descending ? b < a : a < b;
}
template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

struct Rows {
  std::size_t count, rows;
};

template <class T, class Make>
void check(const char* what, const Rows& shape, Make make) {
  CAPTURE(what);
  CAPTURE(shape.count);
  CAPTURE(shape.rows);
  std::mt19937_64 random(shape.count);
  std::vector<T> elements(shape.count * shape.rows);
  for (T& x : elements) x = static_cast<T>(make(random()));
  const Array x =
      kn::asarray(elements, {static_cast<std::int64_t>(shape.rows), static_cast<std::int64_t>(shape.count)});
  for (const bool descending : {false, true}) {
    CAPTURE(descending);
    std::vector<std::int64_t> order(elements.size());
    for (std::size_t row = 0; row < elements.size(); row += shape.count) {
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(row),
                 end = begin + static_cast<std::ptrdiff_t>(shape.count);
      std::iota(begin, end, 0);
      std::stable_sort(begin, end, [&](std::int64_t a, std::int64_t b) {
        const T *const line = &elements[row], one = line[a], two = line[b];
        if (one != one && two != two) return false;
        return before(one, two, descending);
      });
    }
    CHECK(kn::argsort(x, {.descending = descending}).to_vector<std::int64_t>() == order);
    const std::vector<T> values = kn::sort(x, {.descending = descending}).template to_vector<T>();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      wrong += !same(values[i], elements[i / shape.count * shape.count + static_cast<std::size_t>(order[i])]);
    }
    CHECK(wrong == 0);
  }
}

template <class T>
T odd(std::uint64_t x) {
  using Limits = std::numeric_limits<T>;
  const T values[] = {Limits::quiet_NaN(), -Limits::quiet_NaN(), 0, -T(0), Limits::infinity(),
                      -Limits::infinity(), Limits::denorm_min()};
  return x % 20 < std::size(values) ? values[x % 20] : static_cast<T>(x % 2000) - 1000;
}

// Around the sizes from which rows are counted, and sorted by digits, by several threads and by wider digits.
constexpr Rows shapes[] = {{64, 3},    {255, 2},    {256, 40},   {511, 3},    {512, 3},
                           {1000, 20}, {16'384, 6}, {65'535, 1}, {65'536, 2}, {140'000, 1}};

bool left_out() {
  (kn::ones({2}) + 1).eval();
  if (kn::test::host_steps_of() > 0) return false;
  kn::test::leave_out("the host does no steps of this device");
  return true;
}

}  // namespace

TEST_CASE("integers of few values, and around as many as are counted") {
  if (left_out()) return;
  for (const Rows& shape : shapes) {
    const std::uint64_t quarter = shape.count / 4;
    check<std::int32_t>("labels", shape, [](auto x) { return static_cast<std::int64_t>(x % 1000) - 5; });
    check<std::int32_t>("one value", shape, [](auto) { return 7; });
    check<std::int32_t>("as many as are counted", shape, [&](auto x) { return x % quarter; });
    check<std::int32_t>("one more", shape, [&](auto x) { return x % (quarter + 1); });
    check<std::int32_t>("one far", shape, [](auto x) {
      return x % 5000 == 0 ? INT32_MIN : x % 5001 == 0 ? INT32_MAX : 3;
    });
    check<std::int64_t>("labels", shape, [](auto x) { return static_cast<std::int64_t>(x % 1000) - 500; });
    check<std::int64_t>("multiples", shape, [](auto x) { return (x % 70) << 33; });
    check<std::int16_t>("few", shape, [](auto x) { return static_cast<std::int64_t>(x % 9) - 4; });
    check<float>("zeros and ones", shape, [](auto x) { return x % 2; });
  }
}

TEST_CASE("numbers of all bits") {
  if (left_out()) return;
  for (const Rows& shape : shapes) {
    check<std::int32_t>("any", shape, [](auto x) { return x; });
    check<std::uint64_t>("any", shape, [](auto x) { return x; });
    check<std::int16_t>("any", shape, [](auto x) { return x; });
    check<std::uint16_t>("any", shape, [](auto x) { return x; });
    check<float>("odd", shape, odd<float>);
    check<float>("fractions", shape, [](auto x) { return static_cast<float>(x >> 40) * 0x1p-24F; });
    if (kn::default_device().has_fp64()) check<double>("odd", shape, odd<double>);
  }
}

TEST_CASE("numbers of 64 bits that agree in their upper halves, few of them and many") {
  if (left_out()) return;
  for (const Rows& shape : shapes) {
    check<std::int64_t>("pairs", shape, [](auto x) { return (x % 30000 << 40) | (x >> 63); });
    check<std::int64_t>("three runs", shape, [](auto x) { return (x % 3 << 40) | (x >> 33) % 10; });
    check<std::int64_t>("one run", shape,
                        [](auto x) { return (x % 300 == 0 ? std::uint64_t{1} << 62 : 0) | (x >> 33) % 100'000; });
    check<std::int64_t>("extremes", shape, [](auto x) {
      return x % 30 == 0 ? INT64_MIN : x % 31 == 0 ? INT64_MAX : static_cast<std::int64_t>(x % 100);
    });
    if (kn::default_device().has_fp64()) {
      check<double>("near one", shape,
                    [](auto x) { return x % 1000 == 0 ? 1e300 : 1 + static_cast<double>(x >> 40) * 0x1p-52; });
    }
  }
}

TEST_CASE("a permutation has all numbers once, in the order of its keys") {
  if (left_out()) return;
  for (const std::int64_t n : {100, 16'384, 200'000}) {
    std::vector<std::int64_t> keys =
        kn::random::Generator(3).integers(INT64_MIN, INT64_MAX, {n}).to_vector<std::int64_t>();
    std::vector<std::int64_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
    });
    CHECK(kn::random::Generator(3).permutation(n).to_vector<std::int64_t>() == order);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Comparisons of integers of any two types, and with whole numbers that a type does not hold, against C++'s std::cmp_*:
// as arrays, as scalars, and in what is made of comparisons.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_array;
using kn::test::on_each_device;

namespace {

template <class T>
Array of(const std::vector<T>& values) {
  return kn::asarray(values);
}

using I64 = std::numeric_limits<std::int64_t>;
using U64 = std::numeric_limits<std::uint64_t>;

template <class T>
std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0, 1, 2, Limits::max(), static_cast<T>(Limits::max() - 1), Limits::min()};
  for (const std::int64_t wide : {INT64_C(-1), INT64_C(-2), INT64_C(127), INT64_C(200), INT64_C(1) << 31,
                                  INT64_C(1) << 53, (INT64_C(1) << 53) + 1, I64::max(), I64::max() - 1, I64::min()}) {
    values.push_back(static_cast<T>(wide));
  }
  if (sizeof(T) == 8) values.push_back(static_cast<T>(UINT64_C(1) << 63));
  return values;
}

template <class A, class B>
void check_types() {
  CAPTURE(kn::name(kn::dtype_of<A>));
  CAPTURE(kn::name(kn::dtype_of<B>));
  const std::vector<A> a = edges<A>();
  const std::vector<B> b = edges<B>();
  const Array x = kn::asarray(a, {std::ssize(a), 1}), y = kn::asarray(b);
  const auto equal = [](A p, B q) { return std::cmp_equal(p, q); };
  const auto less = [](A p, B q) { return std::cmp_less(p, q); };
  const auto least = [](A p, B q) { return std::cmp_less_equal(p, q); };
  const auto pairs = [](const std::vector<A>& x1, const std::vector<B>& x2, auto reference) {
    std::vector<bool> want;
    for (const A p : x1) {
      for (const B q : x2) want.push_back(reference(p, q));
    }
    return want;
  };
  const auto none_of = [](std::vector<bool> values) {
    values.flip();
    return values;
  };
  kn::test::check_together<bool>({{x == y, pairs(a, b, equal)},
                                  {x != y, none_of(pairs(a, b, equal))},
                                  {x < y, pairs(a, b, less)},
                                  {x <= y, pairs(a, b, least)},
                                  {x > y, none_of(pairs(a, b, least))},
                                  {x >= y, none_of(pairs(a, b, less))},
                                  {kn::isclose(x, y, {.rtol = 0, .atol = 0}), pairs(a, b, equal)}});
  // Either side as a scalar, whether the array's type holds it or not.
  const Array line = kn::asarray(a);
  for (const B q : b) {
    CAPTURE(q);
    kn::test::check_together<bool>({{line == q, pairs(a, {q}, equal)},
                                    {line < q, pairs(a, {q}, less)},
                                    {q <= line, none_of(pairs(a, {q}, less))}});
  }
  // What is made of comparisons.
  std::vector<bool> among;
  for (const A p : a) among.push_back(std::any_of(b.begin(), b.end(), [&](B q) { return std::cmp_equal(p, q); }));
  check_array(kn::isin(kn::asarray(a), y), {std::ssize(a)}, among);
  among.flip();
  check_array(kn::isin(kn::asarray(a), y, {.invert = true}), {std::ssize(a)}, among);
  std::vector<A> list = a;
  std::sort(list.begin(), list.end());
  std::vector<std::int64_t> before, behind;
  for (const B q : b) {
    before.push_back(std::count_if(list.begin(), list.end(), [&](A p) { return std::cmp_less(p, q); }));
    behind.push_back(std::count_if(list.begin(), list.end(), [&](A p) { return std::cmp_less_equal(p, q); }));
  }
  check_array(kn::searchsorted(kn::asarray(list), y), {std::ssize(b)}, before);
  check_array(kn::searchsorted(kn::asarray(list), y, {.side = "right"}), {std::ssize(b)}, behind);
}

}  // namespace

TEST_CASE("integers of any two types compare by their values") {
  on_each_device([] {
    // Without a common type, of one size and of two, and with one.
    check_types<std::int64_t, std::uint64_t>();
    check_types<std::uint8_t, std::int64_t>();
    if (kn::test::without_variants("five more pairs")) return;
    check_types<std::uint64_t, std::int8_t>();
    check_types<std::int32_t, std::uint32_t>();
    check_types<std::uint64_t, std::int64_t>();
    check_types<std::int16_t, std::uint64_t>();
    check_types<std::int8_t, std::uint8_t>();
  });
}

TEST_CASE("an array of integers beside a whole number that its type does not hold") {
  on_each_device([] {
    const Array small = of<std::uint8_t>({0, 200});
    CHECK(kn::all(small < 1000));
    CHECK_FALSE(kn::any(small == -1));
    CHECK(kn::all(-1 < small));
    CHECK(kn::all(small != 256));
    CHECK((small >= U64::max()).to_vector<bool>() == std::vector<bool>{false, false});
    CHECK_FALSE(kn::any(kn::isin(small, 1000)));
    CHECK_FALSE(kn::any(kn::isin(of<std::uint64_t>({U64::max()}), -1)));
    CHECK(kn::searchsorted(small, 1000).item<int>() == 2);
    CHECK(kn::searchsorted(of<std::uint64_t>({0, U64::max()}), -1, {.side = "right"}).item<int>() == 0);
    CHECK(kn::equal(-1, U64::max()).item<bool>() == false);
    // Arithmetic has a type to keep.
    CHECK_THROWS_AS(small + 1000, kn::ValueError);
    CHECK_THROWS_AS(kn::maximum(small, -1), kn::ValueError);
    CHECK_THROWS_AS(of<std::uint64_t>({U64::max()}) + of<std::int64_t>({1}), kn::DTypeError);
  });
}

TEST_CASE("integers beside a number that is not whole compare by their values") {
  on_each_device([] {
    for (const kn::DType type : kn::test::usual_and({kn::uint64}, {kn::int32, kn::int8, kn::int64, kn::uint8})) {
      CAPTURE(type);
      const std::vector<int> values{0, 1, 2, 3};
      const Array x = kn::asarray(values, type);
      for (const double number : {0.5, 1.0, 2.75, -0.5, 1e30, std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN()}) {
        CAPTURE(number);
        std::vector<bool> equal, less, least, most;
        for (const int value : values) {
          equal.push_back(value == number);
          less.push_back(value < number);
          least.push_back(value <= number);
          most.push_back(value >= number);
        }
        kn::test::check_together<bool>({{x == number, equal},
                                        {number == x + 0, equal},
                                        {x < number, less},
                                        {number > x, less},
                                        {x <= number, least},
                                        {x >= number, most},
                                        {kn::isin(x, number), equal},
                                        {kn::isclose(x, number, {.rtol = 0, .atol = 0}), equal}});
        CHECK(kn::array_equal(x, number) == std::ranges::all_of(equal, [](bool same) { return same; }));
        CHECK(kn::where(x > number, 1, 0).to_vector<int>() == kn::where(number < x, 1, 0).to_vector<int>());
        if (number == number) CHECK(kn::searchsorted(x, number).item<int>() == std::ranges::count(less, true));
        CHECK((x(0) == number).item<bool>() == (0 == number));
      }
      const std::complex<double> half(0.5, 0.5), one(1, 0);
      CHECK_FALSE(kn::any(x == half));
      CHECK(kn::all(half != x));
      CHECK((x == one).to_vector<bool>() == std::vector<bool>{false, true, false, false});
    }
  });
}

TEST_CASE("signed integers beside uint64 are equal or close by their values") {
  on_each_device([] {
    const Array wide = of<std::uint64_t>({U64::max(), 5}), low = of<std::int64_t>({-1, 5});
    CHECK_FALSE(kn::array_equal(wide, low));
    CHECK(kn::array_equal(of<std::uint64_t>({7, 5}), of<std::int64_t>({7, 5})));
    CHECK_FALSE(kn::array_equal(kn::full({}, 5).astype(kn::uint8), 261));
    CHECK(kn::isclose(wide, low, {.rtol = 0, .atol = 10}).to_vector<bool>() == std::vector<bool>{false, true});
    CHECK(kn::isclose(of<std::uint64_t>({5}), of<std::int64_t>({-5}), {.rtol = 0, .atol = 10}).item<bool>());
    CHECK_FALSE(kn::isclose(of<std::uint64_t>({5}), of<std::int64_t>({-6}), {.rtol = 0, .atol = 10}).item<bool>());
    CHECK(kn::isclose(of<std::uint8_t>({255}), 256, {.rtol = 0, .atol = 1}).item<bool>());
    CHECK(kn::allclose(of<std::int64_t>({INT64_C(1) << 62}), of<std::uint64_t>({(UINT64_C(1) << 62) + 3}),
                       {.rtol = 0, .atol = 3}));
  });
}

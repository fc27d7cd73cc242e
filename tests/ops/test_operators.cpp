// SPDX-License-Identifier: Apache-2.0
// Operators, their in-place forms, weak scalars, clip, and what element-wise functions refuse.
#include "support/arrays.hpp"
#include "support/devices.hpp"

#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace koine::test;
namespace kn = koine;
using kn::Array;

namespace {

template <class T>
std::vector<T> values(const Array& x) {
  return x.to_vector<T>();
}
using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Bools = std::vector<bool>;

/// The message of the error of kind E that f throws.
template <class E, class F>
std::string message(F f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "no such error";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("operators are the functions of their names") {
  on_each_device([] {
    const Array x = kn::array({7, -7, 2, 0}), y = kn::array({2, 2, -3, 5});
    kn::test::check_together<std::int64_t>({{x + y, {9, -5, -1, 5}},
                                            {x - y, {5, -9, 5, -5}},
                                            {x * y, {14, -14, -6, 0}},
                                            {x % y, {1, 1, -1, 0}},
                                            {kn::floor_divide(x, y), {3, -4, -1, 0}},
                                            {x & y, {7 & 2, -7 & 2, 2 & -3, 0}},
                                            {x | y, {7 | 2, -7 | 2, 2 | -3, 5}},
                                            {x ^ y, {7 ^ 2, -7 ^ 2, 2 ^ -3, 5}},
                                            {x << 2, {28, -28, 8, 0}},
                                            {x >> 1, {3, -4, 1, 0}},
                                            {-x, {-7, 7, -2, 0}},
                                            {+x, {7, -7, 2, 0}},
                                            {~x, {~7, ~-7, ~2, ~0}}});
    CHECK(values<float>(x / y) == Floats{3.5f, -3.5f, 2.0f / -3.0f, 0});
    kn::test::check_together<bool>({{!x, {false, false, false, true}},
                                    {x == 7, {true, false, false, false}},
                                    {x != y, {true, true, true, true}},
                                    {x < y, {false, true, false, true}},
                                    {x <= 2, {false, true, true, true}},
                                    {2 > x, {false, true, false, true}},
                                    {x >= y, {true, false, true, false}},
                                    {(x > 0) && (y > 0), {true, false, false, false}},
                                    {(x > 0) || (y > 0), {true, true, true, true}}});
    CHECK(values<std::int64_t>(10 - x(kn::slice(0, 2)) * y(kn::slice(2, 4))) == Ints{31, 45});
  });
}

TEST_CASE("in-place operators keep type and shape, and change one array alone") {
  on_each_device([] {
    Array x = kn::array({1, 2, 3});
    const Array before = x;
    CHECK(&(x += 1) == &x);
    x *= kn::array({2, 3, 4});
    x -= x;
    x += 9;
    x %= 4;
    x <<= 3;
    x >>= 1;
    x |= 3;
    x &= 6;
    x ^= 1;
    CHECK(values<std::int64_t>(x) == Ints{7, 7, 7});
    CHECK(values<std::int64_t>(before) == Ints{1, 2, 3});

    Array f = kn::ones({2, 3});
    f /= kn::array({1., 2., 4.});
    CHECK(values<float>(f) == Floats{1, 0.5f, 0.25f, 1, 0.5f, 0.25f});

    f(0) *= 8;
    f(kn::all, 1) += kn::array({1., 2.});
    CHECK(values<float>(f) == Floats{8, 5, 2, 1, 2.5f, 0.25f});

    CHECK(contains(message<kn::DTypeError>([&] { x /= 2; }), "int64 cannot become float32"));
    CHECK(contains(message<kn::DTypeError>([&] { x += 0.5; }), "int64 cannot become float32"));
    CHECK(contains(message<kn::ShapeError>([&] { x += kn::ones({2, 3}, {.dtype = kn::int64}); }), "(3,)"));
    CHECK(values<std::int64_t>(x) == Ints{7, 7, 7});
  });
}

TEST_CASE("a scalar takes the array's type where its kind fits, else the default of its own") {
  on_each_device([] {
    const Array bytes = kn::array({1, 2}, {.dtype = kn::uint8}), halves = kn::array({1., 2.}, {.dtype = kn::float16});
    CHECK((bytes + 2).dtype() == kn::uint8);
    CHECK((bytes + 1.5).dtype() == kn::float32);
    CHECK((bytes + true).dtype() == kn::uint8);
    CHECK((halves + 1.5).dtype() == kn::float16);
    CHECK((halves * 2).dtype() == kn::float16);
    CHECK((halves * std::complex<float>(0, 1)).dtype() == kn::complex64);
    CHECK((kn::array({true}) + 1).dtype() == kn::int64);
    CHECK(kn::add(1, 2.5).dtype() == kn::float32);
    CHECK(values<float>(halves + 1.5) == Floats{2.5f, 3.5f});
    CHECK(values<float>(1 - bytes.astype(kn::float32)) == Floats{0, -1});
    CHECK(kn::exp(0.0).item<float>() == 1.0f);
    CHECK(contains(message<kn::ValueError>([&] { bytes + 256; }), "256"));
    CHECK(contains(message<kn::ValueError>([&] { bytes * -1; }), "-1"));
  });
}

TEST_CASE("types promote to their common type") {
  on_each_device([] {
    const auto of = [](kn::DType type) { return kn::ones({2}, {.dtype = type}); };
    CHECK((of(kn::int8) + of(kn::uint8)).dtype() == kn::int16);
    CHECK((of(kn::int32) + of(kn::uint32)).dtype() == kn::int64);
    CHECK((of(kn::bool_) + of(kn::int8)).dtype() == kn::int8);
    CHECK((of(kn::float16) + of(kn::bfloat16)).dtype() == kn::float32);
    CHECK((of(kn::int64) + of(kn::float16)).dtype() == kn::float16);
    CHECK((of(kn::float32) * of(kn::complex64)).dtype() == kn::complex64);
    CHECK((of(kn::int32) / of(kn::int32)).dtype() == kn::float32);
    CHECK((of(kn::int32) < of(kn::float32)).dtype() == kn::bool_);
    CHECK(kn::abs(of(kn::complex64)).dtype() == kn::float32);
    CHECK_THROWS_AS(of(kn::int64) + of(kn::uint64), kn::DTypeError);
  });
}

TEST_CASE("clip") {
  on_each_device([] {
    const Array x = kn::array({-2., 0.5, 3., 1.});
    CHECK(values<float>(kn::clip(x, 0, 1)) == Floats{0, 0.5f, 1, 1});
    CHECK(values<float>(kn::clip(x, kn::none, 1)) == Floats{-2, 0.5f, 1, 1});
    CHECK(values<float>(kn::clip(x, 0)) == Floats{0, 0.5f, 3, 1});
    CHECK(values<float>(kn::clip(x)) == Floats{-2, 0.5f, 3, 1});
    CHECK(values<float>(kn::clip(x, kn::array({-3., 1., 1., 1.}), x(3))) == Floats{-2, 1, 1, 1});
    CHECK(values<std::int64_t>(kn::clip(kn::array({-5, 5}), -1, 2)) == Ints{-1, 2});
    CHECK(std::isnan(kn::clip(kn::asarray(std::numeric_limits<float>::quiet_NaN()), 0, 1).item<float>()));
    CHECK(contains(message<kn::DTypeError>([] { kn::clip(kn::ones({1}, {.dtype = kn::complex64}), 0, 1); }), "[clip]"));
    CHECK(message<kn::ShapeError>([&] { kn::clip(x, kn::zeros({3})); }).rfind("[clip] shapes (4,) and (3,)", 0) == 0);
    CHECK(values<bool>(kn::clip(kn::array({true, false}), false, false)) == Bools{false, false});
  });
}

TEST_CASE("clip with bounds of other types") {
  on_each_device([] {
    const Array bytes = kn::array({250, 3}, {.dtype = kn::uint8});
    const auto check = [](const Array& got, kn::DType type, const Ints& want) {
      CHECK(got.dtype() == type);
      CHECK(values<std::int64_t>(got) == want);
    };
    // Integers past the type are no bound, or its end.
    check(kn::clip(bytes, 0, 1000), kn::uint8, {250, 3});
    check(kn::clip(bytes, -5, 1000), kn::uint8, {250, 3});
    check(kn::clip(bytes, -5, 100), kn::uint8, {100, 3});
    check(kn::clip(bytes, 300, kn::none), kn::uint8, {255, 255});
    check(kn::clip(bytes, kn::none, -1), kn::uint8, {0, 0});
    check(kn::clip(kn::array({-7, 7}, {.dtype = kn::int8}), 0, ~std::uint64_t{0}), kn::int8, {0, 7});
    check(kn::clip(kn::array({-7, 7}), 0, ~std::uint64_t{0}), kn::int64, {0, 7});
    // Arrays, and scalars of another kind, promote as they do everywhere.
    check(kn::clip(bytes, kn::array({-1, 10}, {.dtype = kn::int32}), 1000), kn::int32, {250, 10});
    check(kn::clip(bytes, 0, kn::array({1000, 2}, {.dtype = kn::int16})), kn::int16, {250, 2});
    CHECK(values<float>(kn::clip(bytes, 0, 2.5)) == Floats{2.5f, 2.5f});
    CHECK(std::isnan(kn::clip(kn::array({1.}), std::numeric_limits<double>::quiet_NaN()).item<float>()));
    CHECK(std::isnan(kn::clip(bytes, std::numeric_limits<double>::quiet_NaN())(0).item<float>()));
    CHECK(kn::clip(5, 0, 3).item<int>() == 3);
    CHECK(kn::maximum(bytes, 3).dtype() == kn::uint8);
    CHECK(contains(message<kn::ValueError>([&] { kn::maximum(bytes, 300); }), "300"));
  });
}

TEST_CASE("operators on bool_") {
  on_each_device([] {
    const Array a = kn::array({false, false, true, true}), b = kn::array({false, true, false, true});
    const Bools either = {false, true, true, true}, both = {false, false, false, true};
    kn::test::check_together<bool>({{a + b, either},
                                    {a * b, both},
                                    {kn::maximum(a, b), either},
                                    {kn::minimum(a, b), both},
                                    {kn::isfinite(a), Bools(4, true)},
                                    {kn::isnan(a), Bools(4, false)},
                                    {kn::isinf(a), Bools(4, false)},
                                    {kn::signbit(a), Bools(4, false)}});
    Array c = a;
    c += b;
    CHECK(values<bool>(c) == either);
    c *= true;
    CHECK(values<bool>(c) == either);
    const std::string refused = message<kn::DTypeError>([&] { a - b; });
    CHECK(contains(refused, "[subtract] does not take bool"));
    CHECK(contains(refused, "logical_xor"));
    CHECK(contains(refused, "astype"));
  });
}

TEST_CASE("in-place operators convert within a kind, and no further") {
  on_each_device([] {
    const auto of = [](kn::DType type) { return kn::array({1, 2, 3}, type); };
    const auto check = [&](kn::DType own, kn::DType other) {
      CAPTURE(name(own));
      CAPTURE(name(other));
      Array x = of(own);
      x += of(other);
      CHECK(x.dtype() == own);
      CHECK(values<std::complex<double>>(x) == std::vector<std::complex<double>>{2, 4, 6});
      x(kn::slice(2)) *= of(other)(kn::slice(2));
      CHECK(x.dtype() == own);
      CHECK(values<std::complex<double>>(x) == std::vector<std::complex<double>>{2, 8, 6});
    };
    check(kn::float16, kn::float32);
    check(kn::float32, kn::int64);
    check(kn::int32, kn::int64);
    check(kn::uint8, kn::uint64);
    const bool variants = !kn::test::without_variants();
    if (variants) {
      check(kn::bfloat16, kn::float16);
      check(kn::int8, kn::uint32);
    }
    if (computes(kn::float64)) {
      check(kn::complex64, kn::float64);
      if (variants) {
        check(kn::float32, kn::float64);
        check(kn::complex64, kn::complex128);
      }
      // Computed in the wider type, then rounded once.
      Array x = kn::full({1}, 1 + 0x1p-23);
      x -= kn::asarray(std::vector<double>{1 - 0x1p-40});
      CHECK(values<float>(x) == Floats{0x1p-23f + 0x1p-40f});
    }
    const auto refused = [&](kn::DType own, kn::DType other) {
      CAPTURE(name(own));
      CAPTURE(name(other));
      Array x = of(own);
      const std::string said = message<kn::DTypeError>([&] { x += of(other); });
      CAPTURE(said);
      CHECK(contains(said, "[add in place] "));
      CHECK(contains(said, "write x = x + y"));
      CHECK(x.dtype() == own);
      CHECK(values<std::int64_t>(x) == values<std::int64_t>(of(own)));
      CHECK(contains(message<kn::DTypeError>([&] { x(0) += of(other)(0); }), "[add in place] "));
    };
    refused(kn::int32, kn::float32);
    refused(kn::uint8, kn::int8);
    refused(kn::bool_, kn::int64);
    refused(kn::float32, kn::complex64);
  });
}

TEST_CASE("errors name the function, what it got and what it takes") {
  on_each_device([] {
    const Array x = kn::ones({2, 3}), flags = kn::array({true, false}),
                complex = kn::ones({2}, {.dtype = kn::complex64});
    CHECK(message<kn::ShapeError>([&] {
            x + kn::ones({2, 4});
          }) ==
          "[add] shapes (2, 3) and (2, 4) do not broadcast: axis sizes must be equal or 1, counted from the last axis");
    const std::string negated = message<kn::DTypeError>([&] { -flags; });
    CHECK(contains(negated, "[negative]"));
    CHECK(contains(negated, "bool"));
    CHECK(contains(message<kn::DTypeError>([&] { x& x; }), "[bitwise_and] does not take float32"));
    CHECK(contains(message<kn::DTypeError>([&] { complex < complex; }), "[less] does not take complex64"));
    CHECK(contains(message<kn::DTypeError>([&] { kn::floor_divide(complex, 2); }), "[floor_divide]"));
    CHECK(contains(message<kn::DTypeError>([&] { x << 1; }), "integers"));
    CHECK(values<float>(x) == Floats(6, 1.0f));
  });
}

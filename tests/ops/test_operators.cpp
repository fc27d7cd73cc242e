// SPDX-License-Identifier: Apache-2.0
// Operators, their in-place forms, weak scalars, clip, and what element-wise functions refuse.
#include "support/devices.hpp"

#include <koine/koine.hpp>

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
    CHECK(values<std::int64_t>(x + y) == Ints{9, -5, -1, 5});
    CHECK(values<std::int64_t>(x - y) == Ints{5, -9, 5, -5});
    CHECK(values<std::int64_t>(x * y) == Ints{14, -14, -6, 0});
    CHECK(values<float>(x / y) == Floats{3.5f, -3.5f, 2.0f / -3.0f, 0});
    CHECK(values<std::int64_t>(x % y) == Ints{1, 1, -1, 0});
    CHECK(values<std::int64_t>(kn::floor_divide(x, y)) == Ints{3, -4, -1, 0});
    CHECK(values<std::int64_t>(x & y) == Ints{7 & 2, -7 & 2, 2 & -3, 0});
    CHECK(values<std::int64_t>(x | y) == Ints{7 | 2, -7 | 2, 2 | -3, 5});
    CHECK(values<std::int64_t>(x ^ y) == Ints{7 ^ 2, -7 ^ 2, 2 ^ -3, 5});
    CHECK(values<std::int64_t>(x << 2) == Ints{28, -28, 8, 0});
    CHECK(values<std::int64_t>(x >> 1) == Ints{3, -4, 1, 0});
    CHECK(values<std::int64_t>(-x) == Ints{-7, 7, -2, 0});
    CHECK(values<std::int64_t>(+x) == Ints{7, -7, 2, 0});
    CHECK(values<std::int64_t>(~x) == Ints{~7, ~-7, ~2, ~0});
    CHECK(values<bool>(!x) == Bools{false, false, false, true});
    CHECK(values<bool>(x == 7) == Bools{true, false, false, false});
    CHECK(values<bool>(x != y) == Bools{true, true, true, true});
    CHECK(values<bool>(x < y) == Bools{false, true, false, true});
    CHECK(values<bool>(x <= 2) == Bools{false, true, true, true});
    CHECK(values<bool>(2 > x) == Bools{false, true, false, true});
    CHECK(values<bool>(x >= y) == Bools{true, false, true, false});
    CHECK(values<bool>((x > 0) && (y > 0)) == Bools{true, false, false, false});
    CHECK(values<bool>((x > 0) || (y > 0)) == Bools{true, true, true, true});
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
    CHECK(contains(message<kn::DTypeError>([] { kn::clip(kn::array({true}), 0, 1); }), "[clip]"));
    CHECK(contains(message<kn::DTypeError>([] { kn::clip(kn::array({1}), 0.5, 1.5); }), "[clip]"));
    CHECK(contains(message<kn::ShapeError>([&] { kn::clip(x, kn::zeros({3})); }), "(3,)"));
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

// SPDX-License-Identifier: Apache-2.0
// Where assignment through a subscript writes: in place while nobody else holds the memory, into a copy otherwise; and
// which assignments compile.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::slice;
using kn::Subscript;
using kn::test::check_array;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

template <class T, class V>
concept Assignable = requires(T&& target, V value) {
  std::forward<T>(target) = value;
};

// What is read from a temporary or a part of a part is no array's part. (Nor is a named subscript: tests/lines.)
static_assert(Assignable<Subscript, int>);
static_assert(Assignable<Subscript, Subscript>);
static_assert(!Assignable<decltype(std::declval<const Array&>()(0)), int>);
static_assert(!Assignable<decltype(std::declval<Array&>()(0)(0)), int>);
static_assert(!Assignable<decltype(std::declval<Array&>() + 1), Array>);
static_assert(!std::is_convertible_v<Array, float> && std::is_constructible_v<float, Array>);

/// Whether `change` leaves x in its memory.
template <class F>
bool in_place(Array& x, F change) {
  const void* before = kn::test::memory_of(x.eval());
  change();
  return kn::test::memory_of(x.eval()) == before;
}

}  // namespace

TEST_CASE("in place, if nobody else holds the memory") {
  on_each_device([] {
    Array x = numbered({6, 5});
    CHECK(in_place(x, [&] { x(0) = 1; }));
    CHECK(in_place(x, [&] { x(1) = x(2); }));
    CHECK(in_place(x, [&] { x(all, 2) = x(all, 3) * 2 + x(0, 1); }));
    CHECK(in_place(x, [&] { x(slice(none, none, -1)) += 1; }));
    CHECK(in_place(x, [&] { x(slice(1, none)) = x(slice(none, -1)); }));
    CHECK(in_place(x, [&] { x(kn::ellipsis) = kn::arange(5); }));
    // What held the memory and let go.
    CHECK(in_place(x, [&] {
      { const Array part = x(0), copy = x; }
      const Array twice = x * 2;
      twice.eval();
      x(3) = 7;
    }));
    check_array<int>(x(3), {5}, {7, 7, 7, 7, 7});
    // A pending array is computed, and then its memory is its own.
    Array y = x + 1;
    y(0) = 0;
    CHECK(in_place(y, [&] { y(1) = 0; }));
    // What came of a move.
    Array z = std::move(y);
    CHECK(in_place(z, [&] { z(2) = 0; }));
  });
}

TEST_CASE("into a copy, if another array or pending work holds the memory, and once only") {
  on_each_device([] {
    Array x = numbered({4, 3});
    const std::vector<int> old = x.to_vector<int>();
    const auto check_copied = [&](const auto& holder, const std::vector<int>& expected) {
      CHECK_FALSE(in_place(x, [&] { x(0) = 50; }));
      CHECK(in_place(x, [&] { x(1) = 60; }));
      CHECK(holder.template to_vector<int>() == expected);
      x(slice(2)) = kn::reshape(kn::arange(6), {2, 3});
      CHECK(x.to_vector<int>() == old);
    };
    check_copied(Array(x), old);
    check_copied(x.T()(all, 0), {0, 1, 2});
    check_copied(std::as_const(x)(0), {0, 1, 2});
    check_copied(kn::broadcast_to(x(0), {2, 3}), {0, 1, 2, 0, 1, 2});
    check_copied(x(0) + x(1), {3, 5, 7});
    check_copied(kn::sum(x, {.axis = 1}), {3, 12, 21, 30});
    check_copied(kn::reshape(x.T(), {12}), {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11});
  });
}

TEST_CASE("the old values are what a pending result sees, however many assignments follow") {
  on_each_device([] {
    Array x = numbered({5});
    std::vector<Array> sums;
    for (int i = 0; i < 5; ++i) {
      sums.push_back(x * 10 + i);
      x(i) = -1;
    }
    for (int i = 0; i < 5; ++i) {
      std::vector<int> expected;
      for (int k = 0; k < 5; ++k) expected.push_back((k < i ? -1 : k) * 10 + i);
      CHECK(sums[static_cast<std::size_t>(i)].to_vector<int>() == expected);
    }
    CHECK(x.to_vector<int>() == std::vector<int>(5, -1));
  });
}

TEST_CASE("rows are exchanged through a third") {
  on_each_device([] {
    Array p = numbered({3, 4});
    const Array first = p(0);
    p(0) = p(2);
    p(2) = first;
    check_array<int>(p, {3, 4}, {8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3});
    Array a = numbered({4}), b = a;
    a(slice(2)) = b(slice(2, none));
    b(slice(2)) = a(slice(2, none)) + a(slice(2));
    check_array<int>(a, {4}, {2, 3, 2, 3});
    check_array<int>(b, {4}, {4, 6, 2, 3});
  });
}

TEST_CASE("parts that overlap go through a temporary") {
  on_each_device([] {
    const auto check = [](auto assign, auto expected) {
      const auto values = kn::test::by_position<int>({4, 4}, expected);
      // Pending arrays, whose parts are pending too, last: the programs are there then, so that nothing begins anew.
      for (const bool pending : {false, true}) {
        Array x = pending ? numbered({4, 4}) * 1 : numbered({4, 4});
        assign(x);
        check_array<int>(x, {4, 4}, values);
      }
    };
    check([](Array& x) { x(all, all) = x.T(); }, [](auto& p) { return p[1] * 4 + p[0]; });
    check([](Array& x) { x(kn::ellipsis) = kn::flip(x); }, [](auto& p) { return 15 - (p[0] * 4 + p[1]); });
    check([](Array& x) { x(all) = x; }, [](auto& p) { return p[0] * 4 + p[1]; });
    check([](Array& x) { x(slice(1, none), slice(1, none)) = x(slice(none, -1), slice(none, -1)); },
          [](auto& p) { return p[0] && p[1] ? (p[0] - 1) * 4 + p[1] - 1 : p[0] * 4 + p[1]; });
    check([](Array& x) { x(slice(none, none, 2)) = x(slice(none, none, -2)); },
          [](auto& p) {
            return (p[0] == 0 ? 3 : p[0] == 2 ? 1 : p[0]) * 4 + p[1];
          });
    check([](Array& x) { x(slice(none, none, 3)) = x(slice(2, none, -2)); },
          [](auto& p) {
            return (p[0] == 0 ? 2 : p[0] == 3 ? 0 : p[0]) * 4 + p[1];
          });
    check([](Array& x) { x(1) = x(all, 1); }, [](auto& p) { return p[0] == 1 ? p[1] * 4 + 1 : p[0] * 4 + p[1]; });
    check([](Array& x) { x(all, slice(2)) += x(all, slice(1, 3)); },
          [](auto& p) { return p[0] * 4 + p[1] + (p[1] < 2 ? p[0] * 4 + p[1] + 1 : 0); });
    check([](Array& x) { x(slice(none, none, -1), 0) = x(0); },
          [](auto& p) { return p[1] == 0 ? 3 - p[0] : p[0] * 4 + p[1]; });
  });
}

TEST_CASE("targets and values of every form") {
  on_each_device([] {
    Array x = numbered({2, 3});
    x(kn::newaxis, 1, kn::newaxis) = kn::reshape(kn::arange(3), {1, 1, 3}) * 10;
    check_array<int>(x, {2, 3}, {0, 1, 2, 0, 10, 20});
    x(slice(none, none, -1), slice(2, none, -2)) = kn::array({{1, 2}, {3, 4}});
    check_array<int>(x, {2, 3}, {4, 1, 3, 2, 10, 1});
    x(1, 1) = x(0, 0);
    x(0) = kn::array({7});
    check_array<int>(x, {2, 3}, {7, 7, 7, 2, 4, 1});
    x(slice(0, 0)) = 5;
    x(all, slice(3, none)) = kn::zeros({2, 0});
    x(slice(1, 1)) = x(slice(0, 0));
    x() = x + 1;
    check_array<int>(x, {2, 3}, {8, 8, 8, 3, 5, 2});
    Array scalar = kn::asarray(3);
    scalar() = 4;
    scalar(kn::ellipsis) += 1;
    CHECK(scalar.item<int>() == 5);
    Array empty = kn::zeros({0, 3});
    empty(all, 1) = 2;
    CHECK(empty.shape() == kn::Shape{0, 3});
    Array deep = kn::zeros({1, 1, 1, 1, 1, 1, 1, 2}, {.dtype = kn::int32});
    deep(kn::ellipsis, 1) = 3;
    check_array<int>(deep, {1, 1, 1, 1, 1, 1, 1, 2}, {0, 3});
    const std::vector<kn::Index> list = {1, slice(none, none, 2)};
    x.set(list, -1);
    check_array<int>(x, {2, 3}, {8, 8, 8, -1, 5, -1});
  });
}

TEST_CASE("values take the array's type") {
  on_each_device([] {
    const auto assigned = [](kn::DType type, const kn::Operand& value) {
      Array x = kn::zeros({2}, {.dtype = type});
      x(0) = value;
      return x;
    };
    check_array<float>(assigned(kn::float32, true), {2}, {1, 0});
    check_array<float>(assigned(kn::float32, kn::asarray(7, {.dtype = kn::uint8})), {2}, {7, 0});
    check_array<std::int32_t>(assigned(kn::int32, -2.9), {2}, {-2, 0});
    check_array<std::int32_t>(assigned(kn::int32, kn::asarray(-2.9)), {2}, {-2, 0});
    check_array<std::uint8_t>(assigned(kn::uint8, kn::asarray(300)), {2}, {44, 0});
    CHECK(assigned(kn::bool_, 0.5).to_vector<bool>() == std::vector<bool>{true, false});
    CHECK(assigned(kn::bool_, kn::asarray(-3)).to_vector<bool>() == std::vector<bool>{true, false});
    check_array<std::complex<float>>(assigned(kn::complex64, std::complex<float>(1, 2)), {2}, {{1, 2}, 0});
    check_array<std::complex<float>>(assigned(kn::complex64, kn::asarray(3)), {2}, {3, 0});
    check_array<float>(assigned(kn::float16, 0.1), {2}, {static_cast<float>(kn::float16_t(0.1f)), 0});
    check_array<float>(assigned(kn::bfloat16, kn::asarray(0.1)), {2}, {static_cast<float>(kn::bfloat16_t(0.1f)), 0});
    Array part = kn::arange(4);
    CHECK_THROWS_AS(part(slice(2)) += 0.5, kn::DTypeError);
    CHECK_THROWS_AS(part(slice(2)) /= 2, kn::DTypeError);
    CHECK_THROWS_AS(assigned(kn::float32, std::complex<float>(1, 2)), kn::DTypeError);
    CHECK_THROWS_AS(assigned(kn::int32, kn::asarray(std::complex<float>(1, 2))), kn::DTypeError);
    check_array<std::int64_t>(part, {4}, {0, 1, 2, 3});
  });
}

TEST_CASE("an assignment is one kernel, and a second where its value reads the same memory") {
  on_each_device([] {
    const auto kernels = [](auto f) { return kn::test::work_of(f).kernels; };
    Array x = numbered({100, 100}), y = numbered({100, 100});
    CHECK(kernels([&] { x(0) = 1; }) == 1);
    CHECK(kernels([&] { x(0) = y(1) * 2 + y(2); }) == 1);
    CHECK(kernels([&] { x(0) = x(1); }) == 1);
    CHECK(kernels([&] { x(slice(1, none)) = x(slice(none, -1)); }) == 2);
    CHECK(kernels([&] { x(0) += 1; }) == 1);
    CHECK(kernels([&] { x(slice(0, 0)) = 1; }) == 0);
  });
}

TEST_CASE("on cards most of an array of one number is written together with what lies around it") {
  on_each_device([] {
    const auto kernels = [](auto f) { return kn::test::work_of(f).kernels; };
    const Array y = numbered({100, 100}).eval();
    Array x;
    const auto check = [&](float around, std::size_t first, std::size_t shift, float factor) {
      const std::vector<float> values = x.to_vector<float>();
      for (std::size_t i = 0; i < 100; ++i) {
        for (std::size_t j = 0; j < 100; ++j) {
          const bool inside = i >= first && i < 99 && j > 1;
          const float element = static_cast<float>((i - shift) * 100 + j) * factor;
          REQUIRE(values[i * 100 + j] == (inside ? element : around));
        }
      }
    };
    const auto right = slice(2, none);
    std::int64_t count = kernels([&] {
      x = kn::zeros({100, 100});
      x(slice(1, -1), right) = y(slice(1, -1), right) * 2;
    });
    const bool card = !kn::test::facts_of().cpu_loops;
    if (card) CHECK(count == 1);
    check(0, 1, 0, 2);
    count = kernels([&] {
      x = kn::full({100, 100}, 7.0f);
      x(slice(3, -1), right) = y(slice(none, -4), right);
    });
    if (card) CHECK(count == 1);
    check(7, 3, 3, 1);
    // Less of it goes into memory that has been filled.
    count = kernels([&] {
      x = kn::zeros({100, 100});
      x(slice(1, 5)) = y(slice(1, 5)) * 2;
    });
    CHECK(count == 2);
    CHECK(x(slice(1, 5)).to_vector<float>() == (y(slice(1, 5)) * 2).to_vector<float>());
    CHECK(!any(x(slice(5, none))).item<bool>());
    // Who else has the number everywhere, or the value, keeps it; the smaller part is stored.
    const Array ones = kn::ones({6});
    Array z = ones;
    const Array value = y(0, slice(1, 5)) + 1;
    z(slice(1, 5)) = value;
    check_array<float>(z, {6}, {1, 2, 3, 4, 5, 1});
    check_array<float>(ones, {6}, {1, 1, 1, 1, 1, 1});
    check_array<float>(value, {4}, {2, 3, 4, 5});
    z = kn::zeros({6});
    z(slice(0, 2)) = value(slice(2, 4)) * 2;
    check_array<float>(z, {6}, {8, 10, 0, 0, 0, 0});
    z = kn::zeros({6});
    z(slice(none, none, -1)) = z + 3;
    check_array<float>(z, {6}, {3, 3, 3, 3, 3, 3});
  });
}

#define KN_GIVEN(x) std::forward<decltype(x)>(x)

TEST_CASE("functions let go of the parts of arrays that they are given") {
  on_each_device([] {
    const Array y = numbered({40, 50}).eval();
    // Whether x's part becomes what `f` gives of it in x's memory, and by how many kernels.
    const auto kernels = [&](auto f) {
      Array x = kn::astype(numbered({40, 50}) - 1000, kn::float32).eval();
      const std::vector<float> whole = x.to_vector<float>();
      const Array part = (x(3) + 0).eval(), result = f(part);
      const std::vector<float> expected = kn::broadcast_to(kn::astype(result, kn::float32), {50}).to_vector<float>();
      std::int64_t count = 0;
      CHECK(in_place(x, [&] { count = kn::test::work_of([&] { x(3) = f(x(3)); }).kernels; }));
      const std::vector<float> after = x.to_vector<float>();
      for (std::size_t i = 0; i < after.size(); ++i) REQUIRE(after[i] == (i / 50 == 3 ? expected[i % 50] : whole[i]));
      return count;
    };
    CHECK(kernels([&](auto&& x) { return kn::minimum(KN_GIVEN(x), y(4)); }) == 1);
    CHECK(kernels([&](auto&& x) { return kn::abs(KN_GIVEN(x)); }) == 1);
    CHECK(kernels([&](auto&& x) { return kn::where(y(4) > 220, KN_GIVEN(x), 1); }) == 1);
    CHECK(kernels([&](auto&& x) { return kn::clip(KN_GIVEN(x), -840, y(4)); }) == 1);
    CHECK(kernels([&](auto&& x) { return kn::nan_to_num(KN_GIVEN(x)); }) == 1);
    kernels([](auto&& x) { return kn::sum(KN_GIVEN(x), {.axis = 0, .keepdims = true}); });
    kernels([](auto&& x) { return kn::mean(KN_GIVEN(x), 0); });
    kernels([](auto&& x) { return kn::var(KN_GIVEN(x), 0); });
    kernels([](auto&& x) { return kn::max(KN_GIVEN(x), 0); });
    kernels([](auto&& x) { return kn::nanmin(KN_GIVEN(x), 0); });
    kernels([](auto&& x) { return kn::nanmean(KN_GIVEN(x), 0); });
    kernels([](auto&& x) { return kn::median(KN_GIVEN(x)); });
    kernels([](auto&& x) { return kn::softmax(KN_GIVEN(x)); });
    kernels([](auto&& x) { return kn::logsumexp(KN_GIVEN(x)); });
    kernels([](auto&& x) { return kn::cumulative_sum(KN_GIVEN(x)); });
    kernels([](auto&& x) { return kn::cumulative_max(KN_GIVEN(x)); });
    kernels([&](auto&& x) { return kn::interp(KN_GIVEN(x), y(1), y(2)); });
    kernels([&](auto&& x) { return kn::searchsorted(y(1), KN_GIVEN(x)); });
    kernels([&](auto&& x) { return kn::isin(KN_GIVEN(x), y(1)); });
    kernels([&](auto&& x) { return kn::isclose(KN_GIVEN(x), y(1)); });
    const kn::ElementwiseKernel twice("T x", "T y", "y = x + x", "twice");
    const kn::ReductionKernel total("T x", "T y", {.combine = "a + b", .identity = "0"}, "total");
    kernels([&](auto&& x) { return twice(KN_GIVEN(x)); });
    kernels([&](auto&& x) { return total(KN_GIVEN(x)); });
    Array x = numbered({4, 5}).eval();
    CHECK(in_place(x, [&] { x.at(0).add(x(1)); }));
    check_array<float>(x(0), {5}, {5, 7, 9, 11, 13});
  });
}

TEST_CASE("a value that reads its own place alone is stored as it is computed") {
  on_each_device([] {
    const auto kernels = [](auto f) { return kn::test::work_of(f).kernels; };
    const auto mid = slice(1, -1);
    Array x = numbered({100, 100});
    const Array y = numbered({100, 100}).eval();
    const std::vector<float> before = x.to_vector<float>(), other = y.to_vector<float>();
    CHECK(kernels([&] { x(mid, mid) = x(mid, mid) * 2.0f + y(mid, mid); }) == 1);
    CHECK(kernels([&] { x(3) *= y(4); }) == 1);
    CHECK(kernels([&] { x(kn::all, slice(0, none, 7)) += x(kn::all, slice(0, none, 7)) * y(kn::all, slice(0, 1)); }) ==
          1);
    x(kn::all) = kn::where(x(kn::all) > 50.0f, 50.0f, x(kn::all));
    const std::vector<float> after = x.to_vector<float>();
    for (std::size_t i = 0; i < 100; ++i) {
      for (std::size_t j = 0; j < 100; ++j) {
        float expected = before[i * 100 + j];
        if (i > 0 && i < 99 && j > 0 && j < 99) expected = expected * 2.0f + other[i * 100 + j];
        if (i == 3) expected *= other[400 + j];
        if (j % 7 == 0) expected += expected * other[i * 100];
        expected = std::min(expected, 50.0f);
        REQUIRE(after[i * 100 + j] == expected);
      }
    }
    // Where others want what was there, or the value, both are as they were.
    Array z = numbered({10});
    const Array part = z(slice(0, 5)), pending = part * 2.0f;
    z(slice(0, 5)) = z(slice(0, 5)) + 1.0f;
    check_array<float>(pending, {5}, {0, 2, 4, 6, 8});
    check_array<float>(z, {10}, {1, 2, 3, 4, 5, 5, 6, 7, 8, 9});
    const Array value = z(slice(0, 5)) * 10.0f;
    z(slice(0, 5)) = value;
    z(slice(0, 5)) = z(slice(0, 5)) - value;
    check_array<float>(z(slice(0, 5)), {5}, {0, 0, 0, 0, 0});
    check_array<float>(value, {5}, {10, 20, 30, 40, 50});
    // A part of the value that somebody holds reads the old elements, too.
    Array w = numbered({6});
    const Array twice = w(slice(0, 3)) * 2.0f;
    w(slice(0, 3)) = twice + w(slice(0, 3));
    check_array<float>(w, {6}, {0, 3, 6, 3, 4, 5});
    check_array<float>(twice, {3}, {0, 2, 4});
    // A value that somebody holds becomes the part of a small array, which the next assignment copies; of a large one
    // it is computed first, and the array stays where it is.
    for (const std::int64_t size : {40, 8000}) {
      const bool small = size == 40;
      Array v = numbered<float>({size}).eval();
      Array held = v(slice(10, 13));
      held += 0.5f;
      std::int64_t count = 0;
      CHECK(in_place(v, [&] { count = kernels([&] { v(slice(10, 13)) = held; }); }));
      CHECK(count == (small ? 1 : 2));
      const Array doubled = held * 2.0f;
      CHECK(in_place(v, [&] { v(slice(10, 13)) = 7; }) != small);
      v(11) *= 2.0f;
      check_array<float>(held, {3}, {10.5, 11.5, 12.5});
      check_array<float>(doubled, {3}, {21, 23, 25});
      check_array<float>(v(slice(9, 14)), {5}, {9, 7, 14, 7, 13});
    }
    // Not where the value is of another type or shape, or pending work reads what was there.
    Array u = numbered<float>({12}).eval();
    const Array narrow = kn::astype(u(slice(0, 3)), kn::int32) + 1, single = u(slice(3, 4)) + 1.0f;
    u(slice(0, 3)) = narrow;
    u(slice(3, 6)) = single;
    const Array sum = u(slice(6, 9)) + 1.0f, reader = u(slice(6, 9)) * 2.0f;
    u(slice(6, 9)) = sum;
    check_array<float>(u, {12}, {1, 2, 3, 4, 4, 4, 7, 8, 9, 9, 10, 11});
    check_array<std::int32_t>(narrow, {3}, {1, 2, 3});
    check_array<float>(single, {1}, {4});
    check_array<float>(sum, {3}, {7, 8, 9});
    check_array<float>(reader, {3}, {12, 14, 16});
    // Turned round, shifted and reduced ones are other elements.
    w(slice(0, 3)) = w(slice(2, none, -1)) + w(slice(0, 3));
    check_array<float>(w, {6}, {6, 6, 6, 3, 4, 5});
    w(slice(0, 3)) = w(slice(3, 6)) * w(slice(0, 3));
    check_array<float>(w, {6}, {18, 24, 30, 3, 4, 5});
    w(slice(0, 3)) = w(slice(0, 3)) - kn::max(w(slice(0, 3)));
    check_array<float>(w, {6}, {-12, -6, 0, 3, 4, 5});
  });
}

// SPDX-License-Identifier: Apache-2.0
// Assignment through a subscript: which elements change, which arrays do not, and what memory it takes.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <type_traits>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::slice;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

std::vector<int> values(const Array& x) { return x.to_vector<int>(); }

// Assigning to what is about to vanish is a mistake that the compiler finds.
template <class T>
concept AssignableFromOne = requires(T&& x) {
  std::forward<T>(x) = kn::ones({3});
};
static_assert(!AssignableFromOne<Array>);
static_assert(AssignableFromOne<Array&>);
static_assert(std::is_same_v<decltype(std::declval<Array>()(0)), Array>);
static_assert(std::is_same_v<decltype(std::declval<const Array&>()(0)), Array>);
static_assert(std::is_same_v<decltype(std::declval<Array&>()(0)), kn::Subscript>);

}  // namespace

TEST_CASE("parts are assigned, the rest stays") {
  on_each_device([] {
    Array x = numbered({3, 4});
    x(1, 2) = 50;
    x(0, slice(1, 3)) = kn::array({60, 70});
    x(all, -1) = 9;
    CHECK(values(x) == std::vector<int>{0, 60, 70, 9, 4, 5, 50, 9, 8, 9, 10, 9});
    x(slice(none, none, 2), slice(none, none, -2)) = kn::array({{1, 2}, {3, 4}});
    CHECK(values(x) == std::vector<int>{0, 2, 70, 1, 4, 5, 50, 9, 8, 4, 10, 3});
    x(slice(2, 2)) = 1;  // no elements
    x(kn::ellipsis) = kn::array({1, 2, 3, 4});
    CHECK(values(x) == std::vector<int>{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4});
  });
}

TEST_CASE("one part of an array to another, overlapping or not") {
  on_each_device([] {
    Array p = numbered({3, 3});
    p(0) = p(1);
    CHECK(values(p) == std::vector<int>{3, 4, 5, 3, 4, 5, 6, 7, 8});
    p(all, -1) = p(all, -2);
    CHECK(values(p) == std::vector<int>{3, 4, 4, 3, 4, 4, 6, 7, 7});
    Array v = numbered({8});
    v(slice(1, 8)) = v(slice(0, 7));
    CHECK(values(v) == std::vector<int>{0, 0, 1, 2, 3, 4, 5, 6});
    v = numbered({8});
    v(slice(0, 7)) = v(slice(1, 8));
    CHECK(values(v) == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 7});
    v = numbered({8});
    v(slice(none, none, -1)) = v;
    CHECK(values(v) == std::vector<int>{7, 6, 5, 4, 3, 2, 1, 0});
    v = numbered({8});
    v(slice(2, 6)) = v(slice(0, 4)) * 10 + v(slice(4, 8));
    CHECK(values(v) == std::vector<int>{0, 1, 4, 15, 26, 37, 6, 7});
  });
}

TEST_CASE("the operators in place") {
  on_each_device([] {
    Array x = numbered({6});
    x(slice(0, 3)) += 10;
    x(slice(3, 6)) *= x(slice(0, 3));
    x(0) -= 1;
    x(5) %= 7;
    CHECK(values(x) == std::vector<int>{9, 11, 12, 30, 44, 4});
    x(slice(0, 2)) <<= 1;
    x(slice(0, 2)) |= 1;
    CHECK(values(x)[0] == 19);
    CHECK(values(x)[1] == 23);
  });
}

TEST_CASE("values are converted to the array's type and repeated to the part's shape") {
  on_each_device([] {
    Array x = kn::zeros({2, 3}, {.dtype = kn::int32});
    x(0) = kn::array({1.9, -1.9, 2.0});
    x(1) = 3.7;
    CHECK(values(x) == std::vector<int>{1, -1, 2, 3, 3, 3});
    Array f = kn::zeros({2, 2}, {.dtype = kn::float16});
    f(all, 0) = kn::arange(2);
    CHECK(f.to_vector<float>() == std::vector<float>{0, 0, 1, 0});
  });
}

TEST_CASE("no other array changes, however it shares memory or waits") {
  on_each_device([] {
    Array x = numbered({4});
    const Array copy = x, part = x(slice(1, 3)), pending = x * 2, reversed = kn::flip(x);
    x(1) = 100;
    CHECK(values(x) == std::vector<int>{0, 100, 2, 3});
    CHECK(values(copy) == std::vector<int>{0, 1, 2, 3});
    CHECK(values(part) == std::vector<int>{1, 2});
    CHECK(values(pending) == std::vector<int>{0, 2, 4, 6});
    CHECK(values(reversed) == std::vector<int>{3, 2, 1, 0});
    Array z = kn::zeros({2, 2});  // one stored element, repeated
    z(0, 0) = 1;
    CHECK(z.to_vector<float>() == std::vector<float>{1, 0, 0, 0});
    Array row = numbered({3}), wide = kn::broadcast_to(row, {2, 3});
    wide(0, 0) = 7;
    CHECK(values(wide) == std::vector<int>{7, 1, 2, 0, 1, 2});
    CHECK(values(row) == std::vector<int>{0, 1, 2});
  });
}

TEST_CASE("an assignment costs the part, not the array") {
  on_each_device([] {
    const kn::Device device = kn::default_device();
    Array p = kn::ones({1024, 1024}) + 0.0;
    p.eval();
    const auto in_use = kn::memory_stats(device).in_use;
    p(0) = p(1);
    p(all, -1) = p(all, -2);
    p(slice(0, 10)) = 2.0;
    p(3) += 1.0;
    CHECK(kn::memory_stats(device).in_use == in_use);
    const Array other = p;
    p(0) = 5.0;  // `other` holds the memory: p gets its own
    CHECK(kn::memory_stats(device).in_use >= in_use + 4 * 1024 * 1024);
    CHECK(other(0, 0).item<float>() == 2.0f);
    CHECK(p(0, 0).item<float>() == 5.0f);
  });
}

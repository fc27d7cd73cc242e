// SPDX-License-Identifier: Apache-2.0
// Elements taken by positions in the kernels that read them: how many kernels that makes, their values beside plain
// loops on the host, and positions that are out of range.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::check_array;
using kn::test::counted;
using kn::test::has;
using kn::test::kernels_of;
using kn::test::message_of;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

using V = std::vector<std::int64_t>;

Array positions(const V& values, kn::DType type = kn::int64) { return kn::asarray(values, type); }

/// Whole numbers that every type but bool_ holds, beside their values.
struct Numbers {
  Array array;
  V values;
};

Numbers numbers(const Shape& shape, std::mt19937& random, kn::DType type) {
  V values(static_cast<std::size_t>(shape.elements()));
  for (std::int64_t& value : values) value = random() % 50;
  return {kn::asarray(values, shape, type).eval(), values};
}

/// Those of an axis of `size`, from its beginning and its end.
Numbers places(const Shape& shape, std::int64_t size, std::mt19937& random, kn::DType type) {
  V values(static_cast<std::size_t>(shape.elements()));
  const std::int64_t least = kn::is_signed_integer(type) ? -size : 0;
  for (std::int64_t& value : values) value = least + static_cast<std::int64_t>(random() % unsigned(size - least));
  return {kn::asarray(values, shape, type).eval(), values};
}

Shape shape_of_taken(const Shape& of_array, std::size_t axis, const Shape& of_places) {
  Shape shape;
  for (std::size_t i = 0; i < axis; ++i) shape.push_back(of_array[i]);
  for (const std::int64_t size : of_places) shape.push_back(size);
  for (std::size_t i = axis + 1; i < of_array.size(); ++i) shape.push_back(of_array[i]);
  return shape;
}

V taken(const Numbers& x, const Shape& shape, std::size_t axis, const V& at) {
  std::int64_t outer = 1, inner = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  V result;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const std::int64_t each : at) {
      const std::int64_t from = each < 0 ? each + shape[axis] : each;
      for (std::int64_t i = 0; i < inner; ++i) {
        result.push_back(x.values[static_cast<std::size_t>((o * shape[axis] + from) * inner + i)]);
      }
    }
  }
  return result;
}

V as_integers(const Array& x) {
  V values;
  for (const std::complex<double> value : x.to_vector<std::complex<double>>()) {
    values.push_back(static_cast<std::int64_t>(value.real()));
  }
  return values;
}

std::string index_error(const Array& x) {
  return message_of<kn::IndexError>([&] { (void)x.to_vector<double>(); });
}

constexpr const char* wrong_ten = "[take] index 10 is out of range for axis 0 of size 10; it can be -10 to 9";

}  // namespace

TEST_CASE("what reads elements taken by positions takes them itself") {
  on_each_device([] {
    const auto thrice = [](std::int64_t i) { return i * 3; };
    const Array x = counted(40, thrice, kn::float32), y = kn::ones({6}).eval();
    const V places = {3, -1, 0, 39, -40, 7};
    const Array at = positions(places), small = positions(places, kn::int8);
    const auto one = [](const Array& result, const std::vector<double>& values) {
      CHECK(kernels_of(result) == 1);
      CHECK(result.to_vector<double>() == values);
    };
    const std::vector<double> twice = {19, 235, 1, 235, 1, 43};
    one(kn::take(x, at) * 2 + y, twice);
    if (kn::test::all_variants()) one(x(small) * 2 + y, twice);
    one(kn::take(x, small), {9, 117, 0, 117, 0, 21});
    one(kn::sum(x(at)), {264});
    one(kn::cumulative_sum(x(at)), {9, 126, 126, 243, 243, 264});
    one(kn::reshape(kn::take(x, at), {2, 3}).T() + 1, {10, 118, 118, 1, 1, 22});
    const Array next = positions({0, 5, 2});
    one(kn::take(x, kn::take(at, next)) + 1, {10, 22, 1});  // the positions are taken, too
    const Array table = numbered<float>({12, 5}), rows = positions({4, -2});
    one(kn::take(table, rows, {.axis = 0}) * 0.5, {10, 10.5, 11, 11.5, 12, 25, 25.5, 26, 26.5, 27});
    one(kn::sum(table(rows), {.axis = 0}), {70, 72, 74, 76, 78});
    one(kn::sum(table(kn::all, rows), {.axis = 1})(kn::slice(0, 3)), {7, 17, 27});
    const Array along = kn::reshape(positions({1, -1, 0, 4}), {2, 2}), top = numbered<float>({2, 5});
    one(kn::take_along_axis(top, along, {.axis = 1}) + 1, {2, 5, 6, 10});
    one(kn::take_along_axis(top, along - 1, {.axis = 1}), {0, 3, 9, 8});
    one(table(rows, rows) * 2, {48, 106});
    // What is taken from has to be in memory.
    const Array pending = kn::take(x * 2, at) + y;
    CHECK(kernels_of(pending) == 2);
    CHECK(pending.to_vector<double>() == twice);
    // A reshape of what a kernel of its own stores is no kernel, also where elements are named by two axes.
    const Array sums = kn::cumulative_sum(kn::reshape(x, {8, 5}), {.axis = 1});
    const Array flat = kn::take(kn::reshape(sums, {-1}), positions({0, 39, 7})) + 1;
    CHECK(kernels_of(flat) == 2);
    CHECK(flat.to_vector<double>() == std::vector<double>{1, 556, 55});
    const Array named = kn::cumulative_sum(sums, {.axis = 0})(positions({0, -1, 1}), positions({0, 4, 2})) + 1;
    CHECK(kernels_of(named) == 2);
    CHECK(named.to_vector<double>() == std::vector<double>{1, 2341, 64});
  });
}

TEST_CASE("where one kernel cannot read all arrays that are taken from, several take what they have room for") {
  on_each_device([] {
    constexpr std::int64_t few = 2048;
    const auto bytes = static_cast<std::int64_t>(kn::test::facts_of().parameter_bytes);
    if (bytes > few) return;  // whose kernels would be long ones
    // Each has a buffer, and one for a position out of range.
    const std::int64_t count = bytes / 16;
    const Array at = positions({1, -1, 0});
    Array sum = kn::take(counted(10, [](std::int64_t i) { return i; }), at);
    for (std::int64_t k = 1; k < count; ++k) sum = sum + kn::take(counted(10, [&](auto i) { return i + k; }), at);
    CHECK(kernels_of(sum) <= 4);
    const std::int64_t more = count * (count - 1) / 2;
    check_array<std::int64_t>(sum, {3}, {count + more, 9 * count + more, more});
  });
}

TEST_CASE("what is taken is stored where several read it, and where a part of it is read") {
  on_each_device([] {
    const Array x = counted(40, [](std::int64_t i) { return i * 3; }), at = positions({3, -1, 0, 39, -40, 7});
    {
      const Array t = kn::take(x, at), both = kn::reshape(t, {2, 3}) + kn::reshape(t, {6})(kn::slice(0, 3));
      CHECK(kernels_of(both) == 2);
      check_array<std::int64_t>(both, {2, 3}, {18, 234, 0, 126, 117, 21});
    }
    // The rest is looked at all the same.
    const Array y = kn::arange(10).eval(), part = kn::take(y, positions({1, 2, 10}))(kn::slice(0, 2)) * 2;
    CHECK(index_error(part) == wrong_ten);
    // An array that somebody holds is computed again once, and kept the second time.
    const Array held = kn::take(x, at);
    check_array<std::int64_t>(held * 2, {6}, {18, 234, 0, 234, 0, 42});
    check_array<std::int64_t>(held + 1, {6}, {10, 118, 1, 118, 1, 22});
    check_array<std::int64_t>(held, {6}, {9, 117, 0, 117, 0, 21});
  });
}

TEST_CASE("taken elements of random shapes, types and readers are those of plain loops") {
  constexpr kn::DType types[] = {kn::float32, kn::uint8, kn::float16, kn::int64, kn::complex64, kn::complex128},
                      index_types[] = {kn::int64, kn::int32, kn::uint8, kn::int16, kn::uint64, kn::int8, kn::uint16};
  on_each_device([&] {
    std::mt19937 random(21);
    for (int round = 0; round < (kn::test::all_variants() ? 36 : 5); ++round) {
      CAPTURE(round);
      const kn::DType type = types[round % 6];
      if (!kn::test::computes(type)) continue;
      Shape shape, of_places;
      for (std::size_t axes = 1 + random() % 3; axes > 0; --axes) shape.push_back(1 + std::int64_t(random() % 9));
      for (std::size_t axes = random() % 3; axes > 0; --axes) of_places.push_back(std::int64_t(random() % 40));
      const std::size_t axis = random() % shape.size();
      if (round % 5 == 0) shape[shape.size() - 1] = 16 * std::int64_t(1 + random() % 3);
      const Numbers x = numbers(shape, random, type);
      const Numbers at = places(of_places, shape[axis], random, index_types[random() % 7]);
      CAPTURE(shape);
      CAPTURE(of_places);
      CAPTURE(axis);
      const V want = taken(x, shape, axis, at.values);
      const Shape result = shape_of_taken(shape, axis, of_places);
      const Array lazy = kn::take(x.array, at.array, {.axis = axis});
      V more = want;
      for (std::int64_t& value : more) value += 3;
      const Array sum = kn::take(x.array, at.array, {.axis = axis}) + 3;
      CHECK(sum.shape() == result);
      CHECK(as_integers(sum) == more);
      CHECK(as_integers(lazy) == want);
      if (result.size() == 0 || type == kn::uint8 || type == kn::float16) continue;
      const std::size_t over = random() % result.size();
      std::int64_t behind = 1;
      for (std::size_t i = over + 1; i < result.size(); ++i) behind *= result[i];
      V totals(result[over] > 0 ? want.size() / std::size_t(result[over]) : 0, 0);
      for (std::size_t i = 0; i < want.size(); ++i) {
        totals[i / std::size_t(behind * result[over]) * std::size_t(behind) + i % std::size_t(behind)] += want[i];
      }
      if (!totals.empty()) {
        CHECK(as_integers(kn::sum(kn::take(x.array, at.array, {.axis = axis}), {.axis = over})) == totals);
      }
    }
  });
}

TEST_CASE("many elements are taken by rows, by reductions of several passes and by scans") {
  on_each_device([] {
    constexpr std::int64_t n = 300'000;
    const Array x = counted(n, [](std::int64_t i) { return i * 3 % 1000; }),
                at = counted(n, [](std::int64_t i) { return i * 7919 % n - n * (i % 2); });
    std::int64_t total = 0, largest = -1;
    V running;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t value = i * 7919 % n * 3 % 1000;
      running.push_back(total += value);
      largest = std::max(largest, value);
    }
    CHECK(kn::sum(x(at)).item<std::int64_t>() == total);
    CHECK(kn::max(x(at) + 1).item<std::int64_t>() == largest + 1);
    CHECK(kn::cumulative_sum(x(at)).to_vector<std::int64_t>() == running);
    // Rows that one kernel takes whole.
    const Array wide = kn::reshape(x, {300, 1000}), picks = counted(1000, [](std::int64_t i) { return i * 7 % 1000; });
    const Array shares = kn::softmax(wide(kn::all, picks).astype(kn::float32) / 1000, {.axis = 1});
    const Array plain =
        kn::softmax(kn::asarray(as_integers(wide(kn::all, picks)), {300, 1000}, kn::float32) / 1000, {.axis = 1});
    CHECK(shares.to_vector<float>() == plain.to_vector<float>());
  });
}

TEST_CASE("a reproducible sum of what is taken has the bits of the stored one") {
  std::mt19937 random(5);
  std::vector<float> values(5000);
  for (float& value : values) value = static_cast<float>(random()) * 1e-9f - 2.0f;
  const Array x = kn::asarray(values).eval(), at = counted(30'000, [](std::int64_t i) { return i * 977 % 5000; });
  const kn::reproducible scope;
  std::vector<float> picked;
  for (std::int64_t i = 0; i < 30'000; ++i) picked.push_back(values[std::size_t(i * 977 % 5000)]);
  CHECK(kn::sum(x(at)).item<float>() == kn::sum(kn::asarray(picked)).item<float>());
  const Array table = kn::asarray(picked, {300, 100});
  CHECK(kn::sum(kn::reshape(x(at), {300, 100}), {.axis = 0}).to_vector<float>() ==
        kn::sum(table, {.axis = 0}).to_vector<float>());
}

TEST_CASE("a position out of range is an error of all that a kernel writes") {
  on_each_device([] {
    const Array x = kn::arange(10).eval(), bad = positions({1, 10}), good = positions({1, 2});
    const auto wrong = [](const Array& result) {
      CHECK(kernels_of(result) > 0);
      CHECK(index_error(result) == wrong_ten);
      CHECK(index_error(result) == wrong_ten);
      CHECK(index_error(result + 1) == wrong_ten);
    };
    wrong(kn::take(x, bad) * 2);
    wrong(kn::softmax(kn::take(x, bad).astype(kn::float32)));
    wrong(kn::take(x, kn::take(bad, positions({0, 1}))) + 1);
    if (!kn::test::without_variants()) {
      wrong(kn::take(x, bad.astype(kn::int16)));
      wrong(kn::sum(kn::take(x, bad)));
      wrong(kn::cumulative_sum(kn::take(x, bad)));
      wrong(kn::take(x, bad) + kn::take(x, good));
      wrong(kn::where(kn::arange(2) < 1, kn::take(x, bad), 0));
    }
    // Of many elements, one among others.
    const Array many = counted(200'000, [](std::int64_t i) { return i == 70'001 ? 10 : 3; });
    wrong(kn::sum(kn::take(x, many)));
    wrong(kn::cumulative_sum(kn::take(x, many)));
    // Before the beginning, by more than the axis is long.
    const Array low = counted(200, [](std::int64_t i) { return i == 37 ? -11 : 3; });
    CHECK(index_error(kn::take(x, low) * 2) ==
          "[take] index -11 is out of range for axis 0 of size 10; it can be -10 to 9");
    // Both results of one kernel.
    const Array two = kn::take(x, bad), a = two * 2, b = two * 2 + 1;
    kn::eval({a, b});
    CHECK(index_error(a) == wrong_ten);
    CHECK(index_error(b) == wrong_ten);
    // What else is computed beside it is right, and what it is made of stays.
    Array y = positions({5, 6});
    const Array sum = y * 2 + kn::take(x, bad);
    CHECK(index_error(sum) == wrong_ten);
    check_array<std::int64_t>(y, {2}, {5, 6});
    y += kn::take(x, bad);
    CHECK(index_error(y) == wrong_ten);
    check_array<std::int64_t>(kn::take(x, good) * 2, {2}, {2, 4});
    CHECK(index_error(kn::take(kn::zeros({0}), positions({0})) + 1) ==
          "[take] index 0 is out of range for axis 0 of size 0");
    CHECK(index_error(kn::take_along_axis(kn::zeros({2, 3}), kn::array({{0}, {-4}}), {.axis = 1}) + 1) ==
          "[take_along_axis] index -4 is out of range for axis 1 of size 3; it can be -3 to 2");
    CHECK(index_error(kn::zeros({2, 3})(kn::all, kn::array({5})) + 1) ==
          "[subscript] index 5 is out of range for axis 1 of size 3; it can be -3 to 2");
  });
}

TEST_CASE("what is assigned by positions is computed by the kernel that puts it there") {
  on_each_device([] {
    Array x = numbered<float>({40});
    const Array at = positions({3, -1, 0}), small = positions({3, -1, 0}, kn::int16), v = numbered<float>({3});
    const auto check = [&](std::int64_t kernels, double first, double second, double third) {
      CHECK(kernels_of(x) == kernels);
      CHECK(x(kn::array({3, 39, 0})).to_vector<double>() == std::vector<double>{first, second, third});
    };
    x(at) = 5;
    check(1, 5, 5, 5);
    x(small) = 6.5;
    check(1, 6.5, 6.5, 6.5);
    // Where positions may be equal, a CPU's kernel before finds which comes last; a card's group does both.
    const std::int64_t each = kn::test::facts_of().cpu_loops ? 2 : 1;
    x(at) = v;
    check(each, 0, 1, 2);
    x(small) = v * 2 + 1;
    check(each, 1, 3, 5);
    // What is made of the array itself is stored first, so that the array is written in place; a card's group takes its
    // own places before it puts others there.
    const bool card = !kn::test::facts_of().cpu_loops;
    const std::int64_t own = card ? 1 : each + 1;
    const void* const memory = kn::test::memory_of(x);
    x(at) = x(at) * 10;
    check(own, 10, 30, 50);
    x(at) += v;
    check(own, 10, 31, 52);
    x(at) = kn::flip(Array(x(at))) - v;
    check(each + 1, 52, 30, 8);
    x(at) = x(positions({0, 3, -1}));
    check(each + 1, 8, 52, 30);
    CHECK(kn::test::memory_of(x) == memory);
    x(at) = v + 10;
    check(each, 10, 11, 12);
    // Nobody else's values change.
    const Array other = x;
    x(at) = -1;
    check(1, -1, -1, -1);
    CHECK(other(kn::array({3, 39, 0})).to_vector<double>() == std::vector<double>{10, 11, 12});
    Array table = kn::reshape(kn::arange(15), {5, 3}).eval();
    table(positions({1, -1})) = kn::array({7, 8, 9}).eval();
    CHECK(kernels_of(table) == each);
    check_array<std::int64_t>(table, {5, 3}, {0, 1, 2, 7, 8, 9, 6, 7, 8, 9, 10, 11, 7, 8, 9});
    table(kn::all, positions({-1})) = 0;
    CHECK(kernels_of(table) == 1);
    table(positions({0, 1}), positions({0, 1})) = -1;
    CHECK(kernels_of(table) == 1);
    check_array<std::int64_t>(table, {5, 3}, {-1, 1, 0, 7, -1, 0, 6, 7, 0, 9, 10, 0, 7, 8, 0});
    table(positions({})) = 4;
    CHECK(kernels_of(table) == 0);
  });
}

TEST_CASE("of equal positions the last value stays that is made of the element there, of every type") {
  on_each_device([] {
    const bool card = !kn::test::facts_of().cpu_loops;
    for (const kn::DType type : kn::test::usual_and({kn::int8, kn::float32, kn::complex64}, {kn::float16, kn::int64})) {
      for (const std::size_t count : {1u, 7u, 256u, 257u}) {
        CAPTURE(type);
        CAPTURE(count);
        V at, add, start(20), want;
        for (std::size_t k = 0; k < count; ++k) {
          at.push_back(static_cast<std::int64_t>(k * 7 % 20) - (k % 3 == 0 ? 20 : 0));
          add.push_back(static_cast<std::int64_t>(k % 11));
        }
        for (std::size_t k = 0; k < 20; ++k) start[k] = static_cast<std::int64_t>(k);
        want = start;
        for (std::size_t k = 0; k < count; ++k) {
          const auto place = static_cast<std::size_t>(at[k] < 0 ? at[k] + 20 : at[k]);
          want[place] = 2 * start[place] + add[k];
        }
        Array x = kn::asarray(start, type).eval();
        const Array where = positions(at), values = kn::asarray(add, type).eval();
        const Array held = x, twice = x(where) * 2;  // which others want
        Array y = x + 0;
        y.eval();
        x(where) = twice + values;
        y(where) = y(where) * 2 + values;
        if (card && count <= 256) CHECK(kernels_of(y) == 1);
        CHECK(as_integers(y) == want);
        CHECK(as_integers(x) == want);
        CHECK(as_integers(held) == start);
        V doubled;
        for (const std::int64_t each : at)
          doubled.push_back(2 * start[static_cast<std::size_t>(each < 0 ? each + 20 : each)]);
        CHECK(as_integers(twice) == doubled);
      }
    }
    for (const std::int64_t wrong : {-6, 5}) {
      Array x = kn::arange(5).eval();
      x(positions({0, wrong})) += kn::asarray(V{1, 2});
      CHECK(has(index_error(x), "index " + std::to_string(wrong) + " is out of range for axis 0 of size 5"));
    }
  });
}

TEST_CASE("of equal positions the last value stays, of every type") {
  on_each_device([] {
    std::mt19937 random(9);
    for (const kn::DType type :
         kn::test::usual_and({kn::uint8, kn::float32, kn::complex64},
                             {kn::int16, kn::float16, kn::bfloat16, kn::int64, kn::complex128, kn::bool_})) {
      if (!kn::test::computes(type)) continue;
      CAPTURE(type);
      const std::int64_t limit = kn::is_bool(type) ? 2 : 100;
      for (const std::int64_t count : kn::test::usual_and<std::int64_t>({1, 5000}, {37})) {
        const std::int64_t size = 1 + count / 3;
        const Numbers at = places({count}, size, random, kn::int32);
        V values(static_cast<std::size_t>(count)), want(static_cast<std::size_t>(size));
        for (std::int64_t i = 0; i < size; ++i) want[std::size_t(i)] = i % limit;
        Array x = kn::asarray(want, type);
        for (std::int64_t i = 0; i < count; ++i) {
          values[std::size_t(i)] = static_cast<std::int64_t>(random() % unsigned(limit));
          const std::int64_t place = at.values[std::size_t(i)];
          want[std::size_t(place < 0 ? place + size : place)] = values[std::size_t(i)];
        }
        x(at.array) = kn::asarray(values, type);
        CHECK(as_integers(x) == want);
      }
    }
    // Rows of a matrix, so that a kernel's rows are several.
    Array x = kn::zeros({7, 130}, {.dtype = kn::int64});
    const Array at = positions({2, 6, 2, -1, 2}), rows = kn::reshape(kn::arange(5 * 130), {5, 130}).eval();
    x(at) = rows.T().T() + 1;
    for (std::int64_t j = 0; j < 130; ++j) {
      if (x(2, j).item<std::int64_t>() != 4 * 130 + j + 1) FAIL_CHECK("row 2, " << j);
      if (x(6, j).item<std::int64_t>() != 3 * 130 + j + 1) FAIL_CHECK("row 6, " << j);
      if (j == 3) break;
    }
    const V all = x.to_vector<std::int64_t>();
    const auto sum_of_row = [&](std::int64_t row) {
      return std::accumulate(all.begin() + row * 130, all.begin() + (row + 1) * 130, std::int64_t{0});
    };
    CHECK(sum_of_row(2) == 130 * (4 * 130 + 1) + 129 * 65);
    CHECK(sum_of_row(6) == 130 * (3 * 130 + 1) + 129 * 65);
    CHECK(std::count(all.begin(), all.end(), 0) == 5 * 130);
  });
}

TEST_CASE("an assignment by a position out of range is an error of the array") {
  on_each_device([] {
    const std::string text = "[subscript] index 10 is out of range for axis 0 of size 10; it can be -10 to 9";
    const Array before = kn::arange(10).eval(), bad = positions({1, 10}), v = positions({7, 8});
    for (const Array& value : {v, v * 2, kn::asarray(5)}) {
      Array x = before;
      x(bad) = value;
      CHECK_NOTHROW(x.eval());
      CHECK(index_error(x) == text);
      CHECK(index_error(x + 1) == text);
    }
    Array x = before;
    x(positions({1, 2})) = kn::take(before, bad);
    CHECK(index_error(x) == wrong_ten);
    check_array<std::int64_t>(before, {10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  });
}

TEST_CASE("the same positions along axes of two sizes are looked at for each") {
  const Array at = kn::array({{7}, {1}}).eval(), wide = kn::reshape(kn::arange(18), {2, 9}).eval();
  const Array narrow = kn::reshape(kn::arange(10), {2, 5}).eval();
  const auto both = [&](const Array& a, const Array& b) {
    return kn::take_along_axis(a, at, {.axis = 1}) + kn::take_along_axis(b, at, {.axis = 1});
  };
  const std::string text = "[take_along_axis] index 7 is out of range for axis 1 of size 5; it can be -5 to 4";
  CHECK(index_error(both(wide, narrow)) == text);
  CHECK(index_error(both(narrow, wide)) == text);
  check_array<std::int64_t>(both(wide, wide * 2), {2, 1}, {21, 30});
}

TEST_CASE("graphs of one structure take from their own arrays") {
  for (int round = 0; round < 4; ++round) {
    CAPTURE(round);
    const Array x = counted(12, [&](std::int64_t i) { return i * (round + 1); }), at = positions({round, -1});
    check_array<std::int64_t>(kn::reshape(x, {3, 4})(kn::all, at) + 1, {3, 2},
                              {round * (round + 1) + 1, 3 * (round + 1) + 1, (4 + round) * (round + 1) + 1,
                               7 * (round + 1) + 1, (8 + round) * (round + 1) + 1, 11 * (round + 1) + 1});
    const Array wrong = kn::reshape(x, {3, 4})(kn::all, positions({round + 4, 0})) + 1;
    CHECK(has(index_error(wrong), "index " + std::to_string(round + 4) + " is out of range for axis 1 of size 4"));
  }
}

TEST_CASE("a long chain of kernels that take holds few words, and looks at the older before it writes") {
  on_each_device([] {
    const Array shift = counted(10, [](std::int64_t i) { return (i + 1) % 10; });
    Array x = kn::arange(10).eval();
    const std::uint64_t before = kn::memory_stats(kn::default_device()).in_use;
    for (int i = 0; i < 205; ++i) x = (kn::take(x, shift) + 0).eval();
    CHECK(kn::memory_stats(kn::default_device()).in_use <= before + 64 * 256);
    check_array<int>(x, {10}, {5, 6, 7, 8, 9, 0, 1, 2, 3, 4});
    // 32 kernels behind the wrong position, which nobody has looked at.
    Array wrong = (kn::take(x, kn::full({10}, 10, {.dtype = kn::int64})) + 0).eval();
    for (int i = 0; i < 31; ++i) wrong = (kn::take(wrong, shift) + 0).eval();
    Array target = kn::arange(12).eval();
    CHECK(message_of<kn::IndexError>([&] { target(kn::slice(1, 11)) = kn::take(wrong, shift) * 2; }) == wrong_ten);
    check_array<int>(target, {12}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  });
}

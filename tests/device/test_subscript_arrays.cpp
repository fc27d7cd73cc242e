// SPDX-License-Identifier: Apache-2.0
// Subscripts with arrays of positions and masks, nonzero and take_along_axis: against what NumPy gives
// (tests/golden/subscripts.py), and in large against plain loops.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <complex>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::ellipsis;
using kn::newaxis;
using kn::none;
using kn::slice;
using kn::test::check_array;
using kn::test::counted;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

using V = std::vector<std::int64_t>;

Array positions(const V& values) { return kn::asarray(values); }

/// Positions below `size`, or a mask where `size` is 2.
std::vector<std::int64_t> drawn(std::size_t count, std::int64_t size, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::int64_t> values(count);
  for (auto& value : values) value = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(size));
  return values;
}

template <class T>
void check_compaction(std::int64_t count) {
  CAPTURE(count);
  CAPTURE(kn::dtype_of<T>);
  if (!kn::test::computes(kn::dtype_of<T>)) return;
  const std::vector<std::int64_t> bits = drawn(static_cast<std::size_t>(count), 2, 7);
  std::vector<T> expected;
  V kept;
  for (std::int64_t i = 0; i < count; ++i) {
    if (bits[static_cast<std::size_t>(i)] == 0) continue;
    expected.push_back(static_cast<T>(static_cast<float>(i % 100)));
    kept.push_back(i);
  }
  const Array mask = kn::asarray(bits, {count}, kn::bool_);
  const Array x = counted(
      count, [](std::int64_t i) { return i % 100; }, kn::dtype_of<T>);
  const auto length = static_cast<std::int64_t>(kept.size());
  check_array<T>(x(mask), {length}, expected);
  // Of views that are not in order.
  const Array pairs = kn::reshape(counted(
                                      2 * count, [](std::int64_t i) { return i / 2 % 100; }, kn::dtype_of<T>),
                                  {count, 2});
  check_array<T>(pairs(all, 1)(mask), {length}, expected);
  check_array<std::int64_t>(kn::nonzero(mask)[0], {length}, kept);
}

}  // namespace

TEST_CASE("subscripts with arrays read and assign what NumPy's do") {
  on_each_device([] {
    const Array start = numbered<std::int64_t>({3, 4, 5});
    const Array one = positions({2, 0, -1}), two = positions({1, 3, 1}), last = positions({4, 4, 0});
    const Array grid = kn::asarray(V{0, 2, -4, 1}, {2, 2}), column = kn::asarray(V{1, 2}, {2, 1});
    const Array none_at_all = positions({}), pair = positions({1, 2});
    const Array rows = kn::asarray(std::vector<bool>{true, false, true});
    const auto third = [](std::int64_t i) { return i % 3 == 1; };
    const auto seventh = [](std::int64_t i) { return i % 7 == 2; };
    const Array cells = kn::reshape(counted(20, third, kn::bool_), {4, 5}),
                every = kn::reshape(counted(60, seventh, kn::bool_), {3, 4, 5}),
                nowhere = kn::zeros({3, 4, 5}, {.dtype = kn::bool_});
    const Array yes = kn::asarray(true), no = kn::asarray(false);
    Array x = start;
    int rows_checked = 0;
#define KN_GOLDEN(subscript, shape, values, after)                 \
  {                                                                \
    CAPTURE(std::string(#subscript));                              \
    check_array<std::int64_t>(subscript, kn::Shape shape, values); \
    if (rows_checked % 5 == 0 || kn::test::all_variants()) {       \
      std::vector<std::int64_t> news(values.size());               \
      std::iota(news.begin(), news.end(), 1000);                   \
      subscript = kn::asarray(news, kn::Shape shape);              \
      check_array<std::int64_t>(x, {3, 4, 5}, after);              \
    }                                                              \
    x = start;                                                     \
    ++rows_checked;                                                \
  }
#include "golden/subscripts.inc"
#undef KN_GOLDEN
    CHECK(rows_checked == 51);
  });
}

TEST_CASE("what a mask of up to 4096 elements keeps is one launch of a card") {
  on_each_device([] {
    if (kn::test::facts_of().cpu_loops) return;
    for (const std::int64_t count : {5, 4096, 4097}) {
      CAPTURE(count);
      const Array mask = kn::asarray(drawn(static_cast<std::size_t>(count), 2, 7), kn::bool_);
      const Array x = kn::asarray(drawn(static_cast<std::size_t>(count), 1000, 8)).eval();
      const auto launches = [&](auto work) {
        const auto before = kn::test::activity_of().launches;
        work();
        return kn::test::activity_of().launches - before;
      };
      const auto some = launches([&] { Array(x(mask)).eval(); });
      const auto where = launches([&] { kn::eval(kn::nonzero(mask)[0]); });
      CHECK((some == 1) == (count <= 4096));
      CHECK((where == 1) == (count <= 4096));
    }
  });
}

TEST_CASE("of equal positions the last counts, in a single launch of a card where they fit into a work-group") {
  on_each_device([] {
    const bool card = !kn::test::facts_of().cpu_loops;
    for (const std::size_t count : {4u, 255u, 256u, 257u}) {
      CAPTURE(count);
      const V at = drawn(count, 90, 3), values = drawn(count, 1000, 4);
      V want(100, -1);
      for (std::size_t k = 0; k < count; ++k) want[static_cast<std::size_t>(at[k]) + 10] = values[k];
      // Computed positions, of which those of work-items without an element would be out of range.
      const Array where = positions(at), put = positions(values);
      Array x = kn::asarray(V(100, -1));
      x(where + 10) = put;
      check_array<std::int64_t>(x, {100}, want);
      Array y = kn::asarray(V(100)).eval();
      kn::eval(where, put);
      const auto before = kn::test::activity_of().launches;
      y(where) = put;
      y.eval();
      if (card) CHECK(kn::test::activity_of().launches - before == (count <= 256 ? 1 : 2));
    }
    // Positions so far beyond that work-items without one of their own must not look.
    Array x = kn::zeros({50});
    x(kn::array({-100, -99, -100}) + 100) = kn::array({1, 2, 3});
    check_array<float>(x(slice(3)), {3}, {3, 2, 0});
    for (const std::int64_t wrong : {-51, 50}) {
      x(positions({0, wrong, 0})) = kn::array({1, 2, 3});
      CHECK(has(message_of<kn::IndexError>([&] { x.to_vector<float>(); }),
                "index " + std::to_string(wrong) + " is out of range for axis 0 of size 50"));
      x = kn::zeros({50});
    }
  });
}

TEST_CASE("a mask without axes takes an array without axes too") {
  on_each_device([] {
    Array x = kn::asarray(7);
    check_array<std::int64_t>(x(kn::asarray(true)), {1}, {7});
    check_array<std::int64_t>(x(kn::asarray(false)), {0}, {});
    x(kn::asarray(false)) = 8;
    CHECK(x.item<int>() == 7);
    x(kn::asarray(true)) = 9;
    CHECK(x.item<int>() == 9);
    x(x == 9) = kn::array({10});
    CHECK(x.item<int>() == 10);
    CHECK_THROWS_AS(x(kn::asarray(true)) = kn::array({1, 2}), kn::ShapeError);
    CHECK_THROWS_AS(Array(x(kn::asarray(std::vector<bool>{true}))), kn::IndexError);
    // Of an expression, and in place of an array that shares its memory.
    Array y = kn::arange(3);
    const Array before = y;
    y(kn::sum(y) == 3) += 1;
    check_array<std::int64_t>(y, {3}, {1, 2, 3});
    check_array<std::int64_t>(before, {3}, {0, 1, 2});
  });
}

// The standard: the size of a mask's axis is that of the array's or 0. NumPy takes 0 only beside 0.
TEST_CASE("a mask with an axis of size 0 picks nothing") {
  on_each_device([] {
    const auto mask = [](const kn::Shape& shape) { return kn::zeros(shape, {.dtype = kn::bool_}); };
    const Array start = numbered<std::int64_t>({3, 4, 5});
    check_array<std::int64_t>(start(mask({0})), {0, 4, 5}, {});
    check_array<std::int64_t>(start(mask({0, 4})), {0, 5}, {});
    check_array<std::int64_t>(start(mask({3, 0})), {0, 5}, {});
    check_array<std::int64_t>(start(mask({3, 0, 5})), {0}, {});
    check_array<std::int64_t>(start(mask({0, 0, 0})), {0}, {});
    check_array<std::int64_t>(start(all, mask({0})), {3, 0, 5}, {});
    check_array<std::int64_t>(start(1, mask({4, 0})), {0}, {});
    CHECK_THROWS_AS(start(mask({0, 3})).eval(), kn::IndexError);
    CHECK_THROWS_AS(start(mask({0, 0, 0, 0})).eval(), kn::IndexError);
    Array x = start;
    x(mask({0})) = 1;
    x(mask({3, 0})) = kn::zeros({0, 5}, {.dtype = kn::int64});
    x(all, mask({0})) = 1;
    check_array(x, {3, 4, 5}, start.to_vector<std::int64_t>());
    CHECK_THROWS_AS(x(mask({0})) = kn::zeros({2, 4, 5}, {.dtype = kn::int64}), kn::ShapeError);
  });
}

TEST_CASE("masks of many sizes keep elements of every type in their order") {
  on_each_device([] {
    for (const std::int64_t count : {0, 1, 2, 7, 63, 64, 65, 1000, 4095, 4096, 4097, 300'001}) {
      check_compaction<std::int32_t>(count);
    }
    // One type of each size.
    check_compaction<std::int8_t>(5000);
    check_compaction<kn::float16_t>(5000);
    check_compaction<std::complex<float>>(5000);
    check_compaction<std::complex<double>>(5000);
    if (kn::test::all_variants()) {
      check_compaction<std::uint16_t>(5000);
      check_compaction<kn::bfloat16_t>(5000);
      check_compaction<float>(5000);
      check_compaction<double>(5000);
    }
    const Array x = counted(
        9000, [](std::int64_t i) { return i % 5 == 0; }, kn::bool_);
    CHECK(x(x).to_vector<bool>() == std::vector<bool>(1800, true));
    const Array many = kn::asarray(std::vector<bool>(70'000, true));
    CHECK(many(many).size() == 70'000);
    // An expression as array and as mask.
    const Array y = kn::arange(10'000);
    const V doubled = Array((y * 2)(y % 10 == 3)).to_vector<std::int64_t>();
    CHECK(doubled.size() == 1000);
    CHECK(std::accumulate(doubled.begin(), doubled.end(), std::int64_t{0}) == 2 * (1000 * 3 + 10 * (999 * 1000 / 2)));
  });
}

TEST_CASE("nonzero gives a position for each axis") {
  on_each_device([] {
    const std::vector<std::int64_t> values = drawn(7 * 64 * 33, 3, 11);
    const std::vector<Array> found = kn::nonzero(kn::asarray(values, {7, 64, 33}));
    V expected[3];
    kn::test::each_position({7, 64, 33}, [&](const kn::Shape& p) {
      if (values[static_cast<std::size_t>(kn::test::number_of(p, {7, 64, 33}))] == 0) return;
      for (std::size_t axis = 0; axis < 3; ++axis) expected[axis].push_back(p[axis]);
    });
    REQUIRE(found.size() == 3);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      check_array<std::int64_t>(found[axis], {static_cast<std::int64_t>(expected[axis].size())}, expected[axis]);
    }
    CHECK(kn::nonzero(kn::asarray(std::vector<float>{0, -0.0f, NAN, 1}))[0].to_vector<std::int64_t>() == V{2, 3});
    CHECK(kn::nonzero(kn::zeros({0, 4})).size() == 2);
    CHECK(kn::nonzero(kn::zeros({0, 4}))[1].size() == 0);
    CHECK(message_of<kn::ShapeError>([] { kn::nonzero(kn::full({}, 1)); }).starts_with("[nonzero] "));
  });
}

TEST_CASE("of equal positions the last gets its value, however many there are") {
  on_each_device([] {
    const std::vector<std::int64_t> at = drawn(200'000, 1000, 3);
    Array x = kn::zeros({1000}, {.dtype = kn::int64});
    x(kn::asarray(at)) = kn::arange(200'000);
    V expected(1000, 0);
    for (std::size_t i = 0; i < at.size(); ++i) {
      expected[static_cast<std::size_t>(at[i])] = static_cast<std::int64_t>(i);
    }
    check_array<std::int64_t>(x, {1000}, expected);
    // As x = x + 1 at those positions does in NumPy: once.
    x(kn::asarray(at)) += 1;
    for (auto& value : expected) ++value;
    check_array<std::int64_t>(x, {1000}, expected);
  });
}

TEST_CASE("an assignment by arrays converts, broadcasts, and leaves other arrays as they are") {
  on_each_device([] {
    Array x = kn::zeros({4, 3});
    const Array before = x, rows = positions({3, 1});
    x(rows) = 2.5;
    x(rows, 1) = kn::asarray(std::vector<int>{7, 8});
    x(all, positions({0})) = kn::asarray(std::vector<float>{1, 2, 3, 4}, {4, 1});
    check_array<float>(x, {4, 3}, {1, 0, 0, 2, 8, 2.5, 3, 0, 0, 4, 7, 2.5});
    check_array<float>(before, {4, 3}, std::vector<float>(12, 0));
    x(x > 2) = -1;
    check_array<float>(x, {4, 3}, {1, 0, 0, 2, -1, -1, -1, 0, 0, -1, -1, -1});
    x(x == 0) = kn::asarray(std::vector<float>{10, 11, 12, 13});
    check_array<float>(x, {4, 3}, {1, 10, 11, 2, -1, -1, -1, 12, 13, -1, -1, -1});
    x(kn::asarray(std::vector<bool>{true, false, false, true})) = kn::asarray(std::vector<float>{5, 6, 7});
    check_array<float>(x, {4, 3}, {5, 6, 7, 2, -1, -1, -1, 12, 13, 5, 6, 7});
    Array part = x(slice(1, 3));
    part(positions({0})) = 0;
    check_array<float>(part, {2, 3}, {0, 0, 0, -1, 12, 13});
    check_array<float>(x(1), {3}, {2, -1, -1});
    Array small = kn::arange(3);
    small(kn::asarray(std::vector<std::uint64_t>{2})) = 9;
    check_array<std::int64_t>(small, {3}, {0, 1, 9});
  });
}

TEST_CASE("an assignment by positions takes no memory of its own where nobody else holds the array's") {
  on_each_device([] {
    Array x = numbered<float>({1 << 20});
    kn::synchronize();
    const std::uint64_t before = kn::memory_stats(kn::default_device()).in_use;
    for (int i = 0; i < 5; ++i) {
      x(positions({i, 100 + i})) = i;
      x.eval();
    }
    kn::synchronize();
    CHECK(kn::memory_stats(kn::default_device()).in_use <= before + (1 << 18));
    CHECK(x(positions({4, 104, 5})).to_vector<float>() == std::vector<float>{4, 4, 5});
  });
}

TEST_CASE("a position out of range throws when a result is observed") {
  on_each_device([] {
    const Array x = numbered<std::int64_t>({3, 4, 5});
    const auto said = [](const Array& y) { return message_of<kn::IndexError>([&] { y.to_vector<std::int64_t>(); }); };
    CHECK(said(x(all, positions({1, 4}))) ==
          "[subscript] index 4 is out of range for axis 1 of size 4; it can be -4 to 3");
    CHECK(has(said(x(positions({1, -4}), positions({0, 1}))), "index -4 is out of range for axis 0 of size 3"));
    CHECK(has(said(x(positions({1, 2}), 1, positions({0, 5}))), "index 5 is out of range for axis 2 of size 5"));
    CHECK(has(said(kn::zeros({0, 2})(positions({0}))), "index 0 is out of range for axis 0 of size 0"));
    Array y = x;
    y(positions({0, 3}), 0) = 7;
    CHECK(has(said(y), "[subscript] index 3 is out of range for axis 0 of size 3"));
    CHECK(x(0, 0, 0).item<std::int64_t>() == 0);
    CHECK(has(said(kn::take_along_axis(x, kn::full({3, 1, 5}, 4), {.axis = 1})), "[take_along_axis] index 4"));
  });
}

TEST_CASE("what a subscript with arrays is asked for in vain") {
  on_each_device([] {
    const Array x = numbered<std::int64_t>({3, 4, 5});
    const Array at = positions({0, 1});
    CHECK(message_of<kn::DTypeError>([&] { x(at * 0.5).eval(); }) ==
          "[subscript] indices are float32; they must be integers");
    CHECK(
        has(message_of<kn::IndexError>([&] { x(at, at, at, at).eval(); }), "names 4 axes, but shape (3, 4, 5) has 3"));
    CHECK(has(message_of<kn::ShapeError>([&] { x(at, positions({0, 1, 2})).eval(); }), "(2,)"));
    const Array mask = kn::ones({3, 5}, {.dtype = kn::bool_});
    CHECK(message_of<kn::IndexError>([&] { x(mask).eval(); }) ==
          "[subscript] a mask of shape (3, 5) does not fit shape (3, 4, 5) from axis 0 on");
    const auto assigned = [&](const Array& part, const Array& value) {
      return message_of<kn::ShapeError>([&, y = x]() mutable { y(part) = value; });
    };
    CHECK(has(assigned(at, kn::zeros({3})), "shape (3,) does not broadcast to the shape (2, 4, 5)"));
    CHECK(has(assigned(x < 7, kn::zeros({6})), "shape (6,) does not broadcast to the shape (7,)"));
    CHECK(x(2, 3, 4).item<int>() == 59);
    CHECK(
        has(message_of<kn::ShapeError>([&] { kn::take_along_axis(x, at); }), "do not fit an array of shape (3, 4, 5)"));
    CHECK(
        message_of<kn::DTypeError>([&] { kn::take_along_axis(x, x * 1.0); }).starts_with("[take_along_axis] indices"));
  });
}

TEST_CASE("take_along_axis picks row by row, along any axis") {
  on_each_device([] {
    const kn::Shape shape{4, 6, 5};
    const Array x = kn::reshape(kn::arange(120), shape);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      CAPTURE(axis);
      kn::Shape wanted = shape;
      wanted[axis] = 7;
      const V at = drawn(static_cast<std::size_t>(wanted.elements()), shape[axis], 5);
      V signed_at = at;
      for (std::size_t i = 0; i < at.size(); i += 3) signed_at[i] -= shape[axis];
      const V expected = kn::test::by_position<std::int64_t>(wanted, [&](kn::Shape p) {
        const std::int64_t number = kn::test::number_of(p, wanted);
        p[axis] = at[static_cast<std::size_t>(number)];
        return kn::test::number_of(p, shape);
      });
      const Array indices = kn::asarray(signed_at, wanted);
      check_array<std::int64_t>(kn::take_along_axis(x, indices, {.axis = static_cast<std::int64_t>(axis)}), wanted,
                                expected);
    }
    // Sizes of one are repeated, in either.
    check_array<std::int64_t>(
        kn::take_along_axis(x, kn::full({1, 1, 1}, -1)), {4, 6, 1},
        kn::test::by_position<std::int64_t>({4, 6, 1}, [&](const kn::Shape& p) { return (p[0] * 6 + p[1]) * 5 + 4; }));
    check_array<std::int64_t>(kn::take_along_axis(kn::reshape(kn::arange(5), {1, 5}), kn::asarray(V{1, 4}, {2, 1})),
                              {2, 1}, {1, 4});
  });
}

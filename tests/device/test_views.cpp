// SPDX-License-Identifier: Apache-2.0
// Views of arrays in memory and of pending ones: slices, new axes, orders of axes, shapes, repetition. Every element is
// checked by the number it carries, and that views of what is in memory share it.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <optional>
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
using kn::Shape;
using kn::slice;
using kn::test::check_array;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

bool shares_memory(const Array& a, const Array& b) {
  a.eval();
  b.eval();
  return kn::test::memory_of(a) == kn::test::memory_of(b);
}

/// Checks `view` of an array in memory and of a pending one of this shape; `from` gives the number of the element that
/// stands at a position of the view.
template <class View, class From>
void check_view(const Shape& base, View view, const Shape& shape, From from) {
  const std::vector<std::int32_t> expected = kn::test::by_position<std::int32_t>(shape, from);
  const Array x = numbered(base);
  const Array part = view(x);
  CHECK(part.dtype() == kn::int32);
  check_array(part, shape, expected);
  CHECK(shares_memory(part, x));
  const Array pending = view(numbered(base) * 2 - x);
  CHECK_FALSE(kn::test::is_computed(pending));
  check_array(pending, shape, expected);
}

/// The number in row-major order of position p of shape (4, 5, 6).
std::int64_t at(std::int64_t i, std::int64_t j, std::int64_t k) { return (i * 5 + j) * 6 + k; }
const Shape box = {4, 5, 6};

/// The positions that Python's slice takes of `size`: those between the ends, at whole steps from the first.
std::vector<std::int32_t> sliced(std::int64_t size, std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
                                 std::int64_t step) {
  const auto from_end = [&](std::int64_t i) { return i < 0 ? i + size : i; };
  std::vector<std::int32_t> positions;
  if (step > 0) {
    const std::int64_t first = start ? std::max<std::int64_t>(from_end(*start), 0) : 0;
    for (std::int64_t i = 0; i < size; ++i) {
      if (i >= first && (!stop || i < from_end(*stop)) && (i - first) % step == 0) positions.push_back(int(i));
    }
  } else {
    const std::int64_t first = start ? std::min(from_end(*start), size - 1) : size - 1;
    for (std::int64_t i = size; i-- > 0;) {
      if (i <= first && (!stop || i > from_end(*stop)) && (first - i) % -step == 0) positions.push_back(int(i));
    }
  }
  return positions;
}

}  // namespace

TEST_CASE("slices follow Python's rules for every pair of ends and every step") {
  on_each_device([] {
    for (const std::int64_t size : {0, 1, 5}) {
      const Array x = numbered({size});
      for (const std::int64_t step : {1, 2, 3, 9, -1, -2, -3, -9}) {
        for (std::int64_t start = -8; start <= 8; ++start) {
          for (std::int64_t stop = -8; stop <= 8; ++stop) {
            // 8 stands for an open end.
            const auto end = [](std::int64_t i) { return i == 8 ? kn::SliceBound(none) : kn::SliceBound(i); };
            const auto expected = sliced(size, end(start).value(), end(stop).value(), step);
            const Array part = x(slice(end(start), end(stop), step));
            if (part.shape() == Shape{expected.size()} && part.to_vector<std::int32_t>() == expected) continue;
            CAPTURE(size);
            CAPTURE(start);
            CAPTURE(stop);
            CAPTURE(step);
            check_array(part, {expected.size()}, expected);
          }
        }
      }
    }
    constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
    const Array x = numbered({5});
    check_array<std::int32_t>(x(slice(-far, far, far)), {1}, {0});
    check_array<std::int32_t>(x(slice(far, -far, -far)), {1}, {4});
    check_array<std::int32_t>(x(slice(-far - 1, far)), {5}, {0, 1, 2, 3, 4});
    check_array<std::int32_t>(x(slice(none, none, -far - 1)), {1}, {4});
    check_array<std::int32_t>(x(slice(3)), {3}, {0, 1, 2});
  });
}

TEST_CASE("integers, slices, whole axes, new axes and the ellipsis together") {
  on_each_device([] {
    check_view(
        box, [](const Array& x) { return x(2); }, {5, 6}, [](auto& p) { return at(2, p[0], p[1]); });
    check_view(
        box, [](const Array& x) { return x(-1, all, 2); }, {5}, [](auto& p) { return at(3, p[0], 2); });
    check_view(
        box, [](const Array& x) { return x(1, 2, -6); }, {}, [](auto&) { return at(1, 2, 0); });
    check_view(
        box, [](const Array& x) { return x(ellipsis, 5); }, {4, 5}, [](auto& p) { return at(p[0], p[1], 5); });
    check_view(
        box, [](const Array& x) { return x(0, ellipsis, slice(1, none, 2)); }, {5, 3},
        [](auto& p) { return at(0, p[0], 1 + 2 * p[1]); });
    check_view(
        box, [](const Array& x) { return x(slice(3, 0, -2), ellipsis); }, {2, 5, 6},
        [](auto& p) { return at(3 - 2 * p[0], p[1], p[2]); });
    check_view(
        box, [](const Array& x) { return x(slice(1, 3), slice(none, none, -1), slice(4)); }, {2, 5, 4},
        [](auto& p) { return at(1 + p[0], 4 - p[1], p[2]); });
    check_view(
        box, [](const Array& x) { return x(newaxis, all, 1, newaxis, slice(none, none, 5)); }, {1, 4, 1, 2},
        [](auto& p) { return at(p[1], 1, 5 * p[3]); });
    check_view(
        box, [](const Array& x) { return x(ellipsis, newaxis); }, {4, 5, 6, 1},
        [](auto& p) { return at(p[0], p[1], p[2]); });
    check_view(
        box, [](const Array& x) { return x(); }, box, [](auto& p) { return at(p[0], p[1], p[2]); });
    check_view(
        box, [](const Array& x) { return x(ellipsis); }, box, [](auto& p) { return at(p[0], p[1], p[2]); });
    check_view(
        box, [](const Array& x) { return x(all, all, all, ellipsis); }, box,
        [](auto& p) { return at(p[0], p[1], p[2]); });
    check_view(
        {}, [](const Array& x) { return x(newaxis, newaxis); }, {1, 1}, [](auto&) { return 0; });
    check_array<std::int32_t>(numbered(box)(slice(2, 2)), {0, 5, 6}, {});
    const std::vector<kn::Index> list = {1, slice(0, 2), newaxis};
    check_view(
        box, [&](const Array& x) { return x.get(list); }, {2, 1, 6}, [](auto& p) { return at(1, p[0], p[2]); });
  });
}

TEST_CASE("orders of axes") {
  on_each_device([] {
    const auto back = [](auto& p) { return at(p[2], p[1], p[0]); };
    check_view(
        box,
        [](const Array& x) {
          return permute_dims(x, {2, 1, 0});
        },
        {6, 5, 4}, back);
    check_view(
        box,
        [](const Array& x) {
          return permute_dims(x, {-1, -2, -3});
        },
        {6, 5, 4}, back);
    check_view(
        box,
        [](const Array& x) {
          return permute_dims(x, {1, 2, 0});
        },
        {5, 6, 4}, [](auto& p) { return at(p[2], p[0], p[1]); });
    check_view(
        box, [](const Array& x) { return x.mT(); }, {4, 6, 5}, [](auto& p) { return at(p[0], p[2], p[1]); });
    check_view(
        box, [](const Array& x) { return matrix_transpose(x); }, {4, 6, 5},
        [](auto& p) { return at(p[0], p[2], p[1]); });
    check_view(
        {7, 3}, [](const Array& x) { return x.T(); }, {3, 7}, [](auto& p) { return p[1] * 3 + p[0]; });
    check_view(
        box, [](const Array& x) { return moveaxis(x, 0, 2); }, {5, 6, 4}, [](auto& p) { return at(p[2], p[0], p[1]); });
    check_view(
        box, [](const Array& x) { return moveaxis(x, -1, 0); }, {6, 4, 5},
        [](auto& p) { return at(p[1], p[2], p[0]); });
    check_view(
        box,
        [](const Array& x) {
          return moveaxis(x, {0, 1}, {-1, 0});
        },
        {5, 6, 4}, [](auto& p) { return at(p[2], p[0], p[1]); });
    check_view(
        box, [](const Array& x) { return moveaxis(x, 1, 1); }, box, [](auto& p) { return at(p[0], p[1], p[2]); });
    check_view(
        {}, [](const Array& x) { return permute_dims(x, std::vector<int>{}); }, {}, [](auto&) { return 0; });
  });
}

TEST_CASE("flips") {
  on_each_device([] {
    check_view(
        box, [](const Array& x) { return flip(x); }, box, [](auto& p) { return at(3 - p[0], 4 - p[1], 5 - p[2]); });
    check_view(
        box, [](const Array& x) { return flip(x, {.axis = 1}); }, box,
        [](auto& p) { return at(p[0], 4 - p[1], p[2]); });
    check_view(
        box,
        [](const Array& x) {
          return flip(x, {.axis = {0, -1}});
        },
        box, [](auto& p) { return at(3 - p[0], p[1], 5 - p[2]); });
    check_view(
        box, [](const Array& x) { return flip(flip(x)); }, box, [](auto& p) { return at(p[0], p[1], p[2]); });
    CHECK(flip(kn::zeros({0, 3})).shape() == Shape{0, 3});
    CHECK(flip(kn::asarray(3)).item<int>() == 3);
  });
}

TEST_CASE("axes of size one come and go") {
  on_each_device([] {
    check_view(
        box, [](const Array& x) { return expand_dims(x); }, {1, 4, 5, 6}, [](auto& p) { return at(p[1], p[2], p[3]); });
    check_view(
        box, [](const Array& x) { return expand_dims(x, -1); }, {4, 5, 6, 1},
        [](auto& p) { return at(p[0], p[1], p[2]); });
    check_view(
        box,
        [](const Array& x) {
          return expand_dims(x.mT(), {0, 2});
        },
        {1, 4, 1, 6, 5}, [](auto& p) { return at(p[1], p[4], p[3]); });
    check_view(
        {1, 3, 1, 2, 1},
        [](const Array& x) {
          return squeeze(x, {0, -1});
        },
        {3, 1, 2}, [](auto& p) { return p[0] * 2 + p[2]; });
    check_view(
        {1, 3, 1, 2, 1}, [](const Array& x) { return squeeze(x, 2); }, {1, 3, 2, 1},
        [](auto& p) { return p[1] * 2 + p[2]; });
    check_view(
        {1, 1},
        [](const Array& x) {
          return squeeze(x, {0, 1});
        },
        {}, [](auto&) { return 0; });
  });
}

TEST_CASE("repetition to a larger shape") {
  on_each_device([] {
    check_view(
        {3},
        [](const Array& x) {
          return broadcast_to(x, {2, 4, 3});
        },
        {2, 4, 3}, [](auto& p) { return p[2]; });
    check_view(
        {2, 1, 3},
        [](const Array& x) {
          return broadcast_to(x, {5, 2, 4, 3});
        },
        {5, 2, 4, 3}, [](auto& p) { return p[1] * 3 + p[3]; });
    check_view(
        {},
        [](const Array& x) {
          return broadcast_to(x, {2, 2});
        },
        {2, 2}, [](auto&) { return 0; });
    check_view(
        {2, 3},
        [](const Array& x) {
          return broadcast_to(x, {2, 3});
        },
        {2, 3}, [](auto& p) { return p[0] * 3 + p[1]; });
    CHECK(broadcast_to(numbered({1, 3}), {0, 3}).to_vector<int>().empty());
    // A view of a repetition, and a reshape of one, which strides cannot say.
    check_view(
        {2, 1},
        [](const Array& x) {
          return broadcast_to(x, {2, 6})(all, slice(none, none, -4));
        },
        {2, 2}, [](auto& p) { return p[0]; });
    const Array flat = reshape(broadcast_to(numbered({3, 1}), {3, 4}), {12});
    check_array<std::int32_t>(flat, {12}, {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
    const std::vector<Array> both = kn::broadcast_arrays({numbered({3}), numbered({2, 1})});
    check_array<std::int32_t>(both[0], {2, 3}, {0, 1, 2, 0, 1, 2});
    check_array<std::int32_t>(both[1], {2, 3}, {0, 0, 0, 1, 1, 1});
    CHECK(kn::broadcast_shapes({{3}, {2, 1}, {5, 1, 1}}) == Shape{5, 2, 3});
    CHECK(kn::broadcast_shapes({{0}, {1}}) == Shape{0});
    CHECK(kn::broadcast_shapes({}) == Shape{});
  });
}

TEST_CASE("other shapes of the same elements") {
  on_each_device([] {
    const auto number = [](const Shape& shape) { return [shape](auto& p) { return kn::test::number_of(p, shape); }; };
    for (const Shape& shape : {Shape{120}, Shape{20, 6}, Shape{2, 2, 5, 3, 2}, Shape{1, 4, 1, 30}, Shape{8, 15}}) {
      check_view(
          box, [&](const Array& x) { return reshape(x, shape); }, shape, number(shape));
    }
    check_view(
        box,
        [](const Array& x) {
          return reshape(x, {-1, 12});
        },
        {10, 12}, number({10, 12}));
    check_view(
        box, [](const Array& x) { return reshape(x, {-1}); }, {120}, number({120}));
    check_view(
        {1}, [](const Array& x) { return reshape(x, {}); }, {}, [](auto&) { return 0; });
    check_view(
        {},
        [](const Array& x) {
          return reshape(x, {1, -1});
        },
        {1, 1}, [](auto&) { return 0; });
    CHECK(reshape(kn::zeros({0, 3}), {6, 0}).shape() == Shape{6, 0});
    CHECK(reshape(kn::zeros({0, 3}), {-1, 3}).shape() == Shape{0, 3});
    // Strided memory whose order strides can still say: no copy.
    check_view(
        box,
        [](const Array& x) {
          return reshape(x(slice(none, none, 2)), {2, 30});
        },
        {2, 30}, [](auto& p) { return p[0] * 60 + p[1]; });
    check_view(
        box,
        [](const Array& x) {
          return reshape(x(all, all, slice(3)), {2, 2, 5, 3});
        },
        {2, 2, 5, 3}, [](auto& p) { return at(p[0] * 2 + p[1], p[2], p[3]); });
    check_view(
        box,
        [](const Array& x) {
          return reshape(flip(x), {60, 2});
        },
        {60, 2}, [](auto& p) { return 119 - (p[0] * 2 + p[1]); });
  });
}

TEST_CASE("a reshape that strides cannot say copies") {
  on_each_device([] {
    const Array x = numbered(box), turned = x.mT(), part = x(all, all, slice(1, 5));
    const auto value = [](std::int64_t n) { return at(n / 30, n % 5, n / 5 % 6); };
    for (const Array& source : {turned, (x * 2 - x).mT()}) {
      check_array(reshape(source, {4, 30}), {4, 30},
                  kn::test::by_position<std::int32_t>({4, 30}, [&](auto& p) { return value(p[0] * 30 + p[1]); }));
      check_array(reshape(source, {120}), {120},
                  kn::test::by_position<std::int32_t>({120}, [&](auto& p) { return value(p[0]); }));
    }
    check_array(reshape(part, {80}), {80}, kn::test::by_position<std::int32_t>({80}, [](auto& p) {
                  return at(p[0] / 20, p[0] / 4 % 5, 1 + p[0] % 4);
                }));
    CHECK_FALSE(shares_memory(reshape(part, {80}), x));
    // The copy is an array like any other: views of it, and arithmetic on it.
    check_array(reshape(turned, {120})(slice(none, none, 60)) + 1, {2},
                std::vector<std::int32_t>{std::int32_t(value(0)) + 1, std::int32_t(value(60)) + 1});
    check_array(turned, {4, 6, 5},
                kn::test::by_position<std::int32_t>({4, 6, 5}, [](auto& p) { return at(p[0], p[2], p[1]); }));
  });
}

TEST_CASE("views of views") {
  on_each_device([] {
    const auto view = [](const Array& x) {
      const Array a = permute_dims(x(slice(none, none, -1), slice(1, none)), {2, 0, 1});  // (6, 4, 4)
      const Array b = reshape(a(slice(1, 5), all, newaxis), {2, 2, 4, 4});
      return flip(b(all, 1, slice(none, none, 3)), {.axis = 2}).mT();  // (2, 4, 2)
    };
    check_view(box, view, {2, 4, 2}, [](auto& p) {
      const std::int64_t column = 1 + 2 * p[0] + 1, row = 3 - 3 * p[2];
      return at(row, 1 + (3 - p[1]), column);
    });
    const auto many = [](Array x) {
      for (int i = 0; i < 50; ++i) x = x(slice(none, none, -1), ellipsis).mT();
      return x;
    };
    check_view(box, many, box, [](auto& p) { return at(p[0], p[1], p[2]); });
  });
}

TEST_CASE("views take no memory") {
  on_each_device([] {
    const kn::Device device = kn::default_device();
    const Array x = kn::zeros({256, 1024});
    x.eval();
    kn::synchronize();
    const std::uint64_t before = kn::memory_stats(device).in_use;
    std::vector<Array> views = {x(slice(none, none, 2)), x(3), x.T(), reshape(x, {-1}), flip(x), expand_dims(x, 0)};
    views.push_back(reshape(x, {64, 4, 1024})(all, 1, slice(none, none, -3)));
    views.push_back(broadcast_to(x, {100, 256, 1024}));
    for (const Array& view : views) view.eval();
    CHECK(kn::memory_stats(device).in_use == before);
    // A view keeps the memory, and nothing else does.
    Array kept = kn::ones({256, 1024})(slice(none, none, 2));
    Array whole = kn::ones({512, 512});
    whole.eval();
    kept = whole(0);
    whole = Array();
    CHECK(kn::memory_stats(device).in_use > before);
    CHECK(kept.to_vector<float>() == std::vector<float>(512, 1.f));
    kept = Array();
    CHECK(kn::memory_stats(device).in_use == before);
  });
}

TEST_CASE("a view of a pending array shares its memory once that is there") {
  on_each_device([] {
    const Array x = numbered({6, 8}), y = x + 1, rows = y(slice(1, 5)), turned = y.T(), flat = reshape(y, {48});
    y.eval();
    CHECK(shares_memory(rows, y));
    CHECK(shares_memory(turned, y));
    CHECK(shares_memory(flat, y));
    check_array(rows, {4, 8},
                kn::test::by_position<std::int32_t>({4, 8}, [](auto& p) { return (p[0] + 1) * 8 + p[1] + 1; }));
    // Asked for together, the part reads the whole.
    const Array z = x + 2, part = z(all, slice(2, 4));
    kn::eval(part, z);
    CHECK(shares_memory(part, z));
    check_array(part(0), {2}, std::vector<std::int32_t>{4, 5});
    // A part alone is all that is computed.
    const Array w = x + 3, corner = w(slice(2), slice(2));
    corner.eval();
    CHECK_FALSE(kn::test::is_computed(w));
    check_array(corner, {2, 2}, std::vector<std::int32_t>{3, 4, 11, 12});
  });
}

TEST_CASE("a part of a temporary is an array") {
  on_each_device([] {
    check_array<std::int32_t>((numbered({4}) + 1)(slice(1, 3)), {2}, {2, 3});
    const Array first = kn::Array(numbered({2, 3}))(0);
    check_array<std::int32_t>(first, {3}, {0, 1, 2});
    Array x = numbered({2, 3});
    CHECK(x(1, 2).item<int>() == 5);
    CHECK(x(1).shape() == Shape{3});
    CHECK(x(1).size() == 3);
    CHECK(x(1)(2).item<int>() == 5);
    CHECK(x(all, slice(2)).T().shape() == Shape{2, 2});
    CHECK(static_cast<int>(Array(x(0, 1))) == 1);
    const Array sum = x(0) + x(1);
    check_array<std::int32_t>(sum, {3}, {3, 5, 7});
  });
}

TEST_CASE("parts along an axis, and arrays put together") {
  on_each_device([] {
    const std::vector<Array> rows = unstack(numbered({3, 2}));
    REQUIRE(rows.size() == 3);
    check_array<std::int32_t>(rows[2], {2}, {4, 5});
    const std::vector<Array> columns = unstack(numbered({3, 2}), {.axis = -1});
    REQUIRE(columns.size() == 2);
    check_array<std::int32_t>(columns[1], {3}, {1, 3, 5});
    const Array a = numbered({2, 3}), b = numbered({1, 3}) + 10;
    check_array<std::int32_t>(kn::concat({a, b}), {3, 3}, {0, 1, 2, 3, 4, 5, 10, 11, 12});
    check_array<std::int32_t>(kn::concat({a.T(), b.T()}, {.axis = 1}), {3, 3}, {0, 3, 10, 1, 4, 11, 2, 5, 12});
    check_array<std::int32_t>(kn::concat({a, b}, {.axis = none}), {9}, {0, 1, 2, 3, 4, 5, 10, 11, 12});
    check_array<std::int32_t>(kn::concat({a}), {2, 3}, {0, 1, 2, 3, 4, 5});
    check_array<std::int32_t>(kn::concat({a, kn::zeros({0, 3}, {.dtype = kn::int32})}), {2, 3}, {0, 1, 2, 3, 4, 5});
    check_array<std::int32_t>(kn::stack({a(0), a(1), a(0)}), {3, 3}, {0, 1, 2, 3, 4, 5, 0, 1, 2});
    check_array<std::int32_t>(kn::stack({a(0), a(1)}, {.axis = -1}), {3, 2}, {0, 3, 1, 4, 2, 5});
    CHECK(kn::concat({a, b.astype(kn::float32)}).dtype() == kn::float32);
    CHECK(kn::stack({a, a.astype(kn::int64)}).dtype() == kn::int64);
  });
}

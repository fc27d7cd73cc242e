// SPDX-License-Identifier: Apache-2.0
// Layouts in pieces and of split axes: where they say that each element lies, beside a list that each view moves.
#include <doctest/doctest.h>

#include "graph/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using koine::Shape;
using namespace koine::graph;

namespace {

/// Calls f with each position of a shape, in row-major order.
template <class F>
void for_each_position(const Shape& shape, F f) {
  Shape at = Shape::filled(shape.size(), 0);
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    std::int64_t rest = i;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) at[axis] = rest % shape[axis];
    f(at);
  }
}

/// The offset of each element, in row-major order.
std::vector<std::int64_t> offsets_of(const Pieces& pieces) {
  std::vector<std::int64_t> result;
  for_each_position(pieces.layout.shape, [&](const Shape& at) {
    std::int64_t offset = pieces.layout.offset;
    for (std::size_t axis = 0; axis < at.size(); ++axis) offset += at[axis] * pieces.layout.strides[axis];
    for (const Seam& seam : pieces.seams) {
      if (at[seam.axis] >= seam.at) offset += seam.jump + seam.turn * at[seam.axis];
    }
    result.push_back(offset);
  });
  return result;
}

/// The element that a position along an axis with a bound means, found by walking back step by step.
std::int64_t element(std::int64_t at, std::int64_t bound, ViewMap::Beyond beyond) {
  using Beyond = ViewMap::Beyond;
  if (beyond == Beyond::tells) return at < 0 || at >= bound ? 1 : 0;
  if (beyond == Beyond::clamps || bound == 1) return std::clamp<std::int64_t>(at, 0, bound - 1);
  while (at < 0 || at >= bound) {
    if (beyond == Beyond::wraps) {
      at += at < 0 ? bound : -bound;
    } else {
      const std::int64_t skip = beyond == Beyond::reflects ? 0 : 1;
      at = at < 0 ? -at - skip : 2 * (bound - 1) + skip - at;
    }
  }
  return at;
}

struct Both {
  Pieces pieces;
  Shape shape;
  std::vector<std::int64_t> offsets;
};

/// Moves the list as `map` says; the axes that have a bound are known by it.
std::vector<std::int64_t> moved(const Both& x, const ViewMap& map, const Shape& shape) {
  if (map.reshape) return x.offsets;
  std::vector<std::int64_t> result;
  for_each_position(shape, [&](const Shape& at) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < x.shape.size(); ++d) {
      std::int64_t position = map.start[d];
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (map.source[axis] == static_cast<std::int64_t>(d)) position += map.step[axis] * at[axis];
      }
      if (!map.bounds.empty() && map.bounds[d] != 0) position = element(position, map.bounds[d], map.beyond);
      flat = flat * x.shape[d] + position;
    }
    result.push_back(x.offsets[static_cast<std::size_t>(flat)]);
  });
  return result;
}

ViewMap identity(const Shape& shape) {
  ViewMap map;
  map.start = Shape::filled(shape.size(), 0);
  map.step = Shape::filled(shape.size(), 1);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) map.source.push_back(static_cast<std::int64_t>(axis));
  return map;
}

/// A view of x, and its shape.
std::pair<ViewMap, Shape> random_view(const Shape& shape, std::mt19937& random) {
  ViewMap map = identity(shape);
  Shape view = shape;
  const std::size_t axis = random() % shape.size();
  const auto some = static_cast<std::int64_t>(random() % 4);
  switch (random() % 7) {
    case 0:  // turned
      std::swap(map.source[0], map.source[axis]);
      std::swap(view[0], view[axis]);
      break;
    case 1:  // flipped
      map.start[axis] = shape[axis] - 1;
      map.step[axis] = -1;
      break;
    case 2:  // every second
      map.step[axis] = 2;
      view[axis] = (shape[axis] + 1) / 2;
      break;
    case 3:  // repeated beside itself
      map.source.insert(axis, -1);
      map.step.insert(axis, 1);
      view.insert(axis, 1 + some);
      break;
    case 4:
      map.reshape = true;
      view = random() % 2 ? Shape{shape.elements()} : Shape{shape[0], shape.elements() / shape[0]};
      if (shape[axis] % 2 == 0 && some > 1) view = Shape{2, shape.elements() / 2};
      break;
    default:
      map.bounds = Shape::filled(shape.size(), 0);
      map.bounds[axis] = shape[axis];
      map.beyond = static_cast<ViewMap::Beyond>(random() % 4);
      map.start[axis] = -some;
      view[axis] += some + static_cast<std::int64_t>(random() % 7);
  }
  return {map, view};
}

}  // namespace

TEST_CASE("views in pieces and of split axes lead to the elements that each step moves") {
  std::mt19937 random(1);
  int found = 0, split_ones = 0, turning = 0;
  for (int round = 0; round < 4000; ++round) {
    Shape shape;
    for (std::size_t axes = 1 + random() % 3; axes > 0; --axes) shape.push_back(1 + std::int64_t(random() % 6));
    Layout layout{shape, row_major_strides(shape), 5};
    for (std::int64_t& stride : layout.strides) stride = static_cast<std::int64_t>(random() % 90) - 20;
    if (round % 2) layout = row_major(shape);
    Both x{{layout, {}}, shape, offsets_of({layout, {}})};
    for (int step = 0; step < 5 && x.shape.elements() < 500; ++step) {
      const auto [map, view] = random_view(x.shape, random);
      const auto applied = apply(map, view, x.pieces);
      if (!applied) continue;  // it is stored
      x = {*applied, view, moved(x, map, view)};
      ++found;
      split_ones += x.pieces.parts.empty() ? 0 : 1;
      turning += std::any_of(x.pieces.seams.begin(), x.pieces.seams.end(), [](const Seam& s) { return s.turn != 0; });
      if (offsets_of(x.pieces) != x.offsets) {
        CAPTURE(round);
        CAPTURE(step);
        CHECK(offsets_of(x.pieces) == x.offsets);
        return;
      }
      for (const Seam& seam : x.pieces.seams) CHECK((seam.at > 0 && (seam.jump != 0 || seam.turn != 0)));
    }
    // The same over any finer shape.
    Shape fine;
    const Shape coarse = *common_split(x.pieces.layout.shape, x.pieces.layout.shape);
    for (const std::int64_t size : coarse) {
      if (size % 2 == 0) fine.push_back(2);
      if (size > 2 || size % 2) fine.push_back(size % 2 ? size : size / 2);
    }
    if (const auto finer = split(x.pieces, fine)) CHECK(offsets_of(*finer) == x.offsets);
  }
  CHECK(found > 10000);
  CHECK(split_ones > 500);
  CHECK(turning > 500);
}

TEST_CASE("the common split of two shapes") {
  CHECK(common_split({12}, {3, 4}) == Shape{3, 4});
  CHECK(common_split({2, 6}, {4, 3}) == Shape{2, 2, 3});
  CHECK(common_split({1, 5, 1}, {5}) == Shape{5});
  CHECK(common_split({}, {1}) == Shape{});
  CHECK(!common_split({4, 6}, {6, 4}));
  CHECK(axis_of_part({6, 1, 4}, {2, 3, 4}, 1) == 0);
  CHECK(axis_of_part({6, 1, 4}, {2, 3, 4}, 2) == 2);
  CHECK(whole_part({6, 1, 4}, {2, 3, 4}, 2) == 2);
  CHECK(!whole_part({6, 1, 4}, {2, 3, 4}, 0));
}

TEST_CASE("borders of one element turn no strides") {
  ViewMap map = identity({9});
  map.start[0] = -1;
  map.bounds = {9};
  for (const auto beyond : {ViewMap::Beyond::clamps, ViewMap::Beyond::reflects, ViewMap::Beyond::mirrors}) {
    map.beyond = beyond;
    const auto pieces = apply(map, Shape{11}, Pieces{row_major({9}), {}});
    REQUIRE(pieces.has_value());
    CHECK(pieces->layout.strides == Shape{1});
    CHECK(pieces->seams.size() == 2);
    for (const Seam& seam : pieces->seams) CHECK(seam.turn == 0);
  }
}

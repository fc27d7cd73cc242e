// SPDX-License-Identifier: Apache-2.0
// Every reduction of an array of integers against plain loops over its positions.
#pragma once

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace koine::test {

/// The values of an integer array with their positions, and every reduction of them over `axes` by plain loops.
struct Plain {
  Shape shape;
  std::vector<std::int64_t> values;

  /// The values that go into each result, in row-major order of both.
  std::vector<std::vector<std::int64_t>> groups(const std::vector<std::size_t>& axes) const {
    Shape kept = shape;
    for (std::size_t axis : axes) kept[axis] = 1;
    std::vector<std::vector<std::int64_t>> result(static_cast<std::size_t>(kept.elements()));
    std::size_t next = 0;
    each_position(shape, [&](const Shape& position) {
      Shape at = position;
      for (std::size_t axis : axes) at[axis] = 0;
      result[static_cast<std::size_t>(number_of(at, kept))].push_back(values[next++]);
    });
    return result;
  }
};

template <class T>
std::vector<T> each_group(const Plain& plain, const std::vector<std::size_t>& axes,
                          const std::function<T(const std::vector<std::int64_t>&)>& f) {
  std::vector<T> result;
  for (const auto& group : plain.groups(axes)) result.push_back(f(group));
  return result;
}

using Group = std::vector<std::int64_t>;

/// Every kind of reduction, or a sum, an extreme and a place: each kind of each geometry is a program, and the kinds
/// differ by what is combined, the geometries by the loops.
inline void check_all(const Array& x, const Plain& plain, const std::vector<std::size_t>& axes,
                      bool every_kind = all_variants()) {
  CAPTURE(to_string(x.shape()));
  CAPTURE(axes.size());
  const std::vector<std::int64_t> list(axes.begin(), axes.end());
  const Axis axis(list);
  Shape kept = plain.shape, reduced = plain.shape;
  for (std::size_t a : axes) kept[a] = 1;
  for (std::size_t i = axes.size(); i-- > 0;) reduced.erase(axes[i]);
  CHECK(sum(x, {.axis = axis}).shape() == reduced);
  CHECK(sum(x, {.axis = axis, .keepdims = true}).shape() == kept);
  CHECK(sum(x, {.axis = axis}).to_vector<std::int64_t>() == each_group<std::int64_t>(plain, axes, [](const Group& g) {
          std::int64_t total = 0;
          for (std::int64_t v : g) total += v;
          return total;
        }));
  CHECK(min(x, {.axis = axis}).to_vector<std::int64_t>() ==
        each_group<std::int64_t>(plain, axes, [](const Group& g) { return *std::min_element(g.begin(), g.end()); }));
  if (axes.size() == 1) {
    CHECK(argmax(x, {.axis = axis}).to_vector<std::int64_t>() ==
          each_group<std::int64_t>(plain, axes,
                                   [](const Group& g) { return std::max_element(g.begin(), g.end()) - g.begin(); }));
  }
  if (!every_kind) return;
  CHECK(max(x, {.axis = axis, .keepdims = true}).to_vector<std::int64_t>() ==
        each_group<std::int64_t>(plain, axes, [](const Group& g) { return *std::max_element(g.begin(), g.end()); }));
  CHECK(count_nonzero(x, {.axis = axis}).to_vector<std::int64_t>() ==
        each_group<std::int64_t>(plain, axes, [](const Group& g) {
          return static_cast<std::int64_t>(std::count_if(g.begin(), g.end(), [](std::int64_t v) { return v != 0; }));
        }));
  CHECK(any(x, {.axis = axis}).to_vector<bool>() == each_group<bool>(plain, axes, [](const Group& g) {
          return std::any_of(g.begin(), g.end(), [](std::int64_t v) { return v != 0; });
        }));
  CHECK(all(x, {.axis = axis}).to_vector<bool>() == each_group<bool>(plain, axes, [](const Group& g) {
          return std::all_of(g.begin(), g.end(), [](std::int64_t v) { return v != 0; });
        }));
  if (axes.size() != 1) return;
  CHECK(argmin(x, {.axis = axis}).to_vector<std::int64_t>() ==
        each_group<std::int64_t>(plain, axes,
                                 [](const Group& g) { return std::min_element(g.begin(), g.end()) - g.begin(); }));
}

inline Plain random_plain(const Shape& shape) {
  std::mt19937 random(7);
  Plain plain{shape, {}};
  for (std::int64_t i = 0; i < shape.elements(); ++i) plain.values.push_back(int(random() % 19) - 9);
  return plain;
}

inline Array to_array(const Plain& plain, DType type = int64) {
  return asarray(plain.values, plain.shape, {.dtype = type});
}

}  // namespace koine::test

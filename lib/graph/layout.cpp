// SPDX-License-Identifier: Apache-2.0
// Strided layouts: views, broadcasting, reshaping without a copy, merging of axes.
#include "graph/layout.hpp"

#include "base/hash.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace koine::graph {

std::uint64_t hash_of(const Shape& shape, std::uint64_t seed) {
  for (const std::int64_t number : shape) seed = base::hash_combine(seed, static_cast<std::uint64_t>(number));
  return seed;
}

Shape row_major_strides(const Shape& shape) {
  Shape strides = shape;
  std::int64_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

Layout row_major(const Shape& shape) { return {shape, row_major_strides(shape), 0}; }

bool is_row_major(const Layout& layout) {
  std::int64_t step = 1;
  for (std::size_t axis = layout.shape.size(); axis-- > 0;) {
    if (layout.shape[axis] == 0) return true;
    if (layout.shape[axis] == 1) continue;
    if (layout.strides[axis] != step) return false;
    step *= layout.shape[axis];
  }
  return true;
}

bool is_injective(const Layout& layout) {
  if (is_row_major(layout)) return true;
  // Sorted by stride, each axis must step over everything that the finer axes reach.
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (layout.shape[axis] == 0) return true;
    if (layout.shape[axis] > 1) axes.emplace_back(std::abs(layout.strides[axis]), layout.shape[axis]);
  }
  std::sort(axes.begin(), axes.end());
  std::int64_t reach = 0;
  for (auto [stride, size] : axes) {
    if (stride <= reach) return false;
    reach += stride * (size - 1);
  }
  return true;
}

Extent extent(const Layout& layout) {
  Extent result{layout.offset, layout.offset};
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (layout.shape[axis] == 0) return {0, -1};
    const std::int64_t reach = layout.strides[axis] * (layout.shape[axis] - 1);
    (reach < 0 ? result.first : result.last) += reach;
  }
  return result;
}

namespace {

/// Strides that walk `layout` in row-major order under another shape, if there are any: runs of axes that lie evenly
/// in memory are matched with runs of new axes of the same number of elements.
std::optional<Shape> reshaped_strides(const Layout& layout, const Shape& shape) {
  if (layout.shape.elements() == 0) return row_major_strides(shape);
  Shape old_shape, old_strides;
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (layout.shape[axis] == 1) continue;
    old_shape.push_back(layout.shape[axis]);
    old_strides.push_back(layout.strides[axis]);
  }
  Shape strides = Shape::filled(shape.size(), 0);
  std::size_t old_axis = 0, axis = 0;
  while (axis < shape.size()) {
    if (shape[axis] == 1) {
      ++axis;
      continue;
    }
    // A run of old axes [old_axis, old_end) and of new axes [axis, end) with as many elements.
    std::size_t old_end = old_axis + 1, end = axis + 1;
    std::int64_t old_count = old_shape[old_axis], count = shape[axis];
    while (old_count != count) {
      if (old_count < count) {
        old_count *= old_shape[old_end++];
      } else {
        count *= shape[end++];
      }
    }
    for (std::size_t a = old_axis; a + 1 < old_end; ++a) {
      if (old_strides[a] != old_strides[a + 1] * old_shape[a + 1]) return std::nullopt;
    }
    std::int64_t step = old_strides[old_end - 1];
    for (std::size_t a = end; a-- > axis;) {
      strides[a] = step;
      step *= shape[a];
    }
    old_axis = old_end;
    axis = end;
  }
  return strides;
}

}  // namespace

std::optional<Layout> apply(const ViewMap& map, const Shape& view_shape, const Layout& layout) {
  if (!map.bounds.empty()) return std::nullopt;
  if (map.reshape) {
    auto strides = reshaped_strides(layout, view_shape);
    if (!strides) return std::nullopt;
    return Layout{view_shape, std::move(*strides), layout.offset};
  }
  Layout result{view_shape, Shape::filled(view_shape.size(), 0), layout.offset};
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    result.offset += map.start[axis] * layout.strides[axis];
  }
  for (std::size_t axis = 0; axis < view_shape.size(); ++axis) {
    const std::int64_t from = map.source[axis];
    if (from >= 0) result.strides[axis] = map.step[axis] * layout.strides[static_cast<std::size_t>(from)];
  }
  for (const ViewMap::Diagonal& diagonal : map.diagonals) {
    result.strides[diagonal.axis] += map.step[diagonal.axis] * layout.strides[diagonal.input_axis];
  }
  return result;
}

Layout broadcast(const Layout& layout, const Shape& shape) {
  if (layout.shape == shape) return layout;
  Layout result{shape, Shape::filled(shape.size(), 0), layout.offset};
  const std::size_t shift = shape.size() - layout.shape.size();
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (layout.shape[axis] != 1) result.strides[axis + shift] = layout.strides[axis];
  }
  return result;
}

/// Whether the view's axis walks no element of a bounded axis twice.
static bool walks_once(const ViewMap& map, const Shape& view_shape, std::size_t axis) {
  const auto d = static_cast<std::size_t>(map.source[axis]);
  const std::int64_t bound = map.bounds[d], start = map.start[d], reach = map.step[axis] * (view_shape[axis] - 1);
  if (bound == 0) return true;
  if (map.beyond == ViewMap::Beyond::wraps) return std::abs(reach) < bound;
  return std::min(start, start + reach) >= 0 && std::max(start, start + reach) < bound;
}

bool reads_once(const ViewMap& map, const Shape& view_shape) {
  if (map.reshape) return true;
  for (std::size_t axis = 0; axis < view_shape.size(); ++axis) {
    if (view_shape[axis] <= 1) continue;
    if (map.source[axis] < 0 || map.step[axis] == 0) return false;
    if (!map.bounds.empty() && !walks_once(map, view_shape, axis)) return false;
    for (std::size_t other = 0; other < axis; ++other) {
      if (view_shape[other] > 1 && map.source[other] == map.source[axis]) return false;  // windows
    }
  }
  return true;
}

bool keeps_order(const ViewMap& map, const Shape& view_shape, const Shape& input_shape) {
  if (map.reshape) return true;
  if (!map.bounds.empty() || !map.diagonals.empty() || view_shape.elements() != input_shape.elements()) return false;
  std::int64_t last = -1;
  for (std::size_t axis = 0; axis < view_shape.size(); ++axis) {
    if (view_shape[axis] == 1) continue;
    if (map.source[axis] <= last || map.step[axis] != 1) return false;
    last = map.source[axis];
  }
  return true;
}

bool reads_all_once(const ViewMap& map, const Shape& view_shape, const Shape& input_shape) {
  return reads_once(map, view_shape) && view_shape.elements() == input_shape.elements();
}

bool reads_all(const ViewMap& map, const Shape& view_shape, const Shape& input_shape) {
  if (map.reshape) return true;
  if (!map.bounds.empty() || !map.diagonals.empty()) return false;
  std::vector<bool> whole(input_shape.size(), false);
  for (std::size_t axis = 0; axis < view_shape.size(); ++axis) {
    if (map.source[axis] < 0) continue;
    const auto from = static_cast<std::size_t>(map.source[axis]);
    whole[from] = whole[from] || (view_shape[axis] == input_shape[from] && std::abs(map.step[axis]) == 1);
  }
  for (std::size_t axis = 0; axis < input_shape.size(); ++axis) {
    if (!whole[axis] && input_shape[axis] != 1) return false;
  }
  return true;
}

}  // namespace koine::graph

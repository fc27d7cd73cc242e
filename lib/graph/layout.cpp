// SPDX-License-Identifier: Apache-2.0
// Strided layouts: views, broadcasting, reshaping without a copy, merging of axes.
#include "graph/layout.hpp"

#include "base/hash.hpp"

#include <algorithm>
#include <numeric>

namespace koine::graph {

std::uint64_t hash_of(const Shape& shape, std::uint64_t seed) {
  return base::hash64(shape.begin(), shape.size() * sizeof(std::int64_t), seed);
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
  if (!map.wrap.empty()) return std::nullopt;
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

namespace {

// More pieces than these are not worth a kernel's parameters.
constexpr std::size_t most_pieces = 16;

/// One axis of an input, and the view's axis that walks it: position start + step * i of the input, i < count.
struct AxisWalk {
  std::size_t axis;
  std::int64_t start, step, count;
  std::int64_t wrap;  // 0: not wrapped
};

std::int64_t divide_down(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }  // b > 0

/// Where the walk's element i lies beside stride * step * i.
std::int64_t place(const AxisWalk& walk, std::int64_t i, std::int64_t stride, const std::vector<Seam>& seams) {
  std::int64_t position = walk.start + walk.step * i;
  if (walk.wrap) position -= divide_down(position, walk.wrap) * walk.wrap;
  std::int64_t offset = stride * (position - walk.step * i);
  for (const Seam& seam : seams) {
    if (seam.axis == walk.axis && position >= seam.at) offset += seam.jump;
  }
  return offset;
}

/// The elements, rising and above 0, with which another piece of the input or another round begins; none if there are
/// very many.
std::optional<std::vector<std::int64_t>> piece_starts(const AxisWalk& walk, const std::vector<Seam>& seams) {
  std::vector<std::int64_t> starts;
  if (walk.step == 0 || walk.count <= 1) return starts;
  const std::int64_t end = walk.start + walk.step * (walk.count - 1);
  const std::int64_t low = std::min(walk.start, end), high = std::max(walk.start, end);
  std::vector<std::int64_t> bounds;
  for (const Seam& seam : seams) {
    if (seam.axis == walk.axis) bounds.push_back(seam.at);
  }
  if (walk.wrap) bounds.push_back(0);
  for (const std::int64_t bound : bounds) {
    const std::int64_t rounds = walk.wrap ? (high - low) / walk.wrap + 1 : 0;
    if (rounds > static_cast<std::int64_t>(most_pieces)) return std::nullopt;
    std::int64_t at = walk.wrap ? bound + divide_down(low - bound, walk.wrap) * walk.wrap : bound;
    for (std::int64_t round = 0; round <= rounds; ++round, at += walk.wrap) {
      if (at <= low || at > high) continue;
      starts.push_back(walk.step > 0 ? divide_down(at - walk.start - 1, walk.step) + 1
                                     : divide_down(walk.start - at, -walk.step) + 1);
    }
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  if (starts.size() > most_pieces) return std::nullopt;
  return starts;
}

}  // namespace

std::optional<Pieces> apply(const ViewMap& map, const Shape& view_shape, const Pieces& input) {
  if (map.wrap.empty() && input.seams.empty()) {
    auto layout = apply(map, view_shape, input.layout);
    if (!layout) return std::nullopt;
    return Pieces{std::move(*layout), {}, input.loop};
  }
  if (map.reshape) return std::nullopt;
  ViewMap straight = map;
  straight.wrap = Shape();
  Pieces result{*apply(straight, view_shape, input.layout), {}, input.loop};
  if (view_shape.elements() == 0) return result;
  for (std::size_t d = 0; d < input.layout.shape.size(); ++d) {
    AxisWalk walk{d, map.start[d], 0, 1, map.wrap.empty() ? 0 : map.wrap[d]};
    const bool pieces = std::any_of(input.seams.begin(), input.seams.end(), [&](const Seam& s) { return s.axis == d; });
    if (walk.wrap == 0 && !pieces) continue;
    std::size_t walked = 0, walks = 0;
    for (std::size_t axis = 0; axis < view_shape.size(); ++axis) {
      if (map.source[axis] != static_cast<std::int64_t>(d)) continue;
      walked = axis;
      ++walks;
      walk.step = map.step[axis];
      walk.count = view_shape[axis];
    }
    for (const ViewMap::Diagonal& diagonal : map.diagonals) walks += diagonal.input_axis == d ? 2 : 0;
    if (walks > 1) return std::nullopt;
    const auto starts = piece_starts(walk, input.seams);
    if (!starts) return std::nullopt;
    const std::int64_t stride = input.layout.strides[d];
    std::int64_t before = place(walk, 0, stride, input.seams);
    result.layout.offset += before - stride * walk.start;
    for (const std::int64_t at : *starts) {
      const std::int64_t now = place(walk, at, stride, input.seams);
      if (now != before) result.seams.push_back({walked, at, now - before});
      before = now;
    }
  }
  std::sort(result.seams.begin(), result.seams.end(),
            [](const Seam& a, const Seam& b) { return a.axis != b.axis ? a.axis < b.axis : a.at < b.at; });
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

Pieces broadcast(const Pieces& pieces, const Shape& shape) {
  Pieces result{broadcast(pieces.layout, shape), pieces.seams, pieces.loop};
  for (Seam& seam : result.seams) seam.axis += shape.size() - pieces.layout.shape.size();
  return result;
}

bool reads_once(const ViewMap& map, const Shape& view_shape) {
  if (map.reshape) return true;
  for (std::size_t axis = 0; axis < view_shape.size(); ++axis) {
    if (view_shape[axis] <= 1) continue;
    if (map.source[axis] < 0 || map.step[axis] == 0) return false;
    const std::int64_t wrap = map.wrap.empty() ? 0 : map.wrap[static_cast<std::size_t>(map.source[axis])];
    if (wrap != 0 && std::abs(map.step[axis]) * (view_shape[axis] - 1) >= wrap) return false;
    for (std::size_t other = 0; other < axis; ++other) {
      if (view_shape[other] > 1 && map.source[other] == map.source[axis]) return false;  // windows
    }
  }
  return true;
}

bool keeps_order(const ViewMap& map, const Shape& view_shape, const Shape& input_shape) {
  if (map.reshape) return true;
  if (!map.wrap.empty() || !map.diagonals.empty() || view_shape.elements() != input_shape.elements()) return false;
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

}  // namespace koine::graph

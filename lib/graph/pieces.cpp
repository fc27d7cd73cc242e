// SPDX-License-Identifier: Apache-2.0
// Layouts in pieces: views that go beyond the ends of an axis, and axes that are split for a reshape.
#include "graph/layout.hpp"

#include <algorithm>

namespace koine::graph {
namespace {

// More pieces than these are not worth a kernel's parameters.
constexpr std::size_t most_pieces = 16;

/// One axis of an input, and the view's axis that walks it: position start + step * i of the input, i < count.
struct AxisWalk {
  std::size_t axis;
  std::int64_t start, step, count;
  std::int64_t bound;  // 0: no position lies beyond the axis
  ViewMap::Beyond beyond;
};

std::int64_t divide_down(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }  // b > 0
std::int64_t modulo(std::int64_t a, std::int64_t b) { return a - divide_down(a, b) * b; }

/// After how many positions the elements of an axis come again; 0 for never, and of a mirrored single one.
std::int64_t period_of(const AxisWalk& walk) {
  if (walk.bound == 0) return 0;
  switch (walk.beyond) {
    case ViewMap::Beyond::wraps: return walk.bound;
    case ViewMap::Beyond::reflects: return 2 * walk.bound - 2;
    case ViewMap::Beyond::mirrors: return 2 * walk.bound;
    case ViewMap::Beyond::clamps:
    case ViewMap::Beyond::tells: break;
  }
  return 0;
}

/// The element of the axis at a position, which may lie beyond its bound.
std::int64_t element_at(const AxisWalk& walk, std::int64_t position) {
  if (walk.bound == 0) return position;
  if (walk.beyond == ViewMap::Beyond::tells) return position < 0 || position >= walk.bound ? 1 : 0;
  const std::int64_t period = period_of(walk);
  if (period == 0) return std::clamp<std::int64_t>(position, 0, walk.bound - 1);
  const std::int64_t wrapped = modulo(position, period);
  if (wrapped < walk.bound) return wrapped;
  return walk.beyond == ViewMap::Beyond::reflects ? period - wrapped : period - 1 - wrapped;
}

/// Where the walk's element i lies.
std::int64_t offset_of(const AxisWalk& walk, std::int64_t i, std::int64_t stride, const std::vector<Seam>& seams) {
  const std::int64_t element = element_at(walk, walk.start + walk.step * i);
  std::int64_t offset = stride * element;
  for (const Seam& seam : seams) {
    if (seam.axis == walk.axis && element >= seam.at) offset += seam.jump + seam.turn * element;
  }
  return offset;
}

/// The elements, from 0 on and rising, with which another piece of the input or another round begins; none if there
/// are very many.
std::optional<std::vector<std::int64_t>> piece_starts(const AxisWalk& walk, const std::vector<Seam>& seams) {
  std::vector<std::int64_t> starts{0};
  if (walk.step == 0 || walk.count <= 1) return starts;
  const std::int64_t end = walk.start + walk.step * (walk.count - 1), period = period_of(walk);
  const std::int64_t low = std::min(walk.start, end), high = std::max(walk.start, end);
  // Positions that a piece begins with, of which each comes again after a period; backwards on the way back.
  std::vector<std::int64_t> begins;
  const bool returns = period > walk.bound;
  for (const Seam& seam : seams) {
    if (seam.axis != walk.axis) continue;
    begins.push_back(seam.at);
    if (returns) begins.push_back(walk.beyond == ViewMap::Beyond::reflects ? 1 - seam.at : -seam.at);
  }
  if (walk.bound != 0) begins.push_back(0);
  if (walk.bound != 0 && period != walk.bound) begins.push_back(walk.bound);
  const std::int64_t rounds = period ? (high - low) / period + 1 : 0;
  if (rounds > static_cast<std::int64_t>(most_pieces)) return std::nullopt;
  for (const std::int64_t begin : begins) {
    std::int64_t at = period ? begin + divide_down(low - begin, period) * period : begin;
    for (std::int64_t round = 0; round <= rounds; ++round, at += period) {
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

/// Lets axis `axis` of `result`, which lies as if nothing were beyond the input, walk the input in pieces. A piece of
/// one element takes the stride of its neighbour, so that borders of one element turn no strides.
bool walk_in_pieces(const AxisWalk& walk, const Pieces& input, std::size_t axis, Pieces& result) {
  const auto starts = piece_starts(walk, input.seams);
  if (!starts) return false;
  const std::int64_t stride = input.layout.strides[walk.axis];
  const auto lies = [&](std::int64_t i) { return offset_of(walk, i, stride, input.seams); };
  const std::size_t count = starts->size();
  std::vector<std::int64_t> strides(count);
  const auto length = [&](std::size_t k) { return (k + 1 < count ? (*starts)[k + 1] : walk.count) - (*starts)[k]; };
  std::size_t first = 0;
  while (first + 1 < count && length(first) == 1) ++first;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t from = std::max(k, first);
    const std::int64_t begin = (*starts)[from];
    strides[k] = length(from) > 1 ? lies(begin + 1) - lies(begin) : k > 0 ? strides[k - 1] : walk.step * stride;
  }
  result.layout.offset += lies(0) - stride * walk.start;
  if (walk.count > 1) result.layout.strides[axis] = strides[0];
  for (std::size_t k = 1; k < count; ++k) {
    const std::int64_t at = (*starts)[k], before = (*starts)[k - 1], turn = strides[k] - strides[k - 1];
    const std::int64_t jump = lies(at) - strides[k] * at - (lies(before) - strides[k - 1] * before);
    if (jump != 0 || turn != 0) result.seams.push_back({axis, at, jump, turn});
  }
  return true;
}

/// Seams by axis and position.
void sort_seams(std::vector<Seam>& seams) {
  std::sort(seams.begin(), seams.end(),
            [](const Seam& a, const Seam& b) { return a.axis != b.axis ? a.axis < b.axis : a.at < b.at; });
}

/// A view as it reads a layout whose axes are split, an axis of the view for each part.
struct SplitView {
  ViewMap map;
  Shape shape, parts;
};

/// None where a split axis is not walked from one end to the other by a single axis.
std::optional<SplitView> split_view(const ViewMap& map, const Shape& view_shape, const Pieces& input) {
  const std::size_t axes = input.parts.size();
  std::vector<std::size_t> first{0};
  Shape sizes;
  for (const std::int64_t parts : input.parts) {
    std::int64_t size = 1;
    for (std::int64_t part = 0; part < parts; ++part) size *= input.layout.shape[first.back() + std::size_t(part)];
    sizes.push_back(size);
    first.push_back(first.back() + static_cast<std::size_t>(parts));
  }
  const auto is_split = [&](std::size_t axis) { return input.parts[axis] > 1; };
  SplitView result;
  std::vector<std::size_t> walks(axes, 0), first_part;
  for (std::size_t axis = 0; axis < view_shape.size(); ++axis) {
    first_part.push_back(result.shape.size());
    const std::int64_t from = map.source[axis], step = map.step[axis];
    const auto d = static_cast<std::size_t>(std::max<std::int64_t>(from, 0));
    const bool apart = from >= 0 && is_split(d);
    if (apart) {
      const std::int64_t begin = step == 1 ? 0 : sizes[d] - 1;
      if ((step != 1 && step != -1) || map.start[d] != begin || view_shape[axis] != sizes[d] || walks[d] > 0) {
        return std::nullopt;
      }
    }
    if (from >= 0) ++walks[d];
    const std::int64_t parts = apart ? input.parts[d] : 1;
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::size_t number = first[d] + static_cast<std::size_t>(part);
      result.map.source.push_back(from < 0 ? -1 : static_cast<std::int64_t>(number));
      result.map.step.push_back(step);
      result.shape.push_back(apart ? input.layout.shape[number] : view_shape[axis]);
    }
    result.parts.push_back(parts);
  }
  for (const ViewMap::Diagonal& diagonal : map.diagonals) {
    if (is_split(diagonal.input_axis) || result.parts[diagonal.axis] > 1) return std::nullopt;
    result.map.diagonals.push_back({first_part[diagonal.axis], first[diagonal.input_axis]});
  }
  for (std::size_t d = 0; d < axes; ++d) {
    result.map.beyond = map.beyond;
    if (!map.bounds.empty()) {
      if (is_split(d) && map.bounds[d] != 0) return std::nullopt;
      for (std::int64_t part = 0; part < input.parts[d]; ++part) result.map.bounds.push_back(map.bounds[d]);
    }
    if (!is_split(d)) {
      result.map.start.push_back(map.start[d]);
      continue;
    }
    // Where the parts begin: the digits of the start.
    std::int64_t left = map.start[d], behind = sizes[d];
    for (std::size_t part = first[d]; part < first[d + 1]; ++part) {
      behind /= input.layout.shape[part];
      result.map.start.push_back(left / behind);
      left %= behind;
    }
  }
  return result;
}

/// The axes of a layout that a reshape to `view_shape` splits, merged again where they lie evenly within one axis.
std::optional<Pieces> split_reshape(const Shape& view_shape, const Pieces& input) {
  const auto shape = common_split(input.layout.shape, view_shape);
  if (!shape) return std::nullopt;
  const auto fine = split(input, *shape);
  if (!fine) return std::nullopt;
  Pieces result{{Shape(), Shape(), input.layout.offset}, {}, input.loop, Shape()};
  const auto has_seams = [&](std::size_t axis) {
    return std::any_of(fine->seams.begin(), fine->seams.end(), [&](const Seam& seam) { return seam.axis == axis; });
  };
  std::size_t part = 0;
  for (const std::int64_t size : view_shape) {
    std::int64_t parts = 0;
    Layout& layout = result.layout;
    for (std::int64_t reached = 1; reached < size; ++part) {
      const std::int64_t count = fine->layout.shape[part], stride = fine->layout.strides[part];
      reached *= count;
      const bool merges =
          parts > 0 && layout.strides.back() == stride * count && !has_seams(part) && !has_seams(part - 1);
      if (merges) {
        layout.shape[layout.shape.size() - 1] *= count;
        layout.strides[layout.strides.size() - 1] = stride;
      } else {
        layout.shape.push_back(count);
        layout.strides.push_back(stride);
        ++parts;
      }
      for (const Seam& seam : fine->seams) {
        if (seam.axis == part) result.seams.push_back({layout.shape.size() - 1, seam.at, seam.jump, seam.turn});
      }
    }
    if (parts == 0) {
      layout.shape.push_back(1);
      layout.strides.push_back(0);
      parts = 1;
    }
    result.parts.push_back(parts);
  }
  if (result.layout.shape.size() == view_shape.size()) result.parts = Shape();
  return result;
}

}  // namespace

std::optional<Shape> common_split(const Shape& a, const Shape& b) {
  Shape reversed;
  std::size_t i = a.size(), j = b.size();
  std::int64_t of_a = 1, of_b = 1;  // elements of the axes at hand that are left
  while (true) {
    while (of_a == 1 && i > 0) of_a = a[--i];
    while (of_b == 1 && j > 0) of_b = b[--j];
    const std::int64_t part = std::min(of_a, of_b);
    if (part == 1) break;
    if (std::max(of_a, of_b) % part != 0) return std::nullopt;
    reversed.push_back(part);
    of_a /= part;
    of_b /= part;
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

std::optional<Pieces> split(const Pieces& pieces, const Shape& shape) {
  const Layout& layout = pieces.layout;
  Pieces result{{shape, Shape::filled(shape.size(), 0), layout.offset}, {}, pieces.loop, Shape()};
  std::size_t axis = layout.shape.size();
  std::int64_t size = 1, behind = 1;  // of the axis; of its parts behind the next one
  for (std::size_t part = shape.size(); part-- > 0;) {
    if (shape[part] == 1) continue;
    while (behind == size) {
      if (axis == 0) return std::nullopt;
      size = layout.shape[--axis];
      behind = 1;
    }
    if (size % (behind * shape[part]) != 0) return std::nullopt;
    result.layout.strides[part] = layout.strides[axis] * behind;
    if (behind * shape[part] == size) {
      for (const Seam& seam : pieces.seams) {
        if (seam.axis != axis) continue;
        if (seam.at % behind != 0 || (behind > 1 && seam.turn != 0)) return std::nullopt;
        result.seams.push_back({part, seam.at / behind, seam.jump, seam.turn});
      }
    }
    behind *= shape[part];
  }
  sort_seams(result.seams);
  return result;
}

std::size_t axis_of_part(const Shape& shape, const Shape& fine, std::size_t part) {
  std::int64_t behind = 1;
  for (std::size_t each = part + 1; each < fine.size(); ++each) behind *= fine[each];
  std::size_t axis = shape.size();
  for (std::int64_t reached = 1; reached <= behind;) reached *= shape[--axis];
  return axis;
}

std::optional<std::size_t> whole_part(const Shape& shape, const Shape& fine, std::size_t axis) {
  if (shape == fine) return axis;
  for (std::size_t part = 0; part < fine.size(); ++part) {
    if (fine[part] == shape[axis] && axis_of_part(shape, fine, part) == axis) return part;
  }
  return std::nullopt;
}

std::optional<Pieces> apply(const ViewMap& map, const Shape& view_shape, const Pieces& input) {
  if (map.bounds.empty() && input.seams.empty() && (map.reshape || input.parts.empty())) {
    if (auto layout = apply(map, view_shape, input.layout)) return Pieces{std::move(*layout), {}, input.loop, Shape()};
  }
  if (map.reshape) return split_reshape(view_shape, input);
  if (!input.parts.empty()) {
    const auto view = split_view(map, view_shape, input);
    if (!view) return std::nullopt;
    auto result = apply(view->map, view->shape, Pieces{input.layout, input.seams, input.loop, Shape()});
    if (result && result->layout.shape.size() != view_shape.size()) result->parts = view->parts;
    return result;
  }
  ViewMap straight = map;
  straight.bounds = Shape();
  Pieces result{*apply(straight, view_shape, input.layout), {}, input.loop, Shape()};
  if (view_shape.elements() == 0) return result;
  for (std::size_t d = 0; d < input.layout.shape.size(); ++d) {
    AxisWalk walk{d, map.start[d], 0, 1, map.bounds.empty() ? 0 : map.bounds[d], map.beyond};
    const bool pieces = std::any_of(input.seams.begin(), input.seams.end(), [&](const Seam& s) { return s.axis == d; });
    if (walk.bound == 0 && !pieces) continue;
    std::size_t walked = 0, walks = 0;
    for (std::size_t axis = 0; axis < view_shape.size(); ++axis) {
      if (map.source[axis] != static_cast<std::int64_t>(d)) continue;
      walked = axis;
      ++walks;
      walk.step = map.step[axis];
      walk.count = view_shape[axis];
    }
    for (const ViewMap::Diagonal& diagonal : map.diagonals) walks += diagonal.input_axis == d ? 2 : 0;
    if (walks > 1 || !walk_in_pieces(walk, input, walked, result)) return std::nullopt;
  }
  sort_seams(result.seams);
  return result;
}

Pieces broadcast(const Pieces& pieces, const Shape& shape) {
  Shape fine = shape, parts;
  if (!pieces.parts.empty()) {
    // Axes that are split have more than one element, and stay as they are.
    const std::size_t before = shape.size() - pieces.parts.size();
    parts = Shape::filled(before, 1);
    fine = Shape();
    for (std::size_t axis = 0; axis < before; ++axis) fine.push_back(shape[axis]);
    std::size_t first = 0;
    for (std::size_t axis = 0; axis < pieces.parts.size(); ++axis) {
      const auto count = static_cast<std::size_t>(pieces.parts[axis]);
      for (std::size_t part = first; part < first + count; ++part) {
        fine.push_back(count > 1 ? pieces.layout.shape[part] : shape[before + axis]);
      }
      parts.push_back(pieces.parts[axis]);
      first += count;
    }
  }
  Pieces result{broadcast(pieces.layout, fine), pieces.seams, pieces.loop, std::move(parts)};
  for (Seam& seam : result.seams) seam.axis += fine.size() - pieces.layout.shape.size();
  return result;
}

}  // namespace koine::graph

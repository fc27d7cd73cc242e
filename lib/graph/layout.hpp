// SPDX-License-Identifier: Apache-2.0
// Where the elements of an array lie in memory, and how views change that.
#pragma once

#include <koine/shape.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace koine::graph {

/// Element i of an array lies at offset + Σ i[axis]·strides[axis], counted in elements. A stride of 0 repeats.
struct Layout {
  Shape shape;
  Shape strides;
  std::int64_t offset = 0;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Of sizes or strides, mixed with `seed`.
std::uint64_t hash_of(const Shape& shape, std::uint64_t seed);

/// The strides of a row-major array.
Shape row_major_strides(const Shape& shape);
Layout row_major(const Shape& shape);
/// Whether the elements lie in row-major order without gaps (axes of size one do not matter).
bool is_row_major(const Layout& layout);
/// Whether no two elements share memory: true of what slicing and permuting give, not of a broadcast.
bool is_injective(const Layout& layout);
/// The lowest and the highest element offset touched; {0, -1} of an array without elements.
struct Extent {
  std::int64_t first, last;
};
Extent extent(const Layout& layout);

/// From position `at` of an axis on, elements lie `jump` further than the strides say.
struct Seam {
  std::size_t axis;
  std::int64_t at, jump;

  friend bool operator==(const Seam&, const Seam&) = default;
};

/// A layout in pieces: where a wrapped view finds its elements. What memory holds is never laid out so.
struct Pieces {
  Layout layout;
  std::vector<Seam> seams;  // by axis, rising; none at 0, none that jumps by 0
  std::int64_t loop = 0;    // the stride along the axis of a loop around the layout's elements, if there is one

  friend bool operator==(const Pieces&, const Pieces&) = default;
};

/// How a view reads its input. Affine: position p of the view is position start[d] + Σ step[o]·p[o] of the input, o
/// being the view's axes that `source` maps to input axis d: one, or, of overlapping windows, two. A reshape keeps the
/// row-major order instead. Along a wrapped axis of the input the position is taken modulo its size.
struct ViewMap {
  /// A view's axis that walks an axis of the input beside its source, in step with it.
  struct Diagonal {
    std::size_t axis, input_axis;
    friend bool operator==(const Diagonal&, const Diagonal&) = default;
  };

  bool reshape = false;
  Shape start;   // for each axis of the input
  Shape source;  // for each axis of the view: the input's axis, or -1 for none (a broadcast or a new axis)
  Shape step;    // for each axis of the view
  std::vector<Diagonal> diagonals;
  Shape wrap;  // for each axis of the input: its size where it is wrapped, else 0; empty: none is

  friend bool operator==(const ViewMap&, const ViewMap&) = default;
};

/// The view's layout over an input with `layout`; none of a wrapped view, and where a reshape cannot be expressed by
/// strides.
std::optional<Layout> apply(const ViewMap& map, const Shape& view_shape, const Layout& layout);
/// The same in pieces; none where two axes of the view walk one that is wrapped or in pieces, where a reshape has such
/// an axis, and where there would be very many pieces.
std::optional<Pieces> apply(const ViewMap& map, const Shape& view_shape, const Pieces& input);
/// `layout` repeated to `shape`, which it must broadcast to.
Layout broadcast(const Layout& layout, const Shape& shape);
Pieces broadcast(const Pieces& pieces, const Shape& shape);

/// Whether each input element is read at most once / exactly once.
bool reads_once(const ViewMap& map, const Shape& view_shape);
/// Whether the view has all elements of the input in their row-major order.
bool keeps_order(const ViewMap& map, const Shape& view_shape, const Shape& input_shape);
bool reads_all_once(const ViewMap& map, const Shape& view_shape, const Shape& input_shape);

/// Several layouts of one shape walked together, with as few axes as describe them all: axes of size one are dropped,
/// neighbours that every layout walks through evenly are merged, unless the inner one is said to stay apart.
struct Collapsed {
  Shape shape;
  std::size_t layouts = 0;
  std::vector<std::int64_t> strides;  // those of all layouts along the first axis, then along the second, ...

  std::int64_t stride(std::size_t layout, std::size_t axis) const { return strides[axis * layouts + layout]; }
  /// Along the last axis.
  std::int64_t step(std::size_t layout) const { return stride(layout, shape.size() - 1); }
  void add_axis(std::int64_t size, std::int64_t step) {
    shape.push_back(size);
    strides.resize(strides.size() + layouts, step);
  }
};

inline constexpr auto merges_freely = [](std::size_t) { return false; };

/// Fills `result`, whose memory is used again; `strides(k)` are those of layout k, `apart(axis)` tells whether an axis
/// may not be merged into the one before it.
template <class Strides, class Apart = decltype(merges_freely)>
void collapse(const Shape& shape, std::size_t layouts, Strides&& strides, Collapsed& result,
              Apart apart = merges_freely) {
  result.shape = Shape();
  result.layouts = layouts;
  result.strides.clear();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t size = shape[axis];
    if (size == 1) continue;
    bool merges = !result.shape.empty() && !apart(axis);
    for (std::size_t k = 0; merges && k < layouts; ++k) merges = result.step(k) == strides(k)[axis] * size;
    if (merges) {
      result.shape[result.shape.size() - 1] *= size;
    } else {
      result.add_axis(size, 0);
    }
    const std::size_t last = result.strides.size() - layouts;
    for (std::size_t k = 0; k < layouts; ++k) result.strides[last + k] = strides(k)[axis];
  }
}

}  // namespace koine::graph

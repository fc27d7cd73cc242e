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

/// From position `at` of an axis on, the element at position i of it lies jump + turn·i further than the strides say.
struct Seam {
  std::size_t axis;
  std::int64_t at, jump, turn;

  friend bool operator==(const Seam&, const Seam&) = default;
};

/// A layout in pieces: where a view that goes beyond an axis' ends finds its elements. What memory holds is never laid
/// out so.
struct Pieces {
  Layout layout;
  std::vector<Seam> seams;  // by axis, rising; none at 0, none that changes nothing
  std::int64_t loop = 0;    // the stride along the axis of a loop around the layout's elements, if there is one
  Shape parts = {};         // for each axis of the view as how many axes of the layout it is walked; empty: each as one

  friend bool operator==(const Pieces&, const Pieces&) = default;
};

/// How a view reads its input. Affine: position p of the view is position start[d] + Σ step[o]·p[o] of the input, o
/// being the view's axes that `source` maps to input axis d: one, or, of overlapping windows, two. A reshape keeps the
/// row-major order instead. Along an axis of the input with a bound positions may lie beyond it.
struct ViewMap {
  /// The element of an axis with a bound that a position means: modulo the bound, the nearest, or mirrored at the last
  /// elements or behind them; `tells`: 0 within the bound and 1 beyond, whatever the axis' size is.
  enum class Beyond : std::uint8_t { wraps, clamps, reflects, mirrors, tells };
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
  Shape bounds;  // for each axis of the input: its size where positions may lie beyond it, else 0; empty: nowhere
  Beyond beyond = Beyond::wraps;

  friend bool operator==(const ViewMap&, const ViewMap&) = default;
};

/// The view's layout over an input with `layout`; none of one with bounds, and where a reshape cannot be expressed by
/// strides.
std::optional<Layout> apply(const ViewMap& map, const Shape& view_shape, const Layout& layout);
/// The same in pieces, and with axes split where a reshape takes that: strides that walk (k, s) elements of an axis of
/// k * s are those of the axis itself. None where two axes of the view walk one that is bounded, in pieces or split,
/// where a part of a split axis is taken, where a reshape has seams that its axes do not begin at, where its axes and
/// the input's have no common split, and where there would be very many pieces.
std::optional<Pieces> apply(const ViewMap& map, const Shape& view_shape, const Pieces& input);
/// The coarsest shape that the axes of both can be split to, without axes of size one; none if there is none, as for 4
/// and 6 elements beside 6 and 4. Both have as many elements, one or more.
std::optional<Shape> common_split(const Shape& a, const Shape& b);
/// `pieces` with the axes of their layout split to those of `shape`, as one axis each; none where that is no split of
/// them, and where an axis is split between its seams.
std::optional<Pieces> split(const Pieces& pieces, const Shape& shape);
/// Of `shape`, which was split to `fine`, the axis that axis `part` of `fine` is a part of.
std::size_t axis_of_part(const Shape& shape, const Shape& fine, std::size_t part);
/// The axis of `fine` that is all of an axis of `shape`; none of one that was split or left out.
std::optional<std::size_t> whole_part(const Shape& shape, const Shape& fine, std::size_t axis);
/// `layout` repeated to `shape`, which it must broadcast to.
Layout broadcast(const Layout& layout, const Shape& shape);
Pieces broadcast(const Pieces& pieces, const Shape& shape);

/// Whether each input element is read at most once / exactly once.
bool reads_once(const ViewMap& map, const Shape& view_shape);
/// Whether the view has all elements of the input in their row-major order.
bool keeps_order(const ViewMap& map, const Shape& view_shape, const Shape& input_shape);
bool reads_all_once(const ViewMap& map, const Shape& view_shape, const Shape& input_shape);
/// Whether the view has each element of the input somewhere, as far as that is easily told.
bool reads_all(const ViewMap& map, const Shape& view_shape, const Shape& input_shape);

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

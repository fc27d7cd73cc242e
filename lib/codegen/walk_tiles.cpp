// SPDX-License-Identifier: Apache-2.0
// Choosing a walk by tiles of short rows, whose vectors go on from a row to the next one.
#include "codegen/walk.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace koine::codegen {
namespace {

// Setting up a tile's tables takes as long as computing a few tiles.
constexpr std::int64_t fewest_tiles = 16;
// Of vectors in a tile: finding where a tile begins then costs little beside them.
constexpr std::int64_t enough_vectors = 8;

/// Whether all that is read and stored lies at distances from a tile's first element that are the same in each tile.
bool takes_tiles(const Body& body, const Walk& walk) {
  if (!walk.cpu || walk.width == 1 || walk.depth > 0 || walk.outer_axes() == 0 || walk.inner() >= walk.width)
    return false;
  if (!body.loops.empty() || !body.folds.empty() || !body.calls.empty()) return false;
  for (const Load& load : body.loads) {
    if (load.draw() || load.take) return false;
  }
  return std::all_of(body.outputs.begin(), body.outputs.end(), [](const Output& output) { return output.at < 0; });
}

bool has_seams(const Walk& walk, std::size_t k) {
  return std::any_of(walk.seams.begin(), walk.seams.end(), [&](const WalkSeam& seam) { return seam.operand == k; });
}

/// How an operand moves along a tile whose outermost axis is number `first` of the walk's and has `rows` elements.
Access access_of(const Walk& walk, std::size_t k, std::size_t first, std::int64_t rows) {
  const graph::Collapsed& axes = walk.axes;
  if (has_seams(walk, k)) return Access::tabled;
  std::int64_t behind = 1;
  bool same = true, contiguous = true;
  for (std::size_t axis = axes.shape.size(); axis-- > first;) {
    const std::int64_t size = axis == first ? rows : axes.shape[axis];
    if (size == 1) continue;
    same = same && axes.stride(k, axis) == 0;
    contiguous = contiguous && axes.stride(k, axis) == behind;
    behind *= size;
  }
  return same ? Access::uniform : contiguous ? Access::contiguous : Access::tabled;
}

/// Whether an operand is the same in all tiles.
bool is_steady(const graph::Collapsed& axes, std::size_t k, std::size_t first) {
  bool same = true;
  for (std::size_t axis = 0; axis <= first; ++axis) same = same && axes.stride(k, axis) == 0;
  return same;
}

/// Whether a tile has an operand's elements several times.
bool is_repeated(const graph::Collapsed& axes, std::size_t k, std::size_t first) {
  bool any = false;
  for (std::size_t axis = first + 1; axis < axes.shape.size(); ++axis) any = any || axes.stride(k, axis) == 0;
  return any;
}

/// Whether a table's distances are numbers of 32 bits.
bool fits_table(const Walk& walk, std::size_t k, std::size_t first, std::int64_t rows) {
  const graph::Collapsed& axes = walk.axes;
  std::int64_t farthest = 0;
  for (const WalkSeam& seam : walk.seams) {
    if (seam.operand == k) farthest += std::abs(seam.jump) + std::abs(seam.turn) * axes.shape[seam.axis];
  }
  for (std::size_t axis = first; axis < axes.shape.size(); ++axis) {
    farthest += std::abs(axes.stride(k, axis)) * (axis == first ? rows : axes.shape[axis]);
  }
  return farthest <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

void choose_tiles(const Body& body, Walk& walk) {
  walk.tiled = false;
  walk.tile.fill(1);
  walk.tile_strides.clear();
  walk.tiled_elements = 0;
  if (!takes_tiles(body, walk)) return;
  const graph::Collapsed& axes = walk.axes;
  const std::size_t operands = walk.access.size(), last = walk.outer_axes();
  const std::int64_t most = Walk::most_tile_vectors * walk.width;
  // The axes that are whole in a tile, and the one before them, of which a tile has some elements.
  std::int64_t inside = walk.inner();
  std::size_t first = last - 1;
  while (first > 0 && last - first + 1 < walk.tile.size() && inside * axes.shape[first] <= most) {
    inside *= axes.shape[first--];
  }
  const std::int64_t size = axes.shape[first], whole = walk.width / std::gcd<std::int64_t>(inside, walk.width);
  std::int64_t rows = std::max<std::int64_t>(whole, enough_vectors * walk.width / (whole * inside) * whole);
  // Only a tile behind which nothing lies may lack rows.
  if (first > 0 && size % rows != 0) rows = whole;
  if ((first > 0 && size % rows != 0) || rows * inside > most) return;
  if (axes.shape.elements() < fewest_tiles * rows * inside) return;
  // A tile's table holds the seams along axes that are whole in it.
  const auto in_table = [&](const WalkSeam& seam) { return seam.axis > first; };
  if (!std::all_of(walk.seams.begin(), walk.seams.end(), in_table)) return;
  std::vector<Access> access;
  for (std::size_t k = 0; k < operands; ++k) {
    access.push_back(access_of(walk, k, first, rows));
    if (!fits_table(walk, k, first, rows)) return;
  }
  // Gathering costs more than short rows do where nothing is read several times. What is the same all along a row was
  // read once for it: beyond a third of a vector that is as quick. Rows in pieces, of one or two elements each, cost
  // more than all of these.
  std::int64_t repeated = 0;
  for (std::size_t k = 0; walk.seams.empty() && k < body.loads.size(); ++k) {
    if (access[k] != Access::tabled || body.loads[k].iota || is_steady(axes, k, first)) continue;
    if (!is_repeated(axes, k, first)) return;
    if (axes.step(k) == 0) repeated += walk.inner();
  }
  if (3 * repeated >= walk.width) return;
  walk.access = std::move(access);
  walk.tiled = true;
  walk.tiled_elements = axes.shape.elements();
  walk.tile_strides.assign(walk.tile.size() * operands, 0);
  // Unused axes are the outermost ones.
  const std::size_t unused = walk.tile.size() - (last - first + 1);
  for (std::size_t axis = first; axis <= last; ++axis) {
    const std::size_t at = unused + axis - first;
    walk.tile[at] = axis == first ? rows : axes.shape[axis];
    for (std::size_t k = 0; k < operands; ++k) walk.tile_strides[at * operands + k] = axes.stride(k, axis);
  }
  graph::Collapsed tiles;
  tiles.layouts = operands;
  for (std::size_t axis = 0; axis <= first; ++axis) {
    tiles.add_axis(axis == first ? (size + rows - 1) / rows : axes.shape[axis], 0);
    for (std::size_t k = 0; k < operands; ++k) {
      tiles.strides[axis * operands + k] = axes.stride(k, axis) * (axis == first ? rows : 1);
    }
  }
  tiles.add_axis(rows * inside, 0);
  for (std::size_t k = 0; k < operands; ++k) {
    if (walk.access[k] == Access::contiguous) tiles.strides[(first + 1) * operands + k] = 1;
    const bool loaded = k < body.loads.size() && !body.loads[k].iota;
    walk.steady[k] = loaded && walk.access[k] == Access::tabled && is_steady(axes, k, first);
  }
  walk.axes = std::move(tiles);
  for (WalkSeam& seam : walk.seams) seam.axis = walk.axes.shape.size() + unused + seam.axis - first;
}

}  // namespace koine::codegen

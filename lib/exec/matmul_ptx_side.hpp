// SPDX-License-Identifier: Apache-2.0
// How operands of products in PTX lie in memory, and what programs can read them so.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/rounding.hpp"
#include "device/traits.hpp"
#include "exec/matmul_routes.hpp"

namespace koine::exec {

inline constexpr std::int64_t aligned_bytes = 16;  // of rows, for the copy engine
using Axes = std::vector<std::int64_t>;            // of a batch

/// An operand as both sides of a product are alike: lines (rows of A, columns of B) along the depth.
struct Side {
  std::int64_t lines, depth;
  std::int64_t offset, line_stride, depth_stride;
  Axes sizes, strides;
  std::int64_t size;  // of an element

  /// Of its two axes in memory, the inner one: its elements are neighbours.
  std::int64_t inner(bool along) const { return along ? depth : lines; }
  std::int64_t outer(bool along) const { return along ? lines : depth; }
  std::int64_t inner_stride(bool along) const { return along ? depth_stride : line_stride; }
  std::int64_t outer_stride(bool along) const { return along ? line_stride : depth_stride; }
  bool walks(std::size_t axis) const { return sizes[axis] > 1 && strides[axis] != 0; }

  /// Whether the copy engine can read it so.
  bool readable(bool along) const {
    const std::int64_t unit = aligned_bytes / size;
    if (inner(along) > 1 && inner_stride(along) != 1) return false;
    if (outer(along) > 1 && (outer_stride(along) % unit != 0 || outer_stride(along) < inner(along))) return false;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (walks(axis) && (strides[axis] % unit != 0 || strides[axis] < 0)) return false;
    }
    return offset % unit == 0;
  }
  /// Whether a loose program can: neighbours in memory follow each other, and 32 bits hold what is between lines.
  bool readable_loosely(bool along) const {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    return (inner(along) == 1 || inner_stride(along) == 1) &&
           (outer(along) == 1 || std::abs(outer_stride(along)) * size <= most);
  }
};

template <class Product>
Side side_a(const Product& p, Axes sizes, Axes strides) {
  const auto size = static_cast<std::int64_t>(size_of(p.dtype));
  return {p.m, p.k, p.a.offset, p.a.row_stride, p.a.column_stride, std::move(sizes), std::move(strides), size};
}

/// B as the rows of its transpose.
template <class Product>
Side side_b(Product p, Axes sizes, Axes strides) {
  std::swap(p.m, p.n);
  p.a.offset = p.b.offset;
  p.a.row_stride = p.b.column_stride;
  p.a.column_stride = p.b.row_stride;
  return side_a(p, std::move(sizes), std::move(strides));
}

inline Axes listed(const std::array<std::int64_t, 4>& axes) { return {axes.begin(), axes.end()}; }
inline Side side_a(const MatmulPiece& p) { return side_a(p, listed(p.batch.sizes), listed(p.batch.a_strides)); }
inline Side side_b(const MatmulPiece& p) { return side_b(p, listed(p.batch.sizes), listed(p.batch.b_strides)); }

/// Whether an operand is read along the depth or across it; nothing where it cannot be read as it lies.
inline std::optional<bool> way_of(const Side& side, bool across_too) {
  if (side.readable(true)) return true;
  if (across_too && side.readable(false)) return false;
  return std::nullopt;
}

inline std::optional<bool> loose_way_of(const Side& side) {
  if (side.readable_loosely(true)) return true;
  if (side.readable_loosely(false)) return false;
  return std::nullopt;
}

/// A tile of a lone warp, how many it takes to cover a matrix, and how long that takes.
struct LoneTile {
  std::int64_t rows, columns, count, time;
};
/// By which a matrix takes the least time. It is `loose` if operands are fetched element by element.
inline LoneTile lone_tile(std::int64_t m, std::int64_t n, bool loose) {
  struct Candidate {
    std::int64_t rows, columns, time;  // of a tile on an H200, with as many warps on a unit as there is room for
  };
  constexpr std::array<Candidate, 4> engine{{{64, 64, 100}, {64, 48, 82}, {32, 80, 70}, {96, 48, 125}}};
  constexpr std::array<Candidate, 4> fetched{{{32, 32, 60}, {64, 32, 100}, {32, 48, 95}, {64, 48, 185}}};
  LoneTile best{};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Candidate& tile : loose ? fetched : engine) {
    const std::int64_t count = base::divide_up(m, tile.rows) * base::divide_up(n, tile.columns);
    if (count * tile.time >= least) continue;
    least = count * tile.time;
    best = {tile.rows, tile.columns, count, least};
  }
  return best;
}
/// The most lines of a matrix that lone warps take.
inline constexpr std::int64_t lone_lines = 96;

/// Whether a product of multiply-adds can fetch its operands element by element.
template <class Product>
bool can_fetch(const DeviceTraits& traits, const Product& p, const Side& a, const Side& b) {
  return traits.ptx_sm90a && p.dtype == float32 && !p.tf32 && !p.split && loose_way_of(a) && loose_way_of(b);
}

/// Whether there are enough small matrices for a warp each, to which it fetches them element by element: those of a
/// single tile, and larger ones that the copy engine cannot read and that fill their tiles. Measured on an H200 beside
/// matmul_many.cl, which takes others.
template <class Product>
bool suits_lone_fetching(const DeviceTraits& traits, const Product& p, std::int64_t matrices, const Side& a,
                         const Side& b) {
  constexpr std::int64_t few_lines = 16, single = 32;
  const auto [least, most] = std::minmax(p.m, p.n);
  const bool takes = matrices >= std::max<std::int64_t>(traits.compute_units, 2) && least > few_lines &&
                     most <= lone_lines && can_fetch(traits, p, a, b);
  if (!takes || most <= single) return takes;
  const LoneTile tile = lone_tile(p.m, p.n, true);
  return 5 * p.m * p.n >= 2 * tile.count * tile.rows * tile.columns && !(way_of(a, true) && way_of(b, true));
}

/// Whether warps beside those that multiply fetch the operands element by element: where the copy engine cannot read
/// them, copies that it can would take longer than fetching delays the product, and there are tiles for half of the
/// compute units or more, or steps of the depth for some blocks of it.
template <class Product>
bool suits_fetching(const DeviceTraits& traits, const Product& p, std::int64_t matrices, const Side& a, const Side& b) {
  // On an H200 a copy of an element takes as long as fetching delays so many of its products.
  constexpr std::int64_t enough = 800, fewest = 32, steps = 4096;
  if (std::min(p.m, p.n) < fewest || !can_fetch(traits, p, a, b) || suits_many(traits, p, matrices)) return false;
  const std::int64_t tiles = base::divide_up(p.m, 64) * base::divide_up(p.n, 64) * matrices;
  const std::int64_t copied = (way_of(a, true) ? 0 : p.m) + (way_of(b, true) ? 0 : p.n);
  return (2 * tiles >= traits.compute_units || tiles * p.k >= steps) && p.m * p.n < enough * copied;
}

}  // namespace koine::exec

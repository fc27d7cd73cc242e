// SPDX-License-Identifier: Apache-2.0
// The seams of a body's loads, along the merged axes of a walk.
#pragma once

#include "codegen/body.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace koine::codegen {

/// Of an operand, along an axis of a walk.
struct WalkSeam {
  std::size_t operand, axis;
  std::int64_t at, jump, turn;

  template <class Visit>
  void visit(Visit& v) const {
    v.shape("seam_of", operand);
    v.shape("seam_along", axis);
    v.shape("seam_turns", turn != 0);
  }
};

/// Those along the innermost axis of a walk: axis number `axis` of what kn_bounds calls `list`, whose seams are `all`.
struct InnerSeams {
  const std::vector<WalkSeam>& all;
  std::size_t axis;
  std::string_view list;

  bool holds(const WalkSeam& seam, std::size_t operand) const { return seam.operand == operand && seam.axis == axis; }
  /// Whether an operand is in pieces along that axis.
  bool in_pieces(std::size_t operand) const {
    return std::any_of(all.begin(), all.end(), [&](const WalkSeam& seam) { return holds(seam, operand); });
  }
};

/// Whether an axis begins apart from the one before it where a list of axes is merged: `seams(k)` are those of load k,
/// along the axes of `shape`. Where a stride changes along an axis, no axis behind it can go on as its steps do.
template <class Seams>
bool begins_apart(const Shape& shape, std::size_t axis, std::size_t loads, Seams&& seams) {
  const auto seam_at = [&](std::size_t where, bool turning) {
    for (std::size_t k = 0; k < loads; ++k) {
      for (const graph::Seam& seam : seams(k)) {
        if (seam.axis == where && (!turning || seam.turn != 0)) return true;
      }
    }
    return false;
  };
  std::size_t before = axis;
  while (before > 0 && shape[before - 1] == 1) --before;
  return seam_at(axis, false) || (before > 0 && seam_at(before - 1, true));
}

/// Fills `result` with the seams along the axes that those of `shape` were merged into, by axis; uses its memory again.
template <class Seams>
void merge_seams(const Shape& shape, const graph::Collapsed& merged, std::size_t loads, Seams&& seams,
                 std::vector<WalkSeam>& result) {
  result.clear();
  for (std::size_t k = 0; k < loads; ++k) {
    for (const graph::Seam& seam : seams(k)) {
      // Counted from the back: the merged axis ends with the seam's, or with one behind it.
      std::int64_t behind = 1, scale = 1;
      for (std::size_t axis = seam.axis + 1; axis < shape.size(); ++axis) behind *= shape[axis];
      std::size_t axis = merged.shape.size();
      while (axis > 0 && scale * merged.shape[axis - 1] <= behind) scale *= merged.shape[--axis];
      result.push_back({k, axis - 1, seam.at * (behind / scale), seam.jump, seam.turn});
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.axis < b.axis; });
}

/// Whether vectors of a load that lie in one piece each are aligned in all of them if they are in the first.
inline bool seams_aligned(const Load& load, int width) {
  return std::all_of(load.seams.begin(), load.seams.end(),
                     [&](const graph::Seam& seam) { return seam.jump % width == 0 && seam.turn % width == 0; });
}

}  // namespace koine::codegen

// SPDX-License-Identifier: Apache-2.0
// Kernels that take whole rows: reductions along the last axis and what is made of them element by element, in phases.
#pragma once

#include "codegen/print.hpp"
#include "codegen/row_walk.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace koine::codegen {

/// Loops over a row that a kernel has at the most (kernels/rows.cl), and work-items of a group on a GPU.
inline constexpr int most_phases = 6;
inline constexpr int rows_group = 256;

/// Whether a reduction can be one of a row: along the last axis alone, which fits into the registers of a work-group,
/// or, where rows are many enough to fill the device, into the caches behind them.
bool folds_rows(const graph::Node& node);
/// Whether each loop over a row of such a reduction but the first one finds it at hand: in registers of a GPU, in the
/// second cache of a CPU's core.
bool has_row_at_hand(const graph::Node& node);
/// The type that such a reduction combines values in.
DType fold_type(const graph::Node& node);
/// The loops that such a reduction takes one after another.
int fold_phases(const graph::Node& node);

/// Operands are the body's loads and outputs.
struct RowsWalk : RowWalk {
  int room = 0;   // elements that a work-item has at hand: on a CPU the row, else its part of it, or of a block of it
  int lanes = 1;  // work-items that share a row (GPU)
  bool whole = false;     // all that is at hand exists: on a CPU whole vectors, else as many elements as the row has
  bool again = false;     // a row is several blocks, so that each phase reads it again (GPU)
  bool together = false;  // a vector holds one element of each of as many neighbouring rows, which are short (CPU)
  std::optional<int> chain = {};  // elements that are added up one vector after another, where a row has more (CPU)
  std::uint64_t count = 0, rows = 0, rows_per_item = 1;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_ROOM", room);
    v.define("KN_LANES", lanes);
    v.define("KN_WHOLE", whole);
    v.define("KN_AGAIN", again);
    v.define("KN_TOGETHER", together);
    v.define("KN_LONGEST_CHAIN", chain);
    RowWalk::visit(v);
  }
};

/// Which loop over the row each line is known in, and what stays at hand from one to another. A line that is the same
/// for all elements of a row is known before the loop of its phase, others in it. What a later phase needs is computed
/// there again, or kept: on a GPU, where registers hold a row, as much as they have room for, on a CPU, whose caches
/// hold it, what takes longer than a load.
struct Phases {
  int count = 0;
  std::vector<int> phase;          // of each line
  std::vector<bool> of_row, kept;  // whether it is the same along a row; whether it is at hand in later phases
};

RowsWalk make_rows_walk(const Body& body, const DeviceTraits& traits);
Phases phases_of(const Body& body, const RowsWalk& walk);
/// The running values that a CPU's kernel adds up a row in.
std::size_t values_of_row(const Body& body, const DeviceTraits& traits);
ParamBlock parameters_of(const Body& body, const RowsWalk& walk);
KernelText print_rows(const Body& body, const RowsWalk& walk, const ParamBlock& block, const DeviceTraits& traits);

}  // namespace koine::codegen

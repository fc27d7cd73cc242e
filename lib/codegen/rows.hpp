// SPDX-License-Identifier: Apache-2.0
// Kernels that take whole rows: reductions along the last axis and what is made of them element by element, in phases.
#pragma once

#include "codegen/print.hpp"
#include "codegen/row_walk.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace koine::codegen {

/// Loops over a row that a kernel has at the most (kernels/rows.cl), and work-items of a group on a GPU.
inline constexpr int most_phases = 6;
inline constexpr int rows_group = 256;

/// Whether a reduction can be one of a row: along the last axis alone, which fits into the registers of a work-group.
bool folds_rows(const graph::Node& node);
/// The loops that such a reduction takes one after another.
int fold_phases(const graph::Node& node);

/// Operands are the body's loads and outputs.
struct RowsWalk : RowWalk {
  int room = 0;        // elements that a work-item keeps: on a CPU the row, else its part of it
  int lanes = 1;       // work-items that share a row (GPU)
  bool whole = false;  // and keep as many elements as it has
  std::uint64_t count = 0, rows = 0, rows_per_item = 1;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_ROOM", room);
    v.define("KN_LANES", lanes);
    v.define("KN_WHOLE", whole);
    RowWalk::visit(v);
  }
};

/// Which loop over the row each line is known in, and what stays at hand from one to another. A line that is the same
/// for all elements of a row is known before the loop of its phase, others in it. What a later phase needs is computed
/// there again, or kept: on a GPU, whose registers hold a row, as much as they have room for, on a CPU, whose cache
/// holds it, what takes longer than a load.
struct Phases {
  int count = 0;
  std::vector<int> phase;          // of each line
  std::vector<bool> of_row, kept;  // whether it is the same along a row; whether it is at hand in later phases
};

RowsWalk make_rows_walk(const Body& body, const DeviceTraits& traits);
Phases phases_of(const Body& body, const RowsWalk& walk);
ParamBlock parameters_of(const Body& body, const RowsWalk& walk);
KernelText print_rows(const Body& body, const RowsWalk& walk, const ParamBlock& block, const DeviceTraits& traits);

}  // namespace koine::codegen

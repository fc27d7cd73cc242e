// SPDX-License-Identifier: Apache-2.0
// Reductions: how their operands are walked, and the text of their kernels.
#pragma once

#include "codegen/print.hpp"
#include "codegen/walk.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace koine::codegen {

/// One pass of a reduction.
struct ReducePass {
  graph::ReduceKind kind;
  const Body* body;  // its output's line is the value to reduce
  std::int32_t position =
      -1;              // argmax, argmin: the line that holds positions found by a pass before; -1: the first pass
  bool last = true;    // gives results rather than partial values
  DType result;        // of the last pass
  bool fixed = false;  // by the tree that is the same on every device
};

/// Two nested loops: over the results ("kept" axes) and over what goes into one ("reduced" axes). The innermost axis is
/// a reduced one, or, with `columns`, a kept one; it is the last of its list.
///
/// A fixed walk adds up blocks of 4096 elements in the row-major order of the reduced axes. Of a block, 32 running
/// values take the elements p, p + 32, p + 64, ... each; then the upper half of them is combined with the lower, until
/// one is left. The blocks' values are the elements of the next pass. This is what users are promised.
struct ReduceWalk {
  bool cpu, wide, aligned, columns, fixed;
  bool ragged;  // fixed: a row of elements may begin at any of the running values (CPU, rows)
  int width;
  int lanes;  // work-items that share a unit (GPU); fixed columns: running values of a result
  int tile;   // vectors of results in a unit (columns); fixed rows: vectors of running values (CPU)
  graph::Collapsed kept, reduced;
  std::vector<std::int64_t> offsets;
  std::vector<Access> access;
  // The division of work; see kernels/reduce_rows.cl.
  std::uint64_t inner, row_segments, segments, segment, blocks, per_block, units, units_per_item;
};

inline constexpr int reduce_group = 256;

bool is_position(graph::ReduceKind kind);
/// The type that partial values have in memory.
DType partial_type(const ReducePass& pass);

ReduceWalk make_reduce_walk(const ReducePass& pass, const std::vector<std::size_t>& axes, const DeviceTraits& traits);
void append_key(std::string& key, const ReduceWalk& walk, const ReducePass& pass);
std::vector<std::int64_t> bounds(const ReduceWalk& walk);
KernelText print_reduce(const ReducePass& pass, const ReduceWalk& walk, const DeviceTraits& traits);

}  // namespace koine::codegen

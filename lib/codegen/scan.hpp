// SPDX-License-Identifier: Apache-2.0
// Scans (running sums and the like): how their operands are walked, and the text of their kernels.
#pragma once

#include "codegen/print.hpp"
#include "codegen/walk.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace koine::codegen {

/// One kernel of a scan. A row of more than one block takes three: the blocks' totals, a scan of those, and the
/// results.
struct ScanPass {
  graph::ReduceKind kind;  // sum, prod, max or min
  const Body* body;        // its output's line is the value to scan
  std::size_t axis;        // of the body's domain
  DType result;
  bool totals = false;    // gives the totals of all blocks but each row's last
  bool prefixed = false;  // blocks but each row's first begin with a value of memory, a scan of those totals
};

/// A loop over the rows ("kept" axes), and in each over the elements along the scanned axis. With `columns` the last
/// kept axis is the innermost loop. Operands are the body's loads, the output, and the prefixes where there are any.
///
/// The order of operations is the same on every device. A row is cut into blocks, a block into groups of 16 chunks, a
/// chunk being 16 elements. With ⊕ from the left, an element is
///   ((totals of the blocks before ⊕ totals of the groups before) ⊕ totals of the chunks before) ⊕ elements to this
///   one.
struct ScanWalk {
  bool cpu, wide, aligned, columns;
  int width;
  int lanes;   // work-items that share a unit, each with a chunk (GPU, rows)
  int groups;  // in a block
  graph::Collapsed kept;
  std::vector<std::int64_t> offsets, along;  // along the scanned axis: of the output by element, or by block of totals
  std::vector<Access> access;
  // The division of work; see kernels/scan_rows.cl.
  std::uint64_t count, inner, tiles, blocks, units, units_per_item;
};

inline constexpr std::int64_t scan_chunk = 16;

/// Elements of a block: its accumulators fit a GPU's local memory.
std::int64_t scan_block(DType result);
/// The type of totals and prefixes in memory.
DType total_type(const ScanPass& pass);
/// Work-items of a group.
int scan_group(DType result);

ScanWalk make_scan_walk(const ScanPass& pass, const DeviceTraits& traits);
void append_key(std::string& key, const ScanWalk& walk, const ScanPass& pass);
std::vector<std::int64_t> bounds(const ScanWalk& walk);
KernelText print_scan(const ScanPass& pass, const ScanWalk& walk, const DeviceTraits& traits);

}  // namespace koine::codegen

// SPDX-License-Identifier: Apache-2.0
// Scans (running sums and the like): how their operands are walked, and the text of their kernels.
#pragma once

#include "codegen/print.hpp"
#include "codegen/print_custom.hpp"
#include "codegen/row_walk.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace koine::codegen {

/// One kernel of a scan. A row of more than one block takes three: the blocks' totals, a scan of those, and the
/// results.
struct ScanPass {
  graph::ReduceKind kind;  // sum, prod, max, min or custom
  const Body* body;        // its output's line is the value to scan
  std::size_t axis;        // of the body's domain
  DType result;
  bool totals = false;     // gives the totals of all blocks but each row's last
  bool carried = false;    // see carries_blocks
  bool chained = false;    // see chains_blocks
  bool prefixed = false;   // blocks but each row's first begin with a value of memory, a scan of those totals
  bool exclusive = false;  // an element's result is that of those before it
  const graph::CustomCode* custom = nullptr;  // of kind `custom`
};

/// Operands are the body's loads, the output (along the scanned axis by element, or by block of totals), and the
/// prefixes where there are any.
///
/// The order of operations is the same on every device. A row is cut into blocks, a block into groups of 16 chunks, a
/// chunk being 16 elements. With ⊕ from the left, an element is
///   ((totals of the blocks before ⊕ totals of the groups before) ⊕ totals of the chunks before) ⊕ elements to this
///   one.
struct ScanWalk : RowWalk {
  int lanes = 1;         // work-items that share a unit, each with a chunk (GPU, rows)
  int groups = 1;        // in a block
  int group = 1;         // work-items of a group (GPU)
  bool carried = false;  // a group takes all blocks of its rows in turn (GPU)
  // The division of work; see kernels/scan_rows.cl.
  std::uint64_t count = 0, inner = 1, tiles = 1, blocks = 1, units = 0, units_per_item = 1;
};

/// What a scan's kernel is compiled for, beside its body.
struct ScanSpec {
  const ScanWalk& walk;
  const ScanPass& pass;

  template <class Visit>
  void visit(Visit& v) const {
    v.shape("kind", pass.kind);
    v.shape("result", pass.result);
    if (pass.custom) visit_digest(v, *pass.custom);
    v.shape("exclusive", pass.exclusive);
    v.define("KN_TOTALS", pass.totals);
    v.shape("prefixed", pass.prefixed);
    v.define("KN_GROUPS", walk.groups);
    v.define("KN_LANES", walk.lanes);
    v.define("KN_GROUP", walk.group);
    v.define("KN_CARRIED", walk.carried);
    v.define("KN_CHAINED", pass.chained);
    walk.visit(v);
  }
};

inline constexpr std::int64_t scan_chunk = 16;

/// Elements of a block: its accumulators fit a GPU's local memory.
std::int64_t scan_block(DType result);
/// The type of totals and prefixes in memory.
DType total_type(const ScanPass& pass);
/// Whether a scan of rows of several blocks is one kernel, in which groups take the blocks of their rows in turn: on a
/// GPU where rows alone fill it.
bool carries_blocks(const ScanPass& pass, const DeviceTraits& traits);
/// Whether it is one kernel, in which groups wait for those of earlier blocks (kernels/common/chain.clh): where these
/// are sure to go on, and where neither columns nor many rows fill the GPU otherwise.
bool chains_blocks(const ScanPass& pass, const DeviceTraits& traits);
/// The words of 64 bits that such a kernel takes, zeros at first: how many there are, and, in those of a row, where
/// each kind begins.
struct ChainWords {
  std::uint64_t all, row, chunks, groups, blocks;
};
ChainWords chain_words(const ScanPass& pass, const ScanWalk& walk);

ScanWalk make_scan_walk(const ScanPass& pass, const DeviceTraits& traits);
ParamBlock parameters_of(const ScanPass& pass, const ScanWalk& walk);
KernelText print_scan(const ScanPass& pass, const ScanWalk& walk, const ParamBlock& block, const DeviceTraits& traits);

}  // namespace koine::codegen

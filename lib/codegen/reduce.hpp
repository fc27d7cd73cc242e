// SPDX-License-Identifier: Apache-2.0
// Reductions: how their operands are walked, and the text of their kernels.
#pragma once

#include "codegen/print.hpp"
#include "codegen/print_custom.hpp"
#include "codegen/walk.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koine::codegen {

/// One of several reductions in one kernel: each has a state of its own, or takes what it gives from that of another,
/// as var and std of one expression, or max beside argmax.
struct ReducedValue {
  graph::ReduceKind kind;
  DType result;           // of the last pass
  std::size_t state = 0;  // the number of the reduction whose state it is made of
};
inline constexpr std::size_t most_reduced_values = 4;
/// How many there may be in one kernel: a group's states, some of two components each, share 32 KiB of local memory.
constexpr std::size_t most_reduced(graph::State state) {
  const bool pairs = state == graph::State::position || state == graph::State::exponentials;
  return pairs ? most_reduced_values / 2 : most_reduced_values;
}

/// One pass of a reduction, or of several over the same axes.
struct ReducePass {
  graph::ReduceKind kind;
  const Body* body;        // its outputs' lines are the values to reduce
  std::size_t number = 0;  // of its output, or of the first component of its states; others are of other reductions
  bool partial = false;    // the body's lines are instead, one for each component, states that a pass before left
  bool last = true;        // gives results rather than states
  DType result;            // of the last pass
  bool fixed = false;      // by the tree that is the same on every device
  std::vector<ReducedValue> several = {};     // where they are more than one: of each output, the first is as above
  const graph::CustomCode* custom = nullptr;  // of kind `custom`
  const Body* finish = nullptr;               // of the last pass: what is stored in place of the results (Step::finish)
};

/// A part of a state. Between passes each has an array of its own.
struct Component {
  std::string name;  // none where the state is a single value
  DType type;
};

/// How a work-item of a CPU keeps a load whose elements are the same for all results but those of a vector.
enum class Steady : std::uint8_t {
  no,
  one,  ///< one vector, or one for each round of the load's loop
  each  ///< one for each vector of a row, or for each row of columns
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
  int lanes;       // work-items that share a unit (GPU); fixed columns: running values of a result
  int rounds;      // most vectors that a work-item takes, where they are few, or at once (GPU, rows); else 0
  bool whole;      // rows are whole vectors (GPU, rows)
  bool in_blocks;  // a result may have several blocks (GPU); a CPU's kernels are told by their arguments
  int tile;        // vectors of results in a unit (columns); fixed rows: vectors of running values (CPU)
  bool together;   // rows of which a vector of results is folded at once (CPU)
  bool dense;      // together: rows follow one another in memory
  int chains;  // running vectors of a work-item (CPU, rows), more than one where additions are most of the work; else 0
  bool skims;  // positions: looks for the best values before their positions (CPU, rows)
  int chunk;   // moments: vectors that are at hand at once, for their mean and for the distances from it; else 0
  graph::Collapsed kept, reduced;
  std::vector<WalkSeam> kept_seams, reduced_seams;
  std::vector<std::int64_t> offsets;
  std::vector<Access> access;
  // Of a CPU's short rows or columns, of each load: whether it lies apart, or does not fill a row's last vector, and is
  // the same for all results but those of a vector. A work-item reads that once.
  std::vector<Steady> steady;
  // The division of work; see kernels/reduce_rows.cl.
  std::uint64_t inner, row_segments, segments, segment, blocks, per_block, units, units_per_item;
  bool spilled;  // whether its parameters are read from a buffer

  const graph::Collapsed& innermost() const { return columns ? kept : reduced; }
  InnerSeams inner_seams() const {
    return {columns ? kept_seams : reduced_seams, innermost().shape.size() - 1, columns ? "kept" : "reduced"};
  }
};

inline constexpr int reduce_group = 256;
inline constexpr std::int64_t most_steady = 64;  // vectors that are gathered once of a load
inline constexpr int skimmed_vectors = 64;

/// Whether a reduction whose order changes its value is computed in the order that is the same on every device. Whole
/// numbers come out the same in any order, but for what a user makes of them.
bool has_fixed_order(const graph::Node& reduction);

/// The type that values are combined in.
DType combined_type(const ReducePass& pass);
std::vector<Component> components(const ReducePass& pass);
/// Whether its kernel leaves states, or takes them. Where states lie in memory as results and elements do, every pass
/// is the same kernel.
bool leaves_states(const ReducePass& pass);
bool takes_states(const ReducePass& pass);
/// Whether several reductions have one state, of which each makes its own result.
bool shares_state(const ReducePass& pass);
/// Reductions of one kernel, each with the state that it is made of.
std::vector<ReducedValue> reduced_values(std::span<const ReducedValue> each);
/// The kind of position whose state has the value that this reduction gives: argmax for max.
std::optional<graph::ReduceKind> position_of(graph::ReduceKind extreme);
/// The kind of a reduction's state in a kernel of several: that of its position for an extreme beside positions.
graph::ReduceKind state_kind(std::span<const ReducedValue> all, std::size_t number);
/// Each of the reductions as a pass of its own, and each of those that have a state.
std::vector<ReducePass> single_passes(const ReducePass& pass);
std::vector<ReducePass> state_passes(const ReducePass& pass);
/// What the kernel makes of the results, null for nothing, and the loads of that which are of arrays in memory.
inline const Body* finish_body(const ReducePass& pass) { return pass.last ? pass.finish : nullptr; }
std::span<const Load> loads_beside(const ReducePass& pass);
/// The arrays that the kernel reads and writes.
std::size_t buffers_of(const ReducePass& pass);
/// Whether the kernel takes a divisor and a scale of a reduction alone.
bool takes_constants(const ReducePass& pass);

/// What a reduction's kernel is compiled for, beside its body.
struct ReduceSpec {
  const ReduceWalk& walk;
  const ReducePass& pass;

  template <class Visit>
  void visit(Visit& v) const {
    v.shape("kind", pass.kind);
    v.shape("result", pass.result);
    if (pass.custom) visit_digest(v, *pass.custom);
    v.shape("several", pass.several.size());
    for (const ReducedValue& value : pass.several) {
      v.shape("kind", value.kind);
      v.shape("result", value.result);
    }
    v.shape("finished", finish_body(pass) != nullptr);
    v.shape("takes_states", takes_states(pass));
    v.shape("leaves_states", leaves_states(pass));
    v.shape("columns", walk.columns);
    v.define("KN_W", walk.width);
    v.define("KN_CPU", walk.cpu);
    v.define("KN_ALIGNED", walk.aligned);
    v.define("KN_ROWS", walk.reduced.shape.size() > 1);
    v.define("KN_INDEX", Either{walk.wide, "ulong", "uint"});
    v.define("KN_FIXED", walk.fixed);
    v.define("KN_RAGGED", walk.ragged);
    v.define("KN_TOGETHER", walk.together);
    v.define("KN_DENSE", walk.dense);
    v.define("KN_CHUNK", walk.chunk > 0 ? std::optional(walk.chunk) : std::nullopt);
    v.define("KN_CHAINS", walk.chains > 0 ? std::optional(walk.chains) : std::nullopt);
    v.define("KN_SKIMMED", walk.skims ? std::optional(skimmed_vectors) : std::nullopt);
    v.define("KN_LANES", walk.lanes);
    v.define("KN_ROUNDS", walk.rounds > 0 ? std::optional(walk.rounds) : std::nullopt);
    v.define("KN_WHOLE", walk.whole);
    v.define("KN_BLOCKS", walk.in_blocks);
    v.define("KN_TILE", walk.tile);
    v.shape("spilled", walk.spilled);
    v.shape("kept", walk.kept.shape.size());
    v.shape("reduced", walk.reduced.shape.size());
    v.shape("access", walk.access);
    v.shape("steady", walk.steady);
    for (const auto* seams : {&walk.kept_seams, &walk.reduced_seams}) {
      v.shape("seams", seams->size());
      for (const WalkSeam& seam : *seams) seam.visit(v);
    }
  }
};

ReduceWalk make_reduce_walk(const ReducePass& pass, const std::vector<std::size_t>& axes, const DeviceTraits& traits);
/// `finishes`: of each reduction, what its results are divided by and multiplied with where its kernel takes that.
struct Finish {
  double divisor, scale;
};
ParamBlock parameters_of(const ReducePass& pass, const ReduceWalk& walk, std::span<const Finish> finishes);
KernelText print_reduce(const ReducePass& pass, const ReduceWalk& walk, const ParamBlock& block,
                        const DeviceTraits& traits);

}  // namespace koine::codegen

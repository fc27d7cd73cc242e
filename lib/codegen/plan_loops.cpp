// SPDX-License-Identifier: Apache-2.0
// Short reductions, as loops of the kernels that read them.
#include "codegen/plan_state.hpp"
#include "codegen/reduce.hpp"
#include "graph/infer.hpp"

namespace koine::codegen {
namespace {

// No rows of tuning, as the order of sums follows from them.
constexpr std::int64_t longest_loop = 64;
// Elements of short rows that are worth a kernel of their own.
constexpr std::int64_t enough_rows = 1 << 16, enough_rows_of_cpu = 1 << 13;

}  // namespace

std::optional<std::size_t> short_axis(const Node& node) {
  if (node.op != Op::reduce || is_complex(node.dtype)) return std::nullopt;
  const graph::ReduceInfo& reduction = node.get<Op::reduce>();
  const graph::CustomCode* const custom = reduction.custom.get();
  const bool plain = graph::info(reduction.kind).state == graph::State::value && !reduction.finishes() &&
                     (!custom || custom->outputs[0] == graph::accumulation_type(node.dtype));
  // By the tree that is the same on every device a reduction has a kernel of its own.
  if (reduction.axes.size() != 1 || !plain || has_fixed_order(node)) return std::nullopt;
  const std::int64_t count = node.inputs[0]->shape[reduction.axes[0]];
  if (count < 1 || count > longest_loop) return std::nullopt;
  return reduction.axes[0];
}

/// Whether a short reduction is a loop of what reads it, where nothing else stands against that. Kernels of reductions
/// alone read rows as they lie in memory, on a CPU many short ones at once, on a card neighbouring elements together; a
/// loop in another kernel reads them element by element, on a card one row beside the other, of which caches hold few.
bool Planner::State::loops_in_reader(const Node& node) const {
  const std::optional<std::size_t> axis = short_axis(node);
  if (infos[static_cast<std::size_t>(node.slot)].partner >= 0) return false;
  if (!axis || node.place.traits == nullptr) return axis.has_value();
  const Node& input = *node.inputs[0];
  if (on_card(node) && input.shape[*axis] <= longest_unrolled) return true;
  const bool from_memory = input.is_ready() || infos[static_cast<std::size_t>(input.slot)].loads > 0;
  return !from_memory || *axis + 1 != input.shape.size() ||
         input.shape.elements() < (on_card(node) ? enough_rows : enough_rows_of_cpu);
}

/// Whether a short reduction is a loop of the one kernel that reads it, rather than a kernel whose results that reads
/// again: nobody else wants it, no element is computed twice, and the loop stands in no other.
bool Planner::State::computed_in_reader(const Info& info) const {
  const Node& node = *info.node;
  if (!loops_in_reader(node) || info.requested || info.cut || info.reads.size() != 1 || info.wraps > 0) return false;
  const Read& read = info.reads[0];
  const Op reader = steps[static_cast<std::size_t>(read.step)].family;
  // A scan down columns has few work-items, each of which would read that many elements for one of its own.
  const bool few = reader == Op::scan && on_card(node) && node.inputs[0]->shape[*short_axis(node)] > longest_unrolled;
  return !chains.repeats(read.chain) && !chains.in_loop(read.chain) && reader != Op::rows && !few &&
         !steps[static_cast<std::size_t>(read.step)].by_strides() &&
         node.consumers.load(std::memory_order_relaxed) <= info.edges && !(node.recomputed(evaluation) && info.held);
}

/// Whether a short reduction that is stored is a loop of an element-wise kernel, in which neighbouring work-items
/// compute neighbouring results: a card does so where what it takes is repeated many times, as are points in the
/// distances of all pairs, so that it comes from caches.
bool Planner::State::looped_in_own_kernel(const Info& info) const {
  const Node& node = *info.node;
  if (node.op != Op::reduce) return false;  // asked of all nodes, of which few are reductions
  const std::optional<std::size_t> axis = short_axis(node);
  if (!axis || node.place.traits == nullptr || node.place.traits->cpu_loops() || info.apart || info.partner >= 0)
    return false;
  const Node& input = *node.inputs[0];
  if (input.is_ready() || !graph::is_elementwise(input.op) || input.shape[*axis] > longest_unrolled) return false;
  const Info& in = infos[static_cast<std::size_t>(input.slot)];
  return in.loads == 0 && in.edges == 1 && !in.requested && !in.cut && !in.held && !in.loops;
}

}  // namespace koine::codegen

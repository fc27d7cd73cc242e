// SPDX-License-Identifier: Apache-2.0
// Which reductions share a kernel.
#include "codegen/plan_state.hpp"
#include "codegen/reduce.hpp"

namespace koine::codegen {

/// The first array in memory that an element-wise expression, or the one that a reduction takes, is made of.
const Node* Planner::State::source_of(const Node& node) const {
  if (node.op != Op::reduce) return infos[static_cast<std::size_t>(node.slot)].source;
  const NodeRef& input = node.inputs[0];
  return input->is_ready() ? input.get() : infos[static_cast<std::size_t>(input->slot)].source;
}

/// Whether a step takes the elements that a reduction takes, of the same array and on the same queue.
bool Planner::State::beside(const Step& step, const Info& reduction) const {
  const Node& node = *reduction.node;
  return step.body.domain == node.inputs[0]->shape && step.node->place.queue == node.place.queue &&
         source_of(*step.node) == source_of(node);
}

/// Whether a kernel of reductions has room for another one's state, or has it already: states are alike, those of
/// moments and of positions of one expression. A card's kernel that finds positions also gives the extremes of that.
bool Planner::State::states_suit(const Step& step, const Node& reduction) {
  const graph::State state = graph::info(reduction.get<Op::reduce>().kind).state;
  const bool one = reduction.inputs[0] == step.node->inputs[0];
  const std::uint8_t kinds = step.kinds | kind_bit(reduction.get<Op::reduce>().kind);
  if (kinds == (has_positions | has_extremes)) return one && on_card(reduction);
  const bool any = state == graph::State::value || state == graph::State::exponentials;
  const bool apart = kinds == has_positions || (kinds & has_positions) == 0;
  return apart && state == graph::info(step.node->get<Op::reduce>().kind).state && (any || one) &&
         step.results < most_reduced(state);
}

/// Whether a step can compute this reduction too: one of other reductions over the same axes of an expression of the
/// same array, whose states suit each other, with no barrier between the two; or of whole rows, where nothing waits for
/// this reduction, and what it reads does not wait for the kernel.
bool Planner::State::takes_reduction(const Step& step, const Info& info) const {
  const Node &node = *info.node, &other = *step.node;
  const bool rows = step.family == Op::rows;
  if (step.results >= most_reduced_values || (step.finished && !on_card(node))) return false;
  const std::int32_t level = infos[static_cast<std::size_t>(other.slot)].level;
  const bool apart = other.op == Op::reduce && level == info.level;
  const bool last = rows && info.edges == 0 && info.level <= level;
  if (!(apart || last) || !beside(step, info)) return false;
  const auto plain = [](const Node& each) {
    return !each.get<Op::reduce>().custom && !is_complex(each.dtype) && !has_fixed_order(each);
  };
  return rows || (plain(node) && plain(other) && node.get<Op::reduce>().axes == other.get<Op::reduce>().axes &&
                  states_suit(step, node));
}

/// The kernel of `family` that computes this reduction too, or -1.
std::int32_t Planner::State::reduction_to_join(const Info& info, Op family) const {
  if (info.partner >= 0 && family == Op::reduce) {
    const Info& other = infos[static_cast<std::size_t>(info.partner)];
    const std::int32_t s = other.stored() ? other.step : other.finisher;
    if (s >= 0 && steps[static_cast<std::size_t>(s)].family == family &&
        takes_reduction(steps[static_cast<std::size_t>(s)], info)) {
      return s;
    }
  }
  for (std::size_t s = step_count; s-- > 0 && s + most_steps > step_count;) {
    const Step& step = steps[s];
    if (step.family == family && takes_reduction(step, info)) return static_cast<std::int32_t>(s);
  }
  return -1;
}

/// Which extremes, and which positions of them, are each other's partners.
void Planner::State::find_extremes() {
  std::vector<Info*> positions;
  for (std::size_t i = 0; i < count; ++i) {
    Info& info = infos[i];
    info.partner = -1;
    const bool card = info.node->op == Op::reduce && on_card(*info.node);
    if (card && graph::info(info.node->get<Op::reduce>().kind).state == graph::State::position) {
      positions.push_back(&info);
    }
  }
  for (std::size_t i = 0; i < count && !positions.empty(); ++i) {
    const Node& node = *infos[i].node;
    if (node.op != Op::reduce || has_fixed_order(node)) continue;
    const graph::ReduceInfo& reduction = node.get<Op::reduce>();
    const auto lies_there = [&](const Info* each) {
      const graph::ReduceInfo& position = each->node->get<Op::reduce>();
      return position.kind == position_of(reduction.kind) && each->node->inputs[0] == node.inputs[0] &&
             position.axes == reduction.axes && each->node->place.queue == node.place.queue;
    };
    const auto found = std::find_if(positions.begin(), positions.end(), lies_there);
    if (found == positions.end()) continue;
    infos[i].partner = (*found)->node->slot;
    (*found)->partner = node.slot;
  }
}

}  // namespace koine::codegen

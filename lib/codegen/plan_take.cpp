// SPDX-License-Identifier: Apache-2.0
// Elements taken by their positions in the kernel that reads them, or put where positions say by the one that computes
// them; either computes the positions, too.
#include "codegen/plan_state.hpp"
#include "codegen/print.hpp"

namespace koine::codegen {

/// Whether elements of an array are their own positions, so that no memory is read for them.
bool Planner::State::is_counted(const Node& array) const {
  return array.op == Op::iota && array.shape.size() == 1 && !array.is_ready() &&
         !infos[static_cast<std::size_t>(array.slot)].requested;
}

/// Whether one kernel alone reads what is taken, at one position, so that it can take the elements itself, each once.
/// It has to read all of them: a position out of range is reported whatever becomes of its element.
bool Planner::State::taken_in_reader(const Info& info) {
  if (info.node->op != Op::take || !takes_allowed || info.requested || info.cut) return false;
  if (info.reads.size() != 1 || worth_storing(info) != Why::unstored || !chains.reads_all(info.reads[0].chain))
    return false;
  const Read& read = info.reads[0];
  if (steps[static_cast<std::size_t>(read.step)].by_strides()) return false;
  const auto array = through(*info.node, read.chain, 0);
  return array && array->seams.empty() && takes(read.step, array) &&
         takes(read.step, through(*info.node, read.chain, 1));
}

/// Whether what is taken is stored by a kernel that computes the positions, too, as nobody else wants them. Of
/// positions in memory the family's own kernel takes it, which copies whole rows.
bool Planner::State::takes_in_kernel(const Info& info) const {
  if (info.node->op != Op::take || !takes_allowed) return false;
  if (is_counted(*info.node->inputs[0])) return true;
  const NodeRef& positions = info.node->inputs[1];
  if (positions->is_ready()) return false;
  const Info& computed = infos[static_cast<std::size_t>(positions->slot)];
  return !computed.always_stored() && !computed.requested;
}

/// Whether what is put at a place by a scatter takes the element that is there, and no other: so x(p) += y reads only
/// what the same work-item writes, of equal places the one whose value counts.
static bool takes_own(const Node& node, const Node& scatter) {
  const Node &array = *scatter.inputs[0], &places = *scatter.inputs[1];
  if (node.op != Op::take || node.is_ready() || places.op != Op::take || places.is_ready()) return false;
  const bool within = places.inputs[0]->op == Op::iota && places.inputs[0]->shape == array.shape;
  return within && node.inputs[0].get() == &array && node.inputs[1] == places.inputs[1] && node.shape == places.shape;
}

/// Whether a value that a scatter puts into its array needs the array's memory, but for elements that a single group
/// takes before it puts others there; so it is said, too, of a value that much work lies behind.
static bool needs_memory(const Node& value, const Node& scatter) {
  constexpr std::size_t most_nodes = 64;
  struct Behind {
    const Node* node;
    bool in_place;  // each of its elements is read where the value's is
  };
  const Node& array = *scatter.inputs[0];
  const Shape& places = scatter.inputs[1]->shape;
  std::vector<Behind> behind = {{&value, scatters_together(*scatter.place.traits, places.elements())}};
  for (std::size_t k = 0; k < behind.size(); ++k) {
    const auto [node, in_place] = behind[k];
    if (node == &array || (node->is_ready() && node->storage == array.storage)) return true;
    if (in_place && takes_own(*node, scatter)) continue;
    for (const NodeRef& input : node->inputs) {
      if (behind.size() == most_nodes) return true;
      behind.push_back({input.get(), in_place && graph::is_elementwise(node->op) && input->shape == places});
    }
  }
  return false;
}

/// What is put into an array by positions is computed by the kernel that puts it there, and so are the positions, but
/// for what is made of other elements of the array: that is stored first, so that the array can be written in place.
void Planner::State::decide_scatter(Info& info) {
  const Node& node = *info.node;
  info.step = add_step(Op::scatter, info.node);
  ++steps[static_cast<std::size_t>(info.step)].results;
  steps[static_cast<std::size_t>(info.step)].body.domain = node.inputs[1]->shape;
  for (const NodeRef& input : node.inputs) {
    if (input->is_ready()) continue;
    if (takes_allowed && !needs_memory(*input, node)) {
      add_read(*input, info.step, Chains::identity);
    } else {
      find(input.get())->request(Why::into_kernels);
      find(input.get())->awaited = true;
    }
  }
}

/// The line of a step that takes the elements of `node`, read through `chain`.
std::int32_t Planner::State::write_take(const Node& node, std::int32_t s, std::int32_t chain) {
  Step& step = steps[static_cast<std::size_t>(s)];
  const Node& array = *node.inputs[0];
  const std::int32_t positions = value_of(node.inputs[1], s, chains.extend(chain, node, 1));
  const bool counted = is_counted(array);
  if (!counted) need(s, array);
  const graph::Layout layout = counted ? graph::row_major(array.shape) : array.layout;
  const Taken taken{&node, layout.strides[node.get<Op::take>().axis], positions};
  return load(step, array, lies_through(chains, chains.extend(chain, node, 0), layout), counted,
              loop_of(step.body, chain), taken);
}

}  // namespace koine::codegen

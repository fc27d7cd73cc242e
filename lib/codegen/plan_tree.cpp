// SPDX-License-Identifier: Apache-2.0
// The short ways for the commonest work: one result, behind it a tree of element-wise nodes of its shape, or an
// operation that runs kernels of its own, over arrays in memory. Small kernels cost the host little more than their
// launch because of them.
#include "codegen/plan_state.hpp"

#include <algorithm>

namespace koine::codegen {
namespace {

/// Whether a pending input can only be computed inside the one kernel: nobody else reads it, and it moves nothing.
bool belongs_to_tree(const Node& input, const Node& root, std::uint64_t evaluation) {
  if (input.consumers.load(std::memory_order_relaxed) > 1) return false;
  if (input.op == Op::constant) return true;
  return graph::is_elementwise(input.op) && !input.recomputed(evaluation) && input.shape == root.shape;
}

}  // namespace

/// Writes the one step that the long way would come to. False for any other graph, which is left as it was.
bool Planner::State::plan_tree(Node* root) {
  if (!graph::is_elementwise(root->op) || root->is_ready()) return false;
  step_count = 0;
  found_loads.clear();
  found_constants.clear();
  Step& step = steps[static_cast<std::size_t>(add_step(Op::elementwise, root))];
  tree.clear();
  stack.clear();
  stack.emplace_back(root, false);
  while (!stack.empty()) {
    auto& [node, entered] = stack.back();
    const Node& current = *node;
    if (!entered) {
      entered = true;
      for (std::size_t i = 0; i < current.inputs.size(); ++i) {
        Node* input = current.inputs[i].get();
        if (!input->is_ready()) {
          if (!belongs_to_tree(*input, *root, evaluation)) return false;
          stack.emplace_back(input, false);
        } else if (input->shape != root->shape) {
          return false;
        }
      }
      continue;
    }
    arguments.assign(std::max<std::size_t>(current.inputs.size(), 3), -1);
    for (std::size_t i = 0; i < current.inputs.size(); ++i) {
      const Node& input = *current.inputs[i];
      arguments[i] = input.is_ready() ? load(step, input, {input.layout, {}}, false) : input.slot;
    }
    node->slot = add_line(step.body, current, arguments);
    if (node != root) tree.push_back(node);
    stack.pop_back();
  }
  step.body.outputs.push_back({root, root->slot});
  if (!fits(step)) return false;
  move_bits(step.body);
  for (Node* node : tree) node->computed_unstored(evaluation);
  ordered.assign(1, &step);
  return true;
}

/// The same of an operation that runs kernels of its own, or of a view of what it gives: there is nothing to decide.
bool Planner::State::plan_operation(Node* root) {
  if (root->is_ready()) return false;
  const bool viewed = root->op == Op::view;
  Node* const stored = viewed ? root->inputs[0].get() : root;
  if (viewed && (stored->is_ready() || !root->get<Op::view>().bounds.empty())) return false;
  Node* const node = stored->op == Op::result ? stored->inputs[0].get() : stored;
  const graph::Role role = graph::role(node->op);
  // What a scatter puts into an array is computed by its kernel.
  if ((role != graph::Role::opaque && role != graph::Role::contraction) || node->op == Op::scatter) return false;
  if (std::any_of(node->inputs.begin(), node->inputs.end(), [](const NodeRef& each) { return !each->is_ready(); })) {
    return false;
  }
  step_count = 0;
  ordered.clear();
  if (steps.size() < 2) steps.resize(2);  // which stay where they are
  Step& step = steps[static_cast<std::size_t>(add_step(node->op, node))];
  step.results = 1;
  lay_out(*node, false);
  ordered.push_back(&step);
  if (viewed) {
    Step& view = steps[static_cast<std::size_t>(add_step(Op::view, root))];
    lay_out(*root, true);
    ordered.push_back(&view);
  }
  return true;
}

}  // namespace koine::codegen

// SPDX-License-Identifier: Apache-2.0
// Copies in row-major order for kernels that would walk too many axes.
#include "codegen/plan_axes.hpp"

#include "graph/families.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace koine::codegen {
namespace {

using graph::Node;
using graph::NodeRef;
using graph::Op;

/// The loop that walks an axis: of a fold one of several, which no axes of different ones are merged for.
std::size_t loop_of(const Node& node, std::size_t axis) {
  const auto loop_of_fold = graph::family(node.op).loop_of;
  return loop_of_fold ? loop_of_fold(node, axis) : 0;
}

/// The input of a node at `place` as a row-major copy under another shape. A reshape reads nothing that is not in
/// row-major order, so the copy is stored.
NodeRef stored_as(const NodeRef& input, const Shape& copied, const Shape& shape, const graph::Place& place) {
  graph::ViewMap map;
  map.reshape = true;
  return graph::make_view(graph::make_copy(input, copied, place), shape, std::move(map), place);
}

/// A pending fold with an axis for each loop. The elements keep their order in each.
void merge_loops(Node& node) {
  const graph::Family& family = graph::family(node.op);
  const NodeRef input = node.inputs[0];
  std::vector<std::size_t> order(input->shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return loop_of(node, a) < loop_of(node, b); });
  graph::ViewMap map;
  map.start = Shape::filled(order.size(), 0);
  Shape turned, merged = Shape::filled(family.loops, 1);
  for (const std::size_t axis : order) {
    map.source.push_back(static_cast<std::int64_t>(axis));
    map.step.push_back(1);
    turned.push_back(input->shape[axis]);
    merged[loop_of(node, axis)] *= input->shape[axis];
  }
  const NodeRef view = graph::make_view(input, turned, std::move(map), node.place);
  family.merge_loops(node);
  replace_input(node, 0, stored_as(view, turned, merged, node.place));
}

}  // namespace

std::size_t walked_axes(const Step& step, bool elsewhere) {
  const Body& body = step.body;
  const std::size_t axes = body.domain.size();
  std::size_t count = 0, last = axes;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t size = body.domain[axis];
    if (size == 1) continue;
    const bool merges = !elsewhere && last < axes && loop_of(*step.node, last) == loop_of(*step.node, axis) &&
                        std::all_of(body.loads.begin(), body.loads.end(), [&](const Load& load) {
                          return load.layout.strides[last] == load.layout.strides[axis] * size;
                        });
    if (!merges) ++count;
    last = axis;
  }
  return count;
}

void replace_input(Node& node, std::size_t number, NodeRef input) {
  node.inputs[number]->consumers.fetch_sub(1, std::memory_order_relaxed);
  input->consumers.fetch_add(1, std::memory_order_relaxed);
  node.inputs[number] = std::move(input);
}

void read_in_order(const Step& step) {
  if (step.folds()) return merge_loops(*step.node);
  if (step.family != Op::elementwise) return;
  for (const Output& output : step.body.outputs) {
    Node& node = *output.node;
    if (!graph::is_elementwise(node.op) || node.inputs.size() < 2) continue;  // a single operand always fits
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (node.inputs[k]->op == Op::constant) continue;
      replace_input(node, k, stored_as(node.inputs[k], node.shape, node.shape, node.place));
    }
  }
}

}  // namespace koine::codegen

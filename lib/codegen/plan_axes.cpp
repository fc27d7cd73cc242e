// SPDX-License-Identifier: Apache-2.0
// Copies in row-major order for kernels that would walk too many axes.
#include "codegen/plan_axes.hpp"

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

/// Axes of different groups are walked by different loops: reduced ones and others; those before a scanned one, itself,
/// and those behind.
int group_of(const Node& node, std::size_t axis, std::size_t axes) {
  if (node.op == Op::softmax) return axis + 1 == axes ? 1 : 0;
  if (node.op != Op::reduce && node.op != Op::scan) return 0;
  const auto& listed = node.reduction().axes;
  if (std::binary_search(listed.begin(), listed.end(), axis)) return 1;
  return node.op == Op::scan && axis > listed[0] ? 2 : 0;
}

/// The input as a row-major copy under another shape. A reshape reads nothing that is not in row-major order, so the
/// copy is stored.
NodeRef stored_as(const NodeRef& input, const Shape& copied, const Shape& shape) {
  graph::ViewMap map;
  map.reshape = true;
  return graph::make_view(graph::make_copy(input, copied), shape, std::move(map));
}

/// A pending reduction or the like with an axis for each group. The elements keep their order in each.
void merge_groups(Node& node) {
  const NodeRef input = node.inputs[0];
  std::vector<std::size_t> order(input->shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto group = [&](std::size_t axis) { return group_of(node, axis, order.size()); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return group(a) < group(b); });
  graph::ViewMap map;
  map.start = Shape::filled(order.size(), 0);
  Shape turned, merged = Shape::filled(node.op == Op::scan ? 3 : 2, 1);
  for (const std::size_t axis : order) {
    map.source.push_back(static_cast<std::int64_t>(axis));
    map.step.push_back(1);
    turned.push_back(input->shape[axis]);
    merged[static_cast<std::size_t>(group(axis))] *= input->shape[axis];
  }
  const NodeRef view = graph::make_view(input, turned, std::move(map));
  if (node.op != Op::softmax) {
    graph::ReduceInfo info = node.reduction();
    info.axes = {1};
    node.attributes = std::make_shared<const graph::ReduceInfo>(std::move(info));
  }
  replace_input(node, 0, stored_as(view, turned, merged));
}

}  // namespace

std::size_t walked_axes(const Step& step, bool elsewhere) {
  const Body& body = step.body;
  const std::size_t axes = body.domain.size();
  std::size_t count = 0, last = axes;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t size = body.domain[axis];
    if (size == 1) continue;
    const bool merges =
        !elsewhere && last < axes && group_of(*step.node, last, axes) == group_of(*step.node, axis, axes) &&
        std::all_of(body.loads.begin(), body.loads.end(),
                    [&](const Load& load) { return load.layout.strides[last] == load.layout.strides[axis] * size; });
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
  switch (step.kind) {
    case Step::Kind::reduce:
    case Step::Kind::scan:
    case Step::Kind::softmax: return merge_groups(*step.node);
    case Step::Kind::elementwise: break;
    default: return;
  }
  for (const Output& output : step.body.outputs) {
    Node& node = *output.node;
    if (!graph::is_elementwise(node.op) || node.arity() < 2) continue;  // a single operand always fits
    for (std::size_t k = 0; k < node.arity(); ++k) {
      if (node.inputs[k]->op == Op::constant) continue;
      replace_input(node, k, stored_as(node.inputs[k], node.shape, node.shape));
    }
  }
}

}  // namespace koine::codegen

// SPDX-License-Identifier: Apache-2.0
// The table of runners.
#include "exec/families.hpp"

#include "exec/matmul.hpp"

namespace koine::exec {

Work prepare(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  static constexpr Work (*runners[])(Programs&, runtime::Queue&, codegen::Step&) = {
#define KN_INLINE(...) nullptr,
#define KN_FAMILY(name, ...) prepare_##name,
#include "graph/families.def"
  };
  return runners[static_cast<int>(step.family) - graph::table_size](programs, queue, step);
}

const HostRunner* host_runner(graph::Op family) {
  static constexpr const HostRunner* runners[] = {
#define KN_INLINE(...) nullptr,
#define KN_FAMILY(...) nullptr,
#define KN_HOST_FAMILY(name, ...) &host_##name,
#include "graph/families.def"
  };
  return runners[static_cast<int>(family) - graph::table_size];
}

bool takes_code(const graph::Node& node) {
  if (node.op == graph::Op::matmul) return takes_epilogue(node);
  // Kernels of transforms for CPUs serve all lengths, and host commands know no code.
  return node.place.traits != nullptr && !node.place.traits->cpu_loops() && node.shape.elements() > 0;
}

Work prepare_view(Programs&, runtime::Queue&, codegen::Step& step) {
  return [&node = *step.node] {
    const graph::Node& input = *node.inputs[0];
    graph::fulfil(node, input.storage, graph::layout_of_alias(node));
  };
}

}  // namespace koine::exec

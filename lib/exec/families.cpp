// SPDX-License-Identifier: Apache-2.0
// The table of runners.
#include "exec/families.hpp"

namespace koine::exec {

void run(runtime::Queue& queue, codegen::Step& step) {
  static constexpr void (*runners[])(runtime::Queue&, codegen::Step&) = {
#define KN_INLINE(...) nullptr,
#define KN_FAMILY(name, ...) run_##name,
#include "graph/families.def"
  };
  runners[static_cast<int>(step.family) - graph::table_size](queue, step);
}

void run_view(runtime::Queue&, codegen::Step& step) {
  graph::Node& node = *step.node;
  const graph::Node& input = *node.inputs[0];
  graph::fulfil(node, input.storage, *apply(node.get<graph::Op::view>(), node.shape, input.layout));
}

}  // namespace koine::exec

// SPDX-License-Identifier: Apache-2.0
// The table of runners.
#include "exec/families.hpp"

namespace koine::exec {

Work prepare(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  static constexpr Work (*runners[])(Programs&, runtime::Queue&, codegen::Step&) = {
#define KN_INLINE(...) nullptr,
#define KN_FAMILY(name, ...) prepare_##name,
#include "graph/families.def"
  };
  return runners[static_cast<int>(step.family) - graph::table_size](programs, queue, step);
}

Work prepare_view(Programs&, runtime::Queue&, codegen::Step& step) {
  return [&node = *step.node] {
    const graph::Node& input = *node.inputs[0];
    graph::fulfil(node, input.storage, *apply(node.get<graph::Op::view>(), node.shape, input.layout));
  };
}

}  // namespace koine::exec

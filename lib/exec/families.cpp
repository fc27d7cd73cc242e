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

const HostRunner* host_runner(graph::Op family) {
  static constexpr const HostRunner* runners[] = {
#define KN_INLINE(...) nullptr,
#define KN_FAMILY(...) nullptr,
#define KN_HOST_FAMILY(name, ...) &host_##name,
#include "graph/families.def"
  };
  return runners[static_cast<int>(family) - graph::table_size];
}

Work prepare_view(Programs&, runtime::Queue&, codegen::Step& step) {
  return [&node = *step.node] {
    const graph::Node& input = *node.inputs[0];
    graph::fulfil(node, input.storage, *apply(node.get<graph::Op::view>(), node.shape, input.layout));
  };
}

}  // namespace koine::exec

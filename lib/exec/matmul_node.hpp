// SPDX-License-Identifier: Apache-2.0
// Matrix products as nodes of a graph: (..., M, K) by (..., K, N), inputs in memory.
#pragma once

#include "graph/node.hpp"
#include "runtime/context.hpp"

namespace koine::exec {

void run_matmul_node(runtime::Queue& queue, graph::Node& node);

}  // namespace koine::exec

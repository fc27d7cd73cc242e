// SPDX-License-Identifier: Apache-2.0
// Where numbers belong in a sorted list: kernels/search.cl.
#pragma once

#include "graph/node.hpp"
#include "runtime/queue.hpp"

namespace koine::exec {

/// Runs a search node, whose inputs, of one real type or bool_, are in row-major order in memory.
void run_search(runtime::Queue& queue, graph::Node& node);

}  // namespace koine::exec

// SPDX-License-Identifier: Apache-2.0
// Elements put where positions say: kernels/scatter.cl.
#pragma once

#include "graph/node.hpp"
#include "runtime/queue.hpp"

namespace koine::exec {

/// Runs a scatter node, whose inputs are in row-major order in memory: an array, positions in it flattened, and as many
/// values or one. The result is the array's own memory where nobody else needs it.
void run_scatter(runtime::Queue& queue, graph::Node& node);

}  // namespace koine::exec

// SPDX-License-Identifier: Apache-2.0
// Elements picked by position: kernels/take.cl.
#pragma once

#include "graph/node.hpp"
#include "runtime/queue.hpp"

namespace koine::exec {

/// Runs a take node, whose inputs are in row-major order in memory. A position out of range is a fault of the result.
void run_take(runtime::Queue& queue, graph::Node& node);

}  // namespace koine::exec

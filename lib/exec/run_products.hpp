// SPDX-License-Identifier: Apache-2.0
// Products of runs of equal ids: kernels/run_products.cl.
#pragma once

#include "graph/node.hpp"
#include "runtime/queue.hpp"

namespace koine::exec {

/// The products of a scatter_reduce node's rows, whose ids rise: new memory. Numbers are of 32 or 64 bits.
runtime::BufferRef run_products(runtime::Queue& queue, const graph::Node& node);

}  // namespace koine::exec

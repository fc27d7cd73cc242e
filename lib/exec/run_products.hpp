// SPDX-License-Identifier: Apache-2.0
// Products of runs of equal ids: kernels/run_products.cl.
#pragma once

#include "exec/programs.hpp"
#include "graph/node.hpp"
#include "runtime/queue.hpp"

#include <functional>

namespace koine::exec {

/// Asks for all kernels. What it gives computes the products of a scatter_reduce node's rows, whose ids rise: new
/// memory. Numbers are of 32 or 64 bits.
std::function<runtime::BufferRef()> prepare_run_products(Programs& programs, runtime::Queue& queue,
                                                         const graph::Node& node);

}  // namespace koine::exec

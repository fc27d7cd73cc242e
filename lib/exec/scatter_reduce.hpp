// SPDX-License-Identifier: Apache-2.0
// What the kernels of reductions by ids share (scatter_reduce.cl, run_products.cl).
#pragma once

#include "graph/node.hpp"
#include "runtime/fault.hpp"
#include "runtime/queue.hpp"

#include <memory>

namespace koine::exec {

/// The fault of an id that names no group.
std::shared_ptr<runtime::Fault> id_fault(runtime::Queue& queue, const graph::ScatterReduceInfo& info);

}  // namespace koine::exec

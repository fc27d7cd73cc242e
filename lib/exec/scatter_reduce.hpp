// SPDX-License-Identifier: Apache-2.0
// What the kernels of reductions by ids share (scatter_reduce.cl, run_products.cl).
#pragma once

#include "graph/node.hpp"
#include "runtime/fault.hpp"

namespace koine::exec {

/// The fault of an id that names no group.
runtime::FaultCause id_cause(const graph::ScatterReduceInfo& info);

}  // namespace koine::exec

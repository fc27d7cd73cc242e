// SPDX-License-Identifier: Apache-2.0
// Products of runs of equal ids: kernels/run_products.cl, and on CPUs that run host commands the host.
#pragma once

#include "exec/programs.hpp"
#include "graph/node.hpp"
#include "runtime/fault.hpp"
#include "runtime/queue.hpp"

#include <functional>
#include <memory>

namespace koine::exec {

/// Asks for all kernels. What it gives computes the products of a scatter_reduce node's rows, whose ids rise: new
/// memory. Numbers are of 32 or 64 bits.
std::function<runtime::BufferRef()> prepare_run_products(Programs& programs, runtime::Queue& queue,
                                                         const graph::Node& node);

/// The same on the host, with the same bits.
std::function<runtime::BufferRef()> prepare_run_products_on_host(Programs& programs, runtime::Queue& queue,
                                                                 const graph::Node& node);

/// The fault of an id that stands behind a larger one.
std::shared_ptr<runtime::Fault> fault_of_falling_ids(runtime::Queue& queue, const graph::ScatterReduceInfo& info);

}  // namespace koine::exec

// SPDX-License-Identifier: Apache-2.0
// Sums, extremes and products by ids on the host, on CPUs that run host commands.
#pragma once

#include "exec/programs.hpp"
#include "graph/node.hpp"
#include "runtime/queue.hpp"

#include <functional>

namespace koine::exec {

/// Whether the host brings values together in place of kernels, with the same bits.
bool host_reduces_by_ids(const runtime::Queue& queue, const graph::Node& node);

/// Sums and extremes.
std::function<runtime::BufferRef()> prepare_by_ids_on_host(Programs& programs, runtime::Queue& queue,
                                                           const graph::Node& node);

}  // namespace koine::exec

// SPDX-License-Identifier: Apache-2.0
// Sums by ids on the host, on CPUs that run host commands.
#pragma once

#include "exec/programs.hpp"
#include "graph/node.hpp"
#include "runtime/queue.hpp"

#include <functional>

namespace koine::exec {

/// Whether the host adds in place of kernels, with the same bits.
bool host_sums_by_ids(const runtime::Queue& queue, const graph::Node& node);

std::function<runtime::BufferRef()> prepare_sums_on_host(Programs& programs, runtime::Queue& queue,
                                                         const graph::Node& node);

}  // namespace koine::exec

// SPDX-License-Identifier: Apache-2.0
// Fourier transforms by the host's vector instructions, on CPUs that run host commands.
#pragma once

#include "exec/programs.hpp"
#include "graph/node.hpp"
#include "runtime/queue.hpp"

#include <functional>

namespace koine::exec {

/// Whether the host transforms in place of kernels: outside of reproducible scopes, where the device lets it work in
/// its memory.
bool host_transforms(const runtime::Queue& queue, const graph::Node& node);

/// A host command, which the calling thread runs where it takes no longer than one.
std::function<runtime::BufferRef()> prepare_fft_on_host(Programs& programs, runtime::Queue& queue,
                                                        const graph::Node& node);

}  // namespace koine::exec

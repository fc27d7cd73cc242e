// SPDX-License-Identifier: Apache-2.0
// Factorisations by LAPACK on CPUs that run host commands: one command for a stack, whose threads take matrices of it,
// or parts of one.
#pragma once

#include "device/traits.hpp"
#include "graph/node.hpp"
#include "runtime/context.hpp"
#include "runtime/queue.hpp"

#include <cstdint>

namespace koine::exec {

/// Whether LAPACK factorises matrices of at most so many rows and columns, however many these are. Not in
/// reproducible scopes: the order of its sums is its own.
bool factors_on_host(const graph::Place& place, std::int64_t largest);
/// The same of a node whose input is to be factorised, or whose first input is a triangle.
bool factors_on_host(const runtime::Queue& queue, const graph::Node& node);

/// Whether what LAPACK does for such a node takes the calling thread no longer than a command.
bool factors_at_once(const DeviceTraits& traits, const graph::Node& node);

// Each enqueues the step of a node, whose inputs are in row-major order, for which factors_on_host() is true.
void run_cholesky_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& out);
void run_lu_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& factors,
                    const runtime::Buffer& order, const runtime::Buffer& exchanges);
void run_ldl_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& lower,
                     const runtime::Buffer& diagonal, const runtime::Buffer& order);
void run_triangular_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& out);

}  // namespace koine::exec

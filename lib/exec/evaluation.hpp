// SPDX-License-Identifier: Apache-2.0
// The pieces of an evaluation, for what computes nodes in ways of its own.
#pragma once

#include "exec/programs.hpp"
#include "graph/node.hpp"
#include "runtime/context.hpp"

#include <cstdint>
#include <span>

namespace koine::exec {

/// A number for an evaluation, by which one that begins anew after a program was built is told from the next.
std::uint64_t next_evaluation();

/// Plans, prepares all steps, and runs them; inside evaluated(). With destinations there is one for each root, all of
/// which are element-wise and go there.
void run_all(runtime::Context& context, Programs& programs, std::uint64_t evaluation,
             std::span<graph::Node* const> roots, std::span<const graph::Destination> destinations = {});
void run_root(runtime::Context& context, Programs& programs, std::uint64_t evaluation, const graph::NodeRef& root,
              std::span<const graph::Destination> destination = {});

}  // namespace koine::exec

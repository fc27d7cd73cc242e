// SPDX-License-Identifier: Apache-2.0
// The runners of the families: each row of families.def that runs as a step has one, in a file of exec.
#pragma once

#include "codegen/plan.hpp"
#include "exec/programs.hpp"
#include "runtime/queue.hpp"

namespace koine::exec {

// Each asks for all the kernels of a step, whose inputs need not be in memory yet: of those that are not, the planner
// has said the layouts. What it gives runs once they are: it allocates and computes the results on the queue, and
// records them (graph::fulfil). The step outlives it.
#define KN_INLINE(...)
#define KN_FAMILY(name, ...) Work prepare_##name(Programs& programs, runtime::Queue& queue, codegen::Step& step);
#include "graph/families.def"

/// Prepares a step by its family's runner.
Work prepare(Programs& programs, runtime::Queue& queue, codegen::Step& step);

}  // namespace koine::exec

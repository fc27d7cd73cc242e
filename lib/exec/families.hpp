// SPDX-License-Identifier: Apache-2.0
// The runners of the families: each row of families.def that runs as a step has one, in a file of exec.
#pragma once

#include "codegen/plan.hpp"
#include "runtime/queue.hpp"

namespace koine::exec {

// Each takes a step whose inputs are in memory, asks for all its kernels (ready_kernel) before the first one runs,
// allocates and computes the results on the queue, and records them (graph::fulfil).
#define KN_INLINE(...)
#define KN_FAMILY(name, ...) void run_##name(runtime::Queue& queue, codegen::Step& step);
#include "graph/families.def"

/// Runs a step by its family's runner.
void run(runtime::Queue& queue, codegen::Step& step);

}  // namespace koine::exec

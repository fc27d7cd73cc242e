// SPDX-License-Identifier: Apache-2.0
// The runners of the families: each row of families.def that runs as a step has one, in a file of exec.
#pragma once

#include "codegen/plan.hpp"
#include "exec/programs.hpp"
#include "runtime/queue.hpp"

#include <cstdint>
#include <optional>

namespace koine::exec {

struct HostRun;

/// How the calling thread does a family's steps, with the bits of their kernels (exec/host_step.hpp says when it does).
struct HostRunner {
  /// Elements by operations that a step takes; none where the host does not know it.
  std::optional<std::uint64_t> (*work)(const HostRun&);
  /// What does the step; null where the host cannot after all.
  Work (*prepare)(const HostRun&);
  /// Threads share what goes along memory (goes_along_memory in exec/host_run.hpp).
  bool shares = false;
};

// Each asks for all the kernels of a step, whose inputs need not be in memory yet: of those that are not, the planner
// has said the layouts. What it gives runs once they are: it allocates and computes the results on the queue, and
// records them (graph::fulfil). The step outlives it.
#define KN_INLINE(...)
#define KN_FAMILY(name, ...) Work prepare_##name(Programs& programs, runtime::Queue& queue, codegen::Step& step);
#include "graph/families.def"
#define KN_INLINE(...)
#define KN_FAMILY(...)
#define KN_HOST_FAMILY(name, ...) extern const HostRunner host_##name;
#include "graph/families.def"

/// Whether the kernels of a pending product or transform compute element-wise code around it (codegen::Limits).
bool takes_code(const graph::Node& node);
/// Limits::takes_cast of the planner.
bool takes_cast(const graph::Node& product, std::size_t input, const codegen::ProductOperand& operand);

/// Prepares a step by its family's runner.
Work prepare(Programs& programs, runtime::Queue& queue, codegen::Step& step);
/// Of a family of steps; null where the calling thread does none.
const HostRunner* host_runner(graph::Op family);

}  // namespace koine::exec

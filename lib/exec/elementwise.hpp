// SPDX-License-Identifier: Apache-2.0
// Kernels over the elements of a step's domain.
#pragma once

#include "codegen/plan.hpp"
#include "codegen/print.hpp"
#include "exec/programs.hpp"
#include "runtime/queue.hpp"

#include <cstddef>

namespace koine::exec {

/// A kernel, and the work-groups of `local` work-items that it is launched with: none where there is nothing to do.
struct ElementsKernel {
  runtime::KernelRef kernel;
  std::size_t groups = 0, local = 1;
};

/// Asks for the kernel that computes a step's body, and fills the step's walk and parameters. With Scatters::together
/// the body fits a group.
ElementsKernel prepare_elements(Programs& programs, const runtime::Queue& queue, codegen::Step& step,
                                codegen::Scatters scatters = codegen::Scatters::all);

}  // namespace koine::exec

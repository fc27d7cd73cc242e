// SPDX-License-Identifier: Apache-2.0
// Small steps that the calling thread does itself, with the bits that kernels give: a launch costs many times as much.
#pragma once

#include "codegen/plan.hpp"
#include "exec/programs.hpp"
#include "runtime/queue.hpp"

namespace koine::exec {

/// Chooses the steps of a plan, in their order, that the host does: as long as nothing is known to be under way on the
/// device, what they read lies in memory that the host shares, they are small (Tuning::host_step_work), and the host
/// knows their functions. From the first that is none of these on, all are the device's.
class HostSteps {
 public:
  explicit HostSteps(const runtime::Context& context);

  /// What does the next step; null where the device does. The step outlives it.
  Work prepare(runtime::Queue& queue, codegen::Step& step);

 private:
  bool on_;
};

}  // namespace koine::exec

// SPDX-License-Identifier: Apache-2.0
// Steps that the calling thread does itself, with the bits that kernels give: small ones, of which a launch costs many
// times as much, and those whose kernels would have to be compiled first.
#pragma once

#include "codegen/plan.hpp"
#include "exec/programs.hpp"
#include "runtime/queue.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace koine::exec {

/// Chooses the steps of a plan, in their order, that the host does, where nothing is known to be under way on the
/// device when the plan begins, what they read lies in memory that the host shares, and the host knows their functions:
/// up to the first that the device does, those that are small (Tuning::host_step_work), and in place of kernels that
/// are not compiled yet also larger ones, and those behind steps of the device, for which they wait.
class HostSteps {
 public:
  explicit HostSteps(runtime::Context& context);

  /// Who does a step, and why: the host what is small, and what it does in place of a kernel.
  enum class Doer { device, host_small, host_cold };

  /// What does the next step, which outlives it. Asks for the kernels of all but small steps.
  Work prepare(Programs& programs, runtime::Queue& queue, codegen::Step& step);
  /// Of the step that was prepared last.
  Doer doer() const { return doer_; }

 private:
  /// What does a step if it is small; null where the device does.
  Work prepare_small(runtime::Queue& queue, codegen::Step& step) const;
  /// The same of a step whose kernels are those of `missing` from number `first` on, where the host stands in.
  Work prepare_cold(runtime::Queue& queue, codegen::Step& step, const std::vector<Programs::Missing>& missing,
                    std::size_t first) const;

  runtime::Context& context_;
  const bool began_idle_;
  bool idle_ = true;  // no step so far is the device's
  Doer doer_ = Doer::device;
};

/// For what is no step of a plan: whether the host does so much work as it does small steps.
bool host_does_small(const runtime::Context& context, std::uint64_t work);

/// The same under the evaluation mutex: whether the host, which takes so much `work` for it,
/// does it in place of the programs that are missing. If so they are forgotten, and the work counts as done.
bool host_stands_in(runtime::Context& context, Programs& programs, std::uint64_t work);

}  // namespace koine::exec

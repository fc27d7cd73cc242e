// SPDX-License-Identifier: Apache-2.0
// What public programs and kernels point to.
#pragma once

#include "base/process.hpp"
#include "cl/launch_limits.hpp"
#include "runtime/context.hpp"
#include "runtime/kernel_facts.hpp"

#include <koine/kernel.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace koine::detail {

struct KernelState {
  runtime::Context& context;
  runtime::KernelRef kernel;
  runtime::KernelFacts facts;
  cl::LaunchLimits limits;

  const std::string& name() const noexcept { return kernel->name(); }
};

struct ProgramState {
  runtime::Context& context;
  runtime::ProgramCache::ProgramRef program;
  std::mutex mutex = {};
  std::map<std::string, std::shared_ptr<const KernelState>, std::less<>> kernels = {};  // those that were asked for
};

/// For what has handles of a driver's, which must not be called any more in a forked child, or when static objects die.
template <class State, class... Parts>
std::shared_ptr<State> make_state(Parts&&... parts) {
  return std::shared_ptr<State>(new State{std::forward<Parts>(parts)...},
                                [generation = base::process_generation()](State* state) {
                                  if (generation != base::process_generation() || base::process_ending()) return;
                                  const base::HoldExit hold;  // some compilers take part in the end of a program
                                  delete state;
                                });
}

}  // namespace koine::detail

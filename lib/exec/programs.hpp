// SPDX-License-Identifier: Apache-2.0
// Kernels for evaluations: compiling takes long, and is not done while the evaluation mutex is held.
#pragma once

#include "runtime/context.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace koine::exec {

/// Thrown where an evaluation needs a program that is not there yet: evaluated() builds it and begins anew. What ran
/// before stays done.
struct NeedsProgram {
  std::string signature;
  runtime::ProgramText text;
};

/// The kernel of a program that is there. `make` writes its text otherwise, for NeedsProgram.
template <class Make>
runtime::KernelRef ready_kernel(runtime::Queue& queue, std::string_view signature, Make make,
                                std::string_view entry = "koine") {
  if (runtime::KernelRef kernel = queue.context().find_kernel(signature, entry)) return kernel;
  throw NeedsProgram{std::string(signature), make()};
}

/// Runs `run()` under the evaluation mutex, again and again until no program is missing. So `run` may be cut off where
/// a kernel is asked for, and must come to the same when it begins anew.
template <class Run>
void evaluated(runtime::Context& context, Run run) {
  std::vector<runtime::ProgramCache::Held> built;  // others' programs do not push them out before they ran
  for (;;) {
    try {
      const std::lock_guard lock(context.evaluation_mutex());
      return run();
    } catch (const NeedsProgram& needed) {
      built.push_back(context.build(needed.signature, needed.text));
    }
  }
}

}  // namespace koine::exec

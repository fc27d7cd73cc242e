// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues by LAPACK, on CPUs that run host commands.
#pragma once

#include "exec/programs.hpp"
#include "exec/spectra.hpp"
#include "runtime/queue.hpp"

#include <memory>

namespace koine::exec {

class HostSpectra {
 public:
  /// Whether there is a LAPACK, the device runs host commands, and LAPACK's integers hold the sizes.
  static bool suits(const runtime::Queue& queue, const SpectraProblem& problem);

  HostSpectra(Programs& programs, runtime::Queue& queue, const SpectraProblem& problem);

  /// Throws OutOfMemory where LAPACK would find no memory for its panels.
  void run(const SpectraMemory& memory, std::shared_ptr<runtime::Fault> fault) const;

 private:
  runtime::Queue& queue_;
  SpectraProblem problem_;
};

}  // namespace koine::exec

// SPDX-License-Identifier: Apache-2.0
// Schur's form by LAPACK, on CPUs that run host commands.
#pragma once

#include "exec/spectra.hpp"
#include "runtime/queue.hpp"

#include <memory>

namespace koine::exec {

/// Whether there is a LAPACK, the device runs host commands, and LAPACK's integers hold the sizes.
bool schur_on_host(const runtime::Queue& queue, const SpectraProblem& problem);

/// Throws OutOfMemory where LAPACK would find no memory for its panels.
void run_schur_on_host(runtime::Queue& queue, const SpectraProblem& problem, const SpectraMemory& memory,
                       std::shared_ptr<runtime::Fault> fault);

}  // namespace koine::exec

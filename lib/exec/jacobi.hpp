// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues by kernels/jacobi.cl, on every device.
#pragma once

#include "exec/programs.hpp"
#include "exec/spectra.hpp"
#include "runtime/queue.hpp"

#include <memory>

namespace koine::exec {

class Jacobi {
 public:
  /// Whether a group has its matrix in local memory.
  static bool is_local(const runtime::Queue& queue, const SpectraProblem& problem);

  /// Asks for the kernel.
  Jacobi(Programs& programs, runtime::Queue& queue, const SpectraProblem& problem);

  void run(const SpectraMemory& memory, std::shared_ptr<runtime::Fault> fault) const;

 private:
  runtime::Queue& queue_;
  const SpectraProblem problem_;
  const bool local_;
  std::uint64_t row_, turns_, room_;  // of the struct that the kernel is passed
  runtime::KernelRef kernel_;
};

}  // namespace koine::exec

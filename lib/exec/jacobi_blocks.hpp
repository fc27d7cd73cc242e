// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues by kernels/jacobi_blocks.cl, on cards: of matrices that need not be many.
#pragma once

#include "exec/programs.hpp"
#include "exec/spectra.hpp"
#include "runtime/queue.hpp"

#include <cstdint>
#include <memory>

namespace koine::exec {

class JacobiBlocks {
 public:
  /// Whether the device has the local memory that the kernels take, and its kernels are a card's.
  static bool suits(const runtime::Queue& queue, const SpectraProblem& problem);

  /// Asks for the kernels.
  JacobiBlocks(Programs& programs, runtime::Queue& queue, const SpectraProblem& problem);

  /// Waits for the device now and then, to see whether more is to be done.
  void run(const SpectraMemory& memory, const std::shared_ptr<runtime::Fault>& fault) const;

 private:
  /// Some matrices of the stack.
  struct Some;
  void load(const Some& some, const SpectraMemory& memory, const std::shared_ptr<runtime::Fault>& fault) const;
  /// Gives the number of the last sweep.
  std::uint32_t sweep(const Some& some) const;
  void finish(const Some& some, const SpectraMemory& memory, const std::shared_ptr<runtime::Fault>& fault) const;

  runtime::Queue& queue_;
  const SpectraProblem problem_;
  std::uint64_t block_, pairs_;  // rows of a block, and pairs of blocks
  std::uint64_t row_, turns_;    // of the struct kn_jacobi
  runtime::KernelRef largest_, load_, shift_, products_, turn_, apply_, quotients_, values_, complete_, results_;
};

}  // namespace koine::exec

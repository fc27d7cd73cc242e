// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues by kernels/jacobi_blocks.cl, on cards: of matrices that need not be many.
#pragma once

#include "exec/jacobi_precision.hpp"
#include "exec/programs.hpp"
#include "exec/spectra.hpp"
#include "runtime/queue.hpp"

#include <cstdint>
#include <memory>
#include <optional>

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
  /// The kernels of sweeps alone, for a problem that is loaded already.
  JacobiBlocks(Programs& programs, runtime::Queue& queue, const SpectraProblem& problem, std::uint64_t block);
  std::uint64_t matrices_at_once() const;
  /// Memory for matrices from `first` on.
  Some some_from(std::uint64_t first, std::uint64_t matrices, std::uint64_t offset) const;
  void load(const Some& some, const SpectraMemory& memory, const std::shared_ptr<runtime::Fault>& fault) const;
  /// Makes Hermitian matrices of float64 diagonal by turns that are found in float32. False where more is to be done.
  bool turn_with_single(Some& some) const;
  /// So many sweeps, and until one is the last, whose number it sets.
  void sweep(Some& some, std::uint32_t sure_sweeps) const;
  void finish(const Some& some, const SpectraMemory& memory, const std::shared_ptr<runtime::Fault>& fault) const;

  runtime::Queue& queue_;
  const SpectraProblem problem_;
  std::uint64_t block_, pairs_;  // rows of a block, and pairs of blocks
  std::uint64_t row_, turns_;    // of the struct kn_jacobi
  runtime::KernelRef largest_, load_, limit_, products_, turn_, apply_, values_, complete_, results_;
  std::optional<const JacobiPrecision> precision_;
  std::unique_ptr<const JacobiBlocks> single_;
};

}  // namespace koine::exec

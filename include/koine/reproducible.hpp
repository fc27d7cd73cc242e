// SPDX-License-Identifier: Apache-2.0
// The scope in which results have the same bits on every device.
#pragma once

#include "koine/export.hpp"

namespace koine {

/// While the scope lives, what this thread builds gives the same bits on every device:
///
///     const koine::reproducible scope;
///     const koine::Array total = koine::sum(x);   // the same on an NVIDIA card, an AMD card and a CPU
///
/// Like a queue, it belongs to an array from when it is built, so evaluating the array later changes nothing. Scopes
/// nest: `reproducible(false)` switches it off inside. KOINE_REPRODUCIBLE=1 switches it on for the whole process.
///
/// It covers sum, prod, max, min, mean, var, std, logsumexp and softmax; matmul; astype; and the functions that
/// docs/operations.md lists as the same on every device: arithmetic, rounding, comparisons, bits, and elementary
/// functions such as exp, sin and lgamma, for which Koine's own take the place of the vendor's. (Reductions, matmul and
/// these functions may be computed in another way than without the scope; random numbers are always the same.) Not
/// covered are powers of complex numbers, the sign and payload of a NaN, subnormal arguments and results on a device
/// that has no such numbers, where parts of complex numbers below 2^25 (float64: 2^54) times the smallest normal number
/// may differ too, and what passes through float32 divisions and roots on one that does not round them correctly.
/// Reductions add up in the tree that docs/architecture.md shows. An element of a matrix product is the sum, in the
/// same tree, of chains of fused multiply-adds over blocks of 4096 of the depth; of a vector by a matrix it is that of
/// the products.
class KOINE_API reproducible {
 public:
  explicit reproducible(bool on = true) noexcept;
  ~reproducible();
  reproducible(const reproducible&) = delete;
  reproducible& operator=(const reproducible&) = delete;

 private:
  bool before_;
};

}  // namespace koine

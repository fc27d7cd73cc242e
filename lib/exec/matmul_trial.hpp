// SPDX-License-Identifier: Apache-2.0
// Trials of product programs that a driver may refuse or get wrong, on the device that is to run them, before their
// first use: small matrices of whole numbers, whose product the host knows.
#pragma once

#include <functional>

#include "exec/matmul_routes.hpp"

namespace koine::exec {

/// A product whose sums are exact in every type. Its operands lie with rows, or columns, at multiples of 16 bytes,
/// unless it is loose.
struct MatmulTrial {
  DType type = DType::float32, out_type = DType::float32;
  std::int64_t m = 0, n = 0, k = 0, batches = 1;
  std::int64_t block_depth = 0;         ///< of MatmulPiece
  bool a_along = true, b_along = true;  ///< the depth is the axis of stride 1
  bool parts = false;
  bool split = false;  ///< the operands are sums of two halves, which lie one below the other
  bool loose = false;  ///< rows, or columns, of the operands lie at no multiples of 16 bytes
  bool taken = false;  ///< the products are taken from ones, up to a diagonal
  bool gram = false;   ///< B is A transposed
};

/// Enqueues a piece whose operands lie as the program takes them.
using MatmulRun = std::function<void(const MatmulPiece&, const MatmulMemory&)>;

/// Whether the results of `run` are right.
bool multiplies(runtime::Queue& queue, const MatmulTrial& trial, const MatmulRun& run);

}  // namespace koine::exec

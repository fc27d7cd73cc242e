// SPDX-License-Identifier: Apache-2.0
// Matrix products of arrays in memory: which implementation takes one, and why.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/device_traits.hpp"
#include "koine/dtype.hpp"
#include "runtime/context.hpp"

namespace koine::exec {

/// One side of a product. Offset and strides count elements; any strides will do, 0 and negative ones too.
struct MatmulOperand {
  const runtime::Buffer* buffer = nullptr;
  std::int64_t offset = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
  std::vector<std::int64_t> batch_strides;  ///< one for each axis of the batch; 0 where the operand is broadcast
};

/// (batch, m, k) times (batch, k, n), both of one numeric type.
struct MatmulProblem {
  DType dtype = DType::float32;
  std::int64_t m = 0, n = 0, k = 0;
  std::vector<std::int64_t> batch;
  MatmulOperand a, b;
  runtime::BufferRef out;  ///< contiguous, from offset 0
  /// In the order that is the same on every device: a chain of fused multiply-adds over each block of 4096 of the
  /// depth, from its first step to its last; the blocks' values are added up by the tree of codegen/reduce.hpp.
  bool fixed = false;
};

enum class MatmulRoute { nothing, zeros, vector, packed, clblast, tile };

struct MatmulChoice {
  MatmulRoute route;
  std::string_view why;
};

/// What run_matmul would use. Looks at sizes, strides and traits only: buffers may be null.
MatmulChoice choose_matmul(const DeviceTraits& traits, const MatmulProblem& problem);

/// Enqueues the product. The order of every sum is fixed, so the same device gives the same bits each time.
void run_matmul(runtime::Queue& queue, const MatmulProblem& problem);

}  // namespace koine::exec

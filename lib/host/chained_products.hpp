// SPDX-License-Identifier: Apache-2.0
// Matrix products of one sum for each result, to which products are added one after another: with the bits of
// kernels/matmul_cpu.cl for integers, which wrap, and for floating numbers in the order that is the same on every
// device.
#pragma once

#include "device/traits.hpp"
#include "graph/layout.hpp"
#include "koine/dtype.hpp"

#include <cstddef>
#include <cstdint>

namespace koine::host {

/// One side of a product, of its type in memory, which lies so behind the beginning of that.
struct ChainedOperand {
  DType type;
  graph::Layout layout;
  const std::byte* memory;
};

/// (..., m, k) by (..., k, n), in `type`, which operands of other types are cast to.
struct ChainedProduct {
  DType type;
  ChainedOperand a, b;

  std::int64_t m() const { return a.layout.shape[a.layout.shape.size() - 2]; }
  std::int64_t n() const { return b.layout.shape.back(); }
  std::int64_t k() const { return a.layout.shape.back(); }
};

/// Whether the host knows the type.
bool multiplies_chained(DType type);
/// What so many results of sums of `k` products take, in elements by operations; `n` of them are neighbours.
std::uint64_t chained_work(DType type, std::int64_t results, std::int64_t n, std::int64_t k);
/// Results in row-major order. Threads share `work`.
void multiply_chained(const ChainedProduct& product, const DeviceTraits& traits, std::uint64_t work, std::byte* to);

}  // namespace koine::host

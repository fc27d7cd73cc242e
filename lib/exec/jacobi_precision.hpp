// SPDX-License-Identifier: Apache-2.0
// Eigenvectors of Hermitian matrices in float64 from such that float32 finds, by kernels/jacobi_precision.cl and
// products.
#pragma once

#include "exec/matmul.hpp"
#include "exec/programs.hpp"
#include "runtime/queue.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

namespace koine::exec {

class JacobiPrecision {
 public:
  /// Asks for the kernels. `stacks`: how many matrices there may be at once, of so many rows each.
  JacobiPrecision(Programs& programs, runtime::Queue& queue, DType type, std::uint64_t rows,
                  const std::vector<std::uint64_t>& stacks, std::string_view function);

  /// A stack of matrices as the kernels take them.
  struct Matrices {
    std::uint64_t count;
    runtime::BufferRef values, limits;  // the matrices; what counts as 0 beside the diagonal of each
    runtime::BufferRef room;            // of as many elements, or none
  };
  /// The same in float32, and the identities, which sweeps turn.
  struct Single {
    runtime::BufferRef values, turns, limits;
    std::function<void(std::uint32_t)> sweep;  // so many sweeps at least, and until one is the last
  };
  struct Turned {
    runtime::BufferRef values, turns;
    bool diagonal;  // or only nearly so
  };
  /// Waits for the device now and then.
  Turned turn(const Matrices& matrices, const Single& single) const;

 private:
  enum class Side { plain, adjoint };
  runtime::BufferRef allocate(std::uint64_t count) const;
  /// a b, or a b^H.
  void multiply(std::uint64_t count, const runtime::Buffer& a, const runtime::Buffer& b, runtime::Buffer& to,
                Side side) const;
  /// How far float32 goes, in multiples of float64's limit: what it turns, and what ends its sweeps if it is not there;
  /// and how many sweeps that takes at least.
  struct Stage {
    float limit, last;
    std::uint32_t sweeps;
  };
  /// The turns by which float32 makes the matrices nearly diagonal.
  void turn_in_single(const Stage& stage, std::uint64_t count, const runtime::Buffer& values,
                      const runtime::Buffer& limits, const Single& single, const runtime::Buffer& turns) const;

  runtime::Queue& queue_;
  DType type_;
  std::uint64_t rows_;
  std::string_view function_;
  runtime::KernelRef narrow_, widen_, as_orthonormal_, tangents_, damp_, turn_at_once_, multiply_;
  std::map<std::uint64_t, MatmulWork> plain_, adjoint_;  // of real matrices, for each count
};

}  // namespace koine::exec

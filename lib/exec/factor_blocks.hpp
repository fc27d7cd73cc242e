// SPDX-License-Identifier: Apache-2.0
// Factorisations of large real matrices on cards, in place and block by block: few launches for each block, of kernels
// that need not add up in the order of those for small matrices.
#pragma once

#include "exec/factors.hpp"
#include "exec/matmul.hpp"
#include "exec/programs.hpp"
#include "graph/node.hpp"
#include "runtime/context.hpp"
#include "runtime/fault.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace koine::exec {

/// Whether matrices of the type are factorised so, whatever their size, and triangles solved. Not in reproducible
/// scopes.
bool factors_in_blocks(const graph::Place& place, DType type);
/// The same of factorisations whose panels have so many rows.
bool panels_in_blocks(const graph::Place& place, DType type, std::int64_t rows);
/// The place of a node that runs on a queue.
graph::Place place_on(const runtime::Queue& queue, const graph::Node& node);

/// Columns of a block: KN_BLOCK of cholesky_steps.cl and solve_columns.cl.
inline constexpr std::int64_t block_columns = 64;

/// A part of each matrix of a stack in memory. Offset and strides count elements; `step`: to the next matrix.
struct StackPart {
  const runtime::Buffer& buffer;
  std::int64_t offset, row, column, step;
};

/// What is done to parts of matrices between the factorisations of blocks.
class BlockKernels {
 public:
  BlockKernels(Programs& programs, runtime::Queue& queue, DType type);

  /// c, of m x n elements, whose column stride is 1, becomes c - a b.
  void update(const StackPart& a, const StackPart& b, const StackPart& c, std::int64_t matrices, std::int64_t m,
              std::int64_t n, std::int64_t k) const;

  struct Triangle {
    bool upper = false, unit = false;
    std::int64_t first = 0;  ///< the number of its first row in the matrix, for messages
  };
  /// X of a X = b comes in place of b, for triangles of n rows, one block at the most, and so many columns. Without a
  /// fault where the diagonal is ones: nothing is reported then.
  void solve(const StackPart& a, const StackPart& b, std::int64_t matrices, std::int64_t n, std::int64_t columns,
             const Triangle& triangle, const std::shared_ptr<runtime::Fault>& fault = nullptr) const;

 private:
  runtime::Queue& queue_;
  std::size_t columns_;  // of a group that solves
  runtime::KernelRef update_, solve_;
};

/// C becomes C - A B, as BlockKernels::update has it, of deep products: by the fast ones, in place where there are
/// such, or their results are taken from C afterwards. What is right of a diagonal stays: row i ends with column i +
/// corner.
class DeepUpdate {
 public:
  static constexpr std::int64_t no_corner = std::int64_t{1} << 48;

  DeepUpdate(Programs& programs, runtime::Queue& queue, const MatmulProblem& product, std::int64_t corner = no_corner);
  void run(const runtime::Buffer& a, const runtime::Buffer& b, const StackPart& c, std::string_view function) const;

 private:
  /// Rows, and what of them is multiplied.
  struct Strip {
    std::int64_t row, rows, columns;
    MatmulWork product;
  };

  runtime::Queue& queue_;
  std::int64_t matrices_, corner_;
  std::size_t size_;
  MatmulTaking taking_;  // or nothing, and the others
  std::vector<Strip> strips_;
  runtime::KernelRef take_;
};

/// How many blocks of a size there are, the last of which may be smaller.
std::uint64_t blocks_over(std::int64_t all, std::int64_t size);

// Each asks for all its kernels, and gives what enqueues them. Inputs are in row-major order.
std::function<void(const runtime::Buffer& factor)> prepare_cholesky_blocks(Programs& programs, runtime::Queue& queue,
                                                                           const graph::Node& node);
std::function<void(const runtime::Buffer& factors, const runtime::Buffer& order, const runtime::Buffer& exchanges)>
prepare_lu_blocks(Programs& programs, runtime::Queue& queue, const graph::Node& node);
std::function<void(const runtime::Buffer& q, const runtime::Buffer& r)> prepare_qr_blocks(Programs& programs,
                                                                                          runtime::Queue& queue,
                                                                                          const graph::Node& node);
std::function<void(const runtime::Buffer& solution)> prepare_triangular_blocks(Programs& programs,
                                                                               runtime::Queue& queue,
                                                                               const graph::Node& node);

}  // namespace koine::exec

// SPDX-License-Identifier: Apache-2.0
// The implementations of matrix products behind exec/matmul.hpp, and the form in which they take a problem.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "device/traits.hpp"
#include "exec/matmul.hpp"

namespace koine::exec {

/// Up to four axes of a batch, as many as the kernels count through; unused ones come first and have size 1.
struct MatmulBatch {
  std::array<std::int64_t, 4> sizes{1, 1, 1, 1};
  std::array<std::int64_t, 4> a_strides{};
  std::array<std::int64_t, 4> b_strides{};

  std::int64_t count() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }
  /// How far behind the first matrices those of that number begin, a and b.
  std::pair<std::int64_t, std::int64_t> offsets(std::int64_t matrix) const {
    std::int64_t a = 0, b = 0;
    for (std::size_t axis = sizes.size(); axis-- > 0; matrix /= sizes[axis]) {
      a += matrix % sizes[axis] * a_strides[axis];
      b += matrix % sizes[axis] * b_strides[axis];
    }
    return {a, b};
  }
};

/// A problem whose batch has been collapsed. The operands' own batch_strides are not used.
struct MatmulPiece {
  DType dtype = DType::float32;
  std::int64_t m = 0, n = 0, k = 0;
  MatmulBatch batch;
  MatmulOperand a, b;
  std::int64_t out_offset = 0;
  bool fixed = false, tf32 = false, split = false;
  bool parts = false;  ///< the results are parts of sums, of the type that sums are kept in (not vector, clblast)
  const Epilogue* epilogue = nullptr;  ///< of vector, small, many, tile, matrix and ptx alone, and not of parts
  bool one_memory = false;             ///< both operands lie in one buffer
  std::int64_t block_depth = 0;        ///< of ptx, if not 0: of blocks, whose results follow each other
  std::int64_t corner = 0;             ///< of a piece that is taken from a matrix: row i ends with column i + corner
};

/// Whether the operands are one matrix and its transpose, in the same memory.
inline bool is_gram(const MatmulPiece& p) {
  return p.one_memory && p.m == p.n && p.a.offset == p.b.offset && p.a.row_stride == p.b.column_stride &&
         p.a.column_stride == p.b.row_stride && p.batch.a_strides == p.batch.b_strides;
}

/// How many blocks of the depth a piece has.
inline std::int64_t blocks_of(const MatmulPiece& p) {
  return p.block_depth > 0 ? (p.k + p.block_depth - 1) / p.block_depth : 1;
}

/// How CLBlast describes a row-major matrix; leading 0 if it cannot.
struct BlasLayout {
  bool transposed = false;
  std::int64_t leading = 0;
};
BlasLayout blas_layout(const MatmulOperand& operand, std::int64_t rows, std::int64_t columns);

// Each takes any strides, except prepare_clblast and prepare_blas, which need a BlasLayout of both operands.
MatmulWork prepare_packed(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece);
MatmulWork prepare_tile(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece);
/// The depth of one running sum of kernels/matmul_small.cl: as many blocks as keep a device busy.
std::int64_t small_depth(const DeviceTraits& traits, const MatmulProblem& problem);
/// suits_small, or suits_small_blocks
MatmulWork prepare_small(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece);
/// Whether matrices are so small that a tile would be mostly empty, and so many that a group for each leaves no compute
/// unit idle. The kernel counts matrices, rows and columns in 32 bits.
template <class Product>
bool suits_many(const DeviceTraits& traits, const Product& p, std::int64_t matrices) {
  // Of an H200's measured products of 32-bit floats, those of 65 x 65 results are quicker so, those of 101 x 101
  // slower.
  constexpr std::int64_t most_results = 5120;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return p.m * p.n <= most_results && matrices >= std::max<std::int64_t>(traits.compute_units, 2) &&
         matrices <= most / most_results;
}
/// The depth of one block of kernels/matmul_many.cl: of few results as many as keep a device busy.
std::int64_t staged_depth(const DeviceTraits& traits, const MatmulProblem& problem);
/// suits_many, or suits_staging
MatmulWork prepare_many(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece);
/// m or n is 1; never fixed
MatmulWork prepare_vector(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece);
/// never fixed
MatmulWork prepare_clblast(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece);
/// Thrown where the driver has not taken a program, or the program has given wrong results.
struct ProgramRefused {};
/// An operand of matmul_split.cl, which writes `pitch` elements from line to line of the depth.
struct SplitOperand {
  std::int64_t lines, depth, offset, line_stride, depth_stride, pitch;
  std::array<std::int64_t, 4> sizes, strides;  ///< of a batch
};
/// What it gives enqueues the split of the first buffer into the second.
std::function<void(const runtime::Buffer&, runtime::Buffer&)> prepare_split(Programs& programs, runtime::Queue& queue,
                                                                            const SplitOperand& operand);
/// Whether a product by split operands is worth the splits: each element then takes part in many products.
bool worth_splitting(const MatmulProblem& problem);
/// fixed for float32 alone, and suits_ptx; throws ProgramRefused
MatmulWork prepare_ptx(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece);
/// The same of a problem that ptx_takes. Throws ProgramRefused, too.
MatmulTaking prepare_ptx_taking(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece);
/// Whether they can take a product from what is there.
bool ptx_takes(const DeviceTraits& traits, const MatmulProblem& problem);
/// Whether the programs of codegen/ptx_matmul.hpp take such a product, and it is large enough to be worth it.
bool suits_ptx(const DeviceTraits& traits, const MatmulProblem& problem);
/// Whether they have tall tiles for it: of few columns and many rows.
bool ptx_is_tall(const DeviceTraits& traits, const MatmulProblem& problem);
/// Whether they can go on with its epilogue, or, without one, with some.
bool ptx_takes_epilogue(const DeviceTraits& traits, const MatmulProblem& problem);
/// Whether they take blocks of such a depth at once, as block_depth says.
bool ptx_takes_blocks(const DeviceTraits& traits, const MatmulProblem& problem, std::int64_t depth);
/// The depth of one running sum of theirs.
std::int64_t ptx_depth(const DeviceTraits& traits, const MatmulProblem& problem);
/// The depth of blocks by which tiles of 64 by 64 results come to `each` for a compute unit, where they are fewer; the
/// whole depth where they are enough, or blocks would have less than `least`.
std::int64_t shared_depth(const DeviceTraits& traits, const MatmulProblem& problem, std::int64_t each,
                          std::int64_t least);
/// never fixed, and suits_matrix; throws ProgramRefused
MatmulWork prepare_matrix(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece);
/// Whether the device has matrix instructions for the type, and the product is large enough to be worth them.
bool suits_matrix(const DeviceTraits& traits, const MatmulProblem& problem);
/// The depth of one running sum of CLBlast's; longer ones are added up of such.
inline constexpr std::int64_t clblast_depth = 4096;
/// never fixed, and suits_blas
MatmulWork prepare_blas(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece);
/// Whether there is a BLAS of the host's, and it takes such a product at the device's speed.
bool suits_blas(const DeviceTraits& traits, const MatmulProblem& problem);
/// The depth of one sum of its.
std::int64_t blas_depth(const MatmulProblem& problem);
/// never fixed, and suits_widened; `prepare` does the same of a product of float32
MatmulWork prepare_widened(Programs& programs, runtime::Queue& queue, const MatmulProblem& problem,
                           const std::function<MatmulWork(const MatmulProblem&)>& prepare);
/// Whether a BLAS of the host's takes such a product of a 16-bit type once it is one of float32.
bool suits_widened(const DeviceTraits& traits, const MatmulProblem& problem);
/// never fixed, and suits_host
MatmulWork prepare_host(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece);
/// Whether a loop of the host's own takes such a product at memory's speed: matrices by vectors.
bool suits_host(const MatmulProblem& problem);

}  // namespace koine::exec

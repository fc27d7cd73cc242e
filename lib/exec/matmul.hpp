// SPDX-License-Identifier: Apache-2.0
// Matrix products: which implementation takes one, and why.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "device/traits.hpp"
#include "exec/programs.hpp"
#include "graph/node.hpp"
#include "koine/dtype.hpp"
#include "runtime/context.hpp"

namespace koine::exec {

class Epilogue;

/// Where one side of a product lies in its buffer. Offset and strides count elements; any strides will do, 0 and
/// negative ones too.
struct MatmulOperand {
  std::int64_t offset = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
  std::vector<std::int64_t> batch_strides;  ///< one for each axis of the batch; 0 where the operand is broadcast
  std::optional<DType> stored = {};         ///< its type in memory, where it is read through a cast to the product's
};

/// (batch, m, k) times (batch, k, n), both of one numeric type, which operands may be cast to as they are read.
struct MatmulProblem {
  DType dtype = DType::float32;
  std::int64_t m = 0, n = 0, k = 0;
  std::vector<std::int64_t> batch;
  std::int64_t matrices() const {
    std::int64_t count = 1;
    for (const std::int64_t size : batch) count *= size;
    return count;
  }
  MatmulOperand a, b;
  /// In the order that is the same on every device: a chain of fused multiply-adds over each block of 4096 of the
  /// depth, from its first step to its last; the blocks' values are added up by the tree of codegen/reduce.hpp.
  bool fixed = false;
  bool tf32 = false;         ///< float32 operands may be rounded to 11 digits
  bool split = false;        ///< float32 operands may be taken as sums of two of 11 digits
  bool host_memory = false;  ///< the host works in the device's memory (Context::works_in_host_memory)
  bool one_memory = false;   ///< both operands lie in one buffer
  bool portable = false;     ///< by OpenCL C alone: the driver does not take what is written in its device's assembly
  const Epilogue* epilogue = nullptr;  ///< what is stored in place of the results, which outlives the product
};

enum class MatmulRoute { nothing, zeros, host, vector, blas, widened, packed, small, many, ptx, matrix, clblast, tile };

struct MatmulChoice {
  MatmulRoute route;
  std::string_view why;
};

/// The buffers of a product when it runs.
struct MatmulMemory {
  const runtime::Buffer &a, &b;
  runtime::Buffer& out;
};
using MatmulWork = std::function<void(const MatmulMemory&)>;

/// What prepare_product would use.
MatmulChoice choose_matmul(const DeviceTraits& traits, const MatmulProblem& problem);

/// Whether a CPU's kernel would add up each result as one sum, to which products are added one after another in the
/// order of the depth, or in any order where that makes no difference.
bool is_one_chain(const DeviceTraits& traits, const MatmulProblem& problem);

/// Whether the kernel that would compute a product can go on with its epilogue, or, without one, with some.
bool takes_epilogue(const DeviceTraits& traits, const MatmulProblem& problem);
/// The same of a pending product, whose inputs may be pending, too.
bool takes_epilogue(const graph::Node& product);

/// Whether loads convert elements of one type to another, with the bits of a cast: between integers, and from real
/// types to float32 and float64, unless elements become smaller. What does, what is rounded to 16 bits, and what
/// becomes complex, or an integer from no integer, is stored first.
bool converts_loads(DType stored, DType computed);

/// Whether the implementation that multiplies `apart`, operands cast before in memory of their own, is the one that
/// multiplies the same operands through casts.
bool reads_through_casts(const DeviceTraits& traits, const MatmulProblem& casts, const MatmulProblem& apart);

/// Throws ProgramRefused where the driver does not take a program, and what would run in its place does not take the
/// epilogue. Asks for all kernels; what it gives enqueues the product, whose results are contiguous. The order of every
/// sum is fixed, so the same device gives the same bits each time.
MatmulWork prepare_product(Programs& programs, runtime::Queue& queue, const MatmulProblem& problem);

/// A matrix that a product is taken from. Its rows are contiguous; offset and stride count elements.
struct MatmulTarget {
  const runtime::Buffer& buffer;
  std::int64_t offset, row_stride;
};
/// Enqueues C - A B in place of C, of whose row i what is behind column i + corner stays.
using MatmulTaking = std::function<void(const runtime::Buffer& a, const runtime::Buffer& b, const MatmulTarget& c)>;

/// Nothing where no kernel takes a product from a matrix that is there, or the device's driver refuses it.
MatmulTaking prepare_taking(Programs& programs, runtime::Queue& queue, const MatmulProblem& problem,
                            std::int64_t corner);

}  // namespace koine::exec

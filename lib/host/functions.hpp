// SPDX-License-Identifier: Apache-2.0
// The functions that kernels are made of, compiled for the host from the same texts: those of ops.def, of
// reductions.def and of kernels/common. tools/make_host_functions.cpp writes them when the library is
// built.
#pragma once

#include "base/dtypes.hpp"
#include "codegen/body.hpp"
#include "device/traits.hpp"
#include "graph/reductions.hpp"

#include <cstddef>
#include <cstdint>

namespace koine::host {

/// Computes `count` elements of `to` from those of the arguments, of which `from` has three, null past the last; all of
/// types as they are in registers (float for float16, a byte for bool_).
using Function = void (*)(void* to, const void* const* from, std::size_t count);

/// Combines running[i] with elements[i], elements[width + i], ... in turn, `rounds` of them, for each i below `width`.
using Fold = void (*)(void* running, const void* elements, std::size_t width, std::size_t rounds);
/// Rows that lie side by side: elements of each fall to `width` values in turn, at first in whole rounds to
/// `fold_chains` sets of them where a row has so many, which are combined with the values one after another.
constexpr std::size_t fold_chains = 4;
struct FoldedRows {
  std::size_t rows, length, width;
  bool chained;
};
/// Leaves one value of each row, of neighbours among its values again and again, which begin with `identity`. False
/// where vectors do not divide so many values; of no rows it tells only that.
using FoldRows = bool (*)(void* results, const void* elements, const void* identity, const FoldedRows& how);
/// Adds to sums[r] the sum of row r times the vector, of `rows` rows that lie `leading` elements apart; or to sums[i]
/// the elements i of all rows, each times its row's factor. `depth`: of a row.
using Products = void (*)(void* sums, const void* matrix, std::size_t leading, const void* vector, std::size_t rows,
                          std::size_t depth);

/// Sizes and strides, in elements; neighbours of a row of the right matrix lie side by side, and so do the results.
struct SmallProduct {
  std::size_t rows, columns, depth, left_row, left_column, right_row;
};
using Multiply = void (*)(void* result, const void* left, const void* right, const SmallProduct& product);

/// How elements become keys (key_text.hpp).
struct KeyOrder {
  int kind;
  std::uint64_t flip, infinity;
};
/// Writes the numbers of the elements whose keys, equal for equal elements, are below the limit, and returns how many
/// there are. At most 2^16 elements.
using KeysBelow = std::size_t (*)(const void* elements, std::size_t count, const KeyOrder& order, std::uint64_t limit,
                                  std::uint16_t* found);

/// Elements of an axis of `size` by their positions, of which one below zero counts from the end: those that lie
/// offsets[i], or 0 where that is null, and `stride` times the position behind `from`. False if a position is outside,
/// and then some of `to` may be written.
using Take = bool (*)(void* to, const void* from, const std::int64_t* positions, const std::int64_t* offsets,
                      std::size_t count, std::int64_t size, std::int64_t stride);

/// Bytes of an element as it is computed.
constexpr std::size_t size_in_registers(DType type) { return base::is_half(type) ? sizeof(float) : size_of(type); }

constexpr std::size_t widest_in_registers = 16;

/// Null where there is none.
struct Functions {
  Function ops[graph::table_size][dtype_count];      // by the type of the arguments
  Function casts[dtype_count][dtype_count];          // from one type to another
  Function loads[dtype_count], stores[dtype_count];  // from memory to registers, and back
  Function chosen[17];                               // where: by the size of what is chosen, from[0] the conditions
  Function combined[std::size(graph::reductions)][dtype_count];  // of values before and values behind
  Function running[std::size(graph::reductions)][dtype_count];   // each with all before it; where the arguments lie
  Fold folded[std::size(graph::reductions)][dtype_count];
  FoldRows rows_folded[std::size(graph::reductions)][dtype_count];  // of the same
  Products dots[dtype_count], rows_added[dtype_count];              // of float32 and float64
  Products rows_chained[dtype_count];    // as rows_added, each product rounded with its sum; of most types
  Multiply small_products[dtype_count];  // of the same
  Function identities[std::size(graph::reductions)][dtype_count];
  Function mapped[std::size(graph::reductions)][dtype_count];
  Function positions[std::size(graph::reductions)][dtype_count];  // of all elements the position, an int64
  Function finished[std::size(graph::reductions)][dtype_count];   // from[1], from[2]: one divisor, one scale
  KeysBelow keys_below[4];                                        // of elements of 1, 2, 4 and 8 bytes
  Take taken[5];                                                  // of these, and of 16
};

/// By the instructions that this processor has.
const Functions& functions();

/// The function of a line that computes (no load, no constant), with the bits that it has in a kernel of the device;
/// null where there is none.
Function function_of(const codegen::Line& line, const DeviceTraits& traits);

/// What a line costs beside an addition.
std::uint64_t cost_of(const codegen::Line& line);

/// Casts `count` elements that lie side by side in memory to a type as it is in registers. Takes no memory.
void load_as(DType type, void* to, DType stored, const void* from, std::size_t count) noexcept;

}  // namespace koine::host

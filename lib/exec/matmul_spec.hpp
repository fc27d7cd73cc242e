// SPDX-License-Identifier: Apache-2.0
// What the kernels of kernels/matmul_*.cl are compiled for and passed, as far as they have it in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/dtypes.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/matmul_epilogue.hpp"
#include "exec/matmul_routes.hpp"
#include "exec/programs.hpp"

namespace koine::exec {

/// Bytes of the scalar that sums are kept in, where integers take at least `narrowest`.
inline std::int64_t real_size(DType dtype, std::int64_t narrowest) {
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  if (is_complex(dtype)) return size / 2;
  return is_integer(dtype) ? std::max(size, narrowest) : std::max<std::int64_t>(size, 4);
}

/// What the kernels are compiled for: numbers that another kernel has are none.
struct MatmulSpec {
  DType type;
  std::optional<int> a_element = {}, b_element = {};                 // of operands that are cast as they are loaded
  std::optional<int> cpu = {}, lanes = {}, rows = {}, vectors = {};  // matmul_cpu and matmul_vector
  std::optional<int> tile = {}, depth = {};                          // matmul_tile
  std::optional<int> slices = {}, group = {}, fold = {};             // a card's matmul_vector
  std::optional<int> matrix = {};                                    // matmul_matrix, and this:
  bool widened = false;
  std::optional<int> down = {};        // matmul_many
  std::optional<int> short_side = {};  // matmul_small, and these:
  bool quads = false, a_quads = false, b_quads = false, out_quads = false;
  bool fixed = false, parts = false, passes = false;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_ELEMENT", base::row_of(type).element);
    v.define("KN_A_ELEMENT", a_element);
    v.define("KN_B_ELEMENT", b_element);
    v.define("KN_CPU", cpu);
    v.define("KN_LANES", lanes);
    v.define("KN_ROWS", rows);
    v.define("KN_VECTORS", vectors);
    v.define("KN_TILE", tile);
    v.define("KN_DEPTH", depth);
    v.define("KN_SLICES", slices);
    v.define("KN_GROUP", group);
    v.define("KN_FOLD", fold);
    v.define("KN_MATRIX", matrix);
    v.define("KN_WIDENED", codegen::one_if(widened));
    v.define("KN_SHORT", short_side);
    v.define("KN_DOWN", down);
    v.define("KN_QUADS", codegen::one_if(quads));
    v.define("KN_A_QUADS", codegen::one_if(a_quads));
    v.define("KN_B_QUADS", codegen::one_if(b_quads));
    v.define("KN_OUT_QUADS", codegen::one_if(out_quads));
    v.define("KN_FIXED", codegen::one_if(fixed));
    v.define("KN_PARTS", codegen::one_if(parts));
    v.define("KN_PASSES", codegen::one_if(passes));
  }
};

/// The number of an operand's type in memory (kernels/common/matmul_operands.clh), where that is not the product's.
inline std::optional<int> element_of(const MatmulOperand& operand) {
  constexpr int of_signed = 10;
  if (!operand.stored) return std::nullopt;
  return base::row_of(*operand.stored).element + (is_signed_integer(*operand.stored) ? of_signed : 0);
}

inline MatmulSpec spec_of(const MatmulPiece& p) {
  return {
      .type = p.dtype, .a_element = element_of(p.a), .b_element = element_of(p.b), .fixed = p.fixed, .parts = p.parts};
}

/// A kernel that stores results, which goes on with the epilogue if there is one.
inline runtime::KernelRef kernel_of(Programs& programs, const MatmulPiece& p, const MatmulSpec& spec,
                                    std::string_view file, std::string_view entry) {
  return p.epilogue ? p.epilogue->kernel(programs, file, codegen::defines_of(spec), entry)
                    : programs.kernel_of_file(file, spec, entry);
}

inline void set(long (&to)[4], const std::array<std::int64_t, 4>& from) { std::copy(from.begin(), from.end(), to); }

/// Fills in what tiles, blocks and small products have in common.
template <class Parameters>
Parameters parameters_of(const MatmulPiece& p) {
  Parameters d{};
  d.out_offset = p.out_offset;
  d.a_offset = p.a.offset;
  d.b_offset = p.b.offset;
  d.a_row = p.a.row_stride;
  d.a_column = p.a.column_stride;
  d.b_row = p.b.row_stride;
  d.b_column = p.b.column_stride;
  d.m = static_cast<decltype(d.m)>(p.m);
  d.n = static_cast<decltype(d.n)>(p.n);
  d.k = p.k;
  set(d.batch_sizes, p.batch.sizes);
  set(d.a_batch, p.batch.a_strides);
  set(d.b_batch, p.batch.b_strides);
  return d;
}

}  // namespace koine::exec

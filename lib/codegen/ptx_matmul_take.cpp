// SPDX-License-Identifier: Apache-2.0
// The end of products that are taken from what is in memory, in the programs of ptx_matmul.hpp.
#include "codegen/ptx_matmul.hpp"

#include <cstddef>

namespace koine::codegen {

void print_ptx_take_setup(PtxText& out, const PtxMatmul& program, int sums) {
  if (program.fma()) out.line(".reg .f32 %old<", sums, ">; .reg .pred %keeps<", sums, ">;");
  out.line(".reg .b32 %corner, %end; ld.param.u32 %corner, [p_block+", offsetof(PtxMatmulBlock, corner),
           "]; ld.param.u64 %pitch, [p_block+", offsetof(PtxMatmulBlock, out) + offsetof(PtxMatmulBlock::Map, strides),
           "];");
}

void print_ptx_take(PtxText& out, const PtxMatmul& program, const char* first,
                    const std::vector<std::pair<int, std::string>>& sums) {
  out.line("add.s32 %end, %corner, %below; add.s32 %end, %end, 1; min.s32 %end, %end, %n; max.s32 %end, %end, 0;");
  if (!program.fma()) {
    // Nobody waits for what the second cache adds.
    for (const auto& [column, sum] : sums) {
      out.line("add.u32 %x, ", first, ", ", column, "; setp.lt.and.u32 %p, %x, %end, %in; neg.f64 ", sum, ", ", sum,
               "; @%p red.global.add.f64 [%to_row+", 8 * column, "], ", sum, ";");
    }
    return;
  }
  // The second cache has no subnormal numbers of float32. All elements of a row are under way at a time.
  int number = 0;
  for (const auto& [column, sum] : sums) {
    out.line("add.u32 %x, ", first, ", ", column, "; setp.lt.and.u32 %keeps", number, ", %x, %end, %in; @%keeps",
             number, " ld.global.f32 %old", number, ", [%to_row+", 4 * column, "];");
    ++number;
  }
  number = 0;
  for (const auto& [column, sum] : sums) {
    out.line("sub.rn.f32 %old", number, ", %old", number, ", ", sum, "; @%keeps", number, " st.global.f32 [%to_row+",
             4 * column, "], %old", number, ";");
    ++number;
  }
}

}  // namespace koine::codegen

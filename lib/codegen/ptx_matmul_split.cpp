// SPDX-License-Identifier: Apache-2.0
// float32 on the matrix units by three products of tf32: each operand is the sum of itself rounded to tf32 and of the
// rest, and the product of the two rests is left out. The way of Ootomo and Yokota, "Recovering single precision
// accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance" (2022): since the matrix units cut
// off the sums that they keep, each stage's is added to the element's by itself.
#include <string>

#include "codegen/ptx_matmul.hpp"

namespace koine::codegen {

void print_wgmma_split(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces) {
  constexpr int unit = 16;
  const int sums = program.columns / 2;  // of a thread
  std::string list;
  for (int i = 0; i < sums; ++i) list += (i > 0 ? ", %part" : "%part") + std::to_string(i);
  out.line(".reg .f32 %f<", sums, ">, %part<", sums, ">; .reg .b32 %a_low, %b_low, %high;");
  out.line("and.b32 %x, %thread, 127; setp.eq.u32 %first, %x, 0;");
  out.line("mad.lo.u32 %a_low, %half, ", 64 * PtxMatmul::row_bytes, ", %smem;");
  print_wgmma_low(out, "%a_low", unit);
  out.line("add.u32 %b_low, %smem, ", 2 * program.a_bytes(), ";");
  print_wgmma_low(out, "%b_low", unit);
  print_ptx_store_setup(out, program);

  out.line("TILE: setp.ge.u32 %p, %tile, %tiles; @%p bra DRAIN;").line(pieces.place);
  for (int i = 0; i < sums; ++i) out.line("mov.f32 %f", i, ", 0f00000000;");
  out.line("mov.u32 %left, %steps;");
  out.line("NEXT:");
  out.line(pieces.wait);
  out.line("wgmma.fence.sync.aligned;");
  // The rests first, which are small.
  constexpr bool rests[][2] = {{true, false}, {false, true}, {false, false}};
  bool first = true;
  for (const auto& [a_rest, b_rest] : rests) {
    for (int i = 0; i < program.depth() / program.step_depth(); ++i) {
      const auto at = [&](const char* to, const char* low, int bytes) {
        out.line("mad.lo.u32 ", to, ", %stage, ", program.stage_bytes() / unit, ", ", low, "; add.u32 ", to, ", ", to,
                 ", ", (i * 32 + bytes) / unit, ";");
      };
      out.line("{ .reg .b64 a, b;");
      at("%x", "%a_low", a_rest ? program.a_bytes() : 0);
      at("%y", "%b_low", b_rest ? program.b_bytes() : 0);
      out.line("mov.b64 a, {%x, %high}; mov.b64 b, {%y, %high};");
      out.line("wgmma.mma_async.sync.aligned.m64n", program.columns, "k", program.step_depth(), ".f32.tf32.tf32 {",
               list, "}, a, b, ", first ? "%never" : "1", ", 1, 1; }");
      first = false;
    }
  }
  out.line("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;");
  out.line("shl.b32 %x, %stage, 3; add.u32 %x, %x, %empty; @%first mbarrier.arrive.shared::cta.b64 _, [%x];");
  for (int i = 0; i < sums; ++i) out.line("add.rn.f32 %f", i, ", %f", i, ", %part", i, ";");
  out.line(pieces.advance, "sub.u32 %left, %left, 1; setp.ne.u32 %p, %left, 0; @%p bra NEXT;");
  print_ptx_store(out, program);
  out.line("add.u32 %tile, %tile, %groups; bra TILE;");
  out.line("DRAIN:");
  if (program.stores_tiles()) out.line("@%lead cp.async.bulk.wait_group 0;");
}

}  // namespace koine::codegen

// SPDX-License-Identifier: Apache-2.0
// The warpgroups that multiply with wgmma: each 64 rows of a tile, both operands in local memory, sums in registers.
#include "codegen/ptx_matmul.hpp"

namespace koine::codegen {
namespace {

std::string type_name(const PtxMatmul& program) {
  switch (program.type) {
    case DType::float16: return "f16";
    case DType::bfloat16: return "bf16";
    default: return "tf32";
  }
}

}  // namespace

void print_wgmma_low(PtxText& out, const char* word, int boxes_apart) {
  // In units of 16 bytes: from bit 0 on the address, from 16 on the distance of boxes side by side, from 32 on that of
  // each 8 lines; at 62 the swizzle.
  out.line("shr.u32 ", word, ", ", word, ", 4; or.b32 ", word, ", ", word, ", ", boxes_apart / 16 << 16, ";");
  out.line("mov.u32 %high, ", 8 * PtxMatmul::row_bytes / 16 | 1 << 30, ";");
}

void print_wgmma(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces) {
  const int sums = program.columns / 2;  // of a thread
  std::string list;
  for (int i = 0; i < sums; ++i) list += (i > 0 ? ", %f" : "%f") + std::to_string(i);
  out.line(".reg .f32 %f<", sums, ">; .reg .b32 %a_low, %b_low, %high;");
  out.line("and.b32 %x, %thread, 127; setp.eq.u32 %first, %x, 0;");

  constexpr int unit = 16, line_bytes = PtxMatmul::row_bytes;
  const int box_bytes = program.depth() * line_bytes, half_bytes = 64 * line_bytes;
  out.line("mad.lo.u32 %a_low, %half, ", half_bytes, ", %smem;");
  print_wgmma_low(out, "%a_low", unit);
  out.line("add.u32 %b_low, %smem, ", program.a_bytes(), ";");
  print_wgmma_low(out, "%b_low", program.b_along ? unit : box_bytes);
  print_ptx_store_setup(out, program);

  const auto multiply = [&](bool first) {
    out.line("wgmma.fence.sync.aligned;");
    const int step = program.step_depth();
    for (int i = 0; i < program.depth() / step; ++i) {
      // Along the depth a step is 32 bytes of each line; else it is `step` lines.
      const auto at = [&](const char* to, const char* low_word, bool along) {
        out.line("mad.lo.u32 ", to, ", %stage, ", program.stage_bytes() / unit, ", ", low_word, "; add.u32 ", to, ", ",
                 to, ", ", i * (along ? 32 : step * line_bytes) / unit, ";");
      };
      out.line("{ .reg .b64 a, b;");
      at("%x", "%a_low", program.a_along);
      at("%y", "%b_low", program.b_along);
      out.line("mov.b64 a, {%x, %high}; mov.b64 b, {%y, %high};");
      const std::string across = program.type == DType::float32
                                     ? ""
                                     : std::string(program.a_along ? ", 0" : ", 1") + (program.b_along ? ", 0" : ", 1");
      out.line("wgmma.mma_async.sync.aligned.m64n", program.columns, "k", step, ".f32.", type_name(program), ".",
               type_name(program), " {", list, "}, a, b, ", first && i == 0 ? "%never" : "1", ", 1, 1", across, "; }");
    }
    out.line("wgmma.commit_group.sync.aligned;");
  };
  const auto release = [&] {
    out.line("shl.b32 %x, %previous, 3; add.u32 %x, %x, %empty; @%first mbarrier.arrive.shared::cta.b64 _, [%x];");
  };

  out.line("TILE: setp.ge.u32 %p, %tile, %tiles; @%p bra DRAIN;").line(pieces.place);
  out.line(pieces.wait);
  multiply(true);
  out.line("mov.u32 %previous, %stage;").line(pieces.advance);
  out.line("sub.u32 %left, %steps, 1; setp.eq.u32 %p, %left, 0; @%p bra LAST;");
  out.line("NEXT:");
  out.line(pieces.wait);
  multiply(false);
  out.line("wgmma.wait_group.sync.aligned 1;");  // the stage before has been read
  release();
  out.line("mov.u32 %previous, %stage;").line(pieces.advance);
  out.line("sub.u32 %left, %left, 1; setp.ne.u32 %p, %left, 0; @%p bra NEXT;");
  out.line("LAST: wgmma.wait_group.sync.aligned 0;");
  release();
  print_ptx_store(out, program);
  out.line("add.u32 %tile, %tile, %groups; bra TILE;");
  out.line("DRAIN:");
  if (program.stores_tiles()) out.line("@%lead cp.async.bulk.wait_group 0;");
}

}  // namespace koine::codegen

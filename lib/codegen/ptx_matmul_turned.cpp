// SPDX-License-Identifier: Apache-2.0
// tf32 with B across the depth: the transposed results are B transposed by A transposed. A warpgroup has 64 columns of
// a tile of the results; their elements of B are loaded into registers, and A lies in local memory along the depth.
//
// The 8 lines of a fragment are dealt so that no load meets a bank twice: the columns 0 1 2 3 16 17 18 19 of a box of
// 32, 8 further on for every other warp; and those 4 further on are the second 8.
#include "codegen/ptx_matmul.hpp"

namespace koine::codegen {

void print_wgmma_turned(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces) {
  constexpr int line_bytes = PtxMatmul::row_bytes;
  const int sums = program.rows / 2;  // of a thread
  const int step = program.step_depth(), steps = program.depth() / step;
  std::string list;
  for (int i = 0; i < sums; ++i) list += (i > 0 ? ", %f" : "%f") + std::to_string(i);
  out.line(".reg .f32 %f<", sums, ">; .reg .b32 %low, %high, %g, %t, %two, %meet, %chunk, %put_next;");
  out.line(".reg .b32 %start<4>, %from<4>, %e<", 2 * 4 * steps, ">;");
  out.line("mov.u32 %low, %smem;");
  print_wgmma_low(out, "%low", 16);
  print_ptx_store_setup(out, program);
  out.line("shr.u32 %g, %lane, 2; and.b32 %t, %lane, 3; shr.u32 %two, %warp, 1; add.u32 %meet, %two, 1;");
  out.line("and.b32 %x, %warp, 1; shl.b32 %x, %x, 1; and.b32 %y, %g, 4; or.b32 %chunk, %x, %y; and.b32 %z, %g, 3; ",
           "shl.b32 %z, %z, 2;");
  // Of the first stage: the thread's elements at step t of the depth, of the first columns and of those 4 further on,
  // and both at step t + 4. Two warps share a box.
  out.line("xor.b32 %x, %chunk, %t; shl.b32 %x, %x, 4; shl.b32 %y, %t, 7; add.u32 %x, %x, %y; add.u32 %x, %x, %z; ",
           "mad.lo.u32 %x, %two, ", program.depth() * line_bytes, ", %x; add.u32 %x, %x, %smem; add.u32 %start0, %x, ",
           program.a_bytes(), ";");
  out.line("xor.b32 %start1, %start0, 16; xor.b32 %start2, %start0, 64; xor.b32 %start3, %start0, 80;");
  // Where results wait: the thread has two rows of one column, and of that 4 further on.
  out.line("shl.b32 %x, %t, 1; xor.b32 %x, %x, %chunk; shl.b32 %x, %x, 4; shl.b32 %y, %t, 8; add.u32 %x, %x, %y; ",
           "add.u32 %x, %x, %z; mad.lo.u32 %x, %two, ", 8192, ", %x; add.u32 %x, %x, %smem; add.u32 %put, %x, ",
           program.ring_bytes(), "; xor.b32 %put_next, %put, 16;");

  const auto multiply = [&](bool first, int set) {
    out.line(pieces.wait);
    out.line("mul.lo.u32 %y, %stage, ", program.stage_bytes(), ";");
    for (int i = 0; i < 4; ++i) out.line("add.u32 %from", i, ", %start", i, ", %y;");
    const auto element = [&](int at, int i) { return 4 * (set * steps + at) + i; };
    for (int at = 0; at < steps; ++at) {
      for (int i = 0; i < 4; ++i) {
        out.line("ld.shared.b32 %e", element(at, i), ", [%from", i, "+", (at * step + (i < 2 ? 0 : 4)) * line_bytes,
                 "];");
      }
    }
    out.line("wgmma.fence.sync.aligned;");
    for (int at = 0; at < steps; ++at) {
      out.line("{ .reg .b64 b; mad.lo.u32 %y, %stage, ", program.stage_bytes() / 16, ", %low; add.u32 %y, %y, ",
               at * 32 / 16, "; mov.b64 b, {%y, %high};");
      out.line("wgmma.mma_async.sync.aligned.m64n", program.rows, "k", step, ".f32.tf32.tf32 {", list, "}, {%e",
               element(at, 0), ", %e", element(at, 1), ", %e", element(at, 2), ", %e", element(at, 3), "}, b, ",
               first && at == 0 ? "%never" : "1", ", 1, 1; }");
    }
    out.line("wgmma.commit_group.sync.aligned;");
  };
  const auto release = [&] {
    out.line("shl.b32 %x, %previous, 3; add.u32 %x, %x, %empty; @%lead mbarrier.arrive.shared::cta.b64 _, [%x];");
  };

  out.line("TILE: setp.ge.u32 %p, %tile, %tiles; @%p bra DRAIN;").line(pieces.place);
  multiply(true, 0);
  out.line("mov.u32 %previous, %stage;").line(pieces.advance);
  out.line("sub.u32 %left, %steps, 1; setp.eq.u32 %p, %left, 0; @%p bra LAST;");
  out.line("NEXT:");
  for (const int set : {1, 0}) {  // registers that are being multiplied are not written
    multiply(false, set);
    out.line("wgmma.wait_group.sync.aligned 1;");  // the stage before has been read
    release();
    out.line("mov.u32 %previous, %stage;").line(pieces.advance);
    out.line("sub.u32 %left, %left, 1; setp.eq.u32 %p, %left, 0; @%p bra LAST;");
  }
  out.line("bra NEXT;");
  out.line("LAST: wgmma.wait_group.sync.aligned 0;");
  release();
  // Two warps have 32 columns, and bring 32 rows of them at a time, 16 each, to the results.
  out.line("mad.lo.u32 %n0, %two, 32, %n0; and.b32 %x, %warp, 1; mad.lo.u32 %c1, %x, 16, %m0;");
  for (int rows = 0; rows < program.rows; rows += 32) {
    const int bytes = rows / 32 % 2 * 32 * line_bytes;
    print_ptx_rows(out, program);
    print_ptx_room(out, program);
    out.line("bar.sync %meet, 64;");
    for (int part = 0; part < 4; ++part) {
      const int sum = (rows / 8 + part) * 4, at = bytes + part * 8 * line_bytes;
      out.line("st.shared.f32 [%put+", at, "], %f", sum, "; st.shared.f32 [%put_next+", at + line_bytes, "], %f",
               sum + 1, "; st.shared.f32 [%put_next+", at, "], %f", sum + 2, "; st.shared.f32 [%put+", at + line_bytes,
               "], %f", sum + 3, ";");
    }
    print_ptx_ready(out, program);
    out.line("bar.sync %meet, 64;");
    print_ptx_store_box(out, program, 0, bytes);
    out.line("add.u32 %c1, %c1, 32;");
  }
  out.line("add.u32 %tile, %tile, %groups; bra TILE;");
  out.line("DRAIN:");
  if (program.stores_tiles()) out.line("@%lead cp.async.bulk.wait_group 0;");
}

}  // namespace koine::codegen

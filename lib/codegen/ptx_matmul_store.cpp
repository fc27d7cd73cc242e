// SPDX-License-Identifier: Apache-2.0
// From the sums in the registers of a warpgroup to elements in global memory: through local memory, where each warp has
// room for two boxes of 16 rows of 128 bytes, swizzled as the copy engine wants them.
#include "codegen/ptx_matmul.hpp"

#include <cstddef>

namespace koine::codegen {
namespace {

constexpr int box_rows = 16, box_bytes = box_rows * PtxMatmul::row_bytes;

int box_columns(const PtxMatmul& program) { return PtxMatmul::row_bytes / (program.wide_results() ? 4 : 2); }

/// Sums of one box, from register `sum` on, to local memory at `bytes` behind %box.
void put_box(PtxText& out, const PtxMatmul& program, int sum, int bytes) {
  for (int chunk = 0; chunk < 8; chunk += 2) {
    out.line("xor.b32 %x, %put, ", chunk * 16, ";");
    if (program.wide_results()) {
      out.line("st.shared.v2.f32 [%x+", bytes, "], {%f", sum, ", %f", sum + 1, "}; st.shared.v2.f32 [%x+",
               bytes + 8 * PtxMatmul::row_bytes, "], {%f", sum + 2, ", %f", sum + 3, "};");
      sum += 4;
      continue;
    }
    const char* pair = program.type == DType::float16 ? "f16x2" : "bf16x2";
    for (int i = 0; i < 4; ++i, sum += 2) {
      out.line("cvt.rn.", pair, ".f32 %pair", i, ", %f", sum + 1, ", %f", sum, ";");
    }
    out.line("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%x+", bytes, "], {%pair0, %pair1, %pair2, %pair3};");
  }
}

/// Makes what is stored of the sums of a box, from register `sum` on.
void finish_box(PtxText& out, const PtxMatmul& program, int sum) {
  for (int last = sum + box_columns(program) / 2; sum < last; sum += 4) {
    // Two neighbours of one row, and two eight rows below.
    for (int i = 0; i < 4; ++i) {
      const int column = sum * 2 + i % 2;
      out.line("add.u32 %x, %e_c, ", column, "; setp.lt.and.u32 %e_there, %x, %n, %e_in", i / 2, ";");
      program.epilogue->print_element(out, "%f" + std::to_string(sum + i), i / 2, column, "%e_there");
    }
  }
}

/// Elements one by one: neighbours by neighbouring threads.
void store_elements(PtxText& out, const PtxMatmul& program, int column, int bytes) {
  const int size = program.wide_results() ? 4 : 2;
  const char* type = size == 4 ? "b32" : "b16";
  const char* value = size == 4 ? "%value32" : "%value16";
  for (int first = 0; first < PtxMatmul::row_bytes / size; first += 32) {
    out.line("add.u32 %x, %n0, %lane; add.u32 %x, %x, ", column + first, "; setp.lt.u32 %q, %x, %n;");
    out.line("mul.wide.u32 %w, %x, ", size, "; add.u64 %at, %row_at, %w;");
    for (int row = 0; row < box_rows; ++row) {
      // The thread's element of the row: its chunk lies where the swizzle says.
      out.line("xor.b32 %x, %element, ", (first * size) ^ (row % 8 * 16), "; ld.shared.", type, " ", value, ", [%x+",
               bytes + row * PtxMatmul::row_bytes, "];");
      out.line("setp.gt.and.u32 %p, %below, ", row, ", %q; @%p st.global.", type, " [%at], ", value,
               "; add.u64 %at, %at, %pitch;");
    }
  }
}

}  // namespace

void print_ptx_store_setup(PtxText& out, const PtxMatmul& program) {
  out.line(
      ".reg .b32 %box, %put, %element, %below, %pair<4>, %value32; .reg .b16 %value16; .reg .b64 %at, %row_at, "
      "%pitch;");
  if (program.turned()) {
    // Two warps share boxes of 32 rows.
    out.line("shr.u32 %x, %warp, 1; mad.lo.u32 %box, %x, ", 4 * box_bytes, ", %smem; and.b32 %x, %warp, 1; ",
             "mad.lo.u32 %box, %x, ", box_bytes, ", %box;");
  } else {
    out.line("mad.lo.u32 %box, %warp, ", 2 * box_bytes, ", %smem;");
  }
  out.line("add.u32 %box, %box, ", program.ring_bytes(), ";");
  if (program.stores_tiles()) {
    out.line("fence.proxy.tensormap::generic.acquire.gpu [%map_out], 128;");
  } else {
    const int size = program.wide_results() ? 4 : 2;
    out.line("mad.lo.u32 %element, %lane, ", size, ", %box; mul.wide.u32 %pitch, %n, ", size, ";");
  }
  if (program.turned()) return;
  if (program.epilogue) program.epilogue->print_registers(out, 2);
  if (program.wide_results()) {
    // A thread has pairs of columns of row lane / 4, and of that 8 below.
    out.line("shr.u32 %x, %lane, 2; and.b32 %y, %lane, 3; shl.b32 %y, %y, 3; shl.b32 %z, %x, 4; xor.b32 %y, %y, %z; ",
             "shl.b32 %x, %x, 7; add.u32 %put, %x, %y; add.u32 %put, %put, %box;");
  } else {
    // stmatrix takes the addresses of rows of 8: of rows 0 to 15, then of those in the next chunk.
    out.line("and.b32 %x, %lane, 15; shl.b32 %x, %x, 7; shr.u32 %y, %lane, 4; and.b32 %z, %lane, 7; ",
             "xor.b32 %y, %y, %z; shl.b32 %y, %y, 4; add.u32 %put, %x, %y; add.u32 %put, %put, %box;");
  }
}

void print_ptx_store(PtxText& out, const PtxMatmul& program) {
  const int width = box_columns(program);
  out.line("mad.lo.u32 %c1, %warp, ", box_rows, ", %m0;");  // this warp's first row
  print_ptx_rows(out, program);
  if (program.epilogue) {
    out.line("shr.u32 %x, %lane, 2; add.u32 %e_r0, %c1, %x; add.u32 %e_r1, %e_r0, 8; and.b32 %x, %lane, 3; ",
             "mad.lo.u32 %e_c, %x, 2, %n0; setp.lt.u32 %e_in0, %e_r0, %m; setp.lt.u32 %e_in1, %e_r1, %m;");
    program.epilogue->print_row(out, 0, "%e_r0", "%e_c");
    program.epilogue->print_row(out, 1, "%e_r1", "%e_c");
  }
  for (int box = 0; box < program.columns / width; ++box) {
    const int bytes = box % 2 * box_bytes;
    if (program.epilogue) finish_box(out, program, box * width / 2);
    print_ptx_room(out, program);
    out.line("bar.warp.sync 0xffffffff;");
    put_box(out, program, box * width / 2, bytes);
    print_ptx_ready(out, program);
    out.line("bar.warp.sync 0xffffffff;");
    print_ptx_store_box(out, program, box * width, bytes);
  }
}

void print_ptx_room(PtxText& out, const PtxMatmul& program) {
  if (!program.stores_tiles()) return;
  // Two boxes take turns: one may still be read while the other is written. Where tiles have a single box, it is the
  // same each time.
  const int boxes = program.turned() ? program.rows / 32 : program.columns / box_columns(program);
  out.line("@%lead cp.async.bulk.wait_group.read ", boxes % 2 == 0 ? 1 : 0, ";");
}

void print_ptx_ready(PtxText& out, const PtxMatmul& program) {
  if (program.stores_tiles()) out.line("fence.proxy.async.shared::cta;");
}

void print_ptx_rows(PtxText& out, const PtxMatmul& program) {
  if (program.stores_tiles()) return;
  out.line("sub.u32 %below, %m, %c1; setp.gt.u32 %p, %c1, %m; selp.u32 %below, 0, %below, %p;");
  out.line("mul.wide.u32 %at, %matrix, %m; cvt.u64.u32 %w, %c1; add.u64 %at, %at, %w; mul.lo.u64 %at, %at, %pitch;");
  out.line("ld.param.u64 %row_at, [p_out]; ld.param.u64 %w, [p_block+",
           offsetof(PtxMatmulBlock, out) + offsetof(PtxMatmulBlock::Map, offset),
           "]; add.u64 %row_at, %row_at, %w; add.u64 %row_at, %row_at, %at;");
}

void print_ptx_store_box(PtxText& out, const PtxMatmul& program, int column, int bytes) {
  if (!program.stores_tiles()) return store_elements(out, program, column, bytes);
  out.line("add.u32 %x, %box, ", bytes, "; add.u32 %c0, %n0, ", column, ";");
  out.line("@%lead cp.async.bulk.tensor.", program.batched ? 5 : 2, "d.global.shared::cta.bulk_group [%map_out, ",
           "{%c0, %c1", program.batched ? ", %b0, %b1, %b2" : "", "}], [%x];");
  out.line("@%lead cp.async.bulk.commit_group;");
}

}  // namespace koine::codegen

// SPDX-License-Identifier: Apache-2.0
// The warps that multiply float16, bfloat16 and tf32 with mma.sync, for sums in float32: eight, two down and four
// across, each half of the rows and a quarter of the columns of a tile. Fragments come by ldmatrix, whose eight rows of
// 16 bytes lie in eight places of the swizzle; those of 16 bits that lie across the depth are transposed on the way.
#include <cstddef>
#include <string>

#include "codegen/ptx_matmul.hpp"

namespace koine::codegen {
namespace {

constexpr int line_bytes = PtxMatmul::row_bytes;

/// One side of the product. ldmatrix takes four matrices of eight by 16 bytes: two lines or chunks by two.
struct Side {
  std::string name;  // of its registers
  const char* warp;
  int lines;    // of a warp
  int operand;  // where it begins in a stage
  bool along;
  /// Bits of a lane's number: that of the second eight lines, and that of the second chunk along the depth.
  int line_bit, depth_bit;

  std::string of(const char* what) const { return "%" + name + what; }
  std::string value(int i) const { return "%" + name + std::to_string(i); }
};

/// The lane's address in the first stage.
void print_start(PtxText& out, const PtxMatmul& program, const Side& side) {
  const auto bit = [&](const char* to, int number) {
    out.line("shr.u32 ", to, ", %lane, ", number, "; and.b32 ", to, ", ", to, ", 1;");
  };
  bit("%y", side.line_bit);
  bit("%z", side.depth_bit);
  const std::string start = side.of("start");
  out.line("and.b32 %x, %lane, 7;");
  if (side.along) {
    out.line("mad.lo.u32 %y, %y, 8, %x; mad.lo.u32 %y, ", side.warp, ", ", side.lines, ", %y; xor.b32 %z, %z, %x; ",
             "shl.b32 %y, %y, 7; shl.b32 %z, %z, 4; add.u32 ", start, ", %y, %z;");
  } else {
    // Boxes of 64 lines: of a step of the depth 128 bytes.
    out.line("mad.lo.u32 %z, %z, 8, %x; shl.b32 %z, %z, 7; mul.lo.u32 ", start, ", ", side.warp, ", ", side.lines / 8,
             "; add.u32 %y, %y, ", start, ";");
    out.line("shr.u32 ", start, ", %y, 3; mad.lo.u32 %z, ", start, ", ", program.depth() * line_bytes,
             ", %z; and.b32 %y, %y, 7; xor.b32 %y, %y, %x; shl.b32 %y, %y, 4; add.u32 ", start, ", %y, %z;");
  }
  out.line("add.u32 ", start, ", ", start, ", %smem; add.u32 ", start, ", ", start, ", ", side.operand, ";");
}

/// Sixteen lines from 16 * `number` on at a step, into four registers from `first` on.
void load(PtxText& out, const PtxMatmul& program, const Side& side, int number, int step, int first) {
  const int turned = side.along ? 32 * step : 32 * number;
  const int bytes = side.along ? 16 * line_bytes * number : 16 * line_bytes * step;
  out.line("xor.b32 %x, ", side.of("at"), ", ", turned, "; ldmatrix.sync.aligned.m8n8.x4", side.along ? "" : ".trans",
           ".shared.b16 {", side.value(first), ", ", side.value(first + 1), ", ", side.value(first + 2), ", ",
           side.value(first + 3), "}, [%x+", bytes, "];");
  if (!program.tf32) return;
  for (int i = first; i < first + 4; ++i) out.line("cvt.rna.tf32.f32 ", side.value(i), ", ", side.value(i), ";");
}

}  // namespace

void print_mma(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces) {
  const int down = program.rows / 32, across = program.columns / 32;  // fragments of a warp: 16 rows, 8 columns
  const int rows = 16 * down, columns = 8 * across, sums = 4 * down * across;
  constexpr int steps = 4;  // of a stage, 32 bytes of a line each
  const Side a{"fa", "%warp_down", rows, 0, program.a_along, 3, 4};
  const Side b{"fb", "%warp_across", columns, program.a_bytes(), program.b_along, 4, 3};
  const std::string type = program.type == DType::float16 ? "f16" : program.type == DType::bfloat16 ? "bf16" : "tf32";

  out.line(".reg .f32 %f<", sums, ">; .reg .b32 %fa<", 4 * down, ">, %fb<", 2 * across,
           ">, %fastart, %fbstart, %faat, ",
           "%fbat, %warp_down, %warp_across, %below, %right; .reg .b64 %out, %pitch, %to_row; .reg .pred %in;");
  out.line("and.b32 %warp_down, %warp, 1; shr.u32 %warp_across, %warp, 1;");
  print_start(out, program, a);
  print_start(out, program, b);
  out.line("TILE: setp.ge.u32 %p, %tile, %tiles; @%p bra END;");
  for (int i = 0; i < sums; ++i) out.line("mov.f32 %f", i, ", 0f00000000;");
  out.line("mov.u32 %left, %steps;\nNEXT:").line(pieces.wait);
  out.line("mul.lo.u32 %x, %stage, ", program.stage_bytes(), "; add.u32 %faat, %fastart, %x; add.u32 %fbat, %fbstart, ",
           "%x;");
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < down; ++i) load(out, program, a, i, step, 4 * i);
    for (int j = 0; j < across; j += 2) load(out, program, b, j / 2, step, 2 * j);
    for (int i = 0; i < down; ++i) {
      for (int j = 0; j < across; ++j) {
        const int sum = 4 * (i * across + j);
        const std::string list = "{%f" + std::to_string(sum) + ", %f" + std::to_string(sum + 1) + ", %f" +
                                 std::to_string(sum + 2) + ", %f" + std::to_string(sum + 3) + "}";
        out.line("mma.sync.aligned.m16n8k", program.step_depth(), ".row.col.f32.", type, ".", type, ".f32 ", list,
                 ", {", a.value(4 * i), ", ", a.value(4 * i + 1), ", ", a.value(4 * i + 2), ", ", a.value(4 * i + 3),
                 "}, {", b.value(2 * j), ", ", b.value(2 * j + 1), "}, ", list, ";");
      }
    }
  }
  out.line(pieces.advance, "sub.u32 %left, %left, 1; setp.ne.u32 %p, %left, 0; @%p bra NEXT;");

  // A thread has pairs of columns of row lane / 4, and of that 8 below.
  const int size = program.wide_results() ? 4 : 2;
  out.line("ld.param.u64 %out, [p_out]; ld.param.u64 %w, [p_block+",
           offsetof(PtxMatmulBlock, out) + offsetof(PtxMatmulBlock::Map, offset),
           "]; add.u64 %out, %out, %w; mul.wide.u32 %pitch, %n, ", size, ";");
  out.line("shr.u32 %x, %lane, 2; add.u32 %below, %m0, %x; mad.lo.u32 %below, %warp_down, ", rows, ", %below;");
  out.line("and.b32 %x, %lane, 3; mad.lo.u32 %right, %x, 2, %n0; mad.lo.u32 %right, %warp_across, ", columns,
           ", %right;");
  out.line(".reg .b32 %pair; .reg .b16 %one, %two;");
  for (int i = 0; i < 2 * down; ++i) {  // eight rows at a time
    out.line("add.u32 %x, %below, ", 8 * i, "; setp.lt.u32 %in, %x, %m; mul.wide.u32 %to_row, %matrix, %m; ",
             "cvt.u64.u32 %w, %x; add.u64 %to_row, %to_row, %w; mul.lo.u64 %to_row, %to_row, %pitch; ",
             "add.u64 %to_row, %to_row, %out; mul.wide.u32 %w, %right, ", size, "; add.u64 %to_row, %to_row, %w;");
    for (int j = 0; j < across; ++j) {
      const int sum = 4 * (i / 2 * across + j) + 2 * (i % 2), bytes = 8 * j * size;
      out.line("add.u32 %x, %right, ", 8 * j, "; setp.lt.and.u32 %p, %x, %n, %in; add.u32 %x, %x, 1; ",
               "setp.lt.and.u32 %q, %x, %n, %in;");
      if (size == 4 && program.aligned) {
        out.line("@%p st.global.v2.f32 [%to_row+", bytes, "], {%f", sum, ", %f", sum + 1, "};");
      } else if (size == 4) {
        out.line("@%p st.global.f32 [%to_row+", bytes, "], %f", sum, "; @%q st.global.f32 [%to_row+", bytes + 4,
                 "], %f", sum + 1, ";");
      } else {
        out.line("cvt.rn.", type, "x2.f32 %pair, %f", sum + 1, ", %f", sum, ";");
        if (program.aligned) {
          out.line("@%p st.global.b32 [%to_row+", bytes, "], %pair;");
        } else {
          out.line("mov.b32 {%one, %two}, %pair; @%p st.global.b16 [%to_row+", bytes,
                   "], %one; @%q st.global.b16 [%to_row+", bytes + 2, "], %two;");
        }
      }
    }
  }
  out.line("add.u32 %tile, %tile, %groups; bra TILE;");
}

}  // namespace koine::codegen

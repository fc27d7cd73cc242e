// SPDX-License-Identifier: Apache-2.0
// The warps that multiply float64 with mma.sync: eight, two down and four across, each half of the rows and a quarter
// of the columns of a tile.
//
// A fragment takes 8 lines (rows of A, columns of B) of an operand, four elements along the depth by each of four
// threads of a line. Which lines these are is free as long as the results are stored accordingly: they are dealt so
// that no load from local memory meets a bank twice, for the elements lie swizzled. Of an operand along the depth they
// are the lines 0 2 4 6 1 3 5 7 of eight; of one across it 0 1 8 9 2 3 10 11 of sixteen, and then those 4 further on.
#include <cstddef>

#include "codegen/ptx_matmul.hpp"

namespace koine::codegen {
namespace {

constexpr int line_bytes = PtxMatmul::row_bytes, depth = 16;

/// One side of the product: names of its registers, and where it lies.
struct Side {
  const char* values;  // registers of elements
  const char* start;   // addresses of the thread's elements in the first stage, one for each of its places along ...
  const char* at;      // ... and in the stage at hand
  const char* line;    // the thread's line of a fragment, dealt as above
  bool along;
};

/// The thread's four addresses of the first stage: of the lines of warp `warp`, each warp `bytes` behind the one
/// before.
void print_starts(PtxText& out, const Side& side, const char* warp, int bytes, int operand) {
  const char* line = side.line;
  if (side.along) {
    // Element t of line l: chunk t / 2 of the line, swizzled by l.
    out.line("shr.u32 %x, %t, 1; xor.b32 %x, %x, ", line, "; shl.b32 %x, %x, 4; and.b32 %y, %t, 1; shl.b32 %y, %y, 3; ",
             "add.u32 %x, %x, %y; shl.b32 %y, ", line, ", 7;");
  } else {
    // Element l of step t along the depth.
    out.line("shr.u32 %x, ", line, ", 1; xor.b32 %x, %x, %t; shl.b32 %x, %x, 4; and.b32 %y, ", line,
             ", 1; shl.b32 %y, %y, 3; add.u32 %x, %x, %y; shl.b32 %y, %t, 7;");
  }
  const std::string start = side.start;
  out.line("add.u32 %x, %x, %y; mad.lo.u32 %x, ", warp, ", ", bytes, ", %x; add.u32 %x, %x, %smem; add.u32 ", start,
           "0, %x, ", operand, ";");
  // The swizzle turns four steps along the depth into an exclusive or: of chunks, two for each four elements of a line,
  // or of the bit that lines t and t + 4 differ in; and so it does the step of 4 to the other lines of sixteen.
  for (int i = 1; i < 4; ++i) {
    out.line("xor.b32 ", start, i, ", ", start, "0, ", side.along ? 32 * i : 64 * (i & 1) + 32 * (i >> 1), ";");
  }
}

/// Eight lines of an operand, from 8 * `number` on: the thread's four elements along the depth, into registers
/// `first`, `first` + `step`, ...
void load_lines(PtxText& out, const Side& side, int number, int first, int step) {
  for (int k = 0; k < 4; ++k) {
    const int address = side.along ? k : (k & 1) + 2 * (number & 1);
    const int bytes = side.along ? 8 * line_bytes * number : depth * line_bytes * (number >> 1) + 4 * line_bytes * k;
    out.line("ld.shared.f64 ", side.values, first + k * step, ", [", side.at, address, "+", bytes, "];");
  }
}

}  // namespace

void print_mma_f64(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces) {
  const int down = program.rows / 32;       // fragments of a warp: of 16 rows, ...
  const int across = program.columns / 32;  // ... of 8 columns
  const int sums = 4 * down * across, rows = 16 * down, columns = 8 * across;
  out.line(".reg .f64 %f<", sums, ">, %a<16>, %b_<16>; .reg .b64 %out, %to_row, %pitch; .reg .pred %in;");
  out.line(
      ".reg .b32 %as<4>, %bs<4>, %aat<4>, %bat<4>, %t, %along_line, %across_line, %warp_down, %warp_across, %below;");
  // Lines are dealt by lane / 4, whose bits are c b a: (b a c) along, (b 0 c a) across.
  out.line("and.b32 %t, %lane, 3; shr.u32 %z, %lane, 2;");
  out.line("and.b32 %x, %z, 3; shl.b32 %x, %x, 1; shr.u32 %y, %z, 2; or.b32 %along_line, %x, %y;");
  out.line("and.b32 %x, %z, 1; shl.b32 %y, %y, 1; or.b32 %x, %x, %y; and.b32 %y, %z, 2; shl.b32 %y, %y, 2; ",
           "or.b32 %across_line, %x, %y;");
  out.line("and.b32 %warp_down, %warp, 1; shr.u32 %warp_across, %warp, 1;");
  const auto line_of = [](bool along) { return along ? "%along_line" : "%across_line"; };
  const Side a{"%a", "%as", "%aat", line_of(program.a_along), program.a_along};
  const Side b{"%b_", "%bs", "%bat", line_of(program.b_along), program.b_along};
  print_starts(out, a, "%warp_down", rows * line_bytes, 0);
  print_starts(out, b, "%warp_across", columns * line_bytes, program.a_bytes());
  out.line("ld.param.u64 %out, [p_out]; ld.param.u64 %w, [p_block+",
           offsetof(PtxMatmulBlock, out) + offsetof(PtxMatmulBlock::Map, offset),
           "]; add.u64 %out, %out, %w; mul.wide.u32 %pitch, %n, 8;");
  if (program.taken) print_ptx_take_setup(out, program, 2 * across);

  // Rows of A take turns in two sets of registers, so that one is loaded while the other is multiplied.
  const auto load_rows = [&](int i, int set) {
    load_lines(out, a, 2 * i, 8 * set, 2);
    load_lines(out, a, 2 * i + 1, 8 * set + 1, 2);
  };
  const auto load_columns = [&](int j) { load_lines(out, b, j, 4 * j, 1); };
  const auto list = [](const char* name, int first, int count) {
    std::string text;
    for (int i = first; i < first + count; ++i) text += (i > first ? ", " : "") + std::string(name) + std::to_string(i);
    return "{" + text + "}";
  };
  const auto multiply = [&](int i, int j) {
    if (program.sm80) {
      // Eight rows, and four steps of the depth.
      for (int k = 0; k < 4; ++k) {
        for (int half = 0; half < 2; ++half) {
          const std::string half_sum = list("%f", 4 * (i * across + j) + 2 * half, 2);
          out.line("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 ", half_sum, ", ",
                   list("%a", 8 * (i & 1) + 2 * k + half, 1), ", ", list("%b_", 4 * j + k, 1), ", ", half_sum, ";");
        }
      }
      return;
    }
    const std::string sum = list("%f", 4 * (i * across + j), 4);
    out.line("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 ", sum, ", ", list("%a", 8 * (i & 1), 8), ", ",
             list("%b_", 4 * j, 4), ", ", sum, ";");
  };
  const auto open = [&] {
    out.line(pieces.wait);
    out.line("mul.lo.u32 %y, %stage, ", program.stage_bytes(), ";");
    for (int i = 0; i < 4; ++i) {
      out.line("add.u32 %aat", i, ", %as", i, ", %y; add.u32 %bat", i, ", %bs", i, ", %y;");
    }
  };

  out.line("TILE: setp.ge.u32 %p, %tile, %tiles; @%p bra END;").line(pieces.place);
  for (int i = 0; i < sums; ++i) out.line("mov.f64 %f", i, ", 0d0000000000000000;");
  out.line("mov.u32 %left, %steps;");
  open();
  for (int j = 0; j < across; ++j) load_columns(j);
  load_rows(0, 0);
  out.line("NEXT:");
  for (int i = 0; i + 1 < down; ++i) {
    load_rows(i + 1, 1 - (i & 1));
    for (int j = 0; j < across; ++j) multiply(i, j);
  }
  out.line("shl.b32 %previous, %stage, 3; add.u32 %previous, %previous, %empty;").line(pieces.advance);
  out.line("sub.u32 %left, %left, 1; setp.eq.u32 %p, %left, 0; @%p bra LAST;");
  // The next stage's first fragments are loaded while the last rows of this one are multiplied.
  open();
  const int next = down == 1 ? 1 : 0;
  load_rows(0, next);
  for (int j = 0; j < across; ++j) {
    multiply(down - 1, j);
    load_columns(j);
  }
  for (int k = 0; next != 0 && k < 8; ++k) out.line("mov.f64 %a", k, ", %a", 8 * next + k, ";");
  out.line(pieces.release);
  out.line("bra NEXT;\nLAST:");
  for (int j = 0; j < across; ++j) multiply(down - 1, j);
  out.line(pieces.release);

  out.line("mad.lo.u32 %m0, %warp_down, ", rows, ", %m0; add.u32 %m0, %m0, ", a.line,
           "; mad.lo.u32 %n0, %warp_across, ", columns, ", %n0;");
  // The first of the columns of a thread's pair, which are 2 t and 2 t + 1 of a fragment, as they are dealt.
  if (program.b_along) {
    out.line("and.b32 %x, %t, 1; shl.b32 %x, %x, 2; shr.u32 %y, %t, 1; add.u32 %x, %x, %y; add.u32 %n0, %n0, %x;");
  } else {
    out.line("and.b32 %x, %t, 1; shl.b32 %x, %x, 3; and.b32 %y, %t, 2; add.u32 %x, %x, %y; add.u32 %n0, %n0, %x;");
  }
  const int apart = program.b_along ? 2 : 1;  // columns of a pair
  for (int i = 0; i < 2 * down; ++i) {        // eight rows at a time
    out.line("add.u32 %below, %m0, ", program.a_along ? 8 * i : 16 * (i >> 1) + 4 * (i & 1),
             "; setp.lt.u32 %in, %below, ", "%m;");
    out.line(
        "mul.wide.u32 %to_row, %matrix, %m; cvt.u64.u32 %w, %below; add.u64 %to_row, %to_row, %w; mul.lo.u64 %to_row, "
        "%to_row, %pitch; ",
        "add.u64 %to_row, %to_row, %out; mul.wide.u32 %w, %n0, 8; add.u64 %to_row, %to_row, %w;");
    std::vector<std::pair<int, std::string>> taken;
    for (int j = 0; j < across; ++j) {
      const int sum = 4 * ((i >> 1) * across + j) + 2 * (i & 1);
      const int column = program.b_along ? 8 * j : 16 * (j >> 1) + 4 * (j & 1);
      if (program.taken) {
        for (int of_pair : {0, 1}) taken.emplace_back(column + of_pair * apart, "%f" + std::to_string(sum + of_pair));
        continue;
      }
      out.line("add.u32 %x, %n0, ", column, "; setp.lt.and.u32 %p, %x, %n, %in;");
      if (program.aligned && apart == 1) {
        out.line("@%p st.global.v2.f64 [%to_row+", 8 * column, "], {%f", sum, ", %f", sum + 1, "};");
        continue;
      }
      out.line("@%p st.global.f64 [%to_row+", 8 * column, "], %f", sum, ";");
      out.line("add.u32 %x, %x, ", apart, "; setp.lt.and.u32 %p, %x, %n, %in; @%p st.global.f64 [%to_row+",
               8 * (column + apart), "], %f", sum + 1, ";");
    }
    if (program.taken) print_ptx_take(out, program, "%n0", taken);
  }
  out.line("add.u32 %tile, %tile, %groups; bra TILE;");
}

}  // namespace koine::codegen

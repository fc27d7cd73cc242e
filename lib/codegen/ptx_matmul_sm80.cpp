// SPDX-License-Identifier: Apache-2.0
// The frame of programs for cards from sm_80 on, which have no copy engine: all work-items of a group copy (cp.async)
// what the stages hold, in the places where Hopper's copy engine would have put it, and all multiply. A group has one
// tile.
#include <cstddef>
#include <string>

#include "codegen/ptx_matmul.hpp"

namespace koine::codegen {
namespace {

using Block = PtxMatmulBlock;
using Map = PtxMatmulBlock::Map;

constexpr int line_bytes = PtxMatmul::row_bytes, chunk_bytes = 16;
constexpr int lines_at_once = PtxMatmul::sm80_items / (line_bytes / chunk_bytes);  // each work-item has one chunk

std::string parameter(std::size_t offset) { return "[p_block+" + std::to_string(offset) + "]"; }

/// One operand.
struct Side {
  char name;  // of its registers
  const char* buffer;
  std::size_t map, walks;  // in the block
  const char* first;       // its first line of the tile
  bool along;
  int lines, operand;  // of a tile, and where they begin in a stage

  std::string of(const char* what, int i = -1) const {
    return std::string("%") + name + "_" + what + (i < 0 ? "" : std::to_string(i));
  }
  int passes() const { return lines / lines_at_once; }
  std::size_t size_at(int axis) const { return map + offsetof(Map, sizes) + 4 * static_cast<std::size_t>(axis); }
  std::size_t stride_at(int axis) const { return map + offsetof(Map, strides) + 8 * static_cast<std::size_t>(axis); }
};

/// Bytes of a chunk that exist, of `left` from its first on.
void print_clamped(PtxText& out, const std::string& to, const char* left) {
  out.line("max.s32 ", to, ", ", left, ", 0; min.s32 ", to, ", ", to, ", ", chunk_bytes, ";");
}

/// Where the work-item's chunks come from and go to. %chunk is the number of its chunk in a line of 128 bytes, %place
/// the line.
void print_source(PtxText& out, const PtxMatmul& program, const Side& side) {
  const int depth = program.depth(), size = program.size();
  out.line(".reg .b64 ", side.of("from"), ", ", side.of("apart"), "; .reg .b32 ", side.of("to"), ", ", side.of("left"),
           ", ", side.of("outer"), ", ", side.of("bytes<4>"), ";");
  out.line("ld.param.u64 ", side.of("from"), ", [", side.buffer, "]; ld.param.u64 %w, ",
           parameter(side.map + offsetof(Map, offset)), "; add.u64 ", side.of("from"), ", ", side.of("from"),
           ", %w; ld.param.u64 ", side.of("apart"), ", ", parameter(side.stride_at(0)), ";");
  if (program.batched) {
    for (int axis = 0; axis < 3; ++axis) {
      out.line("ld.param.u32 %x, ", parameter(side.walks + 4 * static_cast<std::size_t>(axis)),
               "; mul.lo.u32 %x, %x, %b", axis, "; cvt.u64.u32 %at, %x; ld.param.u64 %w, ",
               parameter(side.stride_at(1 + axis)), "; mul.lo.u64 %w, %w, %at; add.u64 ", side.of("from"), ", ",
               side.of("from"), ", %w;");
    }
  }
  out.line("ld.param.u32 %y, ", parameter(side.size_at(0)), "; ld.param.u32 %z, ", parameter(side.size_at(1)), ";");
  const std::string from = side.of("from"), left = side.of("left"), outer = side.of("outer"), to = side.of("to");
  if (side.along) {
    out.line("add.u32 %x, ", side.first, ", %place; sub.u32 ", outer,
             ", %z, %x; cvt.u64.u32 %w, %x; mul.lo.u64 %w, %w, ", side.of("apart"), "; add.u64 ", from, ", ", from,
             ", %w;");
    out.line("shl.b32 %x, %chunk, 4; mul.lo.u32 %y, %y, ", size, "; sub.u32 ", left, ", %y, %x; cvt.u64.u32 %w, %x; ",
             "add.u64 ", from, ", ", from, ", %w; shl.b32 ", to, ", %place, 7; and.b32 %z, %place, 7;");
  } else {
    // A box of 128 bytes of each step of the depth after the other.
    out.line("rem.u32 %row, %place, ", depth, "; div.u32 %box, %place, ", depth, "; sub.u32 ", outer, ", %z, %row; ",
             "cvt.u64.u32 %w, %row; mul.lo.u64 %w, %w, ", side.of("apart"), "; add.u64 ", from, ", ", from, ", %w;");
    out.line("mul.wide.u32 %w, ", side.first, ", ", size, "; add.u64 ", from, ", ", from,
             ", %w; shl.b32 %x, %chunk, 4; ", "mad.lo.u32 %x, %box, ", line_bytes, ", %x; cvt.u64.u32 %w, %x; add.u64 ",
             from, ", ", from, ", %w;");
    out.line("sub.u32 %y, %y, ", side.first, "; min.u32 %y, %y, ", side.lines, "; mul.lo.u32 %y, %y, ", size,
             "; sub.u32 %y, %y, %x;");
    const int boxes = side.lines * size / line_bytes, each = depth < lines_at_once ? lines_at_once / depth : 1;
    for (int i = 0; i * each < boxes; ++i) {
      out.line("sub.u32 %z, %y, ", i * each * line_bytes, ";");
      print_clamped(out, side.of("bytes", i), "%z");
    }
    out.line("mul.lo.u32 ", to, ", %box, ", depth * line_bytes, "; mad.lo.u32 ", to, ", %row, ", line_bytes, ", ", to,
             "; and.b32 %z, %row, 7;");
  }
  out.line("xor.b32 %z, %z, %chunk; shl.b32 %z, %z, 4; add.u32 ", to, ", ", to, ", %z; add.u32 ", to, ", ", to,
           ", %smem; add.u32 ", to, ", ", to, ", ", side.operand, ";");
}

/// Copies the next stage of an operand, to the stage at %to.
void print_copy(PtxText& out, const PtxMatmul& program, const Side& side) {
  const int depth = program.depth();
  const std::string from = side.of("from"), left = side.of("left"), outer = side.of("outer");
  out.line("add.u32 %x, %to, ", side.of("to"), ";");
  if (side.along) print_clamped(out, side.of("bytes", 0), left.c_str());
  out.line("mov.u64 %at, ", from, ";");
  for (int i = 0; i < side.passes(); ++i) {
    // Along the depth a pass is of other lines, else of another box or of another half of one.
    const int halves = side.along || depth < lines_at_once ? 1 : depth / lines_at_once;
    const std::string bytes = side.of("bytes", side.along ? 0 : i / halves);
    const int below = side.along ? i * lines_at_once : i % halves * lines_at_once;
    out.line("setp.gt.s32 %p, ", outer, ", ", below, "; selp.b32 %y, ", bytes, ", 0, %p;");
    if (i > 0) {
      if (side.along) {
        out.line("mad.lo.u64 %at, ", side.of("apart"), ", ", lines_at_once, ", %at;");
      } else {
        out.line("add.u64 %at, ", from, ", ",
                 i / halves * line_bytes * (depth < lines_at_once ? lines_at_once / depth : 1), ";");
        if (below > 0) out.line("mad.lo.u64 %at, ", side.of("apart"), ", ", below, ", %at;");
      }
    }
    out.line("cp.async.cg.shared.global [%x+", i * lines_at_once * line_bytes, "], [%at], ", chunk_bytes, ", %y;");
  }
  if (side.along) {
    out.line("add.u64 ", from, ", ", from, ", ", line_bytes, "; sub.u32 ", left, ", ", left, ", ", line_bytes, ";");
  } else {
    out.line("mad.lo.u64 ", from, ", ", side.of("apart"), ", ", depth, ", ", from, "; sub.u32 ", outer, ", ", outer,
             ", ", depth, ";");
  }
}

}  // namespace

std::string print_ptx_matmul_sm80(const PtxMatmul& program, PtxMatmulPieces pieces) {
  const int stages = program.stages();
  const Side a{'a', "p_a", offsetof(Block, a), offsetof(Block, a_walks), "%m0", program.a_along, program.rows, 0};
  const Side b{'b',   "p_b",           offsetof(Block, b), offsetof(Block, b_walks),
               "%n0", program.b_along, program.columns,    program.a_bytes()};
  // The stage that was read last is filled again: by now all have left it.
  PtxText next;
  next.line("mul.lo.u32 %to, %next, ", program.stage_bytes(), ";");
  print_copy(next, program, a);
  print_copy(next, program, b);
  next.line("cp.async.commit_group; add.u32 %next, %next, 1; setp.eq.u32 %q, %next, ", stages,
            "; selp.u32 %next, 0, %next, %q;");
  pieces.wait = "cp.async.wait_group " + std::to_string(stages - 2) + "; bar.sync 0;\n" + next.text();
  pieces.release = "";

  PtxText out;
  out.line("// ", program.signature());
  out.line(".version 7.1\n.target sm_80, texmode_independent\n.address_size 64");
  print_ptx_entry(out, program);
  out.line(".shared .align 1024 .b8 ring[", program.ring_bytes(), "];");
  print_ptx_registers(out);
  out.line(".reg .b32 %chunk, %place, %row, %box, %next; .reg .b64 %at;");
  out.line("mov.u32 %smem, ring;");
  out.line("mov.u32 %phase, 0; mov.u32 %next, 0;");
  out.line(pieces.place, "and.b32 %chunk, %thread, 7; shr.u32 %place, %thread, 3;");
  print_source(out, program, a);
  print_source(out, program, b);
  for (int stage = 0; stage + 1 < stages; ++stage) out.line(next.text());
  if (program.fma()) {
    print_fma(out, program, pieces);
  } else if (program.type == DType::float64) {
    print_mma_f64(out, program, pieces);
  } else {
    print_mma(out, program, pieces);
  }
  out.line("END: ret;\n}");
  return out.text();
}

}  // namespace koine::codegen

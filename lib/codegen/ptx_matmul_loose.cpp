// SPDX-License-Identifier: Apache-2.0
// Stages that warps fill element by element, where the copy engine cannot read an operand's lines: by the lone warp of
// a group, or by the four of the first warpgroup, a quarter of the rows in local memory each.
#include <array>
#include <cstddef>
#include <string>

#include "codegen/ptx_matmul.hpp"

namespace koine::codegen {
namespace {

using Block = PtxMatmulBlock;

/// An operand, whose elements lane by lane are what is side by side in memory.
struct Loose {
  const char* name;  // of its registers
  const char *buffer, *first, *walk;
  std::size_t map;  // in the block
  bool along;
  int lines;  // of a tile
  int depth, warps;

  std::string of(const char* what) const { return std::string("%") + name + what; }
  /// Of a box in local memory, the rows that a warp fetches.
  int rows() const { return (along ? lines : depth) / warps; }
};

std::array<Loose, 2> operands(const PtxMatmul& program) {
  const int depth = program.depth(), warps = program.lone ? 1 : 4;
  return {Loose{"la_", "p_a", "%m0", "%ab", offsetof(Block, a), program.a_along, program.rows, depth, warps},
          Loose{"lb_", "p_b", "%n0", "%bb", offsetof(Block, b), program.b_along, program.b_lines(), depth, warps}};
}

}  // namespace

void print_ptx_loose_registers(PtxText& out, const PtxMatmul& program) {
  for (const Loose& side : operands(program)) {
    out.line(".reg .b64 ", side.of("from"), "; .reg .b32 ", side.of("left"), ", ", side.of("apart"), ";");
  }
}

// %from becomes where the lane's first element is, %left how many lines there are from the warp's first on, counted
// from the lane's where neighbours are of different lines.
void print_ptx_loose_place(PtxText& out, const PtxMatmul& program) {
  for (const Loose& side : operands(program)) {
    const std::string from = side.of("from"), left = side.of("left"), apart = side.of("apart");
    const auto size = [&](int axis) { return ptx_parameter(side.map + offsetof(Block::Map, sizes) + 4 * axis); };
    const auto stride = [&](int axis) { return ptx_parameter(side.map + offsetof(Block::Map, strides) + 8 * axis); };
    out.line("ld.param.u64 ", from, ", [", side.buffer, "]; ld.param.u64 %w, ",
             ptx_parameter(side.map + offsetof(Block::Map, offset)), "; add.u64 ", from, ", ", from, ", %w;");
    for (int axis = 0; program.batched && axis < 3; ++axis) {
      out.line("ld.param.u64 %w, ", stride(1 + axis), "; cvt.u64.u32 %base, ", side.walk, axis, "; mad.lo.u64 ", from,
               ", %w, %base, ", from, ";");
    }
    out.line("mul.wide.u32 %w, %lane, 4; add.u64 ", from, ", ", from, ", %w; ld.param.u32 %x, ",
             size(side.along ? 1 : 0), "; sub.u32 ", left, ", %x, ", side.first, "; ld.param.u64 %w, ", stride(0),
             "; cvt.u32.u64 ", apart, ", %w;");
    if (side.along) {
      out.line("cvt.u64.u32 %base, ", side.first, "; mad.lo.u64 ", from, ", %w, %base, ", from, ";");
    } else {
      out.line("mul.wide.u32 %w, ", side.first, ", 4; add.u64 ", from, ", ", from, ", %w; sub.u32 ", left, ", ", left,
               ", %lane;");
    }
    if (side.warps > 1) {
      out.line("mul.lo.u32 %x, %warp, ", side.rows(), "; mul.wide.s32 %w, %x, ", apart, "; add.u64 ", from, ", ", from,
               ", %w;");
      if (side.along) out.line("sub.u32 ", left, ", ", left, ", %x;");
    }
  }
}

void print_ptx_loose_copies(PtxText& out, const PtxMatmul& program) {
  constexpr int swizzled = 8;
  out.line("{ .reg .b32 %at<", swizzled, ">, %there, %below, %some; .reg .b64 %from;");
  out.line("ld.param.u32 %x, ",
           ptx_parameter(offsetof(Block, a) + offsetof(Block::Map, sizes) + (program.a_along ? 0 : 4)),
           "; sub.u32 %there, %x, %k0;");
  int operand = 0;
  for (const Loose& side : operands(program)) {
    const std::string apart = side.of("apart"), left = side.of("left");
    out.line("shl.b32 %y, %lane, 2; mad.lo.u32 %z, %warp, ", side.rows() * program.row_bytes, ", %to;");
    for (int i = 0; i < swizzled; ++i) {
      out.line("xor.b32 %x, %y, ", 16 * i, "; add.u32 %at", i, ", %x, %z;");
    }
    if (side.along) {
      out.line("setp.lt.s32 %p, %lane, %there; selp.u32 %some, 4, 0, %p; mad.wide.u32 %base, %k0, 4, ", side.of("from"),
               ";");
    } else {
      out.line("mad.wide.s32 %base, %k0, ", apart, ", ", side.of("from"), "; mul.lo.u32 %x, %warp, ", side.rows(),
               "; sub.u32 %below, %there, %x;");
    }
    for (int box = 0; box < (side.along ? 1 : side.lines / program.depth()); ++box) {
      if (!side.along) out.line("setp.gt.s32 %q, ", left, ", ", box * program.depth(), ";");
      for (int row = 0; row < side.rows(); ++row) {
        out.line("mad.wide.s32 %from, ", apart, ", ", row, ", %base;");
        const int to = operand + (box * program.depth() + row) * program.row_bytes, from = box * program.row_bytes;
        if (side.along) {
          out.line("setp.gt.s32 %p, ", left, ", ", row, ";");
        } else {
          out.line("setp.gt.s32 %p, %below, ", row, "; selp.u32 %some, 4, 0, %p;");
        }
        out.line(side.along ? "@%p" : "@%q", " cp.async.ca.shared.global [%at", row % swizzled, "+", to, "], [%from+",
                 from, "], 4, %some;");
      }
    }
    operand += program.a_bytes();
  }
  out.line("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%filled]; }");
}

}  // namespace koine::codegen

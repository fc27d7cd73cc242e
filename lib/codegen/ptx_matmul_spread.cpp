// SPDX-License-Identifier: Apache-2.0
// Tiles whose depth groups share, where tiles are no whole number of turns of all groups. Steps of these tiles, one
// tile's behind another's, are dealt to the groups in even runs. Of a tile with several runs each group leaves its sums
// in memory, and whoever comes last adds them up in the order of the depth: nobody waits, and bits do not depend on who
// that is. Warps do so one by one, since those of one number have the same places of a tile in all groups.
#include <cstddef>
#include <string>

#include "codegen/ptx_matmul.hpp"

namespace koine::codegen {
namespace {

/// A run begins or ends with a tile rather than so many stages beside it.
constexpr int margin = 1;

/// `to` becomes the group in whose run a stage is, which is %x; without margins.
void print_group_of_stage(PtxText& out, const char* to) {
  out.line("mad.lo.u32 ", to, ", %x, %groups, %groups; sub.u32 ", to, ", ", to, ", 1; div.u32 ", to, ", ", to,
           ", %shared;");
}

}  // namespace

void print_ptx_spread_setup(PtxText& out) {
  out.line(".reg .b32 %walk, %whole, %shared, %begin, %count, %position, %position_end; .reg .pred %ends;");
  out.line("ld.param.u32 %whole, ", ptx_parameter(offsetof(PtxMatmulBlock, whole)),
           "; sub.u32 %shared, %tiles, %whole; mul.lo.u32 %shared, %shared, %steps; mov.u32 %walk, %tile;");
  const auto begin_of = [&](const char* to, const char* group) {
    out.line("mul.lo.u32 ", to, ", ", group, ", %shared; div.u32 ", to, ", ", to, ", %groups; rem.u32 %x, ", to,
             ", %steps; sub.u32 %y, %steps, %x;");
    out.line("setp.le.u32 %p, %x, ", margin, "; selp.u32 %x, %x, 0, %p; sub.u32 ", to, ", ", to, ", %x; setp.le.u32 ",
             "%p, %y, ", margin, "; selp.u32 %y, %y, 0, %p; add.u32 ", to, ", ", to, ", %y;");
  };
  begin_of("%position", "%tile");
  out.line("add.u32 %z, %tile, 1;");
  begin_of("%position_end", "%z");
}

void print_ptx_segment(PtxText& out, const std::string& label, const char* end) {
  out.line(label, ": mov.u32 %tile, %walk; add.u32 %walk, %walk, %groups; mov.u32 %begin, 0; mov.u32 %count, %steps; ",
           "setp.lt.u32 %p, %tile, %whole; @%p bra ", label, "_WHOLE;");
  out.line("setp.ge.u32 %p, %position, %position_end; @%p bra ", end, ";");
  out.line("div.u32 %tile, %position, %steps; rem.u32 %begin, %position, %steps; sub.u32 %count, %steps, %begin; ",
           "sub.u32 %x, %position_end, %position; min.u32 %count, %count, %x; add.u32 %position, %position, %count; ",
           "add.u32 %tile, %tile, %whole;");
  out.line(label, "_WHOLE:");
}

void print_ptx_meet(PtxText& out, const PtxMatmul& program, int sums, const char* others) {
  constexpr int of_load = 4, warps = 8;
  const int piece_bytes = 4 * program.rows * program.columns, load_bytes = 16 * 32 * warps;
  const auto quad = [](const char* name, int at) {
    std::string list;
    for (int i = 0; i < of_load; ++i) list += (i > 0 ? ", " : "") + (name + std::to_string(at + i));
    return list;
  };
  const auto load = [&](const char* name, int first, int end) {
    for (int i = first; i < end; i += of_load) {
      out.line("ld.global.cg.v4.f32 {", quad(name, i), "}, [%at+", i / of_load * load_bytes, "];");
    }
  };
  const auto add = [&](const char* to, const char* more, int first, int end) {
    for (int i = first; i < end; ++i) out.line("add.rn.f32 ", to, i, ", ", to, i, ", ", more, i, ";");
  };
  // A group has room for two pieces, the second one of a tile that begins with it.
  const auto aim = [&](const char* group, const char* second) {
    out.line("shl.b32 %x, ", group, ", 1; add.u32 %x, %x, ", second, "; mul.wide.u32 %at, %x, ", piece_bytes,
             "; add.u64 %at, %at, %pieces;");
  };
  out.line("setp.eq.u32 %p, %count, %steps; @%p bra MET;");
  out.line("{ .reg .b64 %pieces, %at, %arrived; .reg .b32 %group, %own, %last_group, %old; .reg .f32 %more<", sums,
           ">, %sum<", sums, ">;");
  out.line("mul.wide.u32 %w, %groups, ", PtxMatmulBlock::scratch_bytes, "; ld.param.u64 %pieces, [p_scratch]; ",
           "add.u64 %pieces, %pieces, %w; sub.u32 %x, %thread, 128; mul.wide.u32 %w, %x, 16; add.u64 %pieces, ",
           "%pieces, %w;");
  out.line("sub.u32 %y, %tile, %whole; shl.b32 %z, %y, 3; add.u32 %z, %z, %warp; ld.param.u64 %arrived, [p_arrived]; ",
           "mul.wide.u32 %w, %z, 4; add.u64 %arrived, %arrived, %w;");
  out.line("mad.lo.u32 %x, %y, %steps, ", margin, ";");
  print_group_of_stage(out, "%group");
  out.line("add.u32 %x, %x, %steps; sub.u32 %x, %x, ", 2 * margin + 1, ";");
  print_group_of_stage(out, "%last_group");
  out.line("mov.u32 %own, %ctaid.x; sub.u32 %y, %last_group, %group;");
  // Where all others have been, these sums need not go through memory.
  out.line("@%lead ld.relaxed.gpu.global.u32 %old, [%arrived]; shfl.sync.idx.b32 %old, %old, 0, 31, 0xffffffff; ",
           "setp.eq.u32 %p, %old, %y; @%p bra COMPLETE;");
  out.line("setp.eq.u32 %p, %begin, 0; selp.u32 %z, 1, 0, %p;");
  aim("%own", "%z");
  for (int i = 0; i < sums; i += of_load) {
    out.line("st.global.v4.f32 [%at+", i / of_load * load_bytes, "], {", quad("%f", i), "};");
  }
  out.line("fence.acq_rel.gpu; bar.warp.sync 0xffffffff; @%lead atom.global.add.u32 %old, [%arrived], 1; ",
           "shfl.sync.idx.b32 %old, %old, 0, 31, 0xffffffff; setp.ne.u32 %p, %old, %y; @%p bra ", others, ";");
  out.line("COMPLETE: fence.acq_rel.gpu; @%lead st.global.u32 [%arrived], 0;");  // for the next launch
  out.line("setp.eq.u32 %p, %own, %group; @%p bra AFTER;");
  aim("%group", "1");
  load("%sum", 0, sums);
  out.line("BEFORE: add.u32 %group, %group, 1; setp.eq.u32 %p, %own, %group; @%p bra OWN;");
  aim("%group", "0");
  for (int first = 0; first < sums; first += 16) {  // registers are scarce
    load("%more", first, first + 16);
    add("%sum", "%more", first, first + 16);
  }
  out.line("bra BEFORE;\nOWN:");
  add("%f", "%sum", 0, sums);
  out.line("AFTER: setp.eq.u32 %p, %group, %last_group; @%p bra MET; add.u32 %group, %group, 1;");
  aim("%group", "0");
  load("%more", 0, sums);
  add("%f", "%more", 0, sums);
  out.line("bra AFTER; }\nMET:");
}

}  // namespace koine::codegen

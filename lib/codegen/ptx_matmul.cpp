// SPDX-License-Identifier: Apache-2.0
// The frame of the programs of ptx_matmul.hpp: parameters, descriptors of the operands, barriers, the walk over tiles,
// and the thread that fills the stages.
#include "codegen/ptx_matmul.hpp"

#include <cstddef>
#include <utility>

namespace koine::codegen {
namespace {

using Block = PtxMatmulBlock;

constexpr auto parameter = ptx_parameter;

/// The copy engine's number of an element type.
int element_type(const PtxMatmul& program, bool results) {
  constexpr int f16 = 6, f32 = 7, f64 = 9, bf16 = 10, tf32 = 11;
  if (results && program.wide_results()) return f32;
  switch (program.type) {
    case DType::float16: return f16;
    case DType::bfloat16: return bf16;
    case DType::float32: return program.tf32 ? tf32 : f32;  // operands are rounded to tf32 as they are loaded
    default: return f64;
  }
}

/// One of the matrices that the copy engine reads or writes.
struct Described {
  const char* buffer;
  std::size_t map;  // in the block
  int box[2];       // elements that it moves at once, along the innermost axis and the next
  int element_type;
};

/// Writes the descriptor number `number`, by a warp, in local memory at %map, and brings it to %dst.
void describe(PtxText& out, const PtxMatmul& program, int number, const Described& d) {
  const int rank = program.batched ? 5 : 2;
  out.line("setp.ne.u32 %p, %warp, ", number, "; @%p bra MAP", number, ";");
  out.line("ld.param.u64 %base, [", d.buffer, "]; ld.param.u64 %w, ", parameter(d.map + offsetof(Block::Map, offset)),
           "; add.u64 %base, %base, %w;");
  out.line("@!%lead bra FILLED", number, ";");
  const auto replace = [&](const char* field, const char* bits, const auto&... value) {
    out.line("tensormap.replace.tile.", field, ".shared::cta.b1024.", bits, " [%map], ", value..., ";");
  };
  replace("global_address", "b64", "%base");
  replace("rank", "b32", rank - 1);
  for (int axis = 0; axis < rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    out.line("ld.param.u32 %x, ", parameter(d.map + offsetof(Block::Map, sizes) + 4 * at), ";");
    replace("global_dim", "b32", axis, ", %x");
    replace("box_dim", "b32", axis, ", ", axis < 2 ? d.box[axis] : 1);
    replace("element_stride", "b32", axis, ", 1");
    if (axis == 0) continue;
    out.line("ld.param.u64 %w, ", parameter(d.map + offsetof(Block::Map, strides) + 8 * (at - 1)), ";");
    replace("global_stride", "b64", axis - 1, ", %w");
  }
  replace("elemtype", "b32", d.element_type);
  replace("interleave_layout", "b32", 0);
  replace("swizzle_mode", "b32", 3);  // of 128 bytes: chunk c of 16 bytes of row r lies at chunk c ^ (r & 7)
  replace("fill_mode", "b32", 0);
  out.line("FILLED", number, ": bar.warp.sync 0xffffffff;");
  out.line(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%dst], [%map], 128;");
  out.line("MAP", number, ":");
}

/// %map, where the warp fills its descriptor, as zeros, and %dst, where it goes.
void print_map_place(PtxText& out, const PtxMatmul& program) {
  out.line("shl.b32 %map, %warp, 7; add.u32 %map, %map, %smem; add.u32 %map, %map, ", program.ring_bytes(), ";");
  out.line("mul.wide.u32 %dst, %warp, 128; add.u64 %dst, %dst, %maps;");
  out.line("shl.b32 %x, %lane, 2; add.u32 %x, %x, %map; mov.u32 %y, 0; st.shared.u32 [%x], %y; ",
           "bar.warp.sync 0xffffffff;");
}

/// %maps: the descriptors of this group, made anew by each group for itself, which is quicker than a launch before.
void describe_all(PtxText& out, const PtxMatmul& program) {
  const int depth = program.depth();
  const Described a{
      "p_a", offsetof(Block, a), {depth, program.a_along ? program.rows : depth}, element_type(program, false)};
  const Described b{
      "p_b", offsetof(Block, b), {depth, program.b_along ? program.b_lines() : depth}, element_type(program, false)};
  const Described results{
      "p_out", offsetof(Block, out), {program.wide_results() ? 32 : 64, 16}, element_type(program, true)};
  out.line("ld.param.u64 %maps, [p_scratch]; mov.u32 %x, %ctaid.x; mul.wide.u32 %w, %x, ", Block::scratch_bytes,
           "; add.u64 %maps, %maps, %w;");
  out.line("add.u64 %map_b, %maps, 128; add.u64 %map_out, %maps, 256;");
  if (program.loose) return;
  if (program.lone) {
    for (int number = 0; number < (program.gram ? 1 : 2); ++number) {
      out.line("mov.u32 %warp, ", number, ";");
      print_map_place(out, program);
      describe(out, program, number, number == 0 ? a : b);
    }
    out.line("mov.u32 %warp, 0;");
    return;
  }
  out.line("setp.gt.u32 %p, %warp, 2; @%p bra DESCRIBED;");
  print_map_place(out, program);
  describe(out, program, 0, a);
  describe(out, program, 1, b);
  if (program.stores_tiles()) describe(out, program, 2, results);
  out.line("DESCRIBED:");
}

/// From %tile, its number, to %m0 and %n0, and %b0 to %b2 of the matrix %matrix. Bands of tiles, rows of a band first,
/// so that those under way at once share what they read in the second cache.
std::string place(const PtxMatmul& program, const char* tile = "%tile") {
  PtxText out;
  if (program.blocks) {
    out.line("ld.param.u32 %z, ", parameter(offsetof(Block, block_tiles)), "; div.u32 %block, ", tile,
             ", %z; mul.lo.u32 %x, %block, %z; sub.u32 %block_tile, ", tile, ", %x; mul.lo.u32 %first_step, %block, ",
             "%steps; mul.lo.u32 %first_step, %first_step, ", program.depth(), ";");
    tile = "%block_tile";
  }
  if (program.taken) {
    // Row by row of tiles, each up to the one that holds the end of its last row.
    out.line("{ .reg .b32 %limit; ld.param.u32 %z, ", parameter(offsetof(Block, corner)), "; add.s32 %z, %z, ",
             program.rows - 1, "; mov.u32 %matrix, 0; mov.u32 %x, ", tile, "; mov.u32 %m0, 0;");
    out.line("ROW: add.s32 %limit, %m0, %z; max.s32 %limit, %limit, -", program.columns, "; add.s32 %limit, %limit, ",
             program.columns, "; div.u32 %limit, %limit, ", program.columns,
             "; min.u32 %limit, %limit, %across; setp.lt.u32 %p, %x, %limit; @%p bra FOUND;");
    out.line("sub.u32 %x, %x, %limit; add.u32 %m0, %m0, ", program.rows, "; bra ROW;");
    out.line("FOUND: mul.lo.u32 %n0, %x, ", program.columns, "; }");
    return out.text();
  }
  if (program.batched) {
    out.line("div.u32 %matrix, ", tile, ", %per; mul.lo.u32 %x, %matrix, %per; sub.u32 %x, ", tile, ", %x;");
    out.line("ld.param.u32 %y, ", parameter(offsetof(Block, batch)), "; ld.param.u32 %z, ",
             parameter(offsetof(Block, batch) + 4), ";");
    out.line("rem.u32 %b0, %matrix, %y; div.u32 %y, %matrix, %y; rem.u32 %b1, %y, %z; div.u32 %b2, %y, %z;");
  } else {
    out.line("mov.u32 %matrix, 0; mov.u32 %x, ", tile, ";");
  }
  out.line("mul.lo.u32 %z, %across, ", program.band, "; div.u32 %y, %x, %z; rem.u32 %x, %x, %z; mul.lo.u32 %y, %y, ",
           program.band, ";");
  out.line("sub.u32 %z, %down, %y; min.u32 %z, %z, ", program.band, ";");
  out.line("rem.u32 %m0, %x, %z; add.u32 %m0, %m0, %y; mul.lo.u32 %m0, %m0, ", program.rows,
           "; div.u32 %n0, %x, %z; mul.lo.u32 %n0, %n0, ", program.columns, ";");
  if (program.blocks) {
    out.line("ld.param.u32 %x, ", parameter(offsetof(Block, block_matrices)), "; mad.lo.u32 %matrix, %block, %x, ",
             "%matrix;");
  }
  return out.text();
}

/// Where along the depth a tile that was placed begins.
const char* first_step(const PtxMatmul& program) { return program.blocks ? "%first_step" : "0"; }

/// To the next stage, whose barriers' phase turns each time that the ring is round.
std::string advance(const PtxMatmul& program) {
  PtxText out;
  out.line("add.u32 %stage, %stage, 1; setp.eq.u32 %q, %stage, ", program.stages(), "; selp.u32 %x, 1, 0, %q; ",
           "xor.b32 %phase, %phase, %x; selp.u32 %stage, 0, %stage, %q;");
  return out.text();
}

/// Until the bytes of the stage at hand are there. Its label is its own.
std::string wait() {
  PtxText out;
  out.line("{ shl.b32 %x, %stage, 3; add.u32 %filled, %full, %x;");
  out.line("WAIT: mbarrier.try_wait.parity.shared::cta.b64 %q, [%filled], %phase; @!%q bra WAIT; }");
  return out.text();
}

/// By all lanes of a warp that loads fragments itself.
std::string release() { return "bar.warp.sync 0xffffffff; @%lead mbarrier.arrive.shared::cta.b64 _, [%previous];\n"; }

/// The operands' places in the batch, of the matrix that was placed.
void print_walks(PtxText& out, const PtxMatmul& program) {
  if (!program.batched) return;
  for (int axis = 0; axis < 3; ++axis) {
    const auto at = 4 * static_cast<std::size_t>(axis);
    out.line("ld.param.u32 %x, ", parameter(offsetof(Block, a_walks) + at), "; mul.lo.u32 %ab", axis, ", %b", axis,
             ", %x;");
    out.line("ld.param.u32 %x, ", parameter(offsetof(Block, b_walks) + at), "; mul.lo.u32 %bb", axis, ", %b", axis,
             ", %x;");
  }
}

/// Asks for what a stage at %to takes, from the step %k0 of the depth on; its barrier is %filled.
void print_copies(PtxText& out, const PtxMatmul& program) {
  const auto fill = [&](const char* map, const char* walk, const char* first, bool along, int lines) {
    const auto box = [&](const char* c0, const char* c1, int bytes) {
      out.line("cp.async.bulk.tensor.", program.batched ? 5 : 2,
               "d.shared::cluster.global.mbarrier::complete_tx::bytes [%to], [", map, ", {", c0, ", ", c1,
               program.batched ? ", %" + std::string(walk) + "0, %" + walk + "1, %" + walk + "2" : std::string(),
               "}], [%filled]; add.u32 %to, %to, ", bytes, ";");
    };
    if (along) return box("%k0", first, lines * program.row_bytes);
    for (int line = 0; line < lines; line += program.depth()) {  // a box for each 128 bytes of a row
      out.line("add.u32 %c0, ", first, ", ", line, ";");
      box("%c0", "%k0", program.depth() * program.row_bytes);
    }
  };
  fill("%maps", "ab", "%m0", program.a_along, program.rows);
  if (program.split) {
    out.line("add.u32 %c0, %m0, %m;");
    fill("%maps", "ab", "%c0", program.a_along, program.rows);
  }
  if (program.gram) return;
  fill("%map_b", "bb", "%n0", program.b_along, program.b_lines());
  if (program.split) {
    out.line("add.u32 %c0, %n0, %n;");
    fill("%map_b", "bb", "%c0", program.b_along, program.columns);
  }
}

/// The thread that fills the stages; of a loose program, four warps.
void print_producer(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces) {
  out.line("setmaxnreg.dec.sync.aligned.u32 ", program.loose ? 56 : 24, ";");
  if (program.loose) {
    print_ptx_loose_registers(out, program);
  } else {
    out.line("setp.ne.u32 %p, %thread, 0; @%p bra END;");
    for (const char* map : {"%maps", "%map_b"}) {
      out.line("fence.proxy.tensormap::generic.acquire.gpu [", map, "], 128;");
    }
  }
  out.line("mov.u32 %phase, 1;");  // the first round finds all stages free
  const char* const end = program.loose ? "FETCHED" : "END";
  if (program.spread) {
    print_ptx_segment(out, "PRODUCE", end);
  } else {
    out.line("PRODUCE: setp.ge.u32 %p, %tile, %tiles; @%p bra ", end, ";");
  }
  out.line(pieces.place);
  print_walks(out, program);
  if (program.loose) print_ptx_loose_place(out, program);
  if (program.spread) {
    out.line("mul.lo.u32 %k0, %begin, ", program.depth(), "; mov.u32 %left, %count;");
  } else {
    out.line("mov.u32 %k0, ", first_step(program), "; mov.u32 %left, %steps;");
  }
  out.line("STAGE: shl.b32 %x, %stage, 3; add.u32 %filled, %full, %x; add.u32 %freed, %empty, %x; mad.lo.u32 %to, ",
           "%stage, ", program.stage_bytes(), ", %smem;");
  out.line("FREE: mbarrier.try_wait.parity.shared::cta.b64 %q, [%freed], %phase; @!%q bra FREE;");
  if (program.loose) {
    print_ptx_loose_copies(out, program);
  } else {
    out.line("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%filled], ", program.stage_bytes(), ";");
    print_copies(out, program);
  }
  out.line(pieces.advance, "add.u32 %k0, %k0, ", program.depth(),
           "; sub.u32 %left, %left, 1; setp.ne.u32 %p, %left, 0; @%p bra STAGE;");
  out.line(program.spread ? "" : "add.u32 %tile, %tile, %groups; ", "bra PRODUCE;");
  if (program.loose) out.line("FETCHED: cp.async.wait_all; bra END;");
}

/// From %next_tile, the tile whose stages a lone warp asks for, to where they come from; none behind the last.
std::string place_next(const PtxMatmul& program) {
  PtxText out;
  out.line("{ setp.ge.u32 %p, %next_tile, %tiles; @%p bra PLACED;").line(place(program, "%next_tile"));
  print_walks(out, program);
  if (program.loose) print_ptx_loose_place(out, program);
  out.line("PLACED: }");
  return out.text();
}

/// The release by a lone warp, which fills the stage with what it has not asked for yet. Its labels are its own.
std::string refill(const PtxMatmul& program) {
  PtxText out;
  out.line("{ bar.warp.sync 0xffffffff; setp.ge.u32 %p, %next_tile, %tiles; @%p bra FILLED;");
  out.line("sub.u32 %to, %previous, %full; mad.lo.u32 %to, %to, ", program.stage_bytes() / 8,
           ", %smem; mov.u32 %filled, %previous;");
  if (program.loose) {
    print_ptx_loose_copies(out, program);
  } else {
    out.line("@!%lead bra ASKED; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%filled], ", program.stage_bytes(), ";");
    print_copies(out, program);
  }
  out.line("ASKED: add.u32 %k0, %k0, ", program.depth(),
           "; sub.u32 %next_left, %next_left, 1; setp.ne.u32 %p, %next_left, 0; @%p bra FILLED;");
  out.line("add.u32 %next_tile, %next_tile, %groups; mov.u32 %next_left, %steps;");
  out.line(place_next(program), "mov.u32 %k0, ", first_step(program), ";");
  out.line("FILLED: bar.warp.sync 0xffffffff; }");
  return out.text();
}

/// A group of one warp: it fills the stages itself, ahead of what it multiplies.
void print_lone(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces) {
  out.line(".reg .b32 %next_tile, %next_left;");
  for (int stage = 0; stage < program.stages(); ++stage) {
    out.line("@%lead mbarrier.init.shared::cta.b64 [%full+", 8 * stage, "], ", program.loose ? 32 : 1, ";");
  }
  out.line("@%lead fence.mbarrier_init.release.cluster;\nbar.warp.sync 0xffffffff;");
  if (program.loose) print_ptx_loose_registers(out, program);
  for (const char* map : {"%maps", "%map_b"}) {
    if (program.loose || (program.gram && map[4] == '_')) continue;
    out.line("@%lead fence.proxy.tensormap::generic.acquire.gpu [", map, "], 128;");
  }
  out.line("mov.u32 %next_tile, %tile; mov.u32 %next_left, %steps;").line(place_next(program));
  out.line("mov.u32 %k0, ", first_step(program), ";");
  out.line("mov.u32 %previous, %full;\nFIRST:").line(pieces.release);
  out.line("add.u32 %previous, %previous, 8; sub.u32 %x, %previous, %full; setp.lt.u32 %p, %x, ", 8 * program.stages(),
           "; @%p bra FIRST;");
  out.line("mov.u32 %phase, 0;");
  print_fma(out, program, pieces);
}

}  // namespace

std::string ptx_parameter(std::size_t offset) { return "[p_block+" + std::to_string(offset) + "]"; }

std::string PtxMatmul::name() const {
  if (epilogue) return epilogue->name() + "_" + std::to_string(rows) + "x" + std::to_string(columns);
  const char* kind = type == DType::float16    ? "f16"
                     : type == DType::bfloat16 ? "bf16"
                     : split                   ? "3xtf32"
                     : tf32                    ? "tf32"
                     : type == DType::float32  ? "f32"
                                               : "f64";
  return std::string("matmul_") + kind + "_" + std::to_string(rows) + "x" + std::to_string(columns);
}

std::string PtxMatmul::signature() const {
  if (epilogue) {
    PtxMatmul alone = *this;
    alone.epilogue = nullptr;
    return alone.signature() + " " + epilogue->signature();
  }
  std::string text = "ptx " + name();
  const auto flag = [&](bool set, const char* word) {
    if (set) text += std::string(" ") + word;
  };
  flag(!a_along, "a_across");
  flag(!b_along, "b_across");
  flag(sm80, "sm80");
  flag(batched, "batched");
  flag(parts, "parts");
  flag(taken, "taken");
  flag(lone, "lone");
  flag(loose, "loose");
  flag(gram, "gram");
  flag(blocks, "blocks");
  flag(spread, "spread");
  flag(!aligned, "unaligned");
  return text;
}

void print_ptx_entry(PtxText& out, const PtxMatmul& program) {
  out.line(".visible .entry ", program.name(), "(");
  const auto buffer = [&](const char* name) { out.line(".param .u64 .ptr .global .align 16 ", name, ","); };
  for (const char* name : {"p_a", "p_b", "p_out", "p_scratch"}) buffer(name);
  if (program.spread) buffer("p_arrived");
  out.line(".param .align 8 .b8 p_block[", sizeof(Block), "]");
  if (program.epilogue) program.epilogue->print_parameters(out);
  out.line(") .reqntid ", program.items(), " .minnctapersm ", program.groups_of_unit(), " {");
}

void print_ptx_registers(PtxText& out) {
  out.line(".reg .pred %p, %q, %never, %lead, %first;");
  out.line(".reg .b64 %maps, %map_b, %map_out, %dst, %base, %w;");
  out.line(".reg .b32 %thread, %lane, %warp, %half, %smem, %full, %empty, %map;");
  out.line(".reg .b32 %m, %n, %steps, %down, %across, %per, %tiles, %tile, %groups, %matrix, %m0, %n0, %k0;");
  out.line(".reg .b32 %stage, %phase, %left, %previous, %filled, %freed, %to, %x, %y, %z, %c0, %c1;");
  out.line(".reg .b32 %b0, %b1, %b2, %ab0, %ab1, %ab2, %bb0, %bb1, %bb2, %block, %block_tile, %first_step;");
  out.line("mov.u32 %thread, %tid.x; and.b32 %lane, %thread, 31; shr.u32 %warp, %thread, 5; setp.eq.u32 %lead, %lane, ",
           "0; mov.u32 %tile, %ctaid.x; mov.u32 %groups, %nctaid.x; mov.u32 %stage, 0; setp.ne.u32 %never, %stage, 0;");
  const auto load = [&](const char* to, std::size_t offset) {
    out.line("ld.param.u32 ", to, ", ", parameter(offset), ";");
  };
  load("%m", offsetof(Block, m));
  load("%n", offsetof(Block, n));
  load("%steps", offsetof(Block, steps));
  load("%down", offsetof(Block, down));
  load("%across", offsetof(Block, across));
  load("%tiles", offsetof(Block, tiles));
  out.line("mul.lo.u32 %per, %down, %across;");
}

std::string print_ptx_matmul(const PtxMatmul& program) {
  PtxMatmulPieces pieces{place(program), advance(program), wait(), program.lone ? refill(program) : release(),
                         program.lone && !program.loose ? place_next(program) : std::string()};
  if (program.sm80) return print_ptx_matmul_sm80(program, std::move(pieces));
  const bool f64 = program.type == DType::float64;
  const int stages = program.stages(), barriers = program.ring_bytes() + program.waiting_bytes();
  PtxText out;
  out.line("// ", program.signature());
  out.line(".version 8.3\n.target sm_90a, texmode_independent\n.address_size 64");
  print_ptx_entry(out, program);
  out.line(".shared .align 1024 .b8 ring[", barriers + (program.lone ? 8 : 16) * stages, "];");
  print_ptx_registers(out);
  out.line("mov.u32 %smem, ring; add.u32 %full, %smem, ", barriers, "; add.u32 %empty, %full, ",
           program.lone ? 0 : 8 * stages, ";");  // a lone warp knows itself when a stage is free
  describe_all(out, program);
  if (program.spread) print_ptx_spread_setup(out);
  if (program.lone) {
    print_lone(out, program, pieces);
    out.line("END: ret;\n}");
    return out.text();
  }

  // A stage is full once its bytes are there, and empty once its readers have said so: the two warpgroups of wgmma, or
  // the eight warps where they load fragments themselves.
  out.line("setp.ne.u32 %p, %thread, 128; @%p bra READY;");
  for (int stage = 0; stage < stages; ++stage) {
    out.line("mbarrier.init.shared::cta.b64 [%full+", 8 * stage, "], ", program.loose ? 128 : 1,
             "; mbarrier.init.shared::cta.b64 [%empty+", 8 * stage, "], ",
             f64 || program.fma() || program.turned() ? 8 : 2, ";");
  }
  out.line("fence.mbarrier_init.release.cluster;\nREADY: bar.sync 0;");
  out.line("setp.gt.u32 %p, %thread, 127; @%p bra CONSUMER;");
  print_producer(out, program, pieces);

  out.line("CONSUMER: setmaxnreg.inc.sync.aligned.u32 ", program.loose ? 224 : 240, ";");
  out.line("mov.u32 %phase, 0; sub.u32 %warp, %warp, 4; shr.u32 %half, %warp, 2;");
  if (f64) {
    print_mma_f64(out, program, pieces);
  } else if (program.fma()) {
    print_fma(out, program, pieces);
  } else if (program.split) {
    print_wgmma_split(out, program, pieces);
  } else if (program.turned()) {
    print_wgmma_turned(out, program, pieces);
  } else {
    print_wgmma(out, program, pieces);
  }
  out.line("END: ret;\n}");
  return out.text();
}

}  // namespace koine::codegen

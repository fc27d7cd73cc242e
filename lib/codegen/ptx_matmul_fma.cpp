// SPDX-License-Identifier: Apache-2.0
// The warps that multiply float32 by fused multiply-adds: eight, two down and four across a tile, or a lone one; in
// each, eight lanes down by four across. An element of the results is one chain of them, from the depth's first step to
// its last: what matmul_tile.cl gives with KN_FIXED, to the bit.
//
// A lane loads four lines (rows of A, columns of B) by four steps of the depth at a time, in four loads of 16 bytes,
// whether lines lie along the depth or across it. The bits of a lane's number are dealt to down and across so that half
// a warp's load meets every bank once: lanes whose numbers differ in bit 0 alone load the same of A, in bit 1 alone the
// same of B.
#include <bit>
#include <cstddef>
#include <string>

#include "codegen/ptx_matmul.hpp"

namespace koine::codegen {
namespace {

constexpr int line_bytes = PtxMatmul::row_bytes, depth = 32;
constexpr int four = 4;               // lines, and steps of the depth, of a load
constexpr int steps = 2 * four;       // of a turn of the loop, after which the swizzle comes again
constexpr int turns = depth / steps;  // of a stage

/// One side of the product: names of its registers, and where its lines lie.
struct Side {
  std::string name;
  const char *lane, *warp;  // numbers on this side
  int lanes, warps;         // how many
  int groups;               // of four lines that a lane has
  int operand;              // where it begins in a stage
  bool along;

  int lines() const { return lanes * groups * four; }  // of a warp
  std::string start() const { return "%" + name + "start"; }
  std::string at(int i) const { return "%" + name + "at" + std::to_string(i); }
  std::string value(int slot, int line, int step) const {
    return "%" + name + std::to_string(slot * four * four + (along ? four * line + step : four * step + line));
  }
  /// Of lines across the depth, how many groups are neighbours: all, or one of each warp, so that a box of 32 lines
  /// holds what is of an even number of groups.
  int together() const { return groups % 2 == 0 ? groups : 1; }
  /// How far behind a lane's first line the one of a group is.
  int line(int group, int i) const {
    if (along) return lanes * (four * group + i);
    return (together() > 1 ? four * four : four * lanes * warps) * group + i;
  }
};

/// Where a lane's first line lies in the first stage; leaves the number of that line in %y.
void print_start(PtxText& out, const Side& side) {
  if (side.along) {
    // Line by line: a lane's lines are as far apart as there are lanes.
    out.line("mad.lo.u32 %y, ", side.warp, ", ", side.lines(), ", ", side.lane, "; shl.b32 %x, %y, 7; shl.b32 %z, ",
             side.lane, ", 4; add.u32 %x, %x, %z;");
  } else {
    // In chunks of four lines: neighbours are of neighbouring lanes, then come a lane's groups.
    out.line("and.b32 %x, ", side.lane, ", 3; shr.u32 %y, ", side.lane, ", 2; mad.lo.u32 %x, %y, ", 4 * side.together(),
             ", %x; mad.lo.u32 %x, ", side.warp, ", ", side.lanes * side.together(), ", %x;");
    out.line("shl.b32 %y, %x, 2; shr.u32 %z, %x, 3; and.b32 %x, %x, 7; shl.b32 %x, %x, 4; mad.lo.u32 %x, %z, ",
             depth * line_bytes, ", %x;");
  }
  out.line("add.u32 %x, %x, %smem; add.u32 ", side.start(), ", %x, ", side.operand, ";");
}

/// The addresses for a turn, of the stage that begins at %x.
void print_aim(PtxText& out, const Side& side) {
  out.line("add.u32 %y, ", side.start(), ", %x;");
  if (side.along) {
    out.line("shl.b32 %z, %turn, 5; xor.b32 ", side.at(0), ", %y, %z;");
    // The swizzle: every other line of a lane, of those across four further on, begins at another chunk.
    if (side.lanes == 4) out.line("xor.b32 ", side.at(1), ", ", side.at(0), ", 64;");
  } else {
    out.line("mad.lo.u32 ", side.at(0), ", %turn, ", steps * line_bytes, ", %y;");
    // Where a lane's groups are neighbours, one bit of the swizzle is the same for all lanes.
    for (int i = 1; i < (side.together() > 1 ? four : steps); ++i) {
      out.line("xor.b32 ", side.at(i), ", ", side.at(0), ", ", 16 * i, ";");
    }
  }
}

/// From the first four steps of a turn to the second.
void print_second_half(PtxText& out, const Side& side) {
  for (int i = 0; side.along && i < (side.lanes == 4 ? 2 : 1); ++i) {
    out.line("xor.b32 ", side.at(i), ", ", side.at(i), ", 16;");
  }
}

/// A group of lines at the first or second four steps of a turn, to the registers of `slot`.
void load(PtxText& out, const Side& side, int slot, int group, int half) {
  for (int i = 0; i < four; ++i) {
    std::string address;
    if (side.along) {
      const int line = four * group + i;
      address = side.at(side.lanes == 4 ? line % 2 : 0) + "+" + std::to_string(side.lanes * line * line_bytes);
    } else {
      const int step = four * half + i;
      const bool together = side.together() > 1;
      const int line = side.line(group, 0);
      const int bytes =
          (together ? group / 2 : line / depth) * depth * line_bytes + (together ? 64 * (group % 2 ^ half) : 0);
      // The second half of a box is four chunks away, which is what the swizzle makes of other four steps.
      const int swizzled = line % depth != 0 ? step ^ four : step;
      address = side.at(together ? i : swizzled) + "+" + std::to_string(step * line_bytes + bytes);
    }
    std::string list;
    for (int j = 0; j < four; ++j) {
      list += (j > 0 ? ", " : "") + (side.along ? side.value(slot, i, j) : side.value(slot, j, i));
    }
    out.line("ld.shared.v4.f32 {", list, "}, [", address, "];");
  }
}

// The way of rows of results that do not begin at multiples of 16 bytes. A lane has four neighbours of a row, or each
// fourth element of it; stored from there, a warp's store would touch 16 to 24 sectors of memory for 32 elements. So
// the lanes of a row lay their elements out in local memory, eight rows of a warp at a time, where chunk c of 16 bytes
// of row r lies at chunk c ^ 2 (r & 3): then no bank is met twice. A store takes them from there side by side.
struct RowStore {
  const Side &a, &b;
  int ring;  // bytes of local memory before

  static constexpr int rows = 8, row_bytes = PtxMatmul::laid_out_bytes / rows;
  int sets() const { return b.together() > 1 ? 2 : 1; }  // groups of columns at a time
  int width() const { return 16 * sets(); }              // and columns of them
  int rows_of_store() const { return 32 / width(); }
  /// How far behind a warp's first row the one of a lane of that number down is. Of numbers without a common bit the
  /// distance of the sum is the sum of the distances.
  int row(int lane) const { return a.along ? lane : four * (lane % four) + (lane / four) * four * four * a.together(); }

  /// %put, where the lane's elements go; %get, from where it stores; the row and column where that goes.
  void print_setup(PtxText& out) const {
    out.line(".reg .b32 %put, %get<4>, %first_row, %first_column, %rows_left, %columns_left; .reg .pred %inside; ",
             ".reg .b64 %origin, %to<", rows, ">; .reg .f32 %laid<", rows, ">;");
    out.line("shl.b32 %x, %warp, ", std::countr_zero(unsigned{PtxMatmul::laid_out_bytes}),
             "; add.u32 %get0, %x, %smem; add.u32 %get0, %get0, ", ring, ";");
    out.line("shl.b32 %x, %lane_down, 7; add.u32 %put, %get0, %x; and.b32 %x, %lane_down, 3; shl.b32 %x, %x, 5; ",
             "add.u32 %put, %put, %x; shl.b32 %x, %lane_across, ", b.along ? 2 : 4, "; xor.b32 %put, %put, %x;");
    out.line("and.b32 %x, %lane, ", width() - 1, "; mul.lo.u32 %first_column, ", b.warp, ", ",
             b.along ? b.lines() : b.lanes * four * b.together(), "; add.u32 %first_column, %first_column, %x;");
    out.line("mul.lo.u32 %first_row, ", a.warp, ", ", a.along ? a.lines() : a.lanes * four * a.together(), ";");
    out.line("shl.b32 %x, %x, 2;");
    if (rows_of_store() > 1) {
      out.line("shr.u32 %y, %lane, 4; shl.b32 %z, %y, 5; xor.b32 %x, %x, %z; shl.b32 %z, %y, 7; add.u32 %x, %x, %z; ",
               "mad.lo.u32 %first_row, %y, ", row(1), ", %first_row;");
    }
    out.line("add.u32 %get0, %get0, %x;");
    for (int i = 1; i < 4; ++i) out.line("xor.b32 %get", i, ", %get0, ", 32 * i, ";");
  }

  /// Of the tile that was placed.
  void print_place(PtxText& out) const {
    out.line(
        "add.u32 %x, %m0, %first_row; add.u32 %y, %n0, %first_column; sub.u32 %rows_left, %m, %x; ",
        "mul.wide.u32 %origin, %matrix, %m; cvt.u64.u32 %w, %x; add.u64 %origin, %origin, %w; mul.lo.u64 %origin, ",
        "%origin, %pitch; add.u64 %origin, %origin, %out; mul.wide.u32 %w, %y, 4; add.u64 %origin, %origin, %w;");
    out.line("sub.u32 %columns_left, %n, %y;");
  }

  /// Stores what the lanes have of a row each: `sum` tells the register of a column's number.
  template <class Sum>
  void print(PtxText& out, int row_of_lane, const Sum& sum) const {
    for (int group = 0; group < b.groups; group += sets()) {
      for (int set = 0; set < sets(); ++set) {
        const int number = four * (group + set);
        if (b.along) {
          for (int i = 0; i < four; ++i) {
            out.line("xor.b32 %x, %put, ", 16 * (four * set + i), "; st.shared.f32 [%x], ", sum(number + i), ";");
          }
        } else {
          out.line("xor.b32 %x, %put, ", 64 * set, "; st.shared.v4.f32 [%x], {", sum(number), ", ", sum(number + 1),
                   ", ", sum(number + 2), ", ", sum(number + 3), "};");
        }
      }
      const int column = b.line(group, 0), behind = a.line(row_of_lane / four, row_of_lane % four);
      out.line("bar.warp.sync 0xffffffff; setp.gt.s32 %inside, %columns_left, ", column, ";");
      for (int i = 0; i < rows / rows_of_store(); ++i) {
        const int at = i * rows_of_store(), below = behind + row(at);
        out.line("ld.shared.f32 %laid", i, ", [%get", at % 4, "+", at * row_bytes, "]; mad.wide.u32 %to", i, ", %n, ",
                 4 * below, ", %origin; setp.gt.and.s32 %p, %rows_left, ", below, ", %inside; @%p st.global.f32 [%to",
                 i, "+", 4 * column, "], %laid", i, ";");
      }
      out.line("bar.warp.sync 0xffffffff;");
    }
  }
};

}  // namespace

void print_fma(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces) {
  const int warps_down = program.lone ? 1 : program.tall() ? 8 : 2;
  const int warps_across = program.lone || program.tall() ? 1 : 4;
  const Side a{"a_", "%lane_down", "%warp_down", 8, warps_down, program.rows / (32 * warps_down), 0, program.a_along};
  const Side b{"b_",
               "%lane_across",
               "%warp_across",
               4,
               warps_across,
               program.columns / (16 * warps_across),
               program.gram ? 0 : program.a_bytes(),
               program.b_along};
  // Of a product by the own transpose: whether lines of the second groups meet columns whose numbers are lines of the
  // first groups. These sums are those of the first groups with columns that are lines of the second.
  const auto mirrored = [&](int down, int across) {
    return program.gram && down == 1 && (b.along ? across < 2 : across % 2 == 0);
  };
  // The sums of the largest tiles leave no room for a second set of A: each group is loaded behind its last use.
  const int sets = a.groups * b.groups >= 8 ? 1 : 2;
  const auto sum = [&](int row, int column) { return "%f" + std::to_string(row * four * b.groups + column); };

  out.line(".reg .f32 %f<", a.groups * b.groups * 16, ">, %a_<", sets * a.groups * 16, ">, %b_<32>;");
  out.line(
      ".reg .b32 %a_start, %b_start, %a_at<8>, %b_at<8>, %lane_down, %lane_across, %warp_down, %warp_across, %turn, ",
      "%below, %column, %rows, %columns, %turns, %last_turns;");
  out.line(".reg .b64 %out, %pitch, %to_row; .reg .pred %done, %in;");
  out.line("shr.u32 %lane_down, %lane, 1; and.b32 %lane_down, %lane_down, 3; shr.u32 %x, %lane, 4; shl.b32 %x, %x, 2; ",
           "or.b32 %lane_down, %lane_down, %x;");
  out.line("and.b32 %lane_across, %lane, 1; shr.u32 %x, %lane, 2; and.b32 %x, %x, 2; or.b32 %lane_across, ",
           "%lane_across, %x; and.b32 %warp_down, %warp, ", warps_down - 1, "; shr.u32 %warp_across, %warp, ",
           std::countr_zero(static_cast<unsigned>(warps_down)), ";");
  if (program.epilogue) program.epilogue->print_registers(out, 1);
  print_start(out, a);
  out.line("mov.u32 %rows, %y;");
  print_start(out, b);
  out.line("mov.u32 %columns, %y;");
  const bool by_rows = program.lays_out_rows();
  const RowStore row_store{a, b, program.ring_bytes()};
  if (by_rows) row_store.print_setup(out);

  const auto aim = [&] {
    out.line("mul.lo.u32 %x, %stage, ", program.stage_bytes(), ";");
    print_aim(out, a);
    print_aim(out, b);
  };
  const auto a_slot = [&](int half, int group) { return (sets == 2 ? half : 0) * a.groups + group; };
  const auto b_slot = [&](int half, int group) { return (half * b.groups + group) % 2; };
  const auto multiply_add = [&](int half, int row, int across, int column, int step) {
    const int down = row / four;
    if (mirrored(down, across)) return;
    const std::string to = sum(row, four * across + column);
    out.line("fma.rn.f32 ", to, ", ", a.value(a_slot(half, down), row % four, step), ", ",
             b.value(b_slot(half, across), column, step), ", ", to, ";");
  };
  // There and back, so that each shares an operand with the one before: three registers of one bank take longer.
  const auto there_and_back = [](int turn, int place, int count) { return turn % 2 == 0 ? place : count - 1 - place; };
  const auto multiply = [&](int half, int down, int across) {
    for (int step = 0; step < four; ++step) {
      for (int i = 0; i < four; ++i) {
        for (int place = 0; place < four; ++place) {
          multiply_add(half, four * down + i, across, there_and_back(i, place, four), step);
        }
      }
    }
  };
  const auto multiply_all = [&](int half, int across) {
    const int rows = four * a.groups;
    for (int step = 0; step < four; ++step) {
      for (int j = 0; j < four; ++j) {
        for (int place = 0; place < rows; ++place) {
          multiply_add(half, there_and_back(j, place, rows), across, j, step);
        }
      }
    }
  };
  const int last = b.groups - 1;
  /// The last columns of these four steps, while the first of the next four come.
  const auto multiply_last = [&](int half) {
    load(out, b, b_slot(1 - half, 0), 0, 1 - half);
    for (int down = 0; down < a.groups && sets == 2; ++down) load(out, a, a_slot(1 - half, down), down, 1 - half);
    for (int down = 0; down < a.groups; ++down) {
      multiply(half, down, last);
      if (sets == 1) load(out, a, a_slot(1 - half, down), down, 1 - half);
    }
  };

  // The last stage has turns for what there is of the depth.
  out.line("ld.param.u32 %x, ", ptx_parameter(offsetof(PtxMatmulBlock, k)), "; sub.u32 %x, %x, 1; and.b32 %x, %x, ",
           depth - 1, "; shr.u32 %x, %x, 3; add.u32 %last_turns, %x, 1;");
  const auto count_turns = [&] {
    out.line("setp.eq", program.spread ? ".and" : "", ".u32 %p, %left, 1", program.spread ? ", %ends" : "",
             "; selp.u32 %turns, %last_turns, ", turns, ", %p;");
  };
  if (program.spread) {
    print_ptx_segment(out, "TILE", "END");
    out.line("add.u32 %x, %begin, %count; setp.eq.u32 %ends, %x, %steps;");
  } else {
    out.line("TILE: setp.ge.u32 %p, %tile, %tiles; @%p bra END;");
  }
  for (int i = 0; i < a.groups * b.groups * 16; ++i) out.line("mov.f32 %f", i, ", 0f00000000;");
  out.line("mov.u32 %left, ", program.spread ? "%count" : "%steps", "; mov.u32 %turn, 0;");
  count_turns();
  out.line(pieces.wait);
  aim();
  for (int down = 0; down < a.groups; ++down) load(out, a, a_slot(0, down), down, 0);
  load(out, b, b_slot(0, 0), 0, 0);
  out.line("NEXT:");
  for (int half = 0; half < 2; ++half) {
    for (int across = 0; across < last; ++across) {
      load(out, b, b_slot(half, across + 1), across + 1, half);
      multiply_all(half, across);
    }
    if (half == 0) {
      print_second_half(out, a);
      print_second_half(out, b);
      multiply_last(half);
    }
  }
  out.line("add.u32 %turn, %turn, 1; setp.eq.u32 %done, %turn, %turns; @!%done bra SAME;");
  out.line("shl.b32 %previous, %stage, 3; add.u32 %previous, %previous, %empty;").line(pieces.advance);
  out.line("mov.u32 %turn, 0; sub.u32 %left, %left, 1; setp.eq.u32 %p, %left, 0; @%p bra LAST;");
  count_turns();
  out.line(pieces.wait);
  out.line("SAME:");
  aim();
  multiply_last(1);
  out.line("@!%done bra NEXT;");
  out.line(pieces.release);
  out.line("bra NEXT;\nLAST:");
  for (int down = 0; down < a.groups; ++down) multiply(1, down, last);
  out.line(pieces.release);
  if (program.spread) print_ptx_meet(out, program, a.groups * b.groups * 16, "TILE");

  out.line("ld.param.u64 %out, [p_out]; ld.param.u64 %w, [p_block+",
           offsetof(PtxMatmulBlock, out) + offsetof(PtxMatmulBlock::Map, offset),
           "]; add.u64 %out, %out, %w; mul.wide.u32 %pitch, %n, 4;");
  if (program.taken) print_ptx_take_setup(out, program, four * b.groups);
  out.line(pieces.place);  // only now: registers are scarce before
  // Steps beyond the depth have turned a sum of -0 into 0, where there are any; so that is what it becomes anyway.
  for (int i = 0; i < a.groups * b.groups * 16; ++i) {
    out.line("add.rn.f32 %f", i, ", %f", i, ", 0f00000000;");
  }
  if (by_rows) row_store.print_place(out);
  out.line("add.u32 %m0, %m0, %rows; add.u32 %column, %n0, %columns;");
  // Puts into %to_row where what is at a column of a row lies, and into %in whether there is such a row.
  const auto find_row = [&](const char* row, int more, const char* first) {
    out.line("add.u32 %below, ", row, ", ", more, "; setp.lt.u32 %in, %below, %m; mul.wide.u32 %to_row, %matrix, %m; ",
             "cvt.u64.u32 %w, %below; add.u64 %to_row, %to_row, %w; mul.lo.u64 %to_row, %to_row, %pitch;");
    out.line("add.u64 %to_row, %to_row, %out; mul.wide.u32 %w, ", first, ", 4; add.u64 %to_row, %to_row, %w;");
  };
  for (int i = 0; i < four * a.groups; ++i) {
    if (!by_rows || program.epilogue) find_row("%m0", a.line(i / four, i % four), "%column");
    if (program.epilogue) program.epilogue->print_row(out, 0, "%below", "%column");
    std::vector<std::pair<int, std::string>> taken;
    for (int group = 0; group < b.groups; ++group) {
      if (mirrored(i / four, group)) continue;
      const bool together = program.aligned && !b.along && !program.taken;
      for (int j = 0; j < four; j += together ? four : 1) {
        const int column = b.line(group, j), number = four * group + j;
        if (program.taken) {
          taken.emplace_back(column, sum(i, number));
          continue;
        }
        if (by_rows && !program.epilogue) continue;
        out.line("add.u32 %x, %column, ", column, "; setp.lt.and.u32 %p, %x, %n, %in;");
        for (int k = 0; program.epilogue && k < (together ? four : 1); ++k) {
          program.epilogue->print_element(out, sum(i, number + k), 0, column + k, "%p");
        }
        if (by_rows) continue;
        if (together) {
          out.line("@%p st.global.v4.f32 [%to_row+", 4 * column, "], {", sum(i, number), ", ", sum(i, number + 1), ", ",
                   sum(i, number + 2), ", ", sum(i, number + 3), "};");
        } else {
          out.line("@%p st.global.f32 [%to_row+", 4 * column, "], ", sum(i, number), ";");
        }
      }
    }
    if (program.taken) print_ptx_take(out, program, "%column", taken);
    if (by_rows) row_store.print(out, i, [&](int number) { return sum(i, number); });
  }
  // The other half: rows of it are columns of what there is.
  for (int number = 0; program.gram && number < four * b.groups; ++number) {
    if (mirrored(1, number / four)) continue;
    find_row("%column", b.line(number / four, number % four), "%m0");
    const bool together = program.aligned && !a.along;
    for (int i = 0; i < four; i += together ? four : 1) {
      const int at = a.line(0, i);
      out.line("add.u32 %x, %m0, ", at, "; setp.lt.and.u32 %p, %x, %n, %in;");
      if (together) {
        out.line("@%p st.global.v4.f32 [%to_row+", 4 * at, "], {", sum(i, number), ", ", sum(i + 1, number), ", ",
                 sum(i + 2, number), ", ", sum(i + 3, number), "};");
      } else {
        out.line("@%p st.global.f32 [%to_row+", 4 * at, "], ", sum(i, number), ";");
      }
    }
  }
  out.line(pieces.place_next, program.spread ? "" : "add.u32 %tile, %tile, %groups; ", "bra TILE;");
}

}  // namespace koine::codegen

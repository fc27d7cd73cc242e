// SPDX-License-Identifier: Apache-2.0
// Matrix products on NVIDIA's Hopper cards (sm_90a), on their matrix units where these take the type: programs in PTX,
// for what OpenCL C cannot say.
//
// A work-group of 384 is three warpgroups. One thread of the first asks the copy engine (TMA) for the operands' tiles,
// which land in a ring of stages in local memory; it clips what lies beyond a matrix to zeros. The other two multiply.
// As many groups as there are compute units walk over all tiles of the results. An element is one running sum along
// the depth, in steps of `step_depth`: tiles, groups and batches do not change its order.
//
// Cards from sm_80 on have programs with the same tiles and stages in a frame of their own (ptx_matmul_sm80.cpp).
#pragma once

#include "codegen/ptx_epilogue.hpp"
#include "codegen/ptx_text.hpp"
#include "koine/dtype.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace koine::codegen {

/// What a program is printed for.
struct PtxMatmul {
  DType type = DType::float16;  ///< float16, bfloat16 (sums in float32), float32, float64
  /// Whether operands of float32 are rounded to tf32, for the matrix units. If not, they are multiplied by
  /// multiply-adds.
  bool tf32 = false;
  /// With tf32: operands lie as two matrices each, all lines of the one and then all of the other, which add up to what
  /// they are; both along the depth.
  bool split = false;
  /// Whether an operand's elements along the depth are neighbours in memory; if not, those across it are. tf32 takes A
  /// along it only.
  bool a_along = true, b_along = false;
  /// Of a tile: 128 x 256, 128 x 128 or 128 x 64; float64 and split without the first; with turned() transposed;
  /// float64 and fma() also 64 x 64; on Hopper's cards float64 also 32 x 64, fma() also 128 x 192,
  /// 256 x 32 and 256 x 16.
  int rows = 128, columns = 256;
  bool batched = false;  ///< there may be several matrices
  bool parts = false;    ///< for types of 16 bits: results are the sums as they are, float32
  bool sm80 = false;     ///< for cards from sm_80 on rather than Hopper's; without split, and tf32 along the depth only
  /// Whether rows of the results begin at multiples of 16 bytes. If not, their elements are stored one by one.
  bool aligned = true;
  /// Whether a group is one warp, which fills its stages itself: of fma() with tiles of 64 x 64, 64 x 48, 32 x 80 or
  /// 96 x 48, on Hopper's cards.
  bool lone = false;
  /// Of fma(), on Hopper's cards: operands are fetched element by element, so that their lines may lie anyhow. With
  /// lone tiles are 64 x 48, 64 x 32, 32 x 48 or 32 x 32, else they have neither 256 columns nor 256 rows.
  bool loose = false;
  /// With lone: both operands are the same matrix transposed, so that half of the results are the other half.
  bool gram = false;
  /// Of fma(), on Hopper's cards: whether the depth is cut into blocks. Each has results of its own, which follow those
  /// of the block before.
  bool blocks = false;
  /// Of fma() without lone and blocks, on Hopper's cards: whether groups share the depth of tiles behind the first
  /// PtxMatmulBlock::whole, as ptx_matmul_spread.cpp says: of three stages or more, and no tiles of 256 columns.
  bool spread = false;
  /// Whether the sums are taken from what is where the results go, up to a diagonal: of one matrix, of float64 and
  /// fma(), on Hopper's cards.
  bool taken = false;
  /// What is stored in place of the sums, if there is something: of float32 and 16 bits with wgmma, unless turned(),
  /// and of fma(), on Hopper's cards.
  std::shared_ptr<const PtxEpilogue> epilogue = nullptr;

  friend bool operator==(const PtxMatmul&, const PtxMatmul&) = default;

  static constexpr int sm90a_items = 384, sm80_items = 256;
  int items() const { return lone ? 32 : sm80 ? sm80_items : sm90a_items; }
  /// Groups that a compute unit takes at a time.
  int groups_of_unit() const {
    constexpr int local_bytes = 227 * 1024, beside = 1024 + 64;  // what the driver and barriers take
    if (!lone) return 1;
    return !loose ? 4 : std::min(8, local_bytes / (ring_bytes() + waiting_bytes() + beside));
  }
  static constexpr int band = 8;  ///< rows of tiles that are walked before the next column of tiles
  static constexpr int row_bytes = 128;
  int size() const { return static_cast<int>(size_of(type)); }
  int depth() const { return row_bytes / size(); }  ///< of a stage
  /// Products that one instruction adds to a sum.
  int step_depth() const { return type == DType::float64 ? (sm80 ? 4 : 16) : 32 / size(); }
  /// Whether the transposed product is computed, with the transposed B from registers: wgmma reads operands of 4 bytes
  /// in local memory along the depth only.
  bool turned() const { return tf32 && !b_along; }
  /// Whether work-items multiply by fused multiply-adds.
  bool fma() const { return type == DType::float32 && !tf32; }
  /// Whether results are float32.
  bool wide_results() const { return size() == 4 || (size() == 2 && parts); }
  /// Whether the copy engine stores the results.
  bool stores_tiles() const { return aligned && type != DType::float64 && !fma() && !sm80; }

  /// Whether warps of fma() lay out rows of their results in local memory, so that neighbours are stored together.
  bool lays_out_rows() const { return fma() && !sm80 && !aligned && !taken && !gram; }
  static constexpr int laid_out_bytes = 1024;  ///< of each warp

  // Local memory: the stages, then a place where tiles of results wait for the copy engine, then the barriers. Cards
  // before Hopper have 99 KiB or more, and take the stages alone.
  int ring_bytes() const {
    if (lone) return loose ? std::max(24576, 2 * stage_bytes()) : 49152;
    return sm80 ? 98304 : 196608;
  }
  int waiting_bytes() const { return lone ? (lays_out_rows() ? laid_out_bytes : 384) : 32768; }
  int a_bytes() const { return rows * row_bytes; }
  /// Lines of B that are fetched; those across the depth lie in boxes of as many as a stage has steps.
  int b_lines() const { return b_along ? columns : (columns + depth() - 1) / depth() * depth(); }
  int b_bytes() const { return b_lines() * row_bytes; }
  /// Whether a tile has 256 rows of which each warp has 32, rather than two warps down and four across.
  bool tall() const { return fma() && rows == 256; }
  int stage_bytes() const { return (split ? 2 : 1) * (a_bytes() + (gram ? 0 : b_bytes())); }
  int stages() const { return ring_bytes() / stage_bytes(); }

  /// "matmul_f16_128x256": the kernel's name.
  std::string name() const;
  /// What tells this program from others.
  std::string signature() const;
};

/// What a kernel is passed behind its buffers, which are A, B, the results, and `scratch_bytes` for each group
/// of a Hopper card. With `spread` room for two tiles of each group follows there, and the next buffer is of
/// `arrivals` zeros of 32 bits for each tile that is shared, which are zeros again in the end.
struct PtxMatmulBlock {
  static constexpr int scratch_bytes = 384, arrivals = 8;

  /// How an array lies in its buffer: axes from the innermost on, two of the matrix and three of the batch.
  struct Map {
    std::uint64_t offset;      // in bytes
    std::uint64_t strides[4];  // in bytes, of all axes but the innermost
    std::uint32_t sizes[5];
    std::uint32_t unused;
  };
  Map a, b, out;
  std::uint32_t m, n;
  std::uint32_t k;                       // of a block
  std::uint32_t steps;                   // stages along the depth, of a block
  std::uint32_t down, across;            // tiles of a matrix
  std::uint32_t tiles;                   // of all matrices and blocks, without those behind a row's end
  std::uint32_t block_tiles;             // of a block
  std::uint32_t block_matrices;          // and how many matrices
  std::uint32_t batch[2];                // sizes of the two inner axes
  std::uint32_t a_walks[3], b_walks[3];  // 0 for axes along which the operand stays at the same matrix
  std::int32_t corner;                   // of what is taken: row i ends with column i + corner; from -m to n
  std::uint32_t whole;                   // tiles that one group each takes; of a program with `spread`
};

/// The whole text.
std::string print_ptx_matmul(const PtxMatmul& program);

/// What a kernel is passed, at so many bytes behind the start of its block.
std::string ptx_parameter(std::size_t offset);

// Its parts, in files of their own. The consumers: from "whoever multiplies, with its registers and the stages at hand"
// to the end of its tiles. `place` finds a tile's first row and column, `advance` goes to the next stage, `wait` waits
// until the stage at hand is there, `release` says of the stage before, whose barrier is %previous, that this warp has
// read it. `place_next`, behind a use of `place`, goes back to the tile that a lone warp fetches; else it is empty.
struct PtxMatmulPieces {
  std::string place, advance, wait, release, place_next;
};
/// The text of a program for sm_80, but for `wait` and `release`, which are its own.
std::string print_ptx_matmul_sm80(const PtxMatmul& program, PtxMatmulPieces pieces);
/// The kernel's name and parameters, up to the brace of its body.
void print_ptx_entry(PtxText& out, const PtxMatmul& program);
/// Registers that all parts share, and what the block says of sizes.
void print_ptx_registers(PtxText& out);
/// wgmma, for sums in float32.
void print_wgmma(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces);
/// The same of a split one.
void print_wgmma_split(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces);
/// The same of a turned() program.
void print_wgmma_turned(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces);
/// mma.sync, for float64.
void print_mma_f64(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces);
/// mma.sync, for sums in float32; with sm80.
void print_mma(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces);
/// Multiply-adds, for float32.
void print_fma(PtxText& out, const PtxMatmul& program, const PtxMatmulPieces& pieces);
/// wgmma's shared descriptors: `word`, an address in local memory, becomes the lower word of a descriptor; lines of 128
/// bytes swizzled, boxes of lines so many bytes apart. %high is the upper word.
void print_wgmma_low(PtxText& out, const char* word, int boxes_apart);

// The fetching of a loose program's operands, by warps that number themselves from 0.
void print_ptx_loose_registers(PtxText& out, const PtxMatmul& program);
/// Finds where the lane's elements of the tile that was placed come from.
void print_ptx_loose_place(PtxText& out, const PtxMatmul& program);
/// The copies of the stage at %to, from the step %k0 of the depth on, where zeros are what lies beyond it. They arrive
/// at %filled.
void print_ptx_loose_copies(PtxText& out, const PtxMatmul& program);

// Of a program with `spread`. The setup finds the group's run of stages.
void print_ptx_spread_setup(PtxText& out);
/// At a label, %tile becomes the next of which the group has stages: %count from %begin on; goes to `end` behind the
/// last. Its other label is its own.
void print_ptx_segment(PtxText& out, const std::string& label, const char* end);
/// From a part of the depth to all of it, in the first `sums` of registers %f; warps that are not the last to have a
/// part go to `others`.
void print_ptx_meet(PtxText& out, const PtxMatmul& program, int sums, const char* others);

/// Takes registers `sums` of a row of results from the elements so many columns behind register `first`. Of a taken
/// program; the row is %below, its address %to_row that of column `first`, and %in says whether it is there.
void print_ptx_take(PtxText& out, const PtxMatmul& program, const char* first,
                    const std::vector<std::pair<int, std::string>>& sums);
/// Its registers, for rows of so many sums; %pitch becomes that of the results.
void print_ptx_take_setup(PtxText& out, const PtxMatmul& program, int sums);

// The way of sums from registers to the results: through local memory, in boxes of 16 rows of 128 bytes for each warp.
/// The tile that wgmma left in registers %f0 ..., as elements of the results.
void print_ptx_store(PtxText& out, const PtxMatmul& program);
/// Its registers, and those of its parts: of which %box is where the warp's first box lies.
void print_ptx_store_setup(PtxText& out, const PtxMatmul& program);
/// Finds where a warp's 16 rows go, of which %c1 is the first.
void print_ptx_rows(PtxText& out, const PtxMatmul& program);
/// Waits until the box that is written next has been read. Then all that share it meet, and write it.
void print_ptx_room(PtxText& out, const PtxMatmul& program);
/// Shows what was written to the copy engine. Then all that share the box meet again.
void print_ptx_ready(PtxText& out, const PtxMatmul& program);
/// Brings the box at `bytes` behind %box to the results, its first column to `column` behind %n0.
void print_ptx_store_box(PtxText& out, const PtxMatmul& program, int column, int bytes);

}  // namespace koine::codegen

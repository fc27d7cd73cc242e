// SPDX-License-Identifier: Apache-2.0
#include "exec/matmul_ptx_tiles.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "base/rounding.hpp"
#include "exec/matmul_ptx_side.hpp"

namespace koine::exec {
namespace {

using base::divide_up;
using base::round_up;
using codegen::PtxMatmul;

constexpr std::int64_t stage = 32;  // steps of the depth, of multiply-adds

/// Nanoseconds on an H200: of a step of the depth of a tile of multiply-adds, and of the ends of one; of a launch and
/// the ends of what is left of the depth where groups share it. No rows of tuning: the order of sums follows from them.
struct Tile {
  std::int64_t rows, columns, step, ends, shared_ends;
};
constexpr Tile wide_tiles[] = {
    {64, 64, 31, 1000, 5500}, {128, 64, 50, 3000, 7500}, {128, 128, 92, 2500, 9500}, {128, 192, 134, 2500, 13500}};
/// Leaves no registers to share with, and none to fetch with element by element.
constexpr Tile widest_tile{128, 256, 174, 2500, 0};
constexpr Tile tall_tiles[] = {{256, 16, 34, 1000, 5500}, {256, 32, 55, 1500, 6500}};

std::int64_t whole_time(const Tile& tile, std::int64_t tiles, std::int64_t depth, std::int64_t units) {
  constexpr std::int64_t launch = 2500;
  return launch + divide_up(tiles, units) * (depth * tile.step + tile.ends);
}

std::int64_t shared_time(const Tile& tile, std::int64_t tiles, std::int64_t depth, std::int64_t units) {
  constexpr std::int64_t piece = 800;  // until a piece of a tile has come
  const std::int64_t steps = divide_up(depth, stage), groups = spread_groups(tiles, steps, units);
  const std::int64_t whole = whole_tiles(tiles, groups), shared = tiles - whole;
  return whole / groups * (depth * tile.step + tile.ends) + divide_up(shared * steps, groups) * stage * tile.step +
         tile.shared_ends + groups / shared * piece;
}

/// The tile by which groups take the least time if they share the depth of some; nothing where they had better not, by
/// these tiles and one that cannot be shared.
std::optional<Tile> spread_tile(std::span<const Tile> tiles, const Tile* unshared, const MatmulPiece& p,
                                std::int64_t units) {
  constexpr std::int64_t fewest_steps = 3;
  if (divide_up(p.k, stage) < fewest_steps) return std::nullopt;
  const auto count = [&](const Tile& tile) {
    return divide_up(p.m, tile.rows) * divide_up(p.n, tile.columns) * p.batch.count();
  };
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t whole = unshared ? whole_time(*unshared, count(*unshared), p.k, units) : most, shared = most;
  std::optional<Tile> best;
  for (const Tile& tile : tiles) {
    whole = std::min(whole, whole_time(tile, count(tile), p.k, units));
    const std::int64_t took = shared_time(tile, count(tile), p.k, units);
    if (took >= shared) continue;
    shared = took;
    best = tile;
  }
  return 50 * shared < 49 * whole ? best : std::nullopt;
}

void set_tile(PtxMatmul& program, std::int64_t rows, std::int64_t columns) {
  program.rows = static_cast<int>(rows);
  program.columns = static_cast<int>(columns);
}

/// The most lines of a matrix that is a single tile of a lone warp.
constexpr std::int64_t lone_side = 64;

/// Whether small matrices had better have warps of their own, four at a time on a unit.
bool suits_lone_warps(const MatmulPiece& p, std::int64_t matrices, std::int64_t units) {
  const std::int64_t most = std::max(p.m, p.n), one_by_one = divide_up(matrices, units);
  if (matrices < 2 || most > lone_lines) return false;
  // On an H200 a turn of theirs takes as long as 2.9 turns of a unit that multiplies one after another.
  constexpr std::int64_t turns = 3;
  if (most <= lone_side) return turns * divide_up(matrices, 4 * units) <= one_by_one;
  // Of larger ones one tile of 128 x 128 takes as long as so much of their time.
  constexpr std::int64_t large = 250;
  return matrices > units && lone_tile(p.m, p.n, false).time * matrices <= large * units * one_by_one;
}

template <class Product>
bool is_tall(const DeviceTraits& traits, const Product& p, const Side& a) {
  // Measured on an H200 beside matmul_small.cl, which takes less of what is shorter.
  constexpr std::int64_t fewest_columns = 6, most_columns = 32, fewest_rows = 1024, most_depth = 4096, least_depth = 20;
  constexpr std::int64_t elements = 1 << 19;
  return traits.ptx_sm90a && p.dtype == float32 && !p.tf32 && !p.split && !p.fixed && p.n >= fewest_columns &&
         p.n <= most_columns && p.m >= fewest_rows && p.k >= least_depth && p.k <= most_depth &&
         p.m >= divide_up(elements, p.k) && way_of(a, true);
}

}  // namespace

std::int64_t tiles_of(const PtxMatmul& program, const MatmulPiece& p) {
  const std::int64_t across = divide_up(p.n, program.columns), down = divide_up(p.m, program.rows);
  if (!program.taken) return down * across;
  std::int64_t tiles = 0;
  for (std::int64_t row = 1; row <= down; ++row) {
    tiles += std::min(divide_up(std::max(row * program.rows + p.corner, std::int64_t{0}), program.columns), across);
  }
  return tiles;
}

std::int64_t spread_groups(std::int64_t tiles, std::int64_t steps, std::int64_t at_once) {
  // Each group has some stages, and the last one of a tile few others' sums to add up one after another.
  constexpr std::int64_t fewest_stages = 4, most_pieces = 12;
  return std::clamp(std::min(tiles * steps / fewest_stages, tiles * most_pieces), std::int64_t{1}, at_once);
}

// All turns but the last one and what is behind it, so that none of what is left is dealt to more than a few groups.
std::int64_t whole_tiles(std::int64_t tiles, std::int64_t groups) {
  return tiles > groups ? (tiles / groups - 1) * groups : 0;
}

bool ptx_is_tall(const DeviceTraits& traits, const MatmulProblem& p) {
  // Where an operand is cast on the way, matmul_small.cl reads through the cast.
  return p.matrices() == 1 && !p.a.stored && !p.b.stored && is_tall(traits, p, side_a(p, {}, {}));
}

// Small enough for all compute units to have work, and as large as that leaves, since operands are read once for each
// tile.
void choose_tile(PtxMatmul& program, const MatmulPiece& p, const DeviceTraits& traits, bool gram) {
  if (program.lone) {
    const LoneTile tile = lone_tile(p.m, p.n, true);
    return set_tile(program, tile.rows, tile.columns);
  }
  const std::int64_t units = traits.compute_units;
  const bool shares = program.fma() && !program.sm80 && !program.blocks && !program.taken && !p.fixed;
  if (!program.loose && !program.taken && p.batch.count() == 1 && is_tall(traits, p, side_a(p, {}, {}))) {
    const Tile& tile = tall_tiles[p.n > tall_tiles[0].columns];
    program.spread = shares && spread_tile({&tile, 1}, nullptr, p, units).has_value();
    return set_tile(program, tile.rows, tile.columns);
  }
  const std::int64_t matrices = p.batch.count() * blocks_of(p);
  if (program.fma() && !program.sm80 && !program.loose && !program.taken && suits_lone_warps(p, matrices, units)) {
    program.lone = true;
    program.gram = gram && p.m <= lone_side;
    const LoneTile tile = program.gram ? LoneTile{lone_side, lone_side, 1, 0} : lone_tile(p.m, p.n, false);
    return set_tile(program, tile.rows, tile.columns);
  }
  if (shares) {
    if (const std::optional<Tile> tile = spread_tile(wide_tiles, program.loose ? nullptr : &widest_tile, p, units)) {
      program.spread = true;
      return set_tile(program, tile->rows, tile->columns);
    }
  }
  constexpr std::int64_t tiles[][2] = {{128, 256}, {128, 192}, {128, 128}, {128, 64}, {64, 64}, {32, 64}};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& [short_side, long_side] : tiles) {
    if ((long_side == 256 && (p.dtype == float64 || program.split || program.sm80 || program.loose)) ||
        (long_side == 192 && (!program.fma() || program.sm80)) ||
        (short_side == 64 && p.dtype != float64 && !program.fma()) ||
        (short_side == 32 && (p.dtype != float64 || program.sm80))) {
      continue;
    }
    const std::int64_t rows = program.turned() ? long_side : short_side;
    const std::int64_t columns = program.turned() ? short_side : long_side;
    const std::int64_t beside = program.fma() ? traits.tuning.matmul_line_cost * (rows + columns)
                                              : std::int64_t{traits.tuning.matmul_unit_tile_cost};
    PtxMatmul sized = program;
    set_tile(sized, rows, columns);
    const std::int64_t count = tiles_of(sized, p) * matrices;
    // With 4 x 4 results a work-item loads as long as it multiplies: measured on an H200, 1.49 of the others' time.
    const std::int64_t waits = program.fma() && rows * columns == 64 * 64 ? rows * columns / 2 : 0;
    const std::int64_t cost = divide_up(count, units) * (rows * columns + beside + waits);
    if (cost >= least) continue;
    least = cost;
    program = sized;
  }
}

namespace {

/// The depth of blocks by which compute units have the least work, or the whole depth where blocks gain little: of
/// multiply-adds on Hopper's cards.
std::int64_t even_depth(const DeviceTraits& traits, const MatmulProblem& p) {
  // Of adding up blocks: the launch, and bytes in a nanosecond.
  constexpr std::int64_t launch = 8000, bandwidth = 3000;
  constexpr std::int64_t least = 64, most_blocks = 16;
  const std::int64_t matrices = p.matrices(), results = p.m * p.n * matrices;
  const auto time = [&](std::int64_t blocks) {
    const std::int64_t depth = round_up(divide_up(p.k, blocks), stage);
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    for (const Tile& tile : wide_tiles) {
      const std::int64_t count = divide_up(p.m, tile.rows) * divide_up(p.n, tile.columns) * matrices * blocks;
      shortest = std::min(shortest, whole_time(tile, count, depth, traits.compute_units));
    }
    return shortest + (blocks > 1 ? launch + 4 * results * (blocks + 1) / bandwidth : 0);
  };
  const std::int64_t whole = time(1);
  std::int64_t best = 1, shortest = 9 * whole / 10;
  for (std::int64_t blocks = 2; blocks <= most_blocks && blocks * least <= p.k; ++blocks) {
    const std::int64_t took = time(blocks);
    if (took >= shortest) continue;
    best = blocks;
    shortest = took;
  }
  return best == 1 ? p.k : round_up(divide_up(p.k, best), stage);
}

}  // namespace

std::int64_t ptx_depth(const DeviceTraits& traits, const MatmulProblem& p) {
  // No rows of tuning: the order of sums follows from them. An instruction adds 8 to 16 products to a sum, so these are
  // no more than 2,048 sums one after another; multiply-adds
  // add one.
  constexpr std::int64_t longest = 16384, chain = 4096;
  // Few results of great depth would leave most compute units without a tile.
  constexpr std::int64_t few_results = 1 << 20, shorter = 2048;
  std::int64_t results = p.m * p.n;
  for (const std::int64_t size : p.batch) results *= size;
  const bool multiply_adds = p.dtype == float32 && !p.tf32 && !p.split;
  if (results <= few_results && p.k > 4 * shorter) {
    // Blocks of a single tile have a warp each, four on a unit.
    const bool lone = multiply_adds && traits.ptx_sm90a && std::max(p.m, p.n) <= 64;
    return lone ? std::min(shorter, shared_depth(traits, p, 4, 512)) : shorter;
  }
  if (multiply_adds && traits.ptx_sm90a) {
    // Groups share the depth of tiles without blocks, unless there are too few tiles for all.
    const std::int64_t tiles = divide_up(p.m, 64) * divide_up(p.n, 64) * p.matrices();
    const bool shares = p.k <= chain && (10 * tiles >= traits.compute_units || ptx_is_tall(traits, p));
    return shares ? p.k : std::min(chain, even_depth(traits, p));
  }
  // Tiles of these take so long that a turn of all compute units less is worth a launch.
  if (multiply_adds || p.dtype == float64) {
    return std::min(multiply_adds ? chain : longest, shared_depth(traits, p, 1, 512));
  }
  return longest;
}

}  // namespace koine::exec

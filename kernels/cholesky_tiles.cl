// SPDX-License-Identifier: Apache-2.0
// Cholesky factorisations of a stack of real matrices of any size on cards, by blocks of KN_TILE columns, within panels:
// takes the products of the last block's columns from the tiles of what is left of the panel, of which the first one is
// factorised at once, while the others are at work. kernels/solve_columns.cl makes the columns below a factorised tile,
// kernels/take_products.cl takes the products of all of a panel from the lower triangle behind it.

#define KN_TILE 64
#include "common/factors.clh"
#include "common/tile.clh"

typedef struct {
  ulong offset, n, done;       // offset of `x`; columns of the factor that are known
  ulong tiles, across, depth;  // of a matrix; across the panel's; columns of the last block, KN_TILE or none
} kn_cholesky_tiles;

// Where a tile is, of a lower triangle and what is below it, row by row.
static inline void kn_lower_tile(ulong tile, ulong across, ulong* row, ulong* column) {
  const ulong below = across * (across + 1) / 2;
  if (tile >= below) {
    *row = across + (tile - below) / across;
    *column = (tile - below) % across;
    return;
  }
  ulong i = (ulong)((sqrt(8.0f * (float)tile + 1.0f) - 1.0f) / 2.0f);
  while (i * (i + 1) / 2 > tile) --i;
  while ((i + 1) * (i + 2) / 2 <= tile) ++i;
  *row = i;
  *column = tile - i * (i + 1) / 2;
}

// 1 / a to about the last bit. Columns wait for it one after the other, so that there is no branch.
static inline KN_REAL kn_inverse(KN_REAL a) {
#if KN_ELEMENT == KN_F32
  // No part of it is too small for a device without subnormal numbers.
  const float scale = a < 0x1p-60f ? 0x1p60f : a > 0x1p60f ? 0x1p-60f : 1.0f, scaled = a * scale;
  const float inverse = native_recip(scaled);
  return fma(inverse, fma(-scaled, inverse, 1.0f), inverse) * scale;
#else
  return 1 / a;
#endif
}

// The rows of a work-item in the first tile, and their elements of a line of local memory.
#define KN_ROWS (KN_TILE * 32 / KN_ITEMS)
#define KN_LINE (KN_TILE + KN_ROWS)
static inline void kn_read_rows(__local const KN_VALUE* from, KN_VALUE values[KN_ROWS]) {
  const KN_PASTE(KN_REAL, 8) rows = *(__local const KN_PASTE(KN_REAL, 8)*)from;
  values[0] = rows.s0;
  values[1] = rows.s1;
  values[2] = rows.s2;
  values[3] = rows.s3;
  values[4] = rows.s4;
  values[5] = rows.s5;
  values[6] = rows.s6;
  values[7] = rows.s7;
}

// At first, where `done` is 0, all tiles are copied from `x`, and above the diagonal are zeros.
__kernel __attribute__((reqd_work_group_size(KN_ITEMS, 1, 1))) void cholesky_tiles(__global const KN_VALUE* x,
                                                                                   __global KN_VALUE* factor,
                                                                                   __global kn_fault* indefinite,
                                                                                   const kn_cholesky_tiles parameters) {
  const kn_cholesky_tiles d = parameters;
  __local KN_VALUE square[KN_TILE * KN_LINE] __attribute__((aligned(64)));
  __local KN_REAL pivots[KN_TILE];
  const ulong matrix = get_group_id(0) / d.tiles, tile = get_group_id(0) - matrix * d.tiles;
  __global KN_VALUE* const to = factor + matrix * d.n * d.n;
  __global const KN_VALUE* const from = d.done > 0 ? to : x + d.offset + matrix * d.n * d.n;
  if (tile == 0) {
#include "common/cholesky_tile.clh"
    return;
  }
  ulong tile_row = tile / d.across, tile_column = tile - tile_row * d.across;
  if (d.done > 0) kn_lower_tile(tile, d.across, &tile_row, &tile_column);
  const ulong row0 = d.done + tile_row * KN_TILE, column0 = d.done + tile_column * KN_TILE;
  KN_VALUE sums[KN_SUMS][KN_SUMS];
#pragma unroll
  for (uint i = 0; i < KN_SUMS; ++i)
#pragma unroll
    for (uint j = 0; j < KN_SUMS; ++j) sums[i][j] = KN_ZERO;
  __local KN_VALUE *const a_tile = square, *const b_tile = square + KN_DEPTH * KN_PITCH;
  __global const KN_VALUE* const a = to + row0 * d.n + d.done - d.depth;
  __global const KN_VALUE* const b = to + column0 * d.n + d.done - d.depth;
  const long pitch = (long)d.n;
  const KnTileProduct tile_product = {pitch, 1, 1, pitch, pitch - (long)row0, pitch - (long)column0, (long)d.depth};
#include "common/tile_product.clh"
  const ulong row = row0 + KN_SELF / KN_SIDE * 4, column = column0 + KN_SELF % KN_SIDE * 4;
#pragma unroll
  for (uint i = 0; i < 4; ++i)
#pragma unroll
    for (uint j = 0; j < 4; ++j) {
      // Something is read in any case, so that no load waits for another.
      const bool there = row + i < d.n && column + j <= row + i;
      sums[i][j] = *(there ? from + (row + i) * d.n + column + j : x + d.offset) - sums[i][j];
    }
#pragma unroll
  for (uint i = 0; i < 4; ++i)
#pragma unroll
    for (uint j = 0; j < 4; ++j) {
      if (row + i >= d.n || column + j >= d.n) continue;
      if (column + j <= row + i) {
        to[(row + i) * d.n + column + j] = sums[i][j];
      } else if (d.done == 0) {
        to[(row + i) * d.n + column + j] = KN_ZERO;
      }
    }
}

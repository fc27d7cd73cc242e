// SPDX-License-Identifier: Apache-2.0
// Cholesky factorisations of a stack of real matrices of any size on cards, by blocks of KN_TILE columns, within panels:
// takes the products of the last block's columns from the tiles of what is left of the panel, of which the first one is
// factorised at once, while the others are at work. kernels/solve_columns.cl makes the columns below a factorised tile,
// kernels/take_products.cl takes the products of all of a panel from the lower triangle behind it.

#define KN_TILE 64
#include "common/factors.clh"
#include "common/tile.clh"

typedef struct {
  ulong offset, n, done;         // offset of `x`; columns of the factor that are known
  ulong tiles, across, depth;  // of a matrix; across the panel's; columns of the last block, or none
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

// At first, where `done` is 0, all tiles are copied from `x`, and above the diagonal are zeros.
__kernel __attribute__((reqd_work_group_size(KN_ITEMS, 1, 1))) void cholesky_tiles(__global const KN_VALUE* x,
                                                                                   __global KN_VALUE* factor,
                                                                                   __global kn_fault* indefinite,
                                                                                   const kn_cholesky_tiles parameters) {
  const kn_cholesky_tiles d = parameters;
  __local KN_VALUE a_tile[KN_DEPTH * KN_PITCH] __attribute__((aligned(32)));
  __local KN_VALUE b_tile[KN_DEPTH * KN_PITCH] __attribute__((aligned(32)));
  __local KN_REAL pivots[KN_TILE];
  const ulong matrix = get_group_id(0) / d.tiles, tile = get_group_id(0) - matrix * d.tiles;
  ulong tile_row = tile / d.across, tile_column = tile - tile_row * d.across;
  if (d.done > 0) kn_lower_tile(tile, d.across, &tile_row, &tile_column);
  const ulong row0 = d.done + tile_row * KN_TILE, column0 = d.done + tile_column * KN_TILE;
  __global KN_VALUE* const to = factor + matrix * d.n * d.n;
  __global const KN_VALUE* const from = d.done > 0 ? to : x + d.offset + matrix * d.n * d.n;
  KN_VALUE sums[KN_SUMS][KN_SUMS];
#pragma unroll
  for (uint i = 0; i < KN_SUMS; ++i)
#pragma unroll
    for (uint j = 0; j < KN_SUMS; ++j) sums[i][j] = KN_ZERO;
  __global const KN_VALUE* const a = to + row0 * d.n + d.done - d.depth;
  __global const KN_VALUE* const b = to + column0 * d.n + d.done - d.depth;
  const long pitch = (long)d.n;
  const KnTileProduct tile_product = {pitch, 1, 1, pitch, pitch - (long)row0, pitch - (long)column0, (long)d.depth};
#include "common/tile_product.clh"
  const uint item_x = KN_SELF % KN_SIDE, item_y = KN_SELF / KN_SIDE;
  const ulong row = row0 + item_y * 4, column = column0 + item_x * 4;
#pragma unroll
  for (uint i = 0; i < 4; ++i)
#pragma unroll
    for (uint j = 0; j < 4; ++j) {
      const bool there = row + i < d.n && column + j <= row + i;
      // Something is read in any case, so that no load waits for another.
      const KN_VALUE value = *(there ? from + (row + i) * d.n + column + j : x + d.offset);
      // What is missing of a tile to factorise is the identity.
      sums[i][j] = there ? value - sums[i][j] : row + i == column + j ? KN_ONE : KN_ZERO;
    }
  // The first tile's factor. Columns are left unscaled until all of them are known, so that a column costs one barrier.
  // The others' products set the pace of large matrices, and share the registers: few of them here.
  const uint quads = tile == 0 ? KN_SIDE : 0;
  uint positive = KN_TILE;
  for (uint quad = 0; quad < quads; ++quad) {
#pragma unroll
    for (uint part = 0; part < 4; ++part) {
      const uint k = 4 * quad + part;
      __local KN_VALUE* const line = a_tile + part % 2 * KN_PITCH;
      if (item_x == quad) {
#pragma unroll
        for (uint i = 0; i < 4; ++i) line[4 * item_y + i] = sums[i][part];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const KN_REAL pivot = line[k], inverse = kn_inverse(pivot);
      KN_VALUE down[4], across[4];
      kn_read_line(line, item_y, down);
      kn_read_line(line, item_x, across);
      positive = pivot > 0 ? positive : min(positive, k);
      if (KN_SELF == 0) pivots[k] = pivot;
#pragma unroll
      for (uint j = 0; j < 4; ++j) {
        const KN_VALUE factor = item_x > quad || (item_x == quad && j > part) ? across[j] * inverse : KN_ZERO;
#pragma unroll
        for (uint i = 0; i < 4; ++i) sums[i][j] = kn_take_away(sums[i][j], down[i], factor);
      }
    }
  }
  if (positive < KN_TILE) kn_report_at(indefinite, matrix, d.done + positive + 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (tile == 0) {
#pragma unroll
    for (uint j = 0; j < 4; ++j) {
      const KN_REAL root = sqrt(pivots[4 * item_x + j]), inverse = 1 / root;
#pragma unroll
      for (uint i = 0; i < 4; ++i) sums[i][j] = 4 * item_y + i == 4 * item_x + j ? root : sums[i][j] * inverse;
    }
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

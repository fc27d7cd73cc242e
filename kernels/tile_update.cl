// SPDX-License-Identifier: Apache-2.0
// C - A B in place of C, for a stack of parts of matrices, on cards: a group takes a tile of C.

#include "common/factors.clh"
#include "common/tile.clh"

// Offsets and strides in elements; `step`: from one matrix of the stack to the next.
typedef struct {
  long a_offset, a_row, a_column, a_step;
  long b_offset, b_row, b_column, b_step;
  long c_offset, c_row, c_step;
  long m, n, k;
} kn_tile_update;

// The three may be parts of one matrix.
__kernel __attribute__((reqd_work_group_size(KN_ITEMS, 1, 1))) void tile_update(__global const KN_VALUE* a,
                                                                                __global const KN_VALUE* b,
                                                                                __global KN_VALUE* c,
                                                                                const kn_tile_update parameters) {
  const kn_tile_update d = parameters;
  __local KN_VALUE a_tile[KN_DEPTH * KN_PITCH] __attribute__((aligned(32)));
  __local KN_VALUE b_tile[KN_DEPTH * KN_PITCH] __attribute__((aligned(32)));
  const int item_x = get_local_id(0) % KN_SIDE, item_y = get_local_id(0) / KN_SIDE;
  const long tiles = (d.m + KN_TILE - 1) / KN_TILE * ((d.n + KN_TILE - 1) / KN_TILE);
  const long matrix = get_group_id(0) / tiles;
  long row0, column0;
  kn_tile_corner(get_group_id(0) - matrix * tiles, d.m, d.n, &row0, &column0);
  KN_VALUE sums[KN_SUMS][KN_SUMS];
#pragma unroll
  for (int i = 0; i < KN_SUMS; ++i)
#pragma unroll
    for (int j = 0; j < KN_SUMS; ++j) sums[i][j] = KN_ZERO;
  a += d.a_offset + matrix * d.a_step + row0 * d.a_row;
  b += d.b_offset + matrix * d.b_step + column0 * d.b_column;
  const KnTileProduct tile_product = {d.a_row, d.a_column, d.b_row, d.b_column, d.m - row0, d.n - column0, d.k};
#include "common/tile_product.clh"
  c += d.c_offset + matrix * d.c_step + row0 * d.c_row + column0;
#pragma unroll
  for (int i = 0; i < KN_SUMS; ++i) {
    const int row = i / 4 * 64 + item_y * 4 + i % 4;
#pragma unroll
    for (int j = 0; j < KN_SUMS; ++j) {
      const int column = j / 4 * 64 + item_x * 4 + j % 4;
      if (row0 + row < d.m && column0 + column < d.n) c[row * d.c_row + column] -= sums[i][j];
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Matrix product for GPUs, every type: a group of 16 x 16 work-items shares tiles of A and B in local memory.

#include "common/matmul_types.clh"

// 1: the depth is divided among several launches, and the sums wait in memory for the next one.
#ifndef KN_PASSES
#define KN_PASSES 0
#endif

#include "common/tile.clh"

typedef struct {
  long out_offset, a_offset, b_offset;
  long a_row, a_column, b_row, b_column;
  long m, n, k;
  long batch_sizes[4], a_batch[4], b_batch[4];
  long first, last;  // whether nothing waits yet, and whether nothing comes after
} kn_matmul_tile;

// One group for each tile of each matrix of the batch, in one dimension: other dimensions have low limits.
__kernel __attribute__((reqd_work_group_size(KN_ITEMS, 1, 1))) void matmul_tile(
    __global const KN_A_STORED* restrict a, __global const KN_B_STORED* restrict b, __global KN_OUT* restrict out,
#if KN_PASSES
    __global KN_VALUE* restrict waiting,
#endif
    const kn_matmul_tile parameters KN_BESIDE) {
  const kn_matmul_tile product = parameters;  // in registers, whatever is written meanwhile
  __local KN_VALUE a_tile[KN_DEPTH * KN_PITCH] __attribute__((aligned(32)));
  __local KN_VALUE b_tile[KN_DEPTH * KN_PITCH] __attribute__((aligned(32)));
  const int item = get_local_id(0);
  const int item_x = item % KN_SIDE;
  const int item_y = item / KN_SIDE;

  const long tiles = (product.m + KN_TILE - 1) / KN_TILE * ((product.n + KN_TILE - 1) / KN_TILE);
  const long batch = get_group_id(0) / tiles;
  long row0, column0;
  kn_tile_corner(get_group_id(0) - batch * tiles, product.m, product.n, &row0, &column0);
  a += product.a_offset + kn_batch_offset(batch, product.batch_sizes, product.a_batch) + row0 * product.a_row;
  b += product.b_offset + kn_batch_offset(batch, product.batch_sizes, product.b_batch) + column0 * product.b_column;

  KN_VALUE sums[KN_SUMS][KN_SUMS];
#pragma unroll
  for (int i = 0; i < KN_SUMS; ++i)
#pragma unroll
    for (int j = 0; j < KN_SUMS; ++j) sums[i][j] = (KN_VALUE)(0);
#if KN_PASSES
  waiting += get_group_id(0) * (KN_TILE * KN_TILE) + item;
  if (!product.first)
    for (int i = 0; i < KN_SUMS * KN_SUMS; ++i) sums[i / KN_SUMS][i % KN_SUMS] = waiting[i * KN_ITEMS];
#endif

  const KnTileProduct tile_product = {product.a_row,      product.a_column,      product.b_row, product.b_column,
                                 product.m - row0, product.n - column0, product.k};
#include "common/tile_product.clh"

#if KN_PASSES
  // All items' way to the end is the same: not every compiler finds the barriers' regions where some return early.
  for (int i = 0; i < KN_SUMS * KN_SUMS; ++i) waiting[i * KN_ITEMS] = sums[i / KN_SUMS][i % KN_SUMS];
  const long rows = product.last ? product.m : 0;
#else
  const long rows = product.m;
#endif
  const long first = product.out_offset + (batch * product.m + row0) * product.n + column0;
#pragma unroll
  for (int i = 0; i < KN_SUMS; ++i) {
    const int row = i / 4 * 64 + item_y * 4 + i % 4;
#pragma unroll
    for (int j = 0; j < KN_SUMS; ++j) {
      const int column = j / 4 * 64 + item_x * 4 + j % 4;
      if (row0 + row < rows && column0 + column < product.n)
        KN_PUT(first + row * product.n + column, kn_settled(sums[i][j]));
    }
  }
}

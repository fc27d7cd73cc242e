// SPDX-License-Identifier: Apache-2.0
// Matrix product for GPUs, every type: a group of 16 x 16 work-items shares tiles of A and B in local memory.

#include "common/matmul_types.clh"

// A group's square of the result: 64 gives each work-item 4 x 4 sums, 128 gives it 8 x 8.
#ifndef KN_TILE
#define KN_TILE 64
#endif
// How much of the depth is in local memory at a time.
#ifndef KN_DEPTH
#if KN_TILE == 128 || KN_ELEMENT == KN_C128
#define KN_DEPTH 8
#else
#define KN_DEPTH 16
#endif
#endif

// 1: the depth is divided among several launches, and the sums wait in memory for the next one.
#ifndef KN_PASSES
#define KN_PASSES 0
#endif

#define KN_SIDE 16
#define KN_ITEMS (KN_SIDE * KN_SIDE)
#define KN_SUMS (KN_TILE / KN_SIDE)
#define KN_LOADS (KN_TILE * KN_DEPTH / KN_ITEMS)
// Four more than the tile: neighbours in depth fall on different banks, and quads stay aligned.
#define KN_PITCH (KN_TILE + 4)

#define KN_PASTE_(x, y) x##y
#define KN_PASTE(x, y) KN_PASTE_(x, y)

// A work-item's share of one line of a tile: quads of neighbours, 64 apart.
static inline void kn_read_line(__local const KN_VALUE* line, int place, KN_VALUE values[KN_SUMS]) {
#pragma unroll
  for (int q = 0; q < KN_SUMS; q += 4) {
#if KN_IS_COMPLEX
#pragma unroll
    for (int i = 0; i < 4; ++i) values[q + i] = line[q * KN_SIDE + place * 4 + i];
#else
    KN_PASTE(KN_REAL, 4) quad = *(__local const KN_PASTE(KN_REAL, 4)*)(line + q * KN_SIDE + place * 4);
    values[q] = quad.x;
    values[q + 1] = quad.y;
    values[q + 2] = quad.z;
    values[q + 3] = quad.w;
#endif
  }
}

// Where a work-item's loads of a tile lie: in the tile (wide, depth), in memory, and in local memory.
typedef struct {
  int wide, wide_step, depth, depth_step;
  long offset, offset_step;
  int place, place_step;
} KnWalk;

static inline KnWalk kn_walk(int item, long wide_stride, long deep_stride) {
  const bool deep = deep_stride == 1;
  KnWalk walk;
  walk.wide = deep ? item / KN_DEPTH : item % KN_TILE;
  walk.depth = deep ? item % KN_DEPTH : item / KN_TILE;
  walk.wide_step = deep ? KN_ITEMS / KN_DEPTH : 0;
  walk.depth_step = deep ? 0 : KN_ITEMS / KN_TILE;
  walk.offset = walk.wide * wide_stride + walk.depth * deep_stride;
  walk.offset_step = walk.wide_step * wide_stride + walk.depth_step * deep_stride;
  walk.place = walk.depth * KN_PITCH + walk.wide;
  walk.place_step = walk.depth_step * KN_PITCH + walk.wide_step;
  return walk;
}

// Loads a work-item's part of a tile of which only `wide` by `depth` elements exist; the rest are zeros.
static inline void kn_fetch(__global const KN_STORED* from, KnWalk walk, long wide, long depth,
                            KN_VALUE values[KN_LOADS]) {
#pragma unroll
  for (int i = 0; i < KN_LOADS; ++i) {
    const bool there = walk.wide + i * walk.wide_step < wide && walk.depth + i * walk.depth_step < depth;
    values[i] = there ? kn_load(from, i * walk.offset_step) : (KN_VALUE)(0);
  }
}

typedef struct {
  long out_offset, a_offset, b_offset;
  long a_row, a_column, b_row, b_column;
  long m, n, k;
  long batch_sizes[4], a_batch[4], b_batch[4];
  long first, last;  // whether nothing waits yet, and whether nothing comes after
} kn_matmul_tile;

// One group for each tile of each matrix of the batch, in one dimension: other dimensions have low limits.
__kernel __attribute__((reqd_work_group_size(KN_ITEMS, 1, 1))) void matmul_tile(
    __global const KN_STORED* restrict a, __global const KN_STORED* restrict b, __global KN_OUT* restrict out,
#if KN_PASSES
    __global KN_VALUE* restrict waiting,
#endif
    const kn_matmul_tile parameters KN_BESIDE) {
  const kn_matmul_tile product = parameters;  // in registers, whatever is written meanwhile
  __local KN_VALUE a_tile[KN_DEPTH * KN_PITCH] __attribute__((aligned(32)));
  __local KN_VALUE b_tile[KN_DEPTH * KN_PITCH] __attribute__((aligned(32)));
  const int item = get_local_id(0);
  const int place_x = item % KN_SIDE;
  const int place_y = item / KN_SIDE;

  // Tiles are numbered down bands of eight rows of tiles, so that groups at work together share what the cache holds.
  const long tile_rows = (product.m + KN_TILE - 1) / KN_TILE;
  const long tile_columns = (product.n + KN_TILE - 1) / KN_TILE;
  const long batch = get_group_id(0) / (tile_rows * tile_columns);
  const long tile = get_group_id(0) % (tile_rows * tile_columns);
  const long band = tile / (8 * tile_columns) * 8;
  const long band_rows = min(8L, tile_rows - band);
  const long row0 = (band + (tile - band * tile_columns) % band_rows) * KN_TILE;
  const long column0 = (tile - band * tile_columns) / band_rows * KN_TILE;
  a += product.a_offset + kn_batch_offset(batch, product.batch_sizes, product.a_batch) + row0 * product.a_row;
  b += product.b_offset + kn_batch_offset(batch, product.batch_sizes, product.b_batch) + column0 * product.b_column;

  // Neighbouring work-items load along whichever axis is contiguous. A work-item's loads are an even step apart.
  const KnWalk a_walk = kn_walk(item, product.a_row, product.a_column);
  const KnWalk b_walk = kn_walk(item, product.b_column, product.b_row);
  a += a_walk.offset;
  b += b_walk.offset;
  KN_VALUE a_next[KN_LOADS];
  KN_VALUE b_next[KN_LOADS];
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

  for (long depth0 = -KN_DEPTH; depth0 < product.k; depth0 += KN_DEPTH) {
    // The next tiles travel from memory while the present ones are multiplied.
    kn_fetch(a, a_walk, product.m - row0, product.k - depth0 - KN_DEPTH, a_next);
    kn_fetch(b, b_walk, product.n - column0, product.k - depth0 - KN_DEPTH, b_next);
    a += KN_DEPTH * product.a_column;
    b += KN_DEPTH * product.b_row;
    if (depth0 >= 0) {
#pragma unroll
      for (int d = 0; d < KN_DEPTH; ++d) {
        KN_VALUE av[KN_SUMS];
        KN_VALUE bv[KN_SUMS];
        kn_read_line(a_tile + d * KN_PITCH, place_y, av);
        kn_read_line(b_tile + d * KN_PITCH, place_x, bv);
#pragma unroll
        for (int i = 0; i < KN_SUMS; ++i)
#pragma unroll
          for (int j = 0; j < KN_SUMS; ++j) sums[i][j] = kn_multiply_add(av[i], bv[j], sums[i][j]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < KN_LOADS; ++i) {
      a_tile[a_walk.place + i * a_walk.place_step] = a_next[i];
      b_tile[b_walk.place + i * b_walk.place_step] = b_next[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

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
    const int row = i / 4 * 64 + place_y * 4 + i % 4;
#pragma unroll
    for (int j = 0; j < KN_SUMS; ++j) {
      const int column = j / 4 * 64 + place_x * 4 + j % 4;
      if (row0 + row < rows && column0 + column < product.n)
        KN_PUT(first + row * product.n + column, kn_settled(sums[i][j]));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Matrix product for GPUs, every type: many small matrices, tiles of matrices that are not much larger, and matrices of
// which one side has few lines. A group has one tile, and as many work-items as blocks of KN_DOWN x 4 results cover it,
// times the slices of the depth: with one slice an element is one sum along the depth, with several their sums are added
// up in the order of the slices.
//
// A matrix's lines (rows of A, columns of B) lie anyhow in memory. In local memory they lie along the depth, so far
// apart that work-items of neighbouring lines meet different banks.

#include "common/matmul_types.clh"
#include "common/matmul_operands.clh"

// Rows of a work-item: 4 or 8. Columns, and what its lines' steps are a multiple of:
#ifndef KN_DOWN
#define KN_DOWN 4
#endif
#define KN_FOUR 4
#define KN_PASTE_(x, y) x##y
#define KN_PASTE(x, y) KN_PASTE_(x, y)

typedef struct {
  long out_offset, a_offset, b_offset;
  long a_row, a_column, b_row, b_column;
  long k;
  long batch_sizes[4], a_batch[4], b_batch[4];
  uint m, n;
  uint tiles_down, tiles_across;  // of a matrix
  uint tile_rows, tile_columns;   // of the matrix's results, of all tiles but the last ones
  uint rows_apart, columns_apart;  // lines of a work-item
  uint depth, pitch;              // steps at once, a multiple of four; elements from line to line in local memory
  uint a_along, b_along;          // whether neighbours in memory are neighbours along the depth
  uint slices;                    // work-items that share a block, and take turns at KN_STEPS steps
  uint one;                       // whether the columns of B are the rows of A, and of one tile
  uint one_axis;                  // whether the batch has only its last axis
} kn_matmul_many;

// Loads that are under way at a time.
#define KN_HELD 8

// Brings lines to local memory, of `steps` of the depth, with zeros up to a multiple of four.
static inline void kn_stage(const int side, __local KN_VALUE* to, uint pitch, __global const void* from,
                            long line_stride, long step_stride, uint lines, uint steps, bool along) {
  const uint item = get_local_id(0), items = get_local_size(0);
  const uint padded = (steps + KN_FOUR - 1) / KN_FOUR * KN_FOUR;
  // Work-items take turns along what are neighbours in memory; where that is across the depth, in patches of 8 lines by
  // four steps, whose places in local memory are of different banks.
  const uint wide = along ? padded : (lines + 7) / 8;
  const uint first = along ? item : item / 32, on = along ? items : items / 32;
  uint outer = first / wide, inner = first - outer * wide;
  const uint outer_on = on / wide, inner_on = on - outer_on * wide;
  const uint end = along ? lines : padded / KN_FOUR;
  while (outer < end) {
    KN_VALUE held[KN_HELD];
    uint at[KN_HELD];
#pragma unroll
    for (int i = 0; i < KN_HELD; ++i) {
      const uint line = along ? outer : inner * 8 + item % 8;
      const uint step = along ? inner : outer * KN_FOUR + item / 8 % KN_FOUR;
      const bool there = outer < end && line < lines;
      at[i] = there ? line * pitch + step : ~0u;
      held[i] = there && step < steps ? kn_load_of(side, from, line * line_stride + step * step_stride) : (KN_VALUE)(0);
      outer += outer_on;
      inner += inner_on;
      if (inner >= wide) {
        inner -= wide;
        ++outer;
      }
    }
#pragma unroll
    for (int i = 0; i < KN_HELD; ++i)
      if (at[i] != ~0u) to[at[i]] = held[i];
  }
}

// Steps of the depth that a work-item takes at once: sixteen bytes of a line, or four where elements are small.
#if KN_ELEMENT == KN_C128
#define KN_STEPS 1
#elif KN_ELEMENT == KN_F64 || KN_ELEMENT == KN_C64 || KN_ELEMENT == KN_U64
#define KN_STEPS 2
#else
#define KN_STEPS 4
#endif

// Some steps of a line.
static inline void kn_take_steps(__local const KN_VALUE* from, KN_VALUE steps[KN_STEPS]) {
#if KN_STEPS == 1
  steps[0] = from[0];
#elif KN_ELEMENT == KN_C64
  const float4 pair = *(__local const float4*)from;
  steps[0] = pair.lo;
  steps[1] = pair.hi;
#elif KN_STEPS == 2
  const KN_PASTE(KN_VALUE, 2) pair = *(__local const KN_PASTE(KN_VALUE, 2)*)from;
  steps[0] = pair.x;
  steps[1] = pair.y;
#else
  const KN_PASTE(KN_VALUE, 4) quad = *(__local const KN_PASTE(KN_VALUE, 4)*)from;
  steps[0] = quad.x;
  steps[1] = quad.y;
  steps[2] = quad.z;
  steps[3] = quad.w;
#endif
}

__kernel void matmul_many(__global const KN_A_STORED* restrict a, __global const KN_B_STORED* restrict b,
                           __global KN_OUT* restrict out, __local ulong4* restrict room,
                           const kn_matmul_many parameters KN_BESIDE) {
  const kn_matmul_many product = parameters;  // in registers, whatever is written meanwhile
  const uint item = get_local_id(0);
  const uint tiles = product.tiles_down * product.tiles_across;
  const uint batch = get_group_id(0) / tiles;
  const uint tile = get_group_id(0) - batch * tiles;
  const uint tile_down = tile / product.tiles_across;
  const uint row0 = tile_down * product.tile_rows;
  const uint column0 = (tile - tile_down * product.tiles_across) * product.tile_columns;
  const uint rows = min(product.tile_rows, product.m - row0);
  const uint columns = min(product.tile_columns, product.n - column0);
  const bool one_axis = product.one_axis;
  a += product.a_offset + row0 * product.a_row +
       (one_axis ? batch * product.a_batch[3] : kn_batch_offset(batch, product.batch_sizes, product.a_batch));
  b += product.b_offset + column0 * product.b_column +
       (one_axis ? batch * product.b_batch[3] : kn_batch_offset(batch, product.batch_sizes, product.b_batch));

  // By fours, two down and two across: half a wave's loads of either side are of few lines then. Of odd numbers row by
  // row.
  const uint pairs = max(product.columns_apart / 2, 1u);
  const bool fours = product.rows_apart % 2 == 0 && product.columns_apart % 2 == 0;
  const uint blocks = product.rows_apart * product.columns_apart;
  const uint slice = item / blocks, block = item - slice * blocks;
  const uint row = fours ? block / KN_FOUR / pairs * 2 + block / 2 % 2 : block / product.columns_apart;
  const uint column = fours ? block / KN_FOUR % pairs * 2 + block % 2 : block - row * product.columns_apart;
  const bool multiplies = slice < product.slices;
  __local KN_VALUE* const a_lines = (__local KN_VALUE*)room;
  __local KN_VALUE* const b_lines = product.one ? a_lines : a_lines + KN_DOWN * product.rows_apart * product.pitch;
  const uint a_apart = product.rows_apart * product.pitch, b_apart = product.columns_apart * product.pitch;

  KN_VALUE sums[KN_DOWN][KN_FOUR];
#pragma unroll
  for (int i = 0; i < KN_DOWN; ++i)
#pragma unroll
    for (int j = 0; j < KN_FOUR; ++j) sums[i][j] = (KN_VALUE)(0);

  for (long done = 0; done < product.k; done += product.depth) {
    const uint steps = (uint)min((long)product.depth, product.k - done);
    if (done > 0) barrier(CLK_LOCAL_MEM_FENCE);
    kn_stage(KN_OF_A, a_lines, product.pitch, a + done * product.a_column, product.a_row, product.a_column, rows, steps,
             product.a_along);
    if (!product.one)
      kn_stage(KN_OF_B, b_lines, product.pitch, b + done * product.b_row, product.b_column, product.b_row, columns,
               steps, product.b_along);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (multiplies) {
      const uint on = product.slices * KN_STEPS;
      __local const KN_VALUE* a_at = a_lines + row * product.pitch + slice * KN_STEPS;
      __local const KN_VALUE* b_at = b_lines + column * product.pitch + slice * KN_STEPS;
      for (uint step = slice * KN_STEPS; step < steps; step += on, a_at += on, b_at += on) {
        KN_VALUE left[KN_DOWN][KN_STEPS], right[KN_FOUR][KN_STEPS];
#pragma unroll
        for (int i = 0; i < KN_DOWN; ++i) kn_take_steps(a_at + i * a_apart, left[i]);
#pragma unroll
        for (int j = 0; j < KN_FOUR; ++j) kn_take_steps(b_at + j * b_apart, right[j]);
#pragma unroll
        for (int s = 0; s < KN_STEPS; ++s)
#pragma unroll
          for (int i = 0; i < KN_DOWN; ++i)
#pragma unroll
            for (int j = 0; j < KN_FOUR; ++j) sums[i][j] = kn_multiply_add(left[i][s], right[j][s], sums[i][j]);
      }
    }
  }

  // The sums of a block's other slices.
  __local KN_VALUE* const others = (__local KN_VALUE*)room + block;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (multiplies && slice > 0) {
#pragma unroll
    for (int e = 0; e < KN_DOWN * KN_FOUR; ++e)
      others[((slice - 1) * KN_DOWN * KN_FOUR + e) * blocks] = sums[e / KN_FOUR][e % KN_FOUR];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slice > 0) return;
  for (uint other = 0; other + 1 < product.slices; ++other) {
#pragma unroll
    for (int e = 0; e < KN_DOWN * KN_FOUR; ++e)
      sums[e / KN_FOUR][e % KN_FOUR] += others[(other * KN_DOWN * KN_FOUR + e) * blocks];
  }

  const long corner = product.out_offset + ((long)batch * product.m + row0) * product.n + column0;
#pragma unroll
  for (int i = 0; i < KN_DOWN; ++i) {
    const uint down = row + i * product.rows_apart;
#pragma unroll
    for (int j = 0; j < KN_FOUR; ++j) {
      const uint across = column + j * product.columns_apart;
      if (down < rows && across < columns)
        KN_PUT(corner + (long)down * product.n + across, kn_settled(sums[i][j]));
    }
  }
}

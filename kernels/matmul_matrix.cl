// SPDX-License-Identifier: Apache-2.0
// Matrix product by the matrix instructions of AMD's cards: waves multiply blocks of 16 x 16 out of tiles in local memory.

#include "common/matmul_types.clh"

// 1: MFMA, of the cards for data centres, by waves of 64; 2: WMMA, of RDNA 3, by waves of 32.
#ifndef KN_MATRIX
#define KN_MATRIX 1
#endif
// 1: float16 is multiplied as float32, where the instructions for float16 take its subnormal numbers for zeros.
#ifndef KN_WIDENED
#define KN_WIDENED 0
#endif

// What an instruction takes of each lane: KN_EACH steps of the depth of one row of A, or column of B, of KN_STEP in
// all; and what it adds to, KN_RESULTS elements of one column.
#define KN_SIXTEEN (KN_ELEMENT == KN_BF16 || (KN_ELEMENT == KN_F16 && !KN_WIDENED))
#if KN_SIXTEEN
#if KN_ELEMENT == KN_F16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#define KN_BITS ushort
#else
#define KN_BITS KN_REAL
#endif

#if KN_MATRIX == 2
#define KN_WAVE 32
#define KN_RESULTS 8
#define KN_EACH 16
#define KN_STEP 16
#if KN_ELEMENT == KN_F16
#define KN_INSTRUCTION(a, b, sums) __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(as_half16(a), as_half16(b), sums)
#else
#define KN_INSTRUCTION(a, b, sums) __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(as_short16(a), as_short16(b), sums)
#endif
#else
#define KN_WAVE 64
#define KN_RESULTS 4
#if KN_SIXTEEN
#define KN_EACH 4
#define KN_STEP 16
#if KN_ELEMENT == KN_F16
#define KN_INSTRUCTION(a, b, sums) __builtin_amdgcn_mfma_f32_16x16x16f16(as_half4(a), as_half4(b), sums, 0, 0, 0)
#else
#define KN_INSTRUCTION(a, b, sums) __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(as_short4(a), as_short4(b), sums, 0, 0, 0)
#endif
#else
#define KN_EACH 1
#define KN_STEP 4
#if KN_ELEMENT == KN_F64
#define KN_INSTRUCTION(a, b, sums) __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, sums, 0, 0, 0)
#else
#define KN_INSTRUCTION(a, b, sums) __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, sums, 0, 0, 0)
#endif
#endif
#endif

#define KN_PASTE_(x, y) x##y
#define KN_PASTE(x, y) KN_PASTE_(x, y)
#if KN_EACH == 1
#define KN_PART KN_BITS
#else
#define KN_PART KN_PASTE(KN_BITS, KN_EACH)
#endif
#define KN_ADDED KN_PASTE(KN_REAL, KN_RESULTS)

// A group's square of the result, of which a work-item loads so many lines by four steps of the depth; how much of the
// depth is in local memory at a time, and the lines' distance there.
#define KN_TILE 128
#define KN_ITEMS 256
#if KN_SIXTEEN
#define KN_LINES 4
#else
#define KN_LINES 2
#endif
#define KN_DEPTH (4 * KN_LINES * KN_ITEMS / KN_TILE)
#define KN_PITCH (KN_DEPTH + 16 / (int)sizeof(KN_BITS))

// A wave's part of the tile: blocks down and across.
#define KN_DOWN 4
#define KN_ACROSS (KN_WAVE / 16)
#define KN_WAVES_ACROSS (KN_TILE / 16 / KN_ACROSS)

typedef struct {
  long out_offset, a_offset, b_offset;
  long a_row, a_column, b_row, b_column;
  long m, n, k;
  long batch_sizes[4], a_batch[4], b_batch[4];
} kn_matmul_matrix;

static inline KN_BITS kn_element(__global const KN_STORED* from, long index) {
#if KN_SIXTEEN
  return ((__global const ushort*)from)[index];
#else
  return kn_load(from, index);
#endif
}

// Neighbours in memory: of the depth, and of lines.
static inline KN_PASTE(KN_BITS, 4) kn_four(__global const KN_STORED* from) {
#if KN_SIXTEEN
  return vload4(0, (__global const ushort*)from);
#elif KN_ELEMENT == KN_F16
  return vload_half4(0, from);
#else
  return vload4(0, from);
#endif
}
static inline KN_PASTE(KN_BITS, KN_LINES) kn_lines(__global const KN_STORED* from) {
#if KN_SIXTEEN
  return vload4(0, (__global const ushort*)from);
#elif KN_ELEMENT == KN_F16
  return vload_half2(0, from);
#else
  return vload2(0, from);
#endif
}

// Lines of four steps of the depth, of which only `wide` by `depth` elements exist; the rest are zeros.
static inline void kn_fetch(__global const KN_STORED* from, long line_stride, long deep_stride, long wide, long depth,
                            KN_PASTE(KN_BITS, 4) values[KN_LINES]) {
  const bool whole = wide >= KN_LINES && depth >= 4;
  if (whole && deep_stride == 1) {
#pragma unroll
    for (int line = 0; line < KN_LINES; ++line) values[line] = kn_four(from + line * line_stride);
  } else if (whole && line_stride == 1) {
    const KN_PASTE(KN_BITS, KN_LINES) x = kn_lines(from), y = kn_lines(from + deep_stride),
                                      z = kn_lines(from + 2 * deep_stride), w = kn_lines(from + 3 * deep_stride);
    values[0] = (KN_PASTE(KN_BITS, 4))(x.s0, y.s0, z.s0, w.s0);
    values[1] = (KN_PASTE(KN_BITS, 4))(x.s1, y.s1, z.s1, w.s1);
#if KN_LINES == 4
    values[2] = (KN_PASTE(KN_BITS, 4))(x.s2, y.s2, z.s2, w.s2);
    values[3] = (KN_PASTE(KN_BITS, 4))(x.s3, y.s3, z.s3, w.s3);
#endif
  } else {
#pragma unroll
    for (int line = 0; line < KN_LINES; ++line) {
      KN_BITS steps[4];
#pragma unroll
      for (int step = 0; step < 4; ++step) {
        const bool there = line < wide && step < depth;
        steps[step] = there ? kn_element(from, line * line_stride + step * deep_stride) : (KN_BITS)(0);
      }
      values[line] = (KN_PASTE(KN_BITS, 4))(steps[0], steps[1], steps[2], steps[3]);
    }
  }
}

static inline void kn_keep(__local KN_BITS* to, const KN_PASTE(KN_BITS, 4) values[KN_LINES]) {
#pragma unroll
  for (int line = 0; line < KN_LINES; ++line) vstore4(values[line], 0, to + line * KN_PITCH);
}

// A lane's part of a line, at a multiple of its size, or of 16 bytes.
static inline KN_PART kn_part(__local const KN_BITS* from) {
#if KN_EACH == 16
  return (KN_PART)(*(__local const ushort8*)from, *(__local const ushort8*)(from + 8));
#else
  return *(__local const KN_PART*)from;
#endif
}

// The row of a block that is the lane's result of that number; its column is the lane's, too.
static inline int kn_row(int lane, int number) {
#if KN_MATRIX == 2
  return 2 * number + lane / 16;
#elif KN_ELEMENT == KN_F64
  return 4 * number + lane / 16;
#else
  return lane / 16 * 4 + number;
#endif
}

// One group for each tile of each matrix of the batch, in one dimension: other dimensions have low limits.
__kernel __attribute__((reqd_work_group_size(KN_ITEMS, 1, 1))) void matmul_matrix(
    __global const KN_STORED* restrict a, __global const KN_STORED* restrict b, __global KN_OUT* restrict out,
    const kn_matmul_matrix product KN_BESIDE) {
  __local KN_BITS a_tile[KN_TILE * KN_PITCH] __attribute__((aligned(32)));
  __local KN_BITS b_tile[KN_TILE * KN_PITCH] __attribute__((aligned(32)));
#ifdef KN_TWIN_MEMORY
  KN_TWIN_MEMORY  // of a twin of the instruction in OpenCL C, by which tests run this elsewhere
#endif
  const int item = get_local_id(0);

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

  // Neighbouring work-items load along whichever axis is contiguous.
  const bool a_deep = product.a_column == 1, b_deep = product.b_row == 1;
  const int few = item % (KN_DEPTH / 4), many = item / (KN_DEPTH / 4);
  const int side = item % (KN_TILE / KN_LINES), deep = item / (KN_TILE / KN_LINES);
  const int a_line = (a_deep ? many : side) * KN_LINES, a_step = (a_deep ? few : deep) * 4;
  const int b_line = (b_deep ? many : side) * KN_LINES, b_step = (b_deep ? few : deep) * 4;
  a += a_line * product.a_row + a_step * product.a_column;
  b += b_line * product.b_column + b_step * product.b_row;

  const int lane = item % KN_WAVE, wave = item / KN_WAVE;
  const int wave_row = wave / KN_WAVES_ACROSS * (KN_DOWN * 16), wave_column = wave % KN_WAVES_ACROSS * (KN_ACROSS * 16);
  // The steps of the depth that are this lane's; with WMMA both halves of a wave have all of them.
  const int first = KN_EACH == KN_STEP ? 0 : lane / 16 * KN_EACH;
  __local const KN_BITS* a_part = a_tile + (wave_row + lane % 16) * KN_PITCH + first;
  __local const KN_BITS* b_part = b_tile + (wave_column + lane % 16) * KN_PITCH + first;

  KN_PASTE(KN_BITS, 4) a_next[KN_LINES];
  KN_PASTE(KN_BITS, 4) b_next[KN_LINES];
  KN_ADDED sums[KN_DOWN][KN_ACROSS];
#pragma unroll
  for (int i = 0; i < KN_DOWN; ++i)
#pragma unroll
    for (int j = 0; j < KN_ACROSS; ++j) sums[i][j] = (KN_ADDED)(0);

  for (long depth0 = -KN_DEPTH; depth0 < product.k; depth0 += KN_DEPTH) {
    // The next tiles travel from memory while the present ones are multiplied.
    const long left = product.k - depth0 - KN_DEPTH;
    kn_fetch(a, product.a_row, product.a_column, product.m - row0 - a_line, left - a_step, a_next);
    kn_fetch(b, product.b_column, product.b_row, product.n - column0 - b_line, left - b_step, b_next);
    a += KN_DEPTH * product.a_column;
    b += KN_DEPTH * product.b_row;
    if (depth0 >= 0) {
#pragma unroll
      for (int step = 0; step < KN_DEPTH; step += KN_STEP) {
        KN_PART av[KN_DOWN];
        KN_PART bv[KN_ACROSS];
#pragma unroll
        for (int i = 0; i < KN_DOWN; ++i) av[i] = kn_part(a_part + i * 16 * KN_PITCH + step);
#pragma unroll
        for (int j = 0; j < KN_ACROSS; ++j) bv[j] = kn_part(b_part + j * 16 * KN_PITCH + step);
#pragma unroll
        for (int i = 0; i < KN_DOWN; ++i)
#pragma unroll
          for (int j = 0; j < KN_ACROSS; ++j) sums[i][j] = KN_INSTRUCTION(av[i], bv[j], sums[i][j]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    kn_keep(a_tile + a_line * KN_PITCH + a_step, a_next);
    kn_keep(b_tile + b_line * KN_PITCH + b_step, b_next);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  const long corner = product.out_offset + (batch * product.m + row0) * product.n + column0;
  const long rows = product.m - row0, columns = product.n - column0;
#pragma unroll
  for (int i = 0; i < KN_DOWN; ++i)
#pragma unroll
    for (int j = 0; j < KN_ACROSS; ++j) {
      const int column = wave_column + j * 16 + lane % 16;
#pragma unroll
      for (int number = 0; number < KN_RESULTS; ++number) {
        const int row = wave_row + i * 16 + kn_row(lane, number);
        if (row < rows && column < columns) KN_PUT(corner + row * product.n + column, sums[i][j][number]);
      }
    }
}

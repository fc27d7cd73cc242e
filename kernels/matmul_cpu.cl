// SPDX-License-Identifier: Apache-2.0
// Matrix product for CPU devices: packed panels, a tile of sums in registers, one work-item for a block of the result.

// Sums of narrow integers in 16 bits fill twice the lanes that sums in 32 would.
#define KN_NARROW ushort

// The register tile: KN_ROWS rows of KN_VECTORS vectors of KN_LANES lanes. 12 x 2 sums and 2 vectors of B leave a few
// of AVX-512's 32 registers for the broadcasts; machines with 16 registers take 6 x 2.
#ifndef KN_ROWS
#define KN_ROWS 12
#endif
#ifndef KN_VECTORS
#define KN_VECTORS 2
#endif

#include "common/matmul_vectors.clh"

#define KN_TILE_WIDTH (KN_VECTORS * KN_LANES)
#define KN_COLUMNS (KN_TILE_WIDTH / KN_PLANES)

// Transposes a square of KN_LANES vectors: each round of interleaving the halves moves one bit of the index.
static inline void kn_transpose(KN_VECTOR square[KN_LANES]) {
#pragma unroll
  for (int round = 1; round < KN_LANES; round *= 2) {
    KN_VECTOR mixed[KN_LANES];
#pragma unroll
    for (int i = 0; i < KN_LANES / 2; ++i) {
      mixed[2 * i].even = square[i].lo;
      mixed[2 * i].odd = square[i + KN_LANES / 2].lo;
      mixed[2 * i + 1].even = square[i].hi;
      mixed[2 * i + 1].odd = square[i + KN_LANES / 2].hi;
    }
#pragma unroll
    for (int i = 0; i < KN_LANES; ++i) square[i] = mixed[i];
  }
}

// Packs a panel `width` elements wide with the depth outermost; only the first `present` exist, the rest are zeros.
// Vectors may spill over the panel's end: what lies there is packed later, or is padding.
static inline void kn_pack(const int side, __global const void* restrict from, long wide_stride, long deep_stride,
                           const int width, long present, long depth, __global KN_REAL* restrict panel) {
  const int step = width * KN_PLANES;
  const int chunks = (width + KN_LANES - 1) / KN_LANES;
  long d = 0;
  if (wide_stride == 1 && present >= chunks * KN_LANES) {
    for (; d < depth; ++d) {
      KN_VECTOR planes[KN_PLANES];
#pragma unroll
      for (int p = 0; p < KN_PLANES; ++p)
#pragma unroll
        for (int c = 0; c < chunks; ++c) {
          kn_load_planes(side, from, d * deep_stride + c * KN_LANES, planes);
          KN_VSTORE(planes[p], 0, panel + d * step + p * width + c * KN_LANES);
        }
    }
  } else if (deep_stride == 1 && present >= width) {
    // Whole lines are read and turned in registers: one element of each row at a time would meet the same few sets of
    // the cache again and again where the stride is a power of two.
    for (; d + KN_LANES <= depth; d += KN_LANES) {
      KN_VECTOR squares[KN_PLANES][KN_LANES * ((KN_ROWS > KN_COLUMNS ? KN_ROWS : KN_COLUMNS) / KN_LANES + 1)];
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
#pragma unroll
        for (int i = 0; i < KN_LANES; ++i) {
          int row = c * KN_LANES + i;
          KN_VECTOR planes[KN_PLANES];
          kn_load_planes(side, from, (row < width ? row : 0) * wide_stride + d, planes);
#pragma unroll
          for (int p = 0; p < KN_PLANES; ++p) squares[p][row] = planes[p];
        }
#pragma unroll
        for (int p = 0; p < KN_PLANES; ++p) kn_transpose(squares[p] + c * KN_LANES);
      }
#pragma unroll
      for (int i = 0; i < KN_LANES; ++i)
#pragma unroll
        for (int p = 0; p < KN_PLANES; ++p)
#pragma unroll
          for (int c = 0; c < chunks; ++c)
            KN_VSTORE(squares[p][c * KN_LANES + i], 0, panel + (d + i) * step + p * width + c * KN_LANES);
    }
  }
  for (; d < depth; ++d)
    for (int w = 0; w < width; ++w) {
      KN_VALUE value = w < present ? kn_load_of(side, from, w * wide_stride + d * deep_stride) : (KN_VALUE)(0);
      __global KN_REAL* to = panel + d * step + w;
#if KN_IS_COMPLEX
      to[0] = value.x;
      to[width] = value.y;
#else
      to[0] = value;
#endif
    }
}

// Writes the whole or the edge of a tile of sums to the result.
static inline void kn_write(__global const KN_REAL* restrict sums, __global KN_RESULT* restrict out, long out_stride,
                     long rows, long columns) {
  for (int r = 0; r < min(rows, (long)KN_ROWS); ++r)
    for (int c = 0; c < min(columns, (long)KN_COLUMNS); ++c) {
      __global const KN_REAL* sum = sums + r * KN_TILE_WIDTH + c;
#if KN_IS_COMPLEX
      kn_store(out, r * out_stride + c, kn_settled((KN_VALUE)(sum[0], sum[KN_COLUMNS])));
#else
      kn_store(out, r * out_stride + c, kn_settled(sum[0]));
#endif
    }
}

// Adds a panel of A times a panel of B, `depth` deep, to a tile of sums; the last depth writes it to `out`.
static inline void kn_tile(__global const KN_REAL* restrict a, __global const KN_REAL* restrict b, long depth,
                    __global KN_REAL* restrict sums, __global KN_RESULT* restrict out, long out_stride, long rows,
                    long columns, bool first, bool last) {
  KN_VECTOR acc[KN_ROWS][KN_VECTORS];
#pragma unroll
  for (int r = 0; r < KN_ROWS; ++r)
#pragma unroll
    for (int v = 0; v < KN_VECTORS; ++v)
      acc[r][v] = KN_FIXED && !first ? KN_VLOAD(r * KN_VECTORS + v, sums) : (KN_VECTOR)(0);

  for (long d = 0; d < depth; ++d) {
    KN_VECTOR bv[KN_VECTORS];
#pragma unroll
    for (int v = 0; v < KN_VECTORS; ++v) bv[v] = KN_VLOAD(v, b);
#pragma unroll
    for (int r = 0; r < KN_ROWS; ++r) {
      KN_VECTOR av = (KN_VECTOR)(a[r]);
#if KN_IS_COMPLEX
      KN_VECTOR imaginary = (KN_VECTOR)(a[KN_ROWS + r]);
#pragma unroll
      for (int v = 0; v < KN_VECTORS / 2; ++v) {
        acc[r][v] = KN_MULTIPLY_ADD(av, bv[v], acc[r][v]);
        acc[r][KN_VECTORS / 2 + v] = KN_MULTIPLY_ADD(av, bv[KN_VECTORS / 2 + v], acc[r][KN_VECTORS / 2 + v]);
        acc[r][v] = KN_MULTIPLY_ADD(-imaginary, bv[KN_VECTORS / 2 + v], acc[r][v]);
        acc[r][KN_VECTORS / 2 + v] = KN_MULTIPLY_ADD(imaginary, bv[v], acc[r][KN_VECTORS / 2 + v]);
      }
#else
#pragma unroll
      for (int v = 0; v < KN_VECTORS; ++v) acc[r][v] = KN_MULTIPLY_ADD(av, bv[v], acc[r][v]);
#endif
    }
    a += KN_ROWS * KN_PLANES;
    b += KN_TILE_WIDTH;
  }

  if (!KN_FIXED && !first)
#pragma unroll
    for (int r = 0; r < KN_ROWS; ++r)
#pragma unroll
      for (int v = 0; v < KN_VECTORS; ++v) acc[r][v] += KN_VLOAD(r * KN_VECTORS + v, sums);
#if KN_ELEMENT == KN_U32 || KN_ELEMENT == KN_U64 || KN_ELEMENT == KN_F32 || KN_ELEMENT == KN_F64 || \
    (KN_PARTS && !KN_IS_COMPLEX)
  if (last && rows >= KN_ROWS && columns >= KN_COLUMNS) {
#pragma unroll
    for (int r = 0; r < KN_ROWS; ++r)
#pragma unroll
      for (int v = 0; v < KN_VECTORS; ++v) KN_VSTORE(KN_SETTLED(KN_VECTOR, acc[r][v]), v, out + r * out_stride);
    return;
  }
#endif
#pragma unroll
  for (int r = 0; r < KN_ROWS; ++r)
#pragma unroll
    for (int v = 0; v < KN_VECTORS; ++v) KN_VSTORE(acc[r][v], r * KN_VECTORS + v, sums);
  if (last) kn_write(sums, out, out_stride, rows, columns);
}

typedef struct {
  long out_offset, a_offset, b_offset;
  long a_row, a_column, b_row, b_column;
  long m, n, k;
  long batch_sizes[4], a_batch[4], b_batch[4];
  long row_block, column_block, column_group, depth_block;
  long keep_a, scratch_step, batches;
} kn_matmul_cpu;

// The result is cut into tasks of row_block x column_block elements of one matrix; a work-item takes a run of them.
// Within a task, the sums of column_group columns stay in the cache while the depth is walked in steps of depth_block;
// with keep_a its rows of A are packed once and kept for all groups. scratch_step holds an item's sums and panels.
__kernel void matmul_cpu(__global const KN_A_STORED* restrict a, __global const KN_B_STORED* restrict b,
                         __global KN_RESULT* restrict out, __global KN_REAL* restrict scratch,
                         const kn_matmul_cpu parameters) {
  const kn_matmul_cpu product = parameters;  // in registers, whatever is written meanwhile
  long row_blocks = (product.m + product.row_block - 1) / product.row_block;
  long column_blocks = (product.n + product.column_block - 1) / product.column_block;
  long tasks = product.batches * row_blocks * column_blocks;
  long items = get_global_size(0);
  long item = get_global_id(0);
  __global KN_REAL* sums = scratch + item * product.scratch_step;
  __global KN_REAL* b_panels = sums + product.row_block * product.column_group * KN_PLANES;
  __global KN_REAL* a_panels = b_panels + product.depth_block * product.column_group * KN_PLANES;
  for (long task = tasks * item / items; task < tasks * (item + 1) / items; ++task) {
    long batch = task / (row_blocks * column_blocks);
    long row0 = task / column_blocks % row_blocks * product.row_block;
    long column0 = task % column_blocks * product.column_block;
    long rows = min(product.row_block, product.m - row0);
    long padded_rows = (rows + KN_ROWS - 1) / KN_ROWS * KN_ROWS;
    long column_end = min(column0 + product.column_block, product.n);
    __global const KN_A_STORED* am =
        a + product.a_offset + kn_batch_offset(batch, product.batch_sizes, product.a_batch) + row0 * product.a_row;
    __global const KN_B_STORED* bm =
        b + product.b_offset + kn_batch_offset(batch, product.batch_sizes, product.b_batch);
    __global KN_RESULT* om = out + product.out_offset + (batch * product.m + row0) * product.n;

    for (long group = column0; group < column_end; group += product.column_group) {
      long columns = min(product.column_group, column_end - group);
      for (long depth0 = 0; depth0 < product.k; depth0 += product.depth_block) {
        long depth = min(product.depth_block, product.k - depth0);
        __global KN_REAL* a_block = a_panels + (product.keep_a ? padded_rows * depth0 * KN_PLANES : 0);
        if (group == column0 || !product.keep_a)
          for (long r = 0; r < rows; r += KN_ROWS)
            kn_pack(KN_OF_A, am + r * product.a_row + depth0 * product.a_column, product.a_row, product.a_column, KN_ROWS,
                    rows - r, depth, a_block + r * depth * KN_PLANES);
        for (long c = 0; c < columns; c += KN_COLUMNS)
          kn_pack(KN_OF_B, bm + (group + c) * product.b_column + depth0 * product.b_row, product.b_column, product.b_row,
                  KN_COLUMNS, columns - c, depth, b_panels + c * depth * KN_PLANES);
        for (long c = 0; c < columns; c += KN_COLUMNS)
          for (long r = 0; r < rows; r += KN_ROWS)
            kn_tile(a_block + r * depth * KN_PLANES, b_panels + c * depth * KN_PLANES, depth,
                    sums + (c * product.row_block + r * KN_COLUMNS) * KN_PLANES, om + r * product.n + group + c,
                    product.n, rows - r, columns - c, depth0 == 0, depth0 + product.depth_block >= product.k);
      }
    }
  }
}

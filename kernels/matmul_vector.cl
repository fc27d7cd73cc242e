// SPDX-License-Identifier: Apache-2.0
// Matrix times vector, every type, with the depth split where there are too few rows to keep a device busy.

// 1: a work-item takes whole rows, with wide vectors; 0: a group shares KN_GROUP / KN_SLICES rows.
#ifndef KN_CPU
#define KN_CPU 0
#endif
#define KN_NARROW uint
#include "common/matmul_vectors.clh"

#ifndef KN_GROUP
#define KN_GROUP 256
#endif
// Work-items that share a row of the matrix, each taking every KN_SLICES-th element.
#ifndef KN_SLICES
#define KN_SLICES 32
#endif
// Rows that a work-item of a card takes at a time: no more than slices.
#ifndef KN_ROWS
#define KN_ROWS 1
#endif
// Slices whose sums are added up one after another; a divisor of KN_SLICES, and no less than KN_ROWS.
#ifndef KN_FOLD
#define KN_FOLD 8
#endif
// 1: a slice takes four neighbours of a row at once; rows and the vector are contiguous, and of whole such quads at
// multiples of their size.
#ifndef KN_QUADS
#define KN_QUADS 0
#endif

typedef struct {
  long out_offset, a_offset, x_offset;
  long a_row, a_column, x_step;
  long m, k, splits, batches;
  long batch_sizes[4], a_batch[4], x_batch[4];
} kn_matmul_vector;

// With one split the sums are the result; with more they wait in `parts` for the second kernel.
#define KN_FINISH(index, sum)                     \
  {                                               \
    const long position = index;                  \
    if (product.splits == 1)                      \
      KN_PUT(product.out_offset + position, sum); \
    else                                          \
      parts[position] = sum;                      \
  }

#if KN_CPU

#define KN_BLOCK 32    // rows that share one read of the vector
#define KN_CHUNK 1024  // elements of a running sum, whose sums are added up in turn; so much of the vector is at hand
#ifndef KN_VECTORS
#define KN_VECTORS 8  // vectors of sums, where vectors run down the rows
#endif

static inline KN_REAL kn_sum_of_2(KN_PASTE(KN_REAL, 2) v) { return v.lo + v.hi; }
static inline KN_REAL kn_sum_of_4(KN_PASTE(KN_REAL, 4) v) { return kn_sum_of_2(v.lo + v.hi); }
static inline KN_REAL kn_sum_of_8(KN_PASTE(KN_REAL, 8) v) { return kn_sum_of_4(v.lo + v.hi); }
static inline KN_REAL kn_sum_of_16(KN_PASTE(KN_REAL, 16) v) { return kn_sum_of_8(v.lo + v.hi); }
#define KN_LANES_SUM KN_PASTE(kn_sum_of_, KN_LANES)

static inline void kn_vector_multiply_add(KN_VECTOR a[KN_PLANES], KN_VECTOR b[KN_PLANES], KN_VECTOR sum[KN_PLANES]) {
  sum[0] += a[0] * b[0];
#if KN_IS_COMPLEX
  sum[1] += a[0] * b[1];
  sum[0] -= a[1] * b[1];
  sum[1] += a[1] * b[0];
#endif
}

// Rows that lie along the depth: vectors run along it too, and their lanes are added at the end.
static inline void kn_rows_deep(__global const KN_A_STORED* restrict a, long a_row, __global const KN_B_STORED* restrict x,
                                long x_step, long rows, long depth, KN_VALUE sums[KN_BLOCK]) {
  KN_REAL chunk[KN_PLANES * KN_CHUNK];
  for (long d0 = 0; d0 < depth; d0 += KN_CHUNK) {
    long left = min((long)KN_CHUNK, depth - d0);
    for (long d = 0; d < left; ++d) {
      KN_VALUE value = kn_load_of(KN_OF_B, x, (d0 + d) * x_step);
#if KN_IS_COMPLEX
      chunk[d] = value.x;
      chunk[KN_CHUNK + d] = value.y;
#else
      chunk[d] = value;
#endif
    }
    for (long r = 0; r < rows; r += 4) {
      // The last rows of a block may be the same one several times; only the first copy is kept.
      KN_VECTOR acc[4][KN_PLANES];
      __global const KN_A_STORED* row[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        row[i] = a + min(r + i, rows - 1) * a_row + d0;
#pragma unroll
        for (int p = 0; p < KN_PLANES; ++p) acc[i][p] = (KN_VECTOR)(0);
      }
      long d = 0;
      for (; d + KN_LANES <= left; d += KN_LANES) {
        KN_VECTOR xv[KN_PLANES];
#pragma unroll
        for (int p = 0; p < KN_PLANES; ++p) xv[p] = KN_VLOAD(0, chunk + p * KN_CHUNK + d);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          KN_VECTOR av[KN_PLANES];
          kn_load_planes(KN_OF_A, row[i], d, av);
          kn_vector_multiply_add(av, xv, acc[i]);
        }
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (r + i >= rows) continue;
#if KN_IS_COMPLEX
        KN_VALUE sum = (KN_VALUE)(KN_LANES_SUM(acc[i][0]), KN_LANES_SUM(acc[i][1]));
#else
        KN_VALUE sum = KN_LANES_SUM(acc[i][0]);
#endif
        for (long e = d; e < left; ++e)
          sum = kn_multiply_add(kn_load_of(KN_OF_A, row[i], e), kn_load_of(KN_OF_B, x, (d0 + e) * x_step), sum);
        sums[r + i] += sum;
      }
    }
  }
}

__kernel void matmul_vector(__global const KN_A_STORED* restrict a, __global const KN_B_STORED* restrict x,
                            __global KN_OUT* restrict out, __global KN_VALUE* restrict parts,
                            const kn_matmul_vector parameters KN_BESIDE) {
  const kn_matmul_vector product = parameters;  // in registers, whatever is written meanwhile
  const bool beside = product.a_row == 1 && product.a_column != 1 && product.m >= KN_VECTORS * KN_LANES;
  const int block = beside ? KN_VECTORS * KN_LANES : KN_BLOCK;
  long blocks = (product.m + block - 1) / block;
  long tasks = product.splits * product.batches * blocks;
  long items = get_global_size(0);
  long item = get_global_id(0);
  for (long task = tasks * item / items; task < tasks * (item + 1) / items; ++task) {
    long split = task / (product.batches * blocks);
    long batch = task / blocks % product.batches;
    // Where rows lie side by side the last block is whole, too, and begins among the rows of the one before it.
    const long first = task % blocks * block;
    const long row0 = beside ? min(first, product.m - block) : first;
    long rows = min((long)block, product.m - row0);
    long depth0 = product.k * split / product.splits;
    long depth = product.k * (split + 1) / product.splits - depth0;
    __global const KN_A_STORED* am =
        a + product.a_offset + kn_batch_offset(batch, product.batch_sizes, product.a_batch) +
        row0 * product.a_row + depth0 * product.a_column;
    __global const KN_B_STORED* xm = x + product.x_offset +
                                   kn_batch_offset(batch, product.batch_sizes, product.x_batch) +
                                   depth0 * product.x_step;
    long index = (split * product.batches + batch) * product.m + row0;
    if (beside) {
      // Rows side by side: a vector holds as many sums.
      KN_VECTOR sums[KN_VECTORS][KN_PLANES];
#pragma unroll
      for (int v = 0; v < KN_VECTORS; ++v)
#pragma unroll
        for (int p = 0; p < KN_PLANES; ++p) sums[v][p] = (KN_VECTOR)(0);
      for (long d0 = 0; d0 < depth; d0 += KN_CHUNK) {
        KN_VECTOR acc[KN_VECTORS][KN_PLANES];
#pragma unroll
        for (int v = 0; v < KN_VECTORS; ++v)
#pragma unroll
          for (int p = 0; p < KN_PLANES; ++p) acc[v][p] = (KN_VECTOR)(0);
        const long end = min(d0 + KN_CHUNK, depth);
        for (long d = d0; d < end; ++d) {
          KN_VALUE value = kn_load_of(KN_OF_B, xm, d * product.x_step);
          KN_VECTOR xv[KN_PLANES];
#if KN_IS_COMPLEX
          xv[0] = (KN_VECTOR)(value.x);
          xv[1] = (KN_VECTOR)(value.y);
#else
          xv[0] = (KN_VECTOR)(value);
#endif
#pragma unroll
          for (int v = 0; v < KN_VECTORS; ++v) {
            KN_VECTOR av[KN_PLANES];
            kn_load_planes(KN_OF_A, am, d * product.a_column + v * KN_LANES, av);
            kn_vector_multiply_add(av, xv, acc[v]);
          }
        }
#pragma unroll
        for (int v = 0; v < KN_VECTORS; ++v)
#pragma unroll
          for (int p = 0; p < KN_PLANES; ++p) sums[v][p] += acc[v][p];
      }
      for (int v = 0; v < KN_VECTORS; ++v) {
        KN_REAL lanes[KN_PLANES][KN_LANES];
#pragma unroll
        for (int p = 0; p < KN_PLANES; ++p) KN_VSTORE(sums[v][p], 0, lanes[p]);
        for (int l = (int)clamp(first - row0 - v * KN_LANES, 0L, (long)KN_LANES); l < KN_LANES; ++l) {
#if KN_IS_COMPLEX
          KN_VALUE sum = (KN_VALUE)(lanes[0][l], lanes[1][l]);
#else
          KN_VALUE sum = lanes[0][l];
#endif
          KN_FINISH(index + v * KN_LANES + l, sum)
        }
      }
    } else if (product.a_column == 1) {
      KN_VALUE sums[KN_BLOCK];
      for (int r = 0; r < KN_BLOCK; ++r) sums[r] = (KN_VALUE)(0);
      kn_rows_deep(am, product.a_row, xm, product.x_step, rows, depth, sums);
      for (long r = 0; r < rows; ++r) KN_FINISH(index + r, sums[r])
    } else {
      for (long r = 0; r < rows; ++r) {
        KN_VALUE sum = (KN_VALUE)(0);
        for (long d0 = 0; d0 < depth; d0 += KN_CHUNK) {
          KN_VALUE part = (KN_VALUE)(0);
          const long end = min(d0 + KN_CHUNK, depth);
          for (long d = d0; d < end; ++d)
            part = kn_multiply_add(kn_load_of(KN_OF_A, am, r * product.a_row + d * product.a_column),
                                   kn_load_of(KN_OF_B, xm, d * product.x_step), part);
          sum += part;
        }
        KN_FINISH(index + r, sum)
      }
    }
  }
}

#else

#define KN_LINES (KN_GROUP / KN_SLICES)
#define KN_BLOCK (KN_LINES * KN_ROWS)  // rows of a group
#define KN_SHARES (KN_SLICES / KN_FOLD)

// From each work-item's sums of KN_ROWS rows, KN_LINES apart, to the rows' sums: KN_FOLD neighbouring slices are added
// up one after another, then what comes of that. The work-items below KN_BLOCK get the sum of the row of their number.
static inline KN_VALUE kn_add_slices(const KN_VALUE sums[KN_ROWS], __local KN_VALUE* restrict slices,
                                     __local KN_VALUE* restrict shares, int line, int slice) {
  const int item = get_local_id(0);
  for (int r = 0; r < KN_ROWS; ++r) slices[(r * KN_LINES + line) * (KN_SLICES + 1) + slice] = sums[r];
  barrier(CLK_LOCAL_MEM_FENCE);
  KN_VALUE sum = (KN_VALUE)(0);
  if (item < KN_BLOCK * KN_SHARES) {
    const int first = item % KN_BLOCK * (KN_SLICES + 1) + item / KN_BLOCK * KN_FOLD;
    sum = slices[first];
    for (int i = 1; i < KN_FOLD; ++i) sum += slices[first + i];
  }
#if KN_SHARES > 1
  shares[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < KN_BLOCK)
    for (int i = 1; i < KN_SHARES; ++i) sum += shares[i * KN_BLOCK + item];
#endif
  return sum;
}

// Neighbouring work-items take neighbours in memory: slices of a row where rows are contiguous, else rows.
__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void matmul_vector(
    __global const KN_A_STORED* restrict a, __global const KN_B_STORED* restrict x, __global KN_OUT* restrict out,
    __global KN_VALUE* restrict parts, const kn_matmul_vector parameters KN_BESIDE) {
  const kn_matmul_vector product = parameters;  // in registers, whatever is written meanwhile
  __local KN_VALUE slices[KN_BLOCK * (KN_SLICES + 1)];
  __local KN_VALUE shares[KN_GROUP];
  const int item = get_local_id(0);
  const int slice = product.a_column == 1 ? item % KN_SLICES : item / KN_LINES;
  const int line = product.a_column == 1 ? item / KN_SLICES : item % KN_LINES;
  const uint blocks = (uint)((product.m + KN_BLOCK - 1) / KN_BLOCK), batches = (uint)product.batches;
  const uint group = (uint)get_group_id(0), part = group / blocks;
  const long split = part / batches;
  const long batch = part - (uint)split * batches;
  const long row0 = (long)(group - part * blocks) * KN_BLOCK;
  const long depth = KN_QUADS ? product.k / 4 : product.k;
  const long first = split == 0 ? 0 : depth * split / product.splits;
  const long last = split == product.splits - 1 ? depth : depth * (split + 1) / product.splits;
  __global const KN_A_STORED* am =
      a + product.a_offset + kn_batch_offset(batch, product.batch_sizes, product.a_batch);
  __global const KN_B_STORED* xm = x + product.x_offset + kn_batch_offset(batch, product.batch_sizes, product.x_batch);
  long rows[KN_ROWS];
  KN_VALUE sums[KN_ROWS];
#pragma unroll
  for (int r = 0; r < KN_ROWS; ++r) {
    // The last row may be taken several times; only one of its sums is kept.
    rows[r] = min(row0 + r * KN_LINES + line, product.m - 1) * product.a_row;
    sums[r] = (KN_VALUE)(0);
  }
#if KN_QUADS
#define KN_QUAD KN_PASTE(KN_VALUE, 4)
  for (long d = first + slice; d < last; d += KN_SLICES) {
    const KN_QUAD values = KN_LOAD_QUAD(KN_OF_B, xm, 4 * d);
    KN_QUAD quads[KN_ROWS];
#pragma unroll
    for (int r = 0; r < KN_ROWS; ++r) quads[r] = KN_LOAD_QUAD(KN_OF_A, am, rows[r] + 4 * d);
#pragma unroll
    for (int r = 0; r < KN_ROWS; ++r) {
      sums[r] = kn_multiply_add(quads[r].x, values.x, sums[r]);
      sums[r] = kn_multiply_add(quads[r].y, values.y, sums[r]);
      sums[r] = kn_multiply_add(quads[r].z, values.z, sums[r]);
      sums[r] = kn_multiply_add(quads[r].w, values.w, sums[r]);
    }
  }
#else
  for (long d = first + slice; d < last; d += KN_SLICES) {
    const KN_VALUE value = kn_load_of(KN_OF_B, xm, d * product.x_step);
#pragma unroll
    for (int r = 0; r < KN_ROWS; ++r)
      sums[r] = kn_multiply_add(kn_load_of(KN_OF_A, am, rows[r] + d * product.a_column), value, sums[r]);
  }
#endif
  const KN_VALUE sum = kn_add_slices(sums, slices, shares, line, slice);
  if (item < KN_BLOCK && row0 + item < product.m)
    KN_FINISH((split * product.batches + batch) * product.m + row0 + item, sum)
}

#endif

#if KN_CPU
// Adds the splits of each row, in their order.
__kernel void matmul_vector_add_splits(__global const KN_VALUE* restrict parts, __global KN_OUT* restrict out,
                                       const kn_matmul_vector parameters KN_BESIDE) {
  const kn_matmul_vector product = parameters;  // in registers, whatever is written meanwhile
  const long rows = product.m * product.batches;
  for (long row = get_global_id(0); row < rows; row += get_global_size(0)) {
    KN_VALUE sum = parts[row];
    for (long s = 1; s < product.splits; ++s) sum += parts[s * rows + row];
    KN_PUT(product.out_offset + row, sum);
  }
}

#else

#define KN_ADDERS (KN_GROUP / 8)  // work-items that share a row's splits

// Adds the splits of each row.
__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void matmul_vector_add_splits(
    __global const KN_VALUE* restrict parts, __global KN_OUT* restrict out,
    const kn_matmul_vector parameters KN_BESIDE) {
  const kn_matmul_vector product = parameters;  // in registers, whatever is written meanwhile
  __local KN_VALUE shares[KN_GROUP / KN_ADDERS * (KN_ADDERS + 1)];
  const int line = get_local_id(0) % (KN_GROUP / KN_ADDERS), adder = get_local_id(0) / (KN_GROUP / KN_ADDERS);
  const long rows = product.m * product.batches;
  const long row = (long)get_group_id(0) * (KN_GROUP / KN_ADDERS) + line;
  KN_VALUE sum = (KN_VALUE)(0);
  if (row < rows)
    for (long s = adder; s < product.splits; s += KN_ADDERS) sum += parts[s * rows + row];
  shares[line * (KN_ADDERS + 1) + adder] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (adder == 0 && row < rows) {
    for (int i = 1; i < KN_ADDERS; ++i) sum += shares[line * (KN_ADDERS + 1) + i];
    KN_PUT(product.out_offset + row, sum);
  }
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Matrix product for GPUs where one side has few lines, every type: many small matrices, or a tall one by a narrow one.
// A work-item takes one line of the long side (a row of A, or a column of B) and up to KN_SHORT of the short one; an
// element is one sum along the depth. Names are for a long A; the host gives strides the other way round for a long B.

#include "common/matmul_types.clh"
#include "common/matmul_operands.clh"

// Loads of four neighbours: of a line of A along the depth, of a line of B's depth across.
#ifndef KN_A_QUADS
#define KN_A_QUADS 0
#endif
#ifndef KN_B_QUADS
#define KN_B_QUADS 0
#endif
#ifndef KN_OUT_QUADS
#define KN_OUT_QUADS 0
#endif

// Lines of the short side that a work-item takes: a multiple of four.
#ifndef KN_SHORT
#define KN_SHORT 8
#endif
#define KN_PASTE_(x, y) x##y
#define KN_PASTE(x, y) KN_PASTE_(x, y)
#define KN_GROUP 128

typedef struct {
  long out_offset, a_offset, b_offset;
  long a_row, a_column, b_row, b_column, out_row, out_column;
  long k;
  long batch_sizes[4], a_batch[4], b_batch[4];
  uint m, n, batches;  // together fewer than 2^31 elements: divisions of 32 bits
  uint one_axis;       // whether the batch has only its last axis
} kn_matmul_small;

// Four neighbours.
static inline void kn_load_quad(const int side, __global const void* from, long index, KN_VALUE values[4]) {
#if KN_A_QUADS || KN_B_QUADS
  const KN_PASTE(KN_VALUE, 4) quad = KN_LOAD_QUAD(side, from, index);
  values[0] = quad.x;
  values[1] = quad.y;
  values[2] = quad.z;
  values[3] = quad.w;
#endif
}

// Adds the products of one step of the depth to the sums of `count` columns.
static inline void kn_add_step(KN_VALUE a, __global const KN_B_STORED* b, long b_column, int count,
                               KN_VALUE sums[KN_SHORT]) {
#if KN_B_QUADS
#pragma unroll
  for (int j = 0; j < KN_SHORT; j += 4) {
    if (j >= count) break;
    KN_VALUE values[4];
    kn_load_quad(KN_OF_B, b, j, values);
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[j + i] = kn_multiply_add(a, values[i], sums[j + i]);
  }
#else
#pragma unroll
  for (int j = 0; j < KN_SHORT; ++j)
    if (j < count) sums[j] = kn_multiply_add(a, kn_load_of(KN_OF_B, b, j * b_column), sums[j]);
#endif
}

// In the order of lines, then of parts of the short side, then of matrices.
__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void matmul_small(
    __global const KN_A_STORED* restrict a, __global const KN_B_STORED* restrict b, __global KN_OUT* restrict out,
    const kn_matmul_small parameters KN_BESIDE) {
  const kn_matmul_small product = parameters;  // in registers, whatever is written meanwhile
  const uint parts = (product.n + KN_SHORT - 1) / KN_SHORT;
  const uint item = get_global_id(0);
  const uint line = item / product.m;
  const uint row = item - line * product.m;
  const uint batch = line / parts;
  const uint first = (line - batch * parts) * KN_SHORT;
  if (batch >= product.batches) return;
  const int count = min((uint)KN_SHORT, product.n - first);
  const bool one_axis = product.one_axis;
  a += product.a_offset + row * product.a_row +
       (one_axis ? batch * product.a_batch[3] : kn_batch_offset(batch, product.batch_sizes, product.a_batch));
  b += product.b_offset + first * product.b_column +
       (one_axis ? batch * product.b_batch[3] : kn_batch_offset(batch, product.batch_sizes, product.b_batch));
  KN_VALUE sums[KN_SHORT];
#pragma unroll
  for (int j = 0; j < KN_SHORT; ++j) sums[j] = (KN_VALUE)(0);
#if KN_A_QUADS
  for (long step = 0; step < product.k; step += 4) {
    KN_VALUE values[4];
    kn_load_quad(KN_OF_A, a, step, values);
#pragma unroll
    for (int i = 0; i < 4; ++i) kn_add_step(values[i], b + (step + i) * product.b_row, product.b_column, count, sums);
  }
#else
  for (long step = 0; step < product.k; ++step)
    kn_add_step(kn_load_of(KN_OF_A, a, step * product.a_column), b + step * product.b_row, product.b_column, count, sums);
#endif
  const long corner =
      product.out_offset + (long)batch * product.m * product.n + row * product.out_row + first * product.out_column;
#if KN_OUT_QUADS
#pragma unroll
  for (int j = 0; j < KN_SHORT; j += 4)
    if (j < count)
      *(__global KN_PASTE(KN_STORED, 4)*)(out + corner + j) = (KN_PASTE(KN_STORED, 4))(
          KN_MADE(corner + j, kn_settled(sums[j])), KN_MADE(corner + j + 1, kn_settled(sums[j + 1])),
          KN_MADE(corner + j + 2, kn_settled(sums[j + 2])), KN_MADE(corner + j + 3, kn_settled(sums[j + 3])));
#else
#pragma unroll
  for (int j = 0; j < KN_SHORT; ++j)
    if (j < count) KN_PUT(corner + j * product.out_column, kn_settled(sums[j]));
#endif
}

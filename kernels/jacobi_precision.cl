// SPDX-License-Identifier: Apache-2.0
// Hermitian matrices of float64 that turns found in float32 make nearly diagonal, for jacobi_blocks.cl: the turns become
// orthonormal to float64's digits, and the matrix is turned by them. All are square, of d.row rows.

#define KN_DOUBLE
#include "common/jacobi.clh"
#include "common/jacobi_blocks.clh"

// The matrix in float32, and the identity: a group has a row.
KN_KERNEL void jacobi_narrow(__global const kn_real* w, __global const kn_real* limits, __global float* to,
                             __global float* turns, __global float* limits_to, const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  const ulong first = get_group_id(0) * KN_PARTS * d.row, matrix = get_group_id(0) / d.row, i = get_group_id(0) % d.row;
  for (ulong at = get_local_id(0); at < KN_PARTS * d.row; at += KN_GROUP) {
    to[first + at] = (float)w[first + at];
    turns[first + at] = at == i ? 1 : 0;
  }
  // What is turned by less than that in a sweep is nearly diagonal after it: what is left is for float64.
  if (i == 0 && get_local_id(0) == 0) {
    limits_to[2 * matrix] = (float)(limits[2 * matrix] * 0x1p29);
    limits_to[2 * matrix + 1] = (float)(limits[2 * matrix] * 0x1p42);
  }
}

// Those turns in float64: a group has a row.
KN_KERNEL void jacobi_widen(__global const float* from, __global kn_real* turns, const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  const ulong first = get_group_id(0) * KN_PARTS * d.row;
  for (ulong at = get_local_id(0); at < KN_PARTS * d.row; at += KN_GROUP) turns[first + at] = from[first + at];
}

// A tile of a b for each group, for matrices with as many rows as columns; of a b^H, which is Hermitian, with its mirror
// image, if `adjoint`; of 1.5 b - 0.5 a b if `orthonormal`: for a = b b^H that has rows nearer to orthonormal ones
// (Bjorck and Bowie, SIAM Journal on Numerical Analysis 8, 1971).
KN_TILE_KERNEL void jacobi_multiply(__global const kn_real* a, __global const kn_real* b, __global kn_real* to,
                                    const kn_jacobi parameters, const uint adjoint, const uint orthonormal) {
  const kn_jacobi d = parameters;
  __local kn_some left[KN_DEPTH * (KN_LINE + 1)];
  __local kn_some right[KN_DEPTH * (KN_LINE + 1)];
  const uint id = (uint)get_local_id(0), x = id % 8, y = id / 8, depth = id % KN_DEPTH, first_row = id / KN_DEPTH;
  const ulong tiles = d.row / KN_SIDE, matrix = get_group_id(0) / (tiles * tiles), line = KN_PARTS * d.row;
  const ulong row0 = get_group_id(0) / tiles % tiles * KN_SIDE, column0 = get_group_id(0) % tiles * KN_SIDE;
  if (adjoint != 0 && row0 > column0) return;
  __global const kn_real* const at_a = a + matrix * d.row * line;
  __global const kn_real* const at_b = b + matrix * d.row * line;
  __global kn_real* const at_to = to + matrix * d.row * line;
  kn_value sums[KN_EACH][KN_EACH];
#pragma unroll
  for (uint i = 0; i < KN_EACH; ++i) {
#pragma unroll
    for (uint j = 0; j < KN_EACH; ++j) sums[i][j] = 0;
  }
  for (ulong first = 0; first < d.row; first += KN_DEPTH) {
#pragma unroll
    for (uint i = 0; i < KN_SIDE / 4; ++i) {
      const uint row = first_row + 4 * i, place = (KN_LINE + 1) * depth + row / KN_WIDE;
      left[place].at[row % KN_WIDE] = kn_get(at_a + (row0 + row) * line, first + depth, d.row);
      if (adjoint == 0) continue;
      right[place].at[row % KN_WIDE] = kn_conj(kn_get(at_b + (column0 + row) * line, first + depth, d.row));
    }
    for (uint at = id; adjoint == 0 && at < KN_DEPTH * KN_LINE; at += KN_TILE_GROUP) {
      const uint row = at / KN_LINE, column = at % KN_LINE;
      kn_some some;
      kn_get_some(at_b + (first + row) * line, column0 + KN_WIDE * column, d.row, &some);
      right[row * (KN_LINE + 1) + column] = some;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    kn_add_products(left, right, KN_DEPTH, KN_LINE + 1, x, y, sums);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (uint i = 0; i < KN_EACH; ++i) {
    const ulong row = row0 + KN_AT(y, i);
#pragma unroll
    for (uint j = 0; j < KN_EACH; ++j) {
      const ulong column = column0 + KN_AT(x, j);
      kn_value value = sums[i][j];
      if (orthonormal != 0) value = (kn_real)1.5 * kn_get(at_b + row * line, column, d.row) - (kn_real)0.5 * value;
      kn_set(value, at_to + row * line, column, d.row);
      if (adjoint != 0 && row0 != column0) kn_set(kn_conj(value), at_to + column * line, row, d.row);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Eigenvectors of Hermitian matrices in float64, from such that float32 has found: what they leave beside the diagonal says
// by how much each two of them are to be turned, all at once, which doubles the digits (Ogita and Aishima, Japan Journal of
// Industrial and Applied Mathematics 35, 2018). What takes time are products. All matrices are square, of `rows` rows, as in
// jacobi_blocks.cl: for vectors V as rows and a matrix A, `values` is V A V^H, and `gram` V V^H.

#define KN_DOUBLE
#include "common/jacobi.clh"
#include "common/jacobi_blocks.clh"

static inline ulong kn_row_at(const ulong rows) { return get_group_id(0) * KN_PARTS * rows; }

// The matrix in float32, and the identity: a group has a row. Elements up to `limit` times that of float64 are not turned;
// after a sweep that turns none above `last` times it the matrix is nearly diagonal.
KN_KERNEL void jacobi_narrow(__global const kn_real* w, __global const kn_real* limits, __global float* to,
                             __global float* turns, __global float* limits_to, const ulong rows,
                             const float limit, const float last) {
  const ulong first = kn_row_at(rows), matrix = get_group_id(0) / rows, i = get_group_id(0) % rows;
  for (ulong at = get_local_id(0); at < KN_PARTS * rows; at += KN_GROUP) {
    to[first + at] = (float)w[first + at];
    turns[first + at] = at == i ? 1 : 0;
  }
  if (i == 0 && get_local_id(0) == 0) {
    limits_to[2 * matrix] = (float)(limits[2 * matrix] * limit);
    limits_to[2 * matrix + 1] = (float)(limits[2 * matrix] * last);
  }
}

// Those turns in float64: a group has a row.
KN_KERNEL void jacobi_widen(__global const float* from, __global kn_real* turns, const ulong rows) {
  const ulong first = kn_row_at(rows);
  for (ulong at = get_local_id(0); at < KN_PARTS * rows; at += KN_GROUP) turns[first + at] = from[first + at];
}

// V A V^H as it were if the vectors were orthonormal, but for squares of what they lack: a group has a row, and writes
// what lies left of the diagonal and its mirror image.
KN_KERNEL void jacobi_as_orthonormal(__global const kn_real* values, __global const kn_real* gram, __global kn_real* to,
                                     const ulong rows) {
  const ulong line = KN_PARTS * rows, i = get_group_id(0) % rows, of_matrix = (get_group_id(0) - i) * line;
  __global const kn_real *const at = values + of_matrix, *const beside = gram + of_matrix;
  __global kn_real* const out = to + of_matrix;
  const kn_real own = at[i * line + i] / beside[i * line + i];
  for (ulong k = get_local_id(0); k <= i; k += KN_GROUP) {
    const kn_real mean = (kn_real)0.5 * (own + at[k * line + k] / beside[k * line + k]);
    const kn_value value = k == i ? KN_ONE * own
                                  : kn_get(at + i * line, k, rows) - mean * kn_get(beside + i * line, k, rows);
    kn_set(value, out + i * line, k, rows);
    if (k < i) kn_set(kn_conj(value), out + k * line, i, rows);
  }
}

// The tangents of the angles by which that would turn each row with each other one, if there were no others, which are
// those of Jacobi's rotations; `sums` has the sum of each row's magnitudes. `most` becomes the largest such sum of a
// matrix, or of what its vectors lack beside orthonormal ones, as bits of a float.
KN_KERNEL void jacobi_tangents(__global const kn_real* values, __global const kn_real* gram,
                               __global const kn_real* limits, __global kn_real* to, __global kn_real* sums,
                               __global uint* most, const ulong rows) {
  __local kn_real parts[KN_GROUP];
  const ulong line = KN_PARTS * rows, matrix = get_group_id(0) / rows, i = get_group_id(0) % rows;
  __global const kn_real* const at = values + matrix * rows * line;
  const kn_real own = at[i * line + i], limit = limits[2 * matrix];
  kn_real sum = 0, lacks = 0;
  for (ulong k = get_local_id(0); k < rows; k += KN_GROUP) {
    const kn_value value = kn_get(at + i * line, k, rows), product = kn_get(gram + kn_row_at(rows), k, rows);
    const kn_real difference = own - at[k * line + k];
#ifdef KN_COMPLEX
    const kn_real square = fma(value.x, value.x, value.y * value.y);
    lacks += fabs(product.x - (k == i ? 1 : 0)) + fabs(product.y);
#else
    const kn_real square = value * value;
    lacks += fabs(product - (k == i ? 1 : 0));
#endif
    const bool turns = k != i && square > limit * limit;
    const kn_real by = 2 / (fabs(difference) + sqrt(fma(difference, difference, 4 * square)));
    const bool down = difference < 0 || (difference == 0 && k > i);
    const kn_value tangent = turns ? value * (down ? -by : by) : (kn_value)(0);
    kn_set(tangent, to + kn_row_at(rows), k, rows);
    sum += turns ? sqrt(square) * by : 0;
  }
  sum = kn_sum(sum, parts);
  lacks = kn_sum(lacks, parts);
  if (get_local_id(0) != 0) return;
  sums[get_group_id(0)] = sum;
  atomic_max(&most[matrix], as_uint((float)fmax(sum, lacks)));
}

// Less of the tangents of rows that have too many for turns at once, which are those of close eigenvalues: others, far
// smaller, stay. A group has a row.
KN_KERNEL void jacobi_damp(__global kn_real* tangents, __global const kn_real* sums, const ulong rows) {
  const ulong i = get_group_id(0) % rows;
  __global const kn_real* const of_matrix = sums + (get_group_id(0) - i);
  const kn_real most = (kn_real)0.2, small = (kn_real)0x1p-10;
  for (ulong k = get_local_id(0); k < rows; k += KN_GROUP) {
    const kn_real larger = fmax(of_matrix[i], of_matrix[k]);
    const kn_value tangent = kn_get(tangents + kn_row_at(rows), k, rows);
#ifdef KN_COMPLEX
    const kn_real size = fmax(fabs(tangent.x), fabs(tangent.y));
#else
    const kn_real size = fabs(tangent);
#endif
    if (larger > most && size > small) kn_set(tangent * (most / larger), tangents + kn_row_at(rows), k, rows);
  }
}

// What turns the vectors and makes them orthonormal, in place of `gram`: 1 + (1 - gram) / 2 + t + t^2 / 2 for these
// tangents t, without which it is the latter alone (Bjorck and Bowie, SIAM Journal on Numerical Analysis 8, 1971). A group
// has a row.
KN_KERNEL void jacobi_turn_at_once(__global kn_real* gram, __global const kn_real* tangents,
                                   __global const kn_real* squares, const ulong rows, const uint turns) {
  const ulong first = kn_row_at(rows), i = get_group_id(0) % rows;
  for (ulong at = get_local_id(0); at < KN_PARTS * rows; at += KN_GROUP) {
    kn_real value = (at == i ? (kn_real)1.5 : (kn_real)0) - (kn_real)0.5 * gram[first + at];
    if (turns != 0) value += tangents[first + at] + (kn_real)0.5 * squares[first + at];
    gram[first + at] = value;
  }
}

#ifdef KN_COMPLEX
// A tile of a b for each group, for matrices with as many rows as columns; of a b^H if `adjoint`.
KN_TILE_KERNEL void jacobi_multiply(__global const kn_real* a, __global const kn_real* b, __global kn_real* to,
                                    const ulong rows, const uint adjoint) {
  __local kn_some left[KN_DEPTH * (KN_LINE + 1)];
  __local kn_some right[KN_DEPTH * (KN_LINE + 1)];
  const uint id = (uint)get_local_id(0), x = id % 8, y = id / 8, depth = id % KN_DEPTH, first_row = id / KN_DEPTH;
  const ulong tiles = rows / KN_SIDE, matrix = get_group_id(0) / (tiles * tiles), line = KN_PARTS * rows;
  const ulong row0 = get_group_id(0) / tiles % tiles * KN_SIDE, column0 = get_group_id(0) % tiles * KN_SIDE;
  __global const kn_real* const at_a = a + matrix * rows * line;
  __global const kn_real* const at_b = b + matrix * rows * line;
  __global kn_real* const at_to = to + matrix * rows * line;
  kn_value sums[KN_EACH][KN_EACH];
#pragma unroll
  for (uint i = 0; i < KN_EACH; ++i) {
#pragma unroll
    for (uint j = 0; j < KN_EACH; ++j) sums[i][j] = 0;
  }
  for (ulong first = 0; first < rows; first += KN_DEPTH) {
#pragma unroll
    for (uint i = 0; i < KN_SIDE / 4; ++i) {
      const uint row = first_row + 4 * i, offset = (KN_LINE + 1) * depth + row / KN_WIDE;
      left[offset].at[row % KN_WIDE] = kn_get(at_a + (row0 + row) * line, first + depth, rows);
      if (adjoint == 0) continue;
      right[offset].at[row % KN_WIDE] = kn_conj(kn_get(at_b + (column0 + row) * line, first + depth, rows));
    }
    for (uint at = id; adjoint == 0 && at < KN_DEPTH * KN_LINE; at += KN_TILE_GROUP) {
      const uint row = at / KN_LINE, column = at % KN_LINE;
      kn_some some;
      kn_get_some(at_b + (first + row) * line, column0 + KN_WIDE * column, rows, &some);
      right[row * (KN_LINE + 1) + column] = some;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    kn_add_products(left, right, KN_DEPTH, KN_LINE + 1, x, y, sums);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (uint i = 0; i < KN_EACH; ++i) {
#pragma unroll
    for (uint j = 0; j < KN_EACH; ++j) {
      kn_set(sums[i][j], at_to + (row0 + KN_AT(y, i)) * line, column0 + KN_AT(x, j), rows);
    }
  }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues as in jacobi.cl, of matrices that keep a whole card busy: two blocks of rows at a time
// are turned by as many rotations as they have pairs of rows. A group finds these on a small matrix in local memory, and
// many groups turn rows by what came of it, which is a matrix product (Drmac, SIAM Journal on Matrix Analysis and
// Applications 31, 2010). In a sweep each pair of rows is rotated once.
//
// For singular values the small matrix is that of the products of the rows with each other, which rotations make
// orthogonal. Of a Hermitian matrix it is what lies where the rows cross the columns of the same numbers, and both are
// turned, until the matrix is diagonal (Jacobi 1846; Brent and Luk, SIAM Journal on Scientific and Statistical Computing
// 6, 1985). In float64 jacobi_precision.cl does that with eigenvectors of float32, but for eigenvalues that are close.
//
// Rows lie as in jacobi.cl: real parts, then imaginary ones, each with zeros up to a multiple of 16; of Hermitian matrices
// there are as many rows as columns, a multiple of KN_SIDE. `turns` is what rows were turned by so far.

#include "common/jacobi.clh"
#include "common/jacobi_blocks.clh"
#include "common/jacobi_quads.clh"
#include "common/jacobi_tiles.clh"
#include "common/jacobi_vectors.clh"

// The largest magnitude of a row of x for each group, infinite if one is NaN.
KN_KERNEL void jacobi_largest(__global const kn_real* x, __global kn_real* largest, const kn_jacobi parameters,
                              const kn_jacobi_blocks blocks) {
  const kn_jacobi d = parameters;
  __local kn_real parts[KN_GROUP];
  const uint id = (uint)get_local_id(0);
  const ulong matrix = get_group_id(0) / d.rows, i = get_group_id(0) % d.rows;
  __global const kn_real* const from = x + (d.offset + (blocks.first + matrix) * d.rows * d.columns) * KN_PARTS;
  kn_real most = 0;
  for (ulong at = id; at < d.columns * KN_PARTS; at += KN_GROUP) {
    const kn_real value = fabs(kn_element(from, i, at / KN_PARTS, d.columns, at % KN_PARTS, KN_HERMITIAN));
    most = value <= most ? most : value < (kn_real)INFINITY ? value : (kn_real)INFINITY;
  }
  most = kn_largest(most, parts);
  if (id == 0) largest[get_group_id(0)] = most;
}

// A row of w, and of the turns if there are, for each group: x times a power of two, and the identity. A matrix with a NaN
// or an infinity is reported, and becomes zeros. `squares` has the sum of each row's, `scales` the largest of a matrix.
KN_KERNEL void jacobi_load(__global const kn_real* x, __global const kn_real* largest, __global kn_real* w,
                           __global kn_real* turns, __global kn_real* squares, __global kn_real* scales,
                           __global kn_fault* fault, const kn_jacobi parameters, const kn_jacobi_blocks blocks) {
  const kn_jacobi d = parameters;
  __local kn_real parts[KN_GROUP];
  const uint id = (uint)get_local_id(0);
  const ulong rows = kn_rows_of_w(d), matrix = get_group_id(0) / rows, i = get_group_id(0) % rows;
  __global const kn_real* const from = x + (d.offset + (blocks.first + matrix) * d.rows * d.columns) * KN_PARTS;
  kn_real most = 0;
  for (ulong row = id; row < d.rows; row += KN_GROUP) most = fmax(most, largest[matrix * d.rows + row]);
  most = kn_largest(most, parts);
  const bool finite = most < (kn_real)INFINITY;
  const int exponent = KN_EXPONENT(most);
  __global kn_real* const to = w + get_group_id(0) * KN_PARTS * d.row;
  kn_real square = 0;
  for (ulong at = id; at < KN_PARTS * d.row; at += KN_GROUP) {
    const ulong k = at % d.row;
    kn_real value = 0;
    if (finite && i < d.rows && k < d.columns) {
      value = kn_scaled(kn_element(from, i, k, d.columns, (uint)(at / d.row), KN_HERMITIAN), -exponent);
    }
    to[at] = value;
    square = fma(value, value, square);
  }
  if (i < kn_rows_of_turns(d)) {
    __global kn_real* const turn = turns + (matrix * kn_rows_of_turns(d) + i) * KN_PARTS * d.turns;
    for (ulong at = id; at < KN_PARTS * d.turns; at += KN_GROUP) turn[at] = at == i ? 1 : 0;
  }
  square = kn_sum(square, parts);
  if (id != 0) return;
  if (i < d.rows) squares[matrix * d.rows + i] = square;
  if (i > 0) return;
  scales[matrix] = most;
  if (!finite) kn_report(fault, (long)(blocks.first + matrix));
}

#if KN_HERMITIAN
// What counts as 0 beside the diagonal, a group for each matrix: all such elements together have a few epsilon of the
// norm of a matrix whose eigenvalues are of one size.
KN_KERNEL void jacobi_limit(__global const kn_real* squares, __global kn_real* limits, const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  __local kn_real parts[KN_GROUP];
  const ulong matrix = get_group_id(0);
  kn_real square = 0;
  for (ulong row = get_local_id(0); row < d.rows; row += KN_GROUP) square += squares[matrix * d.rows + row];
  square = kn_sum(square, parts);
  // Twice: up to the second one a sweep is the last.
  if (get_local_id(0) < 2) limits[2 * matrix + get_local_id(0)] = 4 * KN_EPSILON * sqrt(square / d.rows);
}
#else
// The products of all rows of a pair with each other, over a part of the columns.
KN_TILE_KERNEL void jacobi_products(__global const kn_real* w, __global kn_value* products, __global const uint* turned,
                                    const kn_jacobi parameters, const kn_jacobi_blocks blocks) {
  const kn_jacobi d = parameters;
  __local kn_some left[KN_DEPTH * (KN_LINE + 1)];
#ifdef KN_COMPLEX
  __local kn_some right[KN_DEPTH * (KN_LINE + 1)];
#else
  __local kn_some* const right = left;
#endif
  const uint id = (uint)get_local_id(0), column = id % KN_DEPTH, first_row = id / KN_DEPTH;
  const uint group = (uint)get_group_id(0), part = group % blocks.parts, pair_of_all = group / blocks.parts,
             pair = pair_of_all % blocks.pairs, matrix = pair_of_all / blocks.pairs;
  if (kn_is_done(turned, matrix, blocks)) return;
  const uint2 of_pair = kn_blocks_of_pair(pair, blocks);
  __global const kn_real* const from = w + matrix * d.kept * KN_PARTS * d.row;
  kn_value sums[KN_EACH][KN_EACH], next[KN_SIDE / 4];
#pragma unroll
  for (uint i = 0; i < KN_EACH; ++i) {
#pragma unroll
    for (uint j = 0; j < KN_EACH; ++j) sums[i][j] = 0;
  }
  const uint end = min((part + 1) * blocks.columns, (uint)d.row);
  for (uint at = part * blocks.columns; at < end + KN_DEPTH; at += KN_DEPTH) {
    // Those of the next step are on their way while the last ones are multiplied.
#pragma unroll
    for (uint i = 0; i < KN_SIDE / 4; ++i) {
      const ulong row = kn_row_of_pair(of_pair, first_row + 4 * i);
      next[i] = row < d.rows && at < end ? kn_get(from + row * KN_PARTS * d.row, at + column, d.row) : (kn_value)(0);
    }
    if (at > part * blocks.columns) {
      kn_add_products(left, right, KN_DEPTH, KN_LINE + 1, id % 8, id / 8, sums);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (uint i = 0; i < KN_SIDE / 4; ++i) {
      const uint row = first_row + 4 * i, offset = (KN_LINE + 1) * column + row / KN_WIDE;
      left[offset].at[row % KN_WIDE] = next[i];
#ifdef KN_COMPLEX
      right[offset].at[row % KN_WIDE] = kn_conj(next[i]);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  __global kn_some* const to = (__global kn_some*)(products + get_group_id(0) * KN_SIDE * KN_SIDE);
#pragma unroll
  for (uint i = 0; i < KN_EACH; ++i) {
#pragma unroll
    for (uint c = 0; c < KN_MANY; ++c) {
      kn_some some;
#pragma unroll
      for (uint j = 0; j < KN_WIDE; ++j) some.at[j] = sums[i][KN_WIDE * c + j];
      to[KN_AT(id / 8, i) * KN_LINE + 8 * c + id % 8] = some;
    }
  }
}
#endif

// The turns of a pair's rows: those that make their matrix diagonal, one after the other, and all of them in one matrix,
// less the identity, of which columns lie together. In a sweep's first round of all rows, else of the first block's with
// the second's. `from`: of a Hermitian matrix w, else the products. Groups that are left turn the rows of the turns so far by
// what the round before found.
KN_KERNEL void jacobi_turns(__global const kn_real* from, __global kn_value* turns, __global uint* turned,
                            __global uint* turns_pair, __global const kn_real* limits,
                            __global kn_real* turns_so_far, __global const kn_value* turns_before,
                            __global const uint* turns_pair_before, const kn_jacobi parameters,
                            const kn_jacobi_blocks blocks) {
  const kn_jacobi d = parameters;
  // Rows are no shorter than those of tiles.
  __local kn_value h[KN_SIDE * KN_PITCH] __attribute__((aligned(16)));
  __local kn_value all[KN_SIDE * KN_PITCH] __attribute__((aligned(16)));
  // Of a step and of the one before.
  __local kn_value of_step[2 * KN_OF_STEP];
  __local uint2 of_rows[2 * KN_QUADS];
  __local uint any;
#if !KN_HERMITIAN
  __local kn_real lengths[KN_SIDE];
#endif
  const uint id = (uint)get_local_id(0);
  const uint pair = (uint)get_group_id(0), matrix = pair / blocks.pairs;
  const bool first = blocks.round == 0;
#if KN_LATE
  if (get_group_id(0) >= blocks.turning) {
    kn_turn_vectors(turns_so_far, turns_before, turned, turns_pair_before, d, blocks, (__local kn_some*)h,
                    (__local kn_some*)all);
    return;
  }
#endif
  if (kn_is_done(turned, matrix, blocks)) return;
#if KN_HERMITIAN
  const uint2 of_pair = kn_blocks_of_pair(pair % blocks.pairs, blocks);
  __global const kn_real* const at_matrix = from + matrix * d.row * KN_PARTS * d.row;
  const kn_real limit = limits[2 * matrix], last = limits[2 * matrix + 1];
#else
  __global const kn_some* const products = (__global const kn_some*)from;
  const kn_real limit = KN_EPSILON * (8 + sqrt((kn_real)d.columns)), last = limit;
#endif
  // All that a work-item reads is on its way before any is waited for.
  kn_some held[KN_SHARE];
  for (uint n = 0; n < KN_SHARE; ++n) {
    const uint at = id + KN_GROUP * n;
    if (KN_SIDE * KN_LINE < KN_GROUP && at >= KN_SIDE * KN_LINE) continue;
#if KN_HERMITIAN
    kn_get_some(at_matrix + kn_row_of_pair(of_pair, at / KN_LINE) * KN_PARTS * d.row,
                kn_row_of_pair(of_pair, KN_WIDE * (at % KN_LINE)), d.row, &held[n]);
#else
    held[n] = products[pair * blocks.parts * KN_SIDE * KN_LINE + at];
    for (ulong part = 1; part < blocks.parts; ++part) {
      const kn_some more = products[(pair * blocks.parts + part) * KN_SIDE * KN_LINE + at];
      for (uint j = 0; j < KN_WIDE; ++j) held[n].at[j] += more.at[j];
    }
#endif
  }
  for (uint n = 0; n < KN_SHARE; ++n) {
    const uint at = id + KN_GROUP * n, offset = at / KN_LINE * KN_PITCH + KN_WIDE * (at % KN_LINE);
    if (KN_SIDE * KN_LINE < KN_GROUP && at >= KN_SIDE * KN_LINE) continue;
    for (uint j = 0; j < KN_WIDE; ++j) {
      h[offset + j] = held[n].at[j];
      all[offset + j] = 0;
    }
  }
  bool more = true;
  for (ulong inner = 0; inner < blocks.inner && more; ++inner) {
    if (id == 0) any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#if !KN_HERMITIAN
    for (uint i = id; i < KN_SIDE; i += KN_GROUP) {
      const kn_real square = KN_REAL(h[i * KN_PITCH + i]);
      lengths[i] = square > KN_NOTHING ? sqrt(square) : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    uint found = 0;
    for (uint at = id; at < KN_SIDE * KN_SIDE; at += KN_GROUP) {
      const uint p = at / KN_SIDE, q = at % KN_SIDE;
      if (p >= q || !(first || (p < KN_BLOCK && q >= KN_BLOCK))) continue;
      const kn_value product = h[p * KN_PITCH + q];
#ifdef KN_COMPLEX
      const kn_real both = hypot(product.x, product.y);
#else
      const kn_real both = fabs(product);
#endif
#if KN_HERMITIAN
      const kn_real beside = 1;
#else
      const kn_real beside = lengths[p] * lengths[q];
#endif
      // Whether it is turned, and whether another sweep is to look at what comes of that.
      found |= (both > limit * beside && beside > 0 ? 1 : 0) | (both > last * beside && beside > 0 ? 2 : 0);
    }
    if (found != 0) atomic_or(&any, found);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint all_found = any;
    if (id == 0 && inner == 0) {
      turns_pair[pair] = all_found;
      if (all_found > 1) atomic_inc(&turned[blocks.sweep * blocks.matrices + matrix]);
    }
    more = all_found > 1;
    const uint steps = all_found == 0 ? 0 : first ? 2 * KN_QUADS - 1 : KN_QUADS;
    for (uint step = 0; step <= steps; ++step) {
      const uint now = step % 2, before = 1 - now;
      __local kn_value* const by = of_step + KN_OF_STEP * now;
      __local uint2* const rows = of_rows + KN_QUADS * now;
      if (step < steps) kn_find_turns(h, step, first, limit, by, rows);
      if (step > 0) kn_turn_all(all, of_step + KN_OF_STEP * before, of_rows + KN_QUADS * before);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (step < steps) kn_turn_both_sides(h, by, rows);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  for (uint at = id; at < KN_SIDE * KN_SIDE; at += KN_GROUP) {
    turns[pair * KN_SIDE * KN_SIDE + at] = all[at % KN_SIDE * KN_PITCH + at / KN_SIDE];
  }
}

// Turns the rows of a pair, KN_SIDE columns for each group: of w, and of the turns so far, unless jacobi_turns does that. Of
// a Hermitian w the columns of pairs are turned as well, each tile with its mirror image.
KN_TURN_KERNEL void jacobi_apply(__global kn_real* w, __global kn_real* turns_so_far, __global const kn_value* turns,
                                 __global const uint* turned, __global const uint* turns_pair,
                                 const kn_jacobi parameters, const kn_jacobi_blocks blocks) {
  const kn_jacobi d = parameters;
  __local kn_some tile[KN_SIDE * (KN_LINE + 1)];
  __local kn_some by[KN_SIDE * (KN_LINE + 1)];
  const uint id = (uint)get_local_id(0), x = id % KN_LANES, y = id / KN_LANES;
  const uint w_tiles = KN_HERMITIAN ? blocks.pairs : ((uint)d.row + KN_SIDE - 1) / KN_SIDE;
  const uint tiles = w_tiles + (KN_LATE ? 0 : kn_tiles_of_turns(d)), group = (uint)get_group_id(0);
  const uint at_tile = group % tiles, pair = group / tiles, matrix = pair / blocks.pairs;
  const bool of_w = KN_LATE || at_tile < w_tiles;
  // Of a Hermitian w the columns are another pair's.
  const uint other = KN_HERMITIAN && of_w ? matrix * blocks.pairs + at_tile : pair;
  const bool turns_rows = turns_pair[pair] != 0, turns_other = turns_pair[other] != 0;
  if (kn_is_done(turned, matrix, blocks) || pair > other || !(turns_rows || turns_other)) return;
  const ulong length = of_w ? d.row : d.turns, count = KN_HERMITIAN ? d.row : d.rows;
  const uint2 rows = kn_blocks_of_pair(pair % blocks.pairs, blocks);
  __global kn_real* const at_matrix = of_w ? w + matrix * kn_rows_of_w(d) * KN_PARTS * length
                                           : turns_so_far + matrix * kn_rows_of_turns(d) * KN_PARTS * length;
  uint2 columns = 2 * (of_w ? at_tile : at_tile - w_tiles) + (uint2)(0, 1);
  kn_value sums[KN_OWN][KN_OWN];
  kn_some held[KN_HELD], held_turns[KN_HELD];
#if KN_HERMITIAN
  // Of the mirror image, so that rows and columns of what is read lie as products want them.
  if (of_w) columns = kn_blocks_of_pair(at_tile, blocks);
  kn_read_tile(at_matrix, of_w ? columns : rows, of_w ? rows : columns, count, length, held);
  kn_read_turns(turns, other, held_turns);
  kn_keep(held, tile);
  kn_keep(held_turns, by);
  if (of_w) kn_read_turns(turns, pair, held_turns);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (of_w) {
#pragma unroll
    for (uint j = 0; j < KN_OWN; ++j) {
#pragma unroll
      for (uint c = 0; c < KN_SOME; ++c) {
        const kn_some some = tile[KN_OWN_AT(x, j) * (KN_LINE + 1) + KN_LANES * c + y];
#pragma unroll
        for (uint i = 0; i < KN_WIDE; ++i) sums[KN_WIDE * c + i][j] = some.at[i];
      }
    }
    kn_add_turned(tile, by, KN_SIDE, KN_LINE + 1, x, y, sums);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (of_w) {
#pragma unroll
    for (uint i = 0; i < KN_OWN; ++i) {
#pragma unroll
      for (uint c = 0; c < KN_SOME; ++c) {
        kn_some some;
#pragma unroll
        for (uint j = 0; j < KN_WIDE; ++j) some.at[j] = kn_conj(sums[i][KN_WIDE * c + j]);
        tile[KN_OWN_AT(y, i) * (KN_LINE + 1) + KN_LANES * c + x] = some;
      }
    }
    kn_keep(held_turns, by);
  }
#else
  kn_read_tile(at_matrix, rows, columns, count, length, held);
  kn_read_turns(turns, pair, held_turns);
  kn_keep(held, tile);
  kn_keep(held_turns, by);
#endif
  // Other work-items write where some have read.
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  kn_turn_tile(tile, by, x, y, sums);
#if KN_HERMITIAN
  if (of_w && pair == other) {
    // Both sides of the diagonal from one, so that they stay each other's mirror images.
#pragma unroll
    for (uint i = 0; i < KN_OWN; ++i) {
      const ulong row = kn_row_of_pair(rows, KN_OWN_AT(y, i));
#pragma unroll
      for (uint j = 0; j < KN_OWN; ++j) {
        const ulong column = kn_row_of_pair(columns, KN_OWN_AT(x, j));
        if (row > column) continue;
        kn_set(sums[i][j], at_matrix + row * KN_PARTS * length, column, length);
        if (row < column) kn_set(kn_conj(sums[i][j]), at_matrix + column * KN_PARTS * length, row, length);
      }
    }
    return;
  }
#endif
  kn_store_tile(sums, at_matrix, rows, columns, count, length, x, y);
#if KN_HERMITIAN
  if (!of_w) return;
#pragma unroll
  for (uint j = 0; j < KN_OWN; ++j) {
    const ulong row = kn_row_of_pair(columns, KN_OWN_AT(x, j));
#pragma unroll
    for (uint c = 0; c < KN_SOME; ++c) {
      kn_some some;
#pragma unroll
      for (uint i = 0; i < KN_WIDE; ++i) some.at[i] = kn_conj(sums[KN_WIDE * c + i][j]);
      kn_set_some(some, at_matrix + row * KN_PARTS * length, kn_row_of_pair(rows, KN_WIDE * (KN_LANES * c + y)), length);
    }
  }
#endif
}

#if KN_HERMITIAN
// Eigenvalues, and turns of unit length: a group has a row.
KN_KERNEL void jacobi_values(__global const kn_real* w, __global kn_real* turns, __global kn_real* lengths,
                             const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  __local kn_real parts[KN_GROUP];
  const uint id = (uint)get_local_id(0);
  const ulong matrix = get_group_id(0) / d.rows, i = get_group_id(0) % d.rows;
  if (id == 0) lengths[get_group_id(0)] = w[(matrix * d.row + i) * KN_PARTS * d.row + i];
  __global kn_real* const at = turns + (matrix * d.row + i) * KN_PARTS * d.turns;
  kn_real square = 0;
  for (ulong k = id; k < KN_PARTS * d.turns; k += KN_GROUP) square = fma(at[k], at[k], square);
  const kn_real length = sqrt(kn_sum(square, parts));
  for (ulong k = id; k < KN_PARTS * d.turns; k += KN_GROUP) at[k] /= length;
}
#else
// Singular values, and rows of unit length: a group has a row. Rows of zeros stay.
KN_KERNEL void jacobi_values(__global kn_real* w, __global kn_real* lengths, const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  __local kn_real parts[KN_GROUP];
  const uint id = (uint)get_local_id(0);
  __global kn_real* const at = w + get_group_id(0) * KN_PARTS * d.row;
  kn_real square = 0;
  for (ulong k = id; k < KN_PARTS * d.row; k += KN_GROUP) square = fma(at[k], at[k], square);
  square = kn_sum(square, parts);
  const kn_real length = square > KN_NOTHING ? sqrt(square) : 0;
  for (ulong k = id; length > 0 && k < KN_PARTS * d.row; k += KN_GROUP) at[k] /= length;
  if (id == 0) lengths[get_group_id(0)] = length;
}

// Unit vectors for rows of zeros, a group for each matrix. `room`: a real number for each part of each row, and a row.
KN_KERNEL void jacobi_complete(__global kn_real* w, __global kn_real* lengths, __global kn_real* room,
                               const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  __local kn_real parts[KN_SUMS * KN_GROUP];
  const uint id = (uint)get_local_id(0);
  const struct kn_group g = {id, KN_GROUP, id / 16, KN_GROUP / 16, id % 16, parts};
  const ulong matrix = get_group_id(0);
  __global kn_real* const shares = room + matrix * (d.kept * KN_PARTS + d.row);
  kn_complete(w + matrix * d.kept * KN_PARTS * d.row, lengths + matrix * d.kept, shares, shares + d.kept * KN_PARTS, d, g);
}
#endif

// Puts a row's value and vectors where they belong in order: a group has a row. `left` is what the rows were turned by, of
// singular values. All are NaN for matrices that were reported.
KN_KERNEL void jacobi_results(__global const kn_real* w, __global const kn_real* turns, __global const kn_real* lengths,
                              __global const kn_real* scales, __global const uint* turned, __global kn_real* values,
                              __global kn_real* left, __global kn_real* right, __global kn_fault* fault,
                              const kn_jacobi parameters, const kn_jacobi_blocks blocks) {
  const kn_jacobi d = parameters;
  __local kn_real parts[KN_GROUP];
  const uint id = (uint)get_local_id(0);
  const ulong matrix = get_group_id(0) / d.kept, i = get_group_id(0) % d.kept, number = blocks.first + matrix;
  __global const kn_real* const all = lengths + matrix * d.kept;
  const kn_real own = all[i];
  // Lengths of vectors that were found for rows of zeros are negative.
  uint before = 0;
  for (ulong j = id; j < d.rows; j += KN_GROUP) {
    const kn_real other = all[j];
    before += (KN_HERMITIAN ? other < own : other > own) || (other == own && j < i) ? 1 : 0;
  }
  const ulong all_before = (ulong)kn_sum((kn_real)before, parts);  // exact, below 2^24
  const bool finite = scales[matrix] < (kn_real)INFINITY;
  const ulong position = finite && i < d.rows ? all_before : i;
  if (id == 0 && i < d.rows) {
    const kn_real value = kn_scaled(KN_HERMITIAN ? own : fmax(own, (kn_real)0), KN_EXPONENT(scales[matrix]));
    values[number * d.rows + position] = finite ? value : (kn_real)NAN;
    const uint still_turned = turned[blocks.sweep * blocks.matrices + matrix];
    if (i == 0 && still_turned > 0) kn_report(fault, kn_not_found(number, still_turned));
  }
  if (d.vectors == 0) return;
  for (ulong k = id; k < d.columns; k += KN_GROUP) {
    __global const kn_real* const from = KN_HERMITIAN ? turns + (matrix * d.row + i) * KN_PARTS * d.row + k
                                                      : w + get_group_id(0) * KN_PARTS * d.row + k;
    __global kn_real* const to = right + ((number * d.kept + position) * d.columns + k) * KN_PARTS;
    to[0] = finite ? from[0] : (kn_real)NAN;
#ifdef KN_COMPLEX
    to[1] = finite ? (KN_HERMITIAN ? -from[d.row] : from[d.row]) : (kn_real)NAN;
#endif
  }
#if !KN_HERMITIAN
  for (ulong k = id; k < d.rows && i < d.rows; k += KN_GROUP) {
    __global const kn_real* const from = turns + (matrix * d.rows + i) * KN_PARTS * d.turns + k;
    __global kn_real* const to = left + ((number * d.rows + k) * d.rows + position) * KN_PARTS;
    to[0] = finite ? from[0] : (kn_real)NAN;
#ifdef KN_COMPLEX
    to[1] = finite ? -from[d.turns] : (kn_real)NAN;
#endif
  }
#endif
}

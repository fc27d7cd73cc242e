// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues as in jacobi.cl, of matrices that keep a whole card busy: two blocks of rows at a time
// are turned until they are orthogonal. A group finds the rotations from the products of these rows with each other, on
// which it does them, and many groups turn the rows by what came of it, which is a matrix product (Drmac, SIAM Journal on
// Matrix Analysis and Applications 31, 2010). In a sweep each pair of rows is rotated once.
//
// Rows lie as in jacobi.cl: real parts, then imaginary ones, each with zeros up to a multiple of 16. Of a Hermitian matrix
// a multiple of the identity is added that makes it positive, so that the rows become multiples of its eigenvectors.

#include "common/jacobi.clh"
#include "common/jacobi_vectors.clh"

// Rows of a block, and whether the matrix is Hermitian.
#ifndef KN_BLOCK
#define KN_BLOCK 16
#endif
#ifndef KN_HERMITIAN
#define KN_HERMITIAN 0
#endif

typedef struct {
  ulong first;           // matrix of the stack, of those that are worked on
  ulong matrices;        // that are worked on
  ulong pairs;           // of blocks, in a round
  ulong parts, columns;  // into which the columns are divided where products are taken, and of each, a multiple of 16
  uint sweep, round;
} kn_jacobi_blocks;

// Two blocks of rows.
#define KN_SIDE (2 * KN_BLOCK)
// Work-items are 16 x 16, each with so many rows and columns of a tile of KN_SIDE x KN_SIDE.
#define KN_EACH (KN_SIDE / 16)
#define KN_DEPTH 16
#define KN_PITCH (KN_SIDE + 1)

#ifdef KN_COMPLEX
typedef kn_2 kn_value;
static inline kn_value kn_get(__global const kn_real* row, ulong k, ulong part) {
  return (kn_value)(row[k], row[part + k]);
}
static inline void kn_set(kn_value value, __global kn_real* row, ulong k, ulong part) {
  row[k] = value.x;
  row[part + k] = value.y;
}
#define KN_ONE (kn_value)(1, 0)
static inline kn_value kn_conj(kn_value a) { return (kn_value)(a.x, -a.y); }
static inline kn_value kn_multiply_add(kn_value a, kn_value b, kn_value sum) {
  return (kn_value)(fma(a.x, b.x, fma(-a.y, b.y, sum.x)), fma(a.x, b.y, fma(a.y, b.x, sum.y)));
}
#define KN_REAL(a) ((a).x)
#define KN_IMAGINARY(a) ((a).y)
#else
typedef kn_real kn_value;
static inline kn_value kn_get(__global const kn_real* row, ulong k, ulong part) { return row[k]; }
static inline void kn_set(kn_value value, __global kn_real* row, ulong k, ulong part) { row[k] = value; }
#define KN_ONE (kn_value)(1)
static inline kn_value kn_conj(kn_value a) { return a; }
static inline kn_value kn_multiply_add(kn_value a, kn_value b, kn_value sum) { return fma(a, b, sum); }
#define KN_REAL(a) (a)
#define KN_IMAGINARY(a) ((kn_real)0)
#endif

#define KN_KERNEL __kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1)))
#define KN_WHO                                                           \
  __local kn_real parts[KN_SUMS * KN_GROUP];                             \
  const uint id = (uint)get_local_id(0);                                 \
  const struct kn_group g = {id, KN_GROUP, id / 16, KN_GROUP / 16, id % 16, parts};

// The sum of what the work-items have.
static inline kn_real kn_sum(kn_real value, const struct kn_group g) {
  kn_real sum = 0;
  g.parts[g.id] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < KN_GROUP; ++i) sum += g.parts[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

// The largest magnitude of a row of x for each group, infinite if one is NaN.
KN_KERNEL void jacobi_largest(__global const kn_real* x, __global kn_real* largest, const kn_jacobi parameters,
                              const kn_jacobi_blocks blocks) {
  const kn_jacobi d = parameters;
  KN_WHO
  const ulong matrix = get_group_id(0) / d.rows, i = get_group_id(0) % d.rows;
  __global const kn_real* const from = x + (d.offset + (blocks.first + matrix) * d.rows * d.columns) * KN_PARTS;
  kn_real most = 0;
  for (ulong at = id; at < d.columns * KN_PARTS; at += KN_GROUP) {
    const kn_real value = fabs(kn_element(from, i, at / KN_PARTS, d.columns, at % KN_PARTS, KN_HERMITIAN));
    most = value <= most ? most : value < (kn_real)INFINITY ? value : (kn_real)INFINITY;
  }
  most = kn_most(most, g);
  if (id == 0) largest[get_group_id(0)] = most;
}

// A row of w, and of the turns if there are, for each group: x times a power of two, and the identity. A matrix with a NaN
// or an infinity is reported, and becomes zeros. `squares` has the sum of each row's, `scales` the largest of a matrix.
KN_KERNEL void jacobi_load(__global const kn_real* x, __global const kn_real* largest, __global kn_real* w,
                           __global kn_real* turns, __global kn_real* squares, __global kn_real* scales,
                           __global kn_fault* fault, const kn_jacobi parameters, const kn_jacobi_blocks blocks) {
  const kn_jacobi d = parameters;
  KN_WHO
  const ulong matrix = get_group_id(0) / d.kept, i = get_group_id(0) % d.kept;
  __global const kn_real* const from = x + (d.offset + (blocks.first + matrix) * d.rows * d.columns) * KN_PARTS;
  kn_real most = 0;
  for (ulong row = id; row < d.rows; row += KN_GROUP) most = fmax(most, largest[matrix * d.rows + row]);
  most = kn_most(most, g);
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
  if (i < d.rows) {
    __global kn_real* const turn = turns + (matrix * d.rows + i) * KN_PARTS * d.turns;
    for (ulong at = id; at < KN_PARTS * d.turns; at += KN_GROUP) turn[at] = at == i ? 1 : 0;
  }
  square = kn_sum(square, g);
  if (id != 0) return;
  if (i < d.rows) squares[matrix * d.rows + i] = square;
  if (i > 0) return;
  scales[matrix] = most;
  if (!finite) kn_report(fault, (long)(blocks.first + matrix));
}

#if KN_HERMITIAN
// Adds a multiple of the identity beyond the norm: so far that the rows' lengths differ nine times at the most.
KN_KERNEL void jacobi_shift(__global kn_real* w, __global const kn_real* squares, const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  KN_WHO
  const ulong matrix = get_group_id(0);
  kn_real square = 0;
  for (ulong row = id; row < d.rows; row += KN_GROUP) square += squares[matrix * d.rows + row];
  const kn_real norm = sqrt(kn_sum(square, g)), shift = norm > 0 ? (kn_real)1.25 * norm : 1;
  for (ulong row = id; row < d.rows; row += KN_GROUP) w[(matrix * d.kept + row) * KN_PARTS * d.row + row] += shift;
}
#endif

// Whether an earlier sweep found a matrix's rows orthogonal.
static inline bool kn_is_done(__global const uint* turned, ulong matrix, const kn_jacobi_blocks blocks) {
  return blocks.sweep > 0 && turned[(blocks.sweep - 1) * blocks.matrices + matrix] == 0;
}

// The row of a matrix that is row `row` of a pair's two blocks; maybe none of the matrix's. All blocks but one go round
// in a circle.
static inline ulong kn_row_of_pair(ulong pair, uint row, const kn_jacobi_blocks blocks) {
  const ulong others = 2 * blocks.pairs - 1;
  const ulong a = pair == 0 ? others : (blocks.round + pair) % others, b = (blocks.round + others - pair) % others;
  return (row < KN_BLOCK ? min(a, b) : max(a, b)) * KN_BLOCK + row % KN_BLOCK;
}

// The products of all rows of a pair with each other, over a part of the columns.
KN_KERNEL void jacobi_products(__global const kn_real* w, __global kn_value* products, __global const uint* turned,
                               const kn_jacobi parameters, const kn_jacobi_blocks blocks) {
  const kn_jacobi d = parameters;
  __local kn_value tile[KN_DEPTH * KN_PITCH];
  const uint id = (uint)get_local_id(0), x = id % 16, y = id / 16;
  const ulong part = get_group_id(0) % blocks.parts, pair = get_group_id(0) / blocks.parts % blocks.pairs,
              matrix = get_group_id(0) / blocks.parts / blocks.pairs;
  if (kn_is_done(turned, matrix, blocks)) return;
  __global const kn_real* from[KN_EACH];
  for (uint i = 0; i < KN_EACH; ++i) {
    const ulong row = kn_row_of_pair(pair, y + 16 * i, blocks);
    from[i] = row < d.rows ? w + (matrix * d.kept + row) * KN_PARTS * d.row : 0;
  }
  kn_value sums[KN_EACH][KN_EACH];
  for (uint i = 0; i < KN_EACH; ++i)
    for (uint j = 0; j < KN_EACH; ++j) sums[i][j] = 0;
  const ulong end = min((part + 1) * blocks.columns, d.row);
  for (ulong first = part * blocks.columns; first < end; first += KN_DEPTH) {
    for (uint i = 0; i < KN_EACH; ++i) {
      kn_value value = 0;
      if (from[i]) value = kn_get(from[i], first + x, d.row);
      tile[x * KN_PITCH + y + 16 * i] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
    for (uint k = 0; k < KN_DEPTH; ++k) {
      kn_value a[KN_EACH], b[KN_EACH];
      for (uint i = 0; i < KN_EACH; ++i) {
        a[i] = tile[k * KN_PITCH + y + 16 * i];
        b[i] = kn_conj(tile[k * KN_PITCH + x + 16 * i]);
      }
      for (uint i = 0; i < KN_EACH; ++i)
        for (uint j = 0; j < KN_EACH; ++j) sums[i][j] = kn_multiply_add(a[i], b[j], sums[i][j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  __global kn_value* const to = products + get_group_id(0) * KN_SIDE * KN_SIDE;
  for (uint i = 0; i < KN_EACH; ++i)
    for (uint j = 0; j < KN_EACH; ++j) to[(y + 16 * i) * KN_SIDE + x + 16 * j] = sums[i][j];
}

// Two rows, p first, as kn_rotate turns them; of columns the phase is conjugated.
static inline void kn_turn_two(kn_value* p, kn_value* q, struct kn_turn turn) {
#ifdef KN_COMPLEX
  const kn_value b = (kn_value)(fma(turn.re, (*q).x, -(turn.im * (*q).y)), fma(turn.re, (*q).y, turn.im * (*q).x));
#else
  const kn_value b = *q;
#endif
  const kn_value a = *p, cosine = turn.cosine, sine = turn.sine;
  *p = fma(cosine, a, -(sine * b));
  *q = fma(sine, a, cosine * b);
}

// The turns of a pair's rows: those that make the matrix of products diagonal, one after the other, and all of them in one
// matrix. In a sweep's first round of all rows, else of the first block's with the second's.
KN_KERNEL void jacobi_turns(__global const kn_value* products, __global kn_value* turns, __global uint* turned,
                            __global uint* turns_pair, const kn_jacobi parameters, const kn_jacobi_blocks blocks,
                            __local kn_value* h, __local kn_value* all) {
  const kn_jacobi d = parameters;
  __local struct kn_turn of_step[KN_BLOCK];
  __local uint2 of_rows[KN_BLOCK];
  __local uint any;
  const uint id = (uint)get_local_id(0);
  const ulong pair = get_group_id(0), matrix = pair / blocks.pairs;
  const bool first = blocks.round == 0;
  if (kn_is_done(turned, matrix, blocks)) return;
  if (id == 0) any = 0;
  for (uint at = id; at < KN_SIDE * KN_SIDE; at += KN_GROUP) {
    kn_value sum = 0;
    for (ulong part = 0; part < blocks.parts; ++part) {
      sum += products[(pair * blocks.parts + part) * KN_SIDE * KN_SIDE + at];
    }
    h[at] = sum;
    all[at] = at % KN_SIDE == at / KN_SIDE ? KN_ONE : (kn_value)(0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const kn_real tolerance = KN_EPSILON * (8 + sqrt((kn_real)d.columns));
  for (uint at = id; at < KN_SIDE * KN_SIDE; at += KN_GROUP) {
    const uint p = at / KN_SIDE, q = at % KN_SIDE;
    if (p >= q || !(first || (p < KN_BLOCK && q >= KN_BLOCK))) continue;
    const kn_real sums[4] = {KN_REAL(h[p * KN_SIDE + p]), KN_REAL(h[q * KN_SIDE + q]), KN_REAL(h[at]), KN_IMAGINARY(h[at])};
    struct kn_turn turn;
    if (kn_turn_of(sums, tolerance, &turn)) atomic_or(&any, 1u);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint steps = any == 0 ? 0 : first ? KN_SIDE - 1 : KN_BLOCK;
  for (uint step = 0; step < steps; ++step) {
    if (id < KN_BLOCK) {
      const uint others = KN_SIDE - 1, a = id == 0 ? others : (step + id) % others, b = (step + others - id) % others;
      const uint p = first ? min(a, b) : id, q = first ? max(a, b) : KN_BLOCK + (id + step) % KN_BLOCK;
      const kn_value product = h[p * KN_SIDE + q];
      const kn_real sums[4] = {KN_REAL(h[p * KN_SIDE + p]), KN_REAL(h[q * KN_SIDE + q]), KN_REAL(product),
                               KN_IMAGINARY(product)};
      struct kn_turn turn = {1, 0, 1, 0};
      kn_turn_of(sums, tolerance, &turn);
      of_step[id] = turn;
      of_rows[id] = (uint2)(p, q);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = id; at < KN_BLOCK * KN_BLOCK; at += KN_GROUP) {
      const uint i = at / KN_BLOCK, j = at % KN_BLOCK;
      const uint p_i = of_rows[i].x, q_i = of_rows[i].y, p_j = of_rows[j].x, q_j = of_rows[j].y;
      const struct kn_turn turn = of_step[i];
      struct kn_turn other = of_step[j];
      other.im = -other.im;
      kn_value pp = h[p_i * KN_SIDE + p_j], pq = h[p_i * KN_SIDE + q_j], qp = h[q_i * KN_SIDE + p_j],
               qq = h[q_i * KN_SIDE + q_j];
      kn_turn_two(&pp, &qp, turn);
      kn_turn_two(&pq, &qq, turn);
      kn_turn_two(&pp, &pq, other);
      kn_turn_two(&qp, &qq, other);
      h[p_i * KN_SIDE + p_j] = pp;
      h[p_i * KN_SIDE + q_j] = pq;
      h[q_i * KN_SIDE + p_j] = qp;
      h[q_i * KN_SIDE + q_j] = qq;
    }
    for (uint at = id; at < KN_BLOCK * KN_SIDE; at += KN_GROUP) {
      const uint i = at / KN_SIDE, column = at % KN_SIDE;
      const uint2 rows = of_rows[i];
      kn_value p = all[rows.x * KN_SIDE + column], q = all[rows.y * KN_SIDE + column];
      kn_turn_two(&p, &q, of_step[i]);
      all[rows.x * KN_SIDE + column] = p;
      all[rows.y * KN_SIDE + column] = q;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint at = id; at < KN_SIDE * KN_SIDE; at += KN_GROUP) turns[pair * KN_SIDE * KN_SIDE + at] = all[at];
  if (id != 0) return;
  turns_pair[pair] = any;
  if (any != 0) atomic_or(&turned[blocks.sweep * blocks.matrices + matrix], 1u);
}

// Turns a pair's rows, of w and of the turns so far, KN_SIDE columns for each group.
KN_KERNEL void jacobi_apply(__global kn_real* w, __global kn_real* turns_so_far, __global const kn_value* turns,
                            __global const uint* turned, __global const uint* turns_pair, const kn_jacobi parameters,
                            const kn_jacobi_blocks blocks, __local kn_value* tile, __local kn_value* all) {
  const kn_jacobi d = parameters;
  const uint id = (uint)get_local_id(0), x = id % 16, y = id / 16;
  const ulong w_tiles = (d.row + KN_SIDE - 1) / KN_SIDE, tiles = w_tiles + (d.turns + KN_SIDE - 1) / KN_SIDE;
  const ulong at_tile = get_group_id(0) % tiles, pair = get_group_id(0) / tiles, matrix = pair / blocks.pairs;
  if (kn_is_done(turned, matrix, blocks) || turns_pair[pair] == 0) return;
  const bool of_w = at_tile < w_tiles;
  const ulong length = of_w ? d.row : d.turns, first = (of_w ? at_tile : at_tile - w_tiles) * KN_SIDE;
  __global kn_real* const matrix_at =
      of_w ? w + matrix * d.kept * KN_PARTS * length : turns_so_far + matrix * d.rows * KN_PARTS * length;
  for (uint i = y; i < KN_SIDE; i += 16) {
    const ulong row = kn_row_of_pair(pair % blocks.pairs, i, blocks);
    for (uint j = x; j < KN_SIDE; j += 16) {
      kn_value value = 0;
      if (row < d.rows && first + j < length) value = kn_get(matrix_at + row * KN_PARTS * length, first + j, length);
      tile[i * KN_SIDE + j] = value;
      all[i * KN_PITCH + j] = turns[pair * KN_SIDE * KN_SIDE + i * KN_SIDE + j];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  kn_value sums[KN_EACH][KN_EACH];
  for (uint i = 0; i < KN_EACH; ++i)
    for (uint j = 0; j < KN_EACH; ++j) sums[i][j] = 0;
#pragma unroll 4
  for (uint k = 0; k < KN_SIDE; ++k) {
    kn_value a[KN_EACH], b[KN_EACH];
    for (uint i = 0; i < KN_EACH; ++i) {
      a[i] = all[(y + 16 * i) * KN_PITCH + k];
      b[i] = tile[k * KN_SIDE + x + 16 * i];
    }
    for (uint i = 0; i < KN_EACH; ++i)
      for (uint j = 0; j < KN_EACH; ++j) sums[i][j] = kn_multiply_add(a[i], b[j], sums[i][j]);
  }
  for (uint i = 0; i < KN_EACH; ++i) {
    const ulong row = kn_row_of_pair(pair % blocks.pairs, y + 16 * i, blocks);
    for (uint j = 0; j < KN_EACH && row < d.rows; ++j) {
      const ulong k = first + x + 16 * j;
      if (k < length) kn_set(sums[i][j], matrix_at + row * KN_PARTS * length, k, length);
    }
  }
}

#if KN_HERMITIAN
// The sums that give the eigenvalues, over KN_SIDE columns c of x: of rows w that become multiples of eigenvectors, of
// w x conj(w) and of w conj(w), for KN_SIDE rows a group.
KN_KERNEL void jacobi_quotients(__global const kn_real* x, __global const kn_real* w, __global const kn_real* scales,
                                __global kn_real* found, const kn_jacobi parameters, const kn_jacobi_blocks blocks) {
  const kn_jacobi d = parameters;
  __local kn_value rows[KN_DEPTH * KN_PITCH];
  __local kn_value tile[KN_DEPTH * KN_PITCH];
  const uint id = (uint)get_local_id(0), at_x = id % 16, at_y = id / 16;
  const ulong side = (d.rows + KN_SIDE - 1) / KN_SIDE, matrix = get_group_id(0) / (side * side);
  const ulong row0 = get_group_id(0) / side % side * KN_SIDE, column0 = get_group_id(0) % side * KN_SIDE;
  const int exponent = KN_EXPONENT(scales[matrix]);
  __global const kn_real* const from = x + (d.offset + (blocks.first + matrix) * d.rows * d.rows) * KN_PARTS;
  __global const kn_real* const at = w + matrix * d.kept * KN_PARTS * d.row;
  kn_value sums[KN_EACH][KN_EACH];
  for (uint i = 0; i < KN_EACH; ++i)
    for (uint j = 0; j < KN_EACH; ++j) sums[i][j] = 0;
  for (ulong first = 0; first < d.rows; first += KN_DEPTH) {
    for (uint i = 0; i < KN_EACH; ++i) {
      const ulong row = row0 + at_y + 16 * i, k = first + at_x;
      kn_value value = 0;
      if (row < d.rows) value = kn_get(at + row * KN_PARTS * d.row, k, d.row);
      rows[at_x * KN_PITCH + at_y + 16 * i] = value;
      // Row k of x, from neighbouring columns.
      const ulong line = first + at_y, column = column0 + at_x + 16 * i;
      kn_real parts[2] = {0, 0};
      for (uint part = 0; part < KN_PARTS && line < d.rows && column < d.rows; ++part) {
        parts[part] = kn_scaled(kn_element(from, line, column, d.rows, part, true), -exponent);
      }
#ifdef KN_COMPLEX
      tile[at_y * KN_PITCH + at_x + 16 * i] = (kn_value)(parts[0], parts[1]);
#else
      tile[at_y * KN_PITCH + at_x + 16 * i] = parts[0];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < KN_DEPTH; ++k) {
      kn_value a[KN_EACH], b[KN_EACH];
      for (uint i = 0; i < KN_EACH; ++i) {
        a[i] = rows[k * KN_PITCH + at_y + 16 * i];
        b[i] = tile[k * KN_PITCH + at_x + 16 * i];
      }
      for (uint i = 0; i < KN_EACH; ++i)
        for (uint j = 0; j < KN_EACH; ++j) sums[i][j] = kn_multiply_add(a[i], b[j], sums[i][j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  __local kn_real shares[2 * KN_GROUP];
  for (uint i = 0; i < KN_EACH; ++i) {
    const ulong row = row0 + at_y + 16 * i;
    kn_real product = 0, square = 0;
    for (uint j = 0; j < KN_EACH; ++j) {
      const ulong column = column0 + at_x + 16 * j;
      if (row >= d.rows || column >= d.rows) continue;
      const kn_value value = kn_get(at + row * KN_PARTS * d.row, column, d.row);
      product += KN_REAL(kn_multiply_add(sums[i][j], kn_conj(value), (kn_value)(0)));
      square += KN_REAL(kn_multiply_add(value, kn_conj(value), (kn_value)(0)));
    }
    shares[id] = product;
    shares[KN_GROUP + id] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at_x == 0 && row < d.rows) {
      kn_real all[2] = {0, 0};
      for (uint j = 0; j < 16; ++j) {
        all[0] += shares[id + j];
        all[1] += shares[KN_GROUP + id + j];
      }
      __global kn_real* const to = found + ((matrix * side + column0 / KN_SIDE) * d.rows + row) * 2;
      to[0] = all[0];
      to[1] = all[1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Eigenvalues from these sums, and rows of unit length: a group has a row.
KN_KERNEL void jacobi_values(__global kn_real* w, __global kn_real* lengths, __global const kn_real* found,
                             const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  const ulong side = (d.rows + KN_SIDE - 1) / KN_SIDE, matrix = get_group_id(0) / d.rows, i = get_group_id(0) % d.rows;
  kn_real product = 0, square = 0;
  for (ulong part = 0; part < side; ++part) {
    __global const kn_real* const from = found + ((matrix * side + part) * d.rows + i) * 2;
    product += from[0];
    square += from[1];
  }
  __global kn_real* const at = w + (matrix * d.kept + i) * KN_PARTS * d.row;
  const kn_real length = sqrt(square);
  for (ulong k = get_local_id(0); k < KN_PARTS * d.row; k += KN_GROUP) at[k] /= length;
  if (get_local_id(0) == 0) lengths[matrix * d.kept + i] = product / square;
}
#else
// Singular values, and rows of unit length: a group has a row. Rows of zeros stay.
KN_KERNEL void jacobi_values(__global kn_real* w, __global kn_real* lengths, const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  KN_WHO
  __global kn_real* const at = w + get_group_id(0) * KN_PARTS * d.row;
  kn_real square = 0;
  for (ulong k = id; k < KN_PARTS * d.row; k += KN_GROUP) square = fma(at[k], at[k], square);
  square = kn_sum(square, g);
  const kn_real length = square > KN_NOTHING ? sqrt(square) : 0;
  for (ulong k = id; length > 0 && k < KN_PARTS * d.row; k += KN_GROUP) at[k] /= length;
  if (id == 0) lengths[get_group_id(0)] = length;
}

// Unit vectors for rows of zeros, a group for each matrix. `room`: a real number for each part of each row, and a row.
KN_KERNEL void jacobi_complete(__global kn_real* w, __global kn_real* lengths, __global kn_real* room,
                               const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  KN_WHO
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
  KN_WHO
  const ulong matrix = get_group_id(0) / d.kept, i = get_group_id(0) % d.kept, number = blocks.first + matrix;
  __global const kn_real* const all = lengths + matrix * d.kept;
  const kn_real own = all[i];
  // Lengths of vectors that were found for rows of zeros are negative.
  uint before = 0;
  for (ulong j = id; j < d.rows; j += KN_GROUP) {
    const kn_real other = all[j];
    before += (KN_HERMITIAN ? other < own : other > own) || (other == own && j < i) ? 1 : 0;
  }
  const ulong all_before = (ulong)kn_sum((kn_real)before, g);  // exact, below 2^24
  const bool finite = scales[matrix] < (kn_real)INFINITY;
  const ulong place = finite && i < d.rows ? all_before : i;
  if (id == 0 && i < d.rows) {
    const kn_real value = kn_scaled(KN_HERMITIAN ? own : fmax(own, (kn_real)0), KN_EXPONENT(scales[matrix]));
    values[number * d.rows + place] = finite ? value : (kn_real)NAN;
    if (i == 0 && turned[blocks.sweep * blocks.matrices + matrix] != 0) kn_report(fault, -1 - (long)number);
  }
  if (d.vectors == 0) return;
  for (ulong k = id; k < d.columns; k += KN_GROUP) {
    __global const kn_real* const from = w + get_group_id(0) * KN_PARTS * d.row + k;
    __global kn_real* const to = right + ((number * d.kept + place) * d.columns + k) * KN_PARTS;
    to[0] = finite ? from[0] : (kn_real)NAN;
#ifdef KN_COMPLEX
    to[1] = finite ? (KN_HERMITIAN ? -from[d.row] : from[d.row]) : (kn_real)NAN;
#endif
  }
#if !KN_HERMITIAN
  for (ulong k = id; k < d.rows && i < d.rows; k += KN_GROUP) {
    __global const kn_real* const from = turns + (matrix * d.rows + i) * KN_PARTS * d.turns + k;
    __global kn_real* const to = left + ((number * d.rows + k) * d.rows + place) * KN_PARTS;
    to[0] = finite ? from[0] : (kn_real)NAN;
#ifdef KN_COMPLEX
    to[1] = finite ? -from[d.turns] : (kn_real)NAN;
#endif
  }
#endif
}

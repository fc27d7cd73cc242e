// SPDX-License-Identifier: Apache-2.0
// Singular values and vectors, and eigenvalues and -vectors of Hermitian matrices. Rotations of the rows of x (G) make
// them orthogonal: G x = S Q, with rows Q that are orthonormal and lengths S. So x = conj(G)^T S Q.

#include "common/jacobi.clh"
#include "common/jacobi_vectors.clh"

// The largest part's magnitude, infinite if one is NaN.
static inline kn_real kn_largest(__global const kn_real* x, const kn_jacobi d, bool hermitian, const struct kn_group g) {
  kn_real largest = 0;
  for (ulong at = g.id; at < d.rows * d.columns * KN_PARTS; at += g.size) {
    const ulong element = at / KN_PARTS;
    const kn_real value = fabs(kn_element(x, element / d.columns, element % d.columns, d.columns, at % KN_PARTS, hermitian));
    largest = value <= largest ? largest : value < (kn_real)INFINITY ? value : (kn_real)INFINITY;
  }
  return kn_most(largest, g);
}

// x times a power of two, with zeros behind its rows, and below where more rows are kept.
static inline void kn_load(__global const kn_real* x, KN_ROOM kn_real* w, const kn_jacobi d, int exponent,
                           bool hermitian, const struct kn_group g) {
  for (ulong at = g.id; at < d.kept * KN_PARTS * d.row; at += g.size) {
    const ulong line = at / d.row, k = at % d.row, i = line / KN_PARTS;
    w[at] = i < d.rows && k < d.columns
                ? kn_scaled(kn_element(x, i, k, d.columns, line % KN_PARTS, hermitian), -exponent)
                : 0;
  }
  KN_SYNC();
}

static inline void kn_identity(KN_ROOM kn_real* turns, const kn_jacobi d, const struct kn_group g) {
  for (ulong at = g.id; at < d.rows * KN_PARTS * d.turns; at += g.size) {
    turns[at] = at % (KN_PARTS * d.turns) == at / (KN_PARTS * d.turns) ? 1 : 0;
  }
  KN_SYNC();
}

// The position of each of the values in order: falling, or rising.
static inline void kn_order(KN_ROOM const kn_real* values, KN_ROOM kn_real* positions, const kn_jacobi d, bool rises,
                            const struct kn_group g) {
  for (ulong i = g.id; i < d.kept; i += g.size) {
    ulong before = i < d.rows ? 0 : i;
    for (ulong j = 0; i < d.rows && j < d.rows; ++j) {
      const kn_real a = rises ? values[j] : values[i], b = rises ? values[i] : values[j];
      before += a < b || (a == b && j < i) ? 1 : 0;
    }
    positions[i] = (kn_real)before;
  }
  KN_SYNC();
}

#ifdef KN_CPU
#define KN_WHO                                 \
  const struct kn_group g = {0, 1, 0, 1, 0, 0};       \
  const ulong first_matrix = get_global_id(0), \
              matrices = get_global_size(0);
#else
#define KN_WHO                                                                                        \
  __local kn_real parts[KN_SUMS * KN_GROUP];                                                          \
  const uint id = (uint)get_local_id(0), size = (uint)get_local_size(0);                              \
  const struct kn_group g = {id, size, id / 16, size / 16, id % 16, parts};                                  \
  const ulong first_matrix = get_group_id(0), matrices = get_num_groups(0);
#endif
#ifdef KN_LOCAL
#define KN_OWN_ROOM room
#else
#define KN_OWN_ROOM (room + first_matrix * d.room)
#endif

// Eigenvalues of Hermitian matrices, rising, and eigenvectors as rows. x and a multiple of the identity beyond its norm
// is definite, so that its singular vectors are the eigenvectors of x; from these follow the values.
__kernel void jacobi_eigh(__global const kn_real* x, __global kn_real* values, __global kn_real* vectors,
                          KN_ROOM kn_real* room, __global kn_fault* fault, const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  KN_WHO
  KN_ROOM kn_real* const w = KN_OWN_ROOM;
  KN_ROOM kn_real* const turns = w + d.kept * KN_PARTS * d.row;
  KN_ROOM kn_real* const found = turns + d.rows * KN_PARTS * d.turns;
  KN_ROOM kn_real* const positions = found + d.turns;
  const ulong n = d.rows;
  for (ulong matrix = first_matrix; matrix < d.batch; matrix += matrices) {
    __global const kn_real* const from = x + (d.offset + matrix * n * n) * KN_PARTS;
    __global kn_real* const to = vectors + matrix * n * n * KN_PARTS;
    const kn_real largest = kn_largest(from, d, true, g);
    if (largest == (kn_real)INFINITY) {
      if (g.id == 0) kn_report(fault, (long)matrix);
      kn_no_values(values + matrix * n, n, g);
      if (d.vectors) kn_no_values(to, n * n * KN_PARTS, g);
      continue;
    }
    const int exponent = KN_EXPONENT(largest);
    kn_load(from, w, d, exponent, true, g);
    kn_identity(turns, d, g);
    kn_lane squares = 0;
    for (ulong k = 0; k < n * KN_PARTS * d.row; k += 16) {
      const kn_lane a = KN_GET(w, k);
      squares = fma(a, a, squares);
    }
    kn_real norm;
    kn_add_lanes(&squares, &norm, 1, g);
    norm = sqrt(norm);
    for (ulong i = g.id; i < n; i += g.size) w[i * KN_PARTS * d.row + i] += norm;
    KN_SYNC();
    const ulong still_turned = kn_orthogonalise(w, turns, d, g);
    if (still_turned > 0 && g.id == 0) kn_report(fault, kn_not_found(matrix, still_turned));
    kn_load(from, w, d, exponent, true, g);
    for (ulong first = 0; first < n; first += g.slots) {
      const ulong j = first + g.slot;
      KN_ROOM const kn_real* const v = turns + min(j, n - 1) * KN_PARTS * d.turns;
      kn_lane sum = 0;
      for (ulong i = 0; i < n; ++i) {
        kn_lane lanes[KN_SUMS];
        kn_products(w + i * KN_PARTS * d.row, v, d.row, lanes, g);
        const kn_lane re = v[i];
        sum = fma(re, lanes[2], sum);
#ifdef KN_COMPLEX
        const kn_lane im = v[d.turns + i];
        sum = fma(-im, lanes[3], sum);
#endif
      }
      kn_real value;
      kn_add_lanes(&sum, &value, 1, g);
      if (j < n && g.lane == 0) found[j] = value;
    }
    KN_SYNC();
    kn_order(found, positions, d, true, g);
    for (ulong i = g.id; i < n; i += g.size) {
      values[matrix * n + (ulong)positions[i]] = kn_scaled(found[i], exponent);
    }
    for (ulong at = g.id; d.vectors && at < n * n; at += g.size) {
      const ulong i = at / n, k = at % n, offset = ((ulong)positions[i] * n + k) * KN_PARTS;
      KN_ROOM const kn_real* const v = turns + i * KN_PARTS * d.turns + k;
      to[offset] = v[0];
#ifdef KN_COMPLEX
      to[offset + 1] = -v[d.turns];
#endif
    }
    KN_SYNC();
  }
}

// Singular values, falling; the left vectors as columns, the right ones as rows.
__kernel void jacobi_svd(__global const kn_real* x, __global kn_real* values, __global kn_real* left,
                         __global kn_real* right, KN_ROOM kn_real* room, __global kn_fault* fault,
                         const kn_jacobi parameters) {
  const kn_jacobi d = parameters;
  KN_WHO
  KN_ROOM kn_real* const w = KN_OWN_ROOM;
  KN_ROOM kn_real* const turns = w + d.kept * KN_PARTS * d.row;
  KN_ROOM kn_real* const lengths = turns + d.rows * KN_PARTS * d.turns;
  KN_ROOM kn_real* const positions = lengths + d.kept;
  KN_ROOM kn_real* const shares = positions + d.kept;
  KN_ROOM kn_real* const rest = shares + d.kept * KN_PARTS;
  const ulong rows = d.rows, columns = d.columns;
  for (ulong matrix = first_matrix; matrix < d.batch; matrix += matrices) {
    __global const kn_real* const from = x + (d.offset + matrix * rows * columns) * KN_PARTS;
    __global kn_real *const to_left = left + matrix * rows * rows * KN_PARTS,
                            *const to_right = right + matrix * d.kept * columns * KN_PARTS;
    const kn_real largest = kn_largest(from, d, false, g);
    if (largest == (kn_real)INFINITY) {
      if (g.id == 0) kn_report(fault, (long)matrix);
      kn_no_values(values + matrix * rows, rows, g);
      if (d.vectors) {
        kn_no_values(to_left, rows * rows * KN_PARTS, g);
        kn_no_values(to_right, d.kept * columns * KN_PARTS, g);
      }
      continue;
    }
    const int exponent = KN_EXPONENT(largest);
    kn_load(from, w, d, exponent, false, g);
    kn_identity(turns, d, g);
    const ulong still_turned = kn_orthogonalise(w, turns, d, g);
    if (still_turned > 0 && g.id == 0) kn_report(fault, kn_not_found(matrix, still_turned));
    for (ulong first = 0; first < d.kept; first += g.slots) {
      const ulong i = first + g.slot;
      KN_ROOM kn_real* const at = w + min(i, d.kept - 1) * KN_PARTS * d.row;
      kn_lane lanes[KN_SUMS];
      kn_real square;
      kn_products(at, at, d.row, lanes, g);
      kn_add_lanes(lanes, &square, 1, g);
      const kn_real length = square > KN_NOTHING ? sqrt(square) : 0;
      if (i >= d.kept) continue;
      for (ulong k = 0; length > 0 && k < KN_PARTS * d.row; k += 16) KN_SET(KN_GET(at, k) / length, at, k);
      if (g.lane == 0) lengths[i] = length;
    }
    KN_SYNC();
    kn_order(lengths, positions, d, false, g);
    for (ulong i = g.id; i < rows; i += g.size) {
      values[matrix * rows + (ulong)positions[i]] = kn_scaled(lengths[i], exponent);
    }
    KN_SYNC();
    if (!d.vectors) continue;
    kn_complete(w, lengths, shares, rest, d, g);
    for (ulong at = g.id; at < rows * rows; at += g.size) {
      const ulong i = at / rows, k = at % rows, offset = (k * rows + (ulong)positions[i]) * KN_PARTS;
      KN_ROOM const kn_real* const v = turns + i * KN_PARTS * d.turns + k;
      to_left[offset] = v[0];
#ifdef KN_COMPLEX
      to_left[offset + 1] = -v[d.turns];
#endif
    }
    for (ulong at = g.id; at < d.kept * columns; at += g.size) {
      const ulong i = at / columns, k = at % columns, offset = ((ulong)positions[i] * columns + k) * KN_PARTS;
      KN_ROOM const kn_real* const v = w + i * KN_PARTS * d.row + k;
      to_right[offset] = v[0];
#ifdef KN_COMPLEX
      to_right[offset + 1] = v[d.row];
#endif
    }
    KN_SYNC();
  }
}

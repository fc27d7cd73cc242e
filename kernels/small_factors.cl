// SPDX-License-Identifier: Apache-2.0
// Stacks of small matrices on cards: a work-group takes several of them into local memory, each of which is worked on by
// `items` work-items, from reading to writing. Elements are made by the chains of lu.cl, cholesky.cl and
// solve_triangular.cl, so that they have the same bits; sums of reflections go down their column.

#include "common/factors.clh"
#include "common/reflection.clh"

// Rows that a work-item has under way where it goes down a column.
#define KN_ROWS_AT_ONCE 4u
// Of the group's matrices together: m + 1 for each, which has no fewer work-items than rows.
#define KN_WORDS 128u

typedef struct {
  ulong offset, right;  // of matrices, and of the right sides
  ulong step;           // from matrix to matrix; 0 of one for all right sides
  ulong matrices;
  uint m, n, columns;  // of a matrix, and beside it
  uint items, several;  // work-items of a matrix, and matrices of a group
  uint upper, unit;     // of triangles; their diagonal is ones, and is not read
  uint identity;        // the right sides are those of the identity
  uint kept;            // columns of Q and rows of R
} kn_small_factors;

// What a work-item takes part in: a matrix of `rows` rows in local memory that are `pitch` apart, of which as many
// columns hold something. Without a matrix there are no rows and no columns.
struct kn_share {
  ulong first, matrix;  // of the group, and its own
  uint count;           // of the group's matrices
  uint self, rows, width, pitch;
  uint slot;  // of its matrix among the group's
};

static inline struct kn_share kn_share_of(const kn_small_factors d) {
  struct kn_share s;
  const uint id = (uint)get_local_id(0), slot = min(id / d.items, d.several - 1);
  s.first = get_group_id(0) * (ulong)d.several;
  s.count = (uint)min((ulong)d.several, d.matrices - s.first);
  s.matrix = s.first + slot;
  s.self = id - slot * d.items;
  const bool owns = slot < s.count && s.self < d.items;
  s.pitch = d.n + d.columns;
  s.rows = owns ? d.m : 0;
  s.width = owns ? s.pitch : 0;
  s.slot = slot;
  return s;
}

// Brings columns of the group's matrices, which lie one after the other, to local memory: all of the group call it.
static inline void kn_bring(__global const KN_VALUE* from, ulong step, __local KN_VALUE* to, uint columns,
                            const kn_small_factors d, const struct kn_share s) {
  for (uint t = KN_SELF; t < s.count * d.m * columns; t += KN_TOGETHER) {
    const uint line = t / columns, j = t - line * columns, slot = line / d.m;
    to[line * s.pitch + j] = from[(s.first + slot) * step + (line - slot * d.m) * columns + j];
  }
}

// And back.
static inline void kn_take_back(__global KN_VALUE* to, __local const KN_VALUE* from, uint columns,
                                const kn_small_factors d, const struct kn_share s) {
  to += s.first * d.m * columns;
  for (uint t = KN_SELF; t < s.count * d.m * columns; t += KN_TOGETHER) {
    const uint line = t / columns, j = t - line * columns;
    to[t] = from[line * s.pitch + j];
  }
}

// The columns beside become the identity's.
static inline void kn_identity(__local KN_VALUE* a, const kn_small_factors d, const struct kn_share s) {
  for (uint j = d.n + s.self; j < s.width; j += d.items) {
    for (uint i = 0; i < s.rows; ++i) a[i * s.pitch + j] = j - d.n == i ? KN_ONE : KN_ZERO;
  }
}

// Takes factor (i, k) times `known` away from element (i, j), for rows from `first` to before `last`.
static inline void kn_take_column_away(__local KN_VALUE* a, uint pitch, uint k, uint j, KN_VALUE known, uint first,
                                       uint last) {
  for (uint i = first; i < last; i += KN_ROWS_AT_ONCE) {
    KN_VALUE values[KN_ROWS_AT_ONCE];
#pragma unroll
    for (uint r = 0; r < KN_ROWS_AT_ONCE; ++r) {
      const uint row = min(i + r, last - 1) * pitch;
      values[r] = kn_take_away(a[row + j], a[row + k], known);
    }
#pragma unroll
    for (uint r = 0; r < KN_ROWS_AT_ONCE; ++r) {
      if (i + r < last) a[(i + r) * pitch + j] = values[r];
    }
  }
}

// LU with partial pivoting of the first n columns, of which the others take part. `chosen`: a word of each matrix,
// `order`: m words. Gives how many rows were exchanged.
static inline uint kn_eliminate(__local KN_VALUE* a, __local uint* chosen, __local uint* order, const kn_small_factors d,
                                const struct kn_share s) {
  uint exchanged = 0;
  for (uint i = s.self; i < s.rows; i += d.items) order[i] = i;
  for (uint k = 0; k < min(d.m, d.n); ++k) {
    if (s.self == 0) {
      // The row from k on whose element in column k is largest, the first of equals; NaN count as smaller than all.
      KN_REAL largest = -1;
      uint row = k;
      for (uint i = k; i < s.rows; ++i) {
        const KN_REAL size = kn_size(a[i * s.pitch + k]);
        if (size > largest) largest = size, row = i;
      }
      if (s.rows > 0) *chosen = row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint row = *chosen;
    if (row != k) {
      ++exchanged;
      for (uint j = s.self; j < s.width; j += d.items) {
        const KN_VALUE other = a[row * s.pitch + j];
        a[row * s.pitch + j] = a[k * s.pitch + j];
        a[k * s.pitch + j] = other;
      }
      if (s.self == 0 && s.rows > 0) {
        const uint other = order[row];
        order[row] = order[k];
        order[k] = other;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const KN_VALUE pivot = a[k * s.pitch + k];
    if (!kn_is_zero(pivot)) {
      for (uint i = k + 1 + s.self; i < s.rows; i += d.items) a[i * s.pitch + k] = kn_divide(a[i * s.pitch + k], pivot);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = k + 1 + s.self; j < s.width; j += d.items) {
      kn_take_column_away(a, s.pitch, k, j, a[k * s.pitch + j], k + 1, s.rows);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return exchanged;
}

// Reports the first zero on the diagonal.
static inline void kn_report_zero(__local const KN_VALUE* a, __global kn_fault* singular, const struct kn_share s) {
  if (s.self > 0) return;
  for (uint k = 0; k < s.rows; ++k) {
    if (!kn_is_zero(a[k * s.pitch + k])) continue;
    kn_report(singular, (long)(s.matrix << 32 | k));
    return;
  }
}

// The columns beside a triangle become what it times them was.
static inline void kn_substitute(__local KN_VALUE* a, bool upper, bool unit, const kn_small_factors d,
                                 const struct kn_share s) {
  for (uint j = d.n + s.self; j < s.width; j += d.items) {
    for (uint step = 0; step < d.n; ++step) {
      const uint k = upper ? d.n - 1 - step : step;
      KN_VALUE known = a[k * s.pitch + j];
      if (!unit) known = kn_divide(known, a[k * s.pitch + k]);
      a[k * s.pitch + j] = known;
      kn_take_column_away(a, s.pitch, k, j, known, upper ? 0 : k + 1, upper ? k : d.n);
    }
  }
}

// Square matrices. `area`: room for the group's with the columns beside them.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void small_solve(
    __global const KN_VALUE* x, __global const KN_VALUE* right, __global KN_VALUE* solution,
    __global kn_fault* singular, __local KN_VALUE* area, const kn_small_factors parameters) {
  const kn_small_factors d = parameters;
  const struct kn_share s = kn_share_of(d);
  __local KN_VALUE* const a = area + s.slot * d.m * s.pitch;
  __local uint words[KN_WORDS];
  __local uint* const chosen = words + s.slot * (d.m + 1);
  kn_bring(x + d.offset, d.step, area, d.n, d, s);
  if (d.identity) {
    kn_identity(a, d, s);
  } else {
    kn_bring(right + d.right, (ulong)d.m * d.columns, area + d.n, d.columns, d, s);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  kn_eliminate(a, chosen, chosen + 1, d, s);
  kn_report_zero(a, singular, s);
  kn_substitute(a, true, false, d, s);
  barrier(CLK_LOCAL_MEM_FENCE);
  kn_take_back(solution, area + d.n, d.columns, d, s);
}

// Both factors as one matrix, which rows they are of, and how many were exchanged.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void small_lu(
    __global const KN_VALUE* x, __global KN_VALUE* factors, __global long* order, __global long* exchanges,
    __local KN_VALUE* area, const kn_small_factors parameters) {
  const kn_small_factors d = parameters;
  const struct kn_share s = kn_share_of(d);
  __local uint words[KN_WORDS];
  __local uint* const chosen = words + s.slot * (d.m + 1);
  kn_bring(x + d.offset, d.step, area, d.n, d, s);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint exchanged = kn_eliminate(area + s.slot * d.m * s.pitch, chosen, chosen + 1, d, s);
  kn_take_back(factors, area, d.n, d, s);
  for (uint i = s.self; i < s.rows; i += d.items) order[s.matrix * d.m + i] = chosen[1 + i];
  if (s.self == 0 && s.rows > 0) exchanges[s.matrix] = exchanged;
}

// Reads the lower triangle, and reports the order of the first leading minor that is not positive.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void small_cholesky(
    __global const KN_VALUE* x, __global KN_VALUE* factor, __global kn_fault* indefinite, __local KN_VALUE* area,
    const kn_small_factors parameters) {
  const kn_small_factors d = parameters;
  const struct kn_share s = kn_share_of(d);
  __local KN_VALUE* const a = area + s.slot * d.m * s.pitch;
  uint rows = s.rows;
  kn_bring(x + d.offset, d.step, area, d.n, d, s);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < d.n; ++k) {
    const KN_REAL square = kn_real(a[k * s.pitch + k]), root = sqrt(square);
    if (rows > 0 && !(square > 0)) {
      if (s.self == 0) kn_report(indefinite, (long)(s.matrix << 32 | (k + 1)));
      rows = 0;
    }
    for (uint i = k + 1 + s.self; i < rows; i += d.items) a[i * s.pitch + k] = a[i * s.pitch + k] / root;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (s.self == 0 && rows > 0) a[k * s.pitch + k] = kn_value(root, 0);
    for (uint j = k + 1 + s.self; j < rows; j += d.items) {
      kn_take_column_away(a, s.pitch, k, j, kn_conj(a[j * s.pitch + k]), j, rows);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint j = s.self; j < s.width; j += d.items) {
    for (uint i = 0; i < j; ++i) a[i * s.pitch + j] = KN_ZERO;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  kn_take_back(factor, area, d.n, d, s);
}

// Triangles, of which the other triangle is not looked at.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void small_triangular(
    __global const KN_VALUE* x, __global const KN_VALUE* right, __global KN_VALUE* solution,
    __global kn_fault* singular, __local KN_VALUE* area, const kn_small_factors parameters) {
  const kn_small_factors d = parameters;
  const struct kn_share s = kn_share_of(d);
  kn_bring(x + d.offset, d.step, area, d.n, d, s);
  kn_bring(right + d.right, (ulong)d.m * d.columns, area + d.n, d.columns, d, s);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!d.unit) kn_report_zero(area + s.slot * d.m * s.pitch, singular, s);
  kn_substitute(area + s.slot * d.m * s.pitch, d.upper, d.unit, d, s);
  barrier(CLK_LOCAL_MEM_FENCE);
  kn_take_back(solution, area + d.n, d.columns, d, s);
}

// Reflections (xGEQRF) of a matrix beside an identity of m columns, which becomes the adjoint of Q.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void small_qr(__global const KN_VALUE* x,
                                                                       __global KN_VALUE* q, __global KN_VALUE* r,
                                                                       __local KN_VALUE* area,
                                                                       const kn_small_factors parameters) {
  const kn_small_factors d = parameters;
  const struct kn_share s = kn_share_of(d);
  __local KN_VALUE* const a = area + s.slot * d.m * s.pitch;
  const uint kept = d.kept;
  kn_bring(x + d.offset, d.step, area, d.n, d, s);
  kn_identity(a, d, s);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < min(d.m, d.n); ++k) {
    // All work-items of a matrix find the same.
    __local KN_VALUE* const column = a + k * s.pitch + k;
    const uint below = s.rows > 0 ? d.m - k : 0;
    KN_REAL largest = 0, squares = 0, back;
    for (uint i = 0; i < below; ++i) {
      const KN_VALUE value = column[i * s.pitch];
      largest = fmax(largest, fmax(fabs(kn_real(value)), fabs(kn_imag(value))));
    }
    const KN_REAL scale = kn_scale(largest, &back);
    for (uint i = 1; i < below; ++i) {
      const KN_REAL re = kn_real(column[i * s.pitch]) * scale, im = kn_imag(column[i * s.pitch]) * scale;
      squares = fma(im, im, fma(re, re, squares));
    }
    const struct kn_reflector reflector = kn_reflector_of(column[0], squares, scale, back);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (s.self == 0 && below > 0) column[0] = kn_value(reflector.beta, 0);
    for (uint i = 1 + s.self; i < below; i += d.items) {
      column[i * s.pitch] = kn_of_reflector(reflector, column[i * s.pitch], scale);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = k + 1 + s.self; j < s.width; j += d.items) {
      KN_VALUE sum = a[k * s.pitch + j];
      for (uint i = k + 1; i < s.rows; ++i) sum = kn_multiply_add(kn_conj(a[i * s.pitch + k]), a[i * s.pitch + j], sum);
      sum = kn_multiply_add(kn_conj(reflector.tau), sum, KN_ZERO);
      a[k * s.pitch + j] -= sum;
      kn_take_column_away(a, s.pitch, k, j, sum, k + 1, s.rows);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  q += s.first * d.m * kept;
  for (uint t = KN_SELF; t < s.count * d.m * kept; t += KN_TOGETHER) {
    const uint line = t / kept, j = t - line * kept, slot = line / d.m, i = line - slot * d.m;
    q[t] = kn_conj(area[(slot * d.m + j) * s.pitch + d.n + i]);
  }
  r += s.first * kept * d.n;
  for (uint t = KN_SELF; t < s.count * kept * d.n; t += KN_TOGETHER) {
    const uint line = t / d.n, j = t - line * d.n, slot = line / kept, i = line - slot * kept;
    r[t] = i <= j ? area[(slot * d.m + i) * s.pitch + j] : KN_ZERO;
  }
}

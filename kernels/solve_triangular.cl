// SPDX-License-Identifier: Apache-2.0
// A X = B for a stack of triangular matrices A of at most KN_BLOCK rows, or one for all: a work-group takes KN_WIDE
// columns of one B. An element is a chain of fused multiply-adds in the order in which rows of X become known, and a
// division.

#include "common/factors.clh"

#ifndef KN_BLOCK
#define KN_BLOCK 64
#endif
#define KN_WIDE 16u

// Of KN_WIDE columns a work-item has KN_OWN.
#ifdef KN_CPU
#define KN_OWN KN_WIDE
#else
#define KN_OWN 1u
#endif
#define KN_STRANDS (KN_TOGETHER * KN_OWN / KN_WIDE)

typedef struct {
  ulong a_offset, b_offset, a_step;  // from matrix to matrix of A: 0 of one for all
  ulong matrices, n, columns;
  uint upper, unit;  // A's diagonal is ones, and is not read
} kn_solve_triangular;

// Reports the position of a zero on A's diagonal.
__kernel void solve_triangular(__global const KN_VALUE* a_all, __global const KN_VALUE* b_all, __global KN_VALUE* x_all,
                               __global kn_fault* singular, const kn_solve_triangular parameters) {
  const kn_solve_triangular d = parameters;
  const ulong n = d.n, chunks = (d.columns + KN_WIDE - 1) / KN_WIDE;
  const uint lane = KN_SELF % (KN_WIDE / KN_OWN), strand = KN_SELF / (KN_WIDE / KN_OWN);
  __local KN_VALUE b[KN_BLOCK * KN_WIDE];
  for (ulong unit = get_group_id(0); unit < d.matrices * chunks; unit += get_num_groups(0)) {
    const ulong matrix = unit / chunks, first = (unit - matrix * chunks) * KN_WIDE;
    const ulong width = min((ulong)KN_WIDE, d.columns - first);
    __global const KN_VALUE* const a = a_all + d.a_offset + matrix * d.a_step;
    __global const KN_VALUE* const from = b_all + d.b_offset + matrix * n * d.columns + first;
    __global KN_VALUE* const x = x_all + matrix * n * d.columns + first;
    for (ulong t = KN_SELF; t < n * KN_WIDE; t += KN_TOGETHER) {
      const ulong i = t / KN_WIDE, c = t % KN_WIDE;
      b[t] = c < width ? from[i * d.columns + c] : KN_ZERO;
    }
    KN_SYNC();
    for (ulong step = 0; step < n; ++step) {
      const ulong row = d.upper ? n - 1 - step : step;
      const KN_VALUE diagonal = d.unit ? KN_ONE : a[row * n + row];
      if (kn_is_zero(diagonal)) kn_report_at(singular, matrix, row);
      KN_VALUE known[KN_OWN];
      for (uint v = 0; v < KN_OWN; ++v) {
        const uint c = lane + v;
        known[v] = b[row * KN_WIDE + c];
        if (!d.unit) known[v] = kn_divide(known[v], diagonal);
        if (strand == 0 && c < width) x[row * d.columns + c] = known[v];
      }
      for (ulong r = 1 + strand; r < n - step; r += KN_STRANDS) {
        const ulong i = d.upper ? row - r : row + r;
        const KN_VALUE factor = a[i * n + row];
        for (uint v = 0; v < KN_OWN; ++v) {
          b[i * KN_WIDE + lane + v] = kn_take_away(b[i * KN_WIDE + lane + v], factor, known[v]);
        }
      }
      KN_SYNC();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Solves T X = B in place of B, on cards, for a stack of triangles T of at most KN_BLOCK rows, real, anywhere in memory.
// A group takes KN_COLUMNS columns of B, of which KN_SETS work-items share one: each has every so manieth run of KN_RUN
// rows in registers. Rows of an upper triangle are counted from the last one.

#include "common/factors.clh"

#define KN_BLOCK 64u
#define KN_RUN 8u
#define KN_RUNS (KN_BLOCK / KN_RUN)
#ifndef KN_COLUMNS
#define KN_COLUMNS 64u
#endif
#define KN_SETS 4u
#define KN_GROUP (KN_SETS * KN_COLUMNS)
// Elements that a work-item has under way from memory.
#define KN_LOADS 16u
#define KN_PITCH (KN_COLUMNS + 1u)

// Where a run of rows begins in a triangle of which each run has the columns up to its last one.
#define KN_RUN_AT(run) (KN_RUN * KN_RUN / 2 * (run) * ((run) + 1u))

// A run of factors is read at once.
#if KN_ELEMENT == KN_F64
typedef double8 KnRun;
#else
typedef float8 KnRun;
#endif

typedef struct {
  ulong a_offset, a_row, a_column, a_step;  // strides; from one matrix of the stack to the next
  ulong b_offset, b_row, b_column, b_step;
  ulong matrices, n, columns;
  ulong first;       // the number of the triangle's first row in the matrix, for messages
  uint upper, unit;  // the triangle's diagonal is ones, and is not read
} kn_solve_columns;

// Reports the position of a zero on a triangle's diagonal.
__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void solve_columns(__global const KN_VALUE* a,
                                                                                  __global KN_VALUE* b,
                                                                                  __global kn_fault* singular,
                                                                                  const kn_solve_columns parameters) {
  const kn_solve_columns d = parameters;
  __local KN_VALUE triangle[KN_RUN_AT(KN_RUNS)] __attribute__((aligned(64)));
  __local KN_VALUE inverses[KN_BLOCK];
  __local KN_VALUE known[KN_BLOCK * KN_PITCH];
  const uint self = KN_SELF, n = (uint)d.n;
  const ulong groups = (d.columns + KN_COLUMNS - 1) / KN_COLUMNS;
  const ulong matrix = get_group_id(0) / groups, column0 = (get_group_id(0) - matrix * groups) * KN_COLUMNS;
  const uint columns = (uint)min((ulong)KN_COLUMNS, d.columns - column0);
  a += d.a_offset + matrix * d.a_step;
  b += d.b_offset + matrix * d.b_step + column0 * d.b_column;
  // Neighbouring work-items take neighbours in memory.
  for (uint base = 0; base < KN_BLOCK * KN_BLOCK; base += KN_LOADS * KN_GROUP) {
    KN_VALUE values[KN_LOADS];
#pragma unroll
    for (uint v = 0; v < KN_LOADS; ++v) {
      const uint t = base + v * KN_GROUP + self, slow = t / KN_BLOCK, fast = t % KN_BLOCK;
      const uint row = d.a_column == 1 ? slow : fast, k = d.a_column == 1 ? fast : slow;
      const ulong i = d.upper ? n - 1 - row : row, j = d.upper ? n - 1 - k : k;
      const bool there = row < n && k <= row && !(d.unit && k == row);
      values[v] = there ? a[i * d.a_row + j * d.a_column] : k == row ? KN_ONE : KN_ZERO;
    }
#pragma unroll
    for (uint v = 0; v < KN_LOADS; ++v) {
      const uint t = base + v * KN_GROUP + self, slow = t / KN_BLOCK, fast = t % KN_BLOCK;
      const uint row = d.a_column == 1 ? slow : fast, k = d.a_column == 1 ? fast : slow, run = row / KN_RUN;
      if (k < (run + 1) * KN_RUN) triangle[KN_RUN_AT(run) + k * KN_RUN + row % KN_RUN] = values[v];
    }
  }
  for (uint base = 0; base < KN_BLOCK * KN_COLUMNS; base += KN_LOADS * KN_GROUP) {
    KN_VALUE values[KN_LOADS];
#pragma unroll
    for (uint v = 0; v < KN_LOADS; ++v) {
      const uint t = base + v * KN_GROUP + self;
      const uint row = d.b_row == 1 ? t % KN_BLOCK : t / KN_COLUMNS;
      const uint column = d.b_row == 1 ? t / KN_BLOCK : t % KN_COLUMNS;
      const ulong i = d.upper ? n - 1 - row : row;
      values[v] = row < n && column < columns ? b[i * d.b_row + column * d.b_column] : KN_ZERO;
    }
#pragma unroll
    for (uint v = 0; v < KN_LOADS; ++v) {
      const uint t = base + v * KN_GROUP + self;
      const uint row = d.b_row == 1 ? t % KN_BLOCK : t / KN_COLUMNS;
      const uint column = d.b_row == 1 ? t / KN_BLOCK : t % KN_COLUMNS;
      known[row * KN_PITCH + column] = values[v];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (self < KN_BLOCK) {
    const KN_VALUE value = triangle[KN_RUN_AT(self / KN_RUN) + self * KN_RUN + self % KN_RUN];
    inverses[self] = KN_ONE / value;
    if (value == 0) kn_report(singular, (long)(matrix << 32 | (d.first + (d.upper ? n - 1 - self : self))));
  }
  const uint column = self % KN_COLUMNS, set = self / KN_COLUMNS;
  KN_VALUE values[KN_RUNS / KN_SETS][KN_RUN];
#pragma unroll
  for (uint t = 0; t < KN_RUNS / KN_SETS; ++t)
#pragma unroll
    for (uint i = 0; i < KN_RUN; ++i) values[t][i] = known[((t * KN_SETS + set) * KN_RUN + i) * KN_PITCH + column];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint part = 0; part < KN_RUNS / KN_SETS; ++part)
    for (uint solver = 0; solver < KN_SETS; ++solver) {
      const uint first = (part * KN_SETS + solver) * KN_RUN;
      if (set == solver) {
        __local const KN_VALUE* const factors = triangle + KN_RUN_AT(first / KN_RUN) + first * KN_RUN;
#pragma unroll
        for (uint k = 0; k < KN_RUN; ++k) {
          values[part][k] *= inverses[first + k];
          known[(first + k) * KN_PITCH + column] = values[part][k];
#pragma unroll
          for (uint i = k + 1; i < KN_RUN; ++i) {
            values[part][i] = kn_take_away(values[part][i], factors[k * KN_RUN + i], values[part][k]);
          }
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint t = part; t < KN_RUNS / KN_SETS; ++t) {
        if (t > part || set > solver) {
          __local const KN_VALUE* const factors = triangle + KN_RUN_AT(t * KN_SETS + set) + first * KN_RUN;
#pragma unroll
          for (uint k = 0; k < KN_RUN; ++k) {
            const KN_VALUE x = known[(first + k) * KN_PITCH + column];
            const KnRun f = *(__local const KnRun*)(factors + k * KN_RUN);
            const KN_VALUE each[KN_RUN] = {f.s0, f.s1, f.s2, f.s3, f.s4, f.s5, f.s6, f.s7};
#pragma unroll
            for (uint i = 0; i < KN_RUN; ++i) values[t][i] = kn_take_away(values[t][i], each[i], x);
          }
        }
      }
    }
  for (uint t = self; t < KN_BLOCK * KN_COLUMNS; t += KN_GROUP) {
    const uint row = d.b_row == 1 ? t % KN_BLOCK : t / KN_COLUMNS;
    const uint at = d.b_row == 1 ? t / KN_BLOCK : t % KN_COLUMNS;
    const ulong i = d.upper ? n - 1 - row : row;
    if (row < n && at < columns) b[i * d.b_row + at * d.b_column] = known[row * KN_PITCH + at];
  }
}

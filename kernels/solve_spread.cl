// SPDX-License-Identifier: Apache-2.0
// Equations with a large triangle and one right side, by several groups that run at the same time: a group takes every so
// many blocks of KN_BLOCK rows, in their order, and tells the others what becomes known. What kernels/solve_columns.cl
// and tile_update.cl do in two launches for each block.

#define KN_GROUP 256u
#define KN_BLOCK 64u
#define KN_PITCH (KN_BLOCK + 1)
// A work-item's rows and columns of a block are so far apart, and so many.
#define KN_APART 16u
#define KN_EACH (KN_BLOCK / KN_APART)

#define KN_PANEL KN_BLOCK
#include "common/factors.clh"
#include "common/spread.clh"

#define KN_LINE (KN_BLOCK * KN_WORDS)

typedef struct {
  ulong a_offset, a_step, b_offset;  // from one matrix of the stack to the next
  ulong n, groups;                   // rows, and groups that solve for a matrix
  ulong when;                        // the number of the words that are told
  uint upper, unit;                  // the triangle's diagonal is ones, and is not read
} kn_solve_spread;

// Of a block of the triangle, those of a work-item. Rows and columns of an upper triangle count from its end.
static inline void kn_read_block(__global const KN_VALUE* a, const kn_solve_spread* d, ulong row0, ulong column0,
                                 KN_VALUE values[KN_EACH][KN_EACH]) {
  const uint x = KN_SELF % KN_APART, y = KN_SELF / KN_APART;
#pragma unroll
  for (uint s = 0; s < KN_EACH; ++s)
#pragma unroll
    for (uint t = 0; t < KN_EACH; ++t) {
      const ulong row = row0 + y + s * KN_APART, column = column0 + x + t * KN_APART;
      const ulong at = d->upper ? (d->n - 1 - row) * d->n + d->n - 1 - column : row * d->n + column;
      values[s][t] = row < d->n ? a[at] : KN_ZERO;
    }
}

__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void solve_spread(__global const KN_VALUE* a,
                                                                                 __global const KN_VALUE* b,
                                                                                 __global KN_VALUE* x,
                                                                                 volatile __global ulong* words,
                                                                                 __global kn_fault* singular,
                                                                                 const kn_solve_spread parameters) {
  const kn_solve_spread d = parameters;
  __local KN_VALUE triangle[KN_BLOCK * KN_PITCH];  // by columns
  __local KN_VALUE parts[KN_BLOCK * KN_APART];
  __local KN_VALUE known[KN_BLOCK] __attribute__((aligned(8)));
  __local uint heard[2 * KN_LINE] __attribute__((aligned(8)));
  const uint self = KN_SELF;
  const ulong matrix = get_group_id(0) / d.groups, blocks = (d.n + KN_BLOCK - 1) / KN_BLOCK;
  a += d.a_offset + matrix * d.a_step;
  b += d.b_offset + matrix * d.n;
  x += matrix * d.n;
  words += matrix * blocks * KN_LINE;
  for (ulong block = get_group_id(0) - matrix * d.groups; block < blocks; block += d.groups) {
    const ulong row0 = block * KN_BLOCK;
    const uint rows = (uint)min((ulong)KN_BLOCK, d.n - row0);
#pragma unroll 8
    for (uint t = self; t < KN_BLOCK * KN_BLOCK; t += KN_GROUP) {
      const uint i = t / KN_BLOCK, k = t % KN_BLOCK;
      const ulong row = row0 + i, column = row0 + k;
      const ulong at = d.upper ? (d.n - 1 - row) * d.n + d.n - 1 - column : row * d.n + column;
      const bool there = i < rows && k <= i && !(d.unit && k == i);
      triangle[k * KN_PITCH + i] = there ? a[at] : k == i ? KN_ONE : KN_ZERO;
    }
    KN_VALUE sums[KN_EACH], next[KN_EACH][KN_EACH];
#pragma unroll
    for (uint s = 0; s < KN_EACH; ++s) sums[s] = KN_ZERO;
    if (block > 0) kn_read_block(a, &d, row0, 0, next);
    for (ulong other = 0; other < block; ++other) {
      KN_VALUE values[KN_EACH][KN_EACH];
#pragma unroll
      for (uint s = 0; s < KN_EACH; ++s)
#pragma unroll
        for (uint t = 0; t < KN_EACH; ++t) values[s][t] = next[s][t];
      if (other + 1 < block) kn_read_block(a, &d, row0, (other + 1) * KN_BLOCK, next);
      __local uint* const line = heard + other % 2 * KN_LINE;
      kn_hear(words + other * KN_LINE, KN_LINE, (uint)d.when, line);
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint t = 0; t < KN_EACH; ++t) {
        const KN_VALUE value = ((__local const KN_VALUE*)line)[self % KN_APART + t * KN_APART];
#pragma unroll
        for (uint s = 0; s < KN_EACH; ++s) sums[s] = kn_multiply_add(values[s][t], value, sums[s]);
      }
    }
#pragma unroll
    for (uint s = 0; s < KN_EACH; ++s) parts[(self / KN_APART + s * KN_APART) * KN_APART + self % KN_APART] = sums[s];
    barrier(CLK_LOCAL_MEM_FENCE);
    KN_VALUE value = KN_ZERO, inverse = KN_ONE;
    if (self < KN_BLOCK) {
      const ulong at = d.upper ? d.n - 1 - (row0 + self) : row0 + self;
      KN_VALUE all = KN_ZERO;
#pragma unroll
      for (uint t = 0; t < KN_APART; ++t) all += parts[self * KN_APART + t];
      value = self < rows ? b[at] - all : KN_ZERO;
      const KN_VALUE pivot = triangle[self * KN_PITCH + self];
      inverse = KN_ONE / pivot;
      if (pivot == 0) kn_report(singular, (long)(matrix << 32 | at));
    }
    for (uint k = 0; k < KN_BLOCK; ++k) {
      if (self == k) known[k] = value * inverse;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (self > k && self < KN_BLOCK) value = kn_take_away(value, triangle[k * KN_PITCH + self], known[k]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    kn_tell_all(words + block * KN_LINE, (uint)d.when, (__local const uint*)known, KN_LINE);
    if (self < rows) x[d.upper ? d.n - 1 - (row0 + self) : row0 + self] = known[self];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// SPDX-License-Identifier: Apache-2.0
// What lu_panel of kernels/lu_panel.cl does, by several groups that run at the same time, or one: a work-item has all
// columns of KN_ROWS rows in registers. Each group tells the others its candidate for a pivot with all of its row, so
// that a column costs one exchange. The columns that are left move up in the registers, so that the loop over columns
// is short. Rows stay where they are: lu_rows moves those of the panel, too.

#ifndef KN_ROWS
#define KN_ROWS 2
#endif
#define KN_GROUP 128

#include "common/factors.clh"
#include "common/lanes.clh"
#include "common/lu_panel.clh"
#include "common/spread.clh"

#define KN_MOST_GROUPS 32u
// Words of what a group tells: its candidate's key, and row.
#define KN_KEY 4u
#define KN_LINE (KN_KEY + KN_PANEL * KN_WORDS)

__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void lu_spread(__global KN_VALUE* a,
                                                                              __global long* order,
                                                                              __global long* exchanges,
                                                                              __global int* moves,
                                                                              volatile __global ulong* words,
                                                                              const kn_lu_panel parameters) {
  const kn_lu_panel d = parameters;
  __local ulong keys[KN_GROUP];
  __local uint candidate[KN_LINE] __attribute__((aligned(16)));
  __local uint heard[KN_MOST_GROUPS * KN_LINE] __attribute__((aligned(16)));
  const uint self = KN_SELF, width = (uint)d.width, rows = (uint)(d.m - d.first), groups = (uint)d.groups;
  const ulong matrix = get_group_id(0) / groups, m = d.m;
  const uint group = (uint)(get_group_id(0) - matrix * groups), row0 = group * KN_ROWS * KN_GROUP + self;
  __global KN_VALUE* const panel = a + matrix * m * d.n + d.first * m + d.first;
  uint position[KN_ROWS];
  KN_VALUE values[KN_ROWS][KN_PANEL];
#pragma unroll
  for (uint r = 0; r < KN_ROWS; ++r) {
    position[r] = row0 + r * KN_GROUP;
#pragma unroll
    for (uint w = 0; w < KN_PANEL; ++w) {
      values[r][w] = position[r] < rows && w < width ? panel[w * m + position[r]] : KN_ZERO;
    }
  }
  uint exchanged = 0;
  for (uint k = 0; k < width; ++k) {
    // The row from position k on whose element is largest, the first of equals; NaN count as smaller than all but the
    // first.
    ulong best = 0;
#pragma unroll
    for (uint r = 0; r < KN_ROWS; ++r) {
      const KN_REAL size = fabs(values[r][0]);
      const bool candidates = position[r] >= k && position[r] < rows && (size >= 0 || position[r] == k);
      best = max(best, candidates ? kn_pivot_key(size >= 0 ? size : 0, position[r]) : 0);
    }
    best = kn_largest_key(best, keys);
    const uint own = best > 0 ? KN_MOST_ROWS - 1 - (uint)(best % KN_MOST_ROWS) : KN_MOST_ROWS;
#pragma unroll
    for (uint r = 0; r < KN_ROWS; ++r) {
      if (position[r] != own) continue;
      candidate[0] = (uint)best;
      candidate[1] = (uint)(best >> 32);
      candidate[2] = row0 + r * KN_GROUP;
      kn_write_row(candidate + KN_KEY, values[r]);
    }
    if (own == KN_MOST_ROWS && self < 2) candidate[self] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const uint* chosen_row = candidate;
    if (groups > 1) {
      const uint when = (uint)d.when + k;
      volatile __global ulong* const told = words + (k % 2 * d.matrices + matrix) * groups * KN_LINE;
      kn_tell_all(told + group * KN_LINE, when, candidate, KN_LINE);
      kn_hear(told, groups * KN_LINE, when, heard);
      barrier(CLK_LOCAL_MEM_FENCE);
      best = 0;
#pragma unroll 8
      for (uint g = 0; g < groups; ++g) {
        const ulong other = *(__local const ulong*)(heard + g * KN_LINE);
        chosen_row = other > best ? heard + g * KN_LINE : chosen_row;
        best = max(best, other);
      }
    }
    const uint chosen = KN_MOST_ROWS - 1 - (uint)(best % KN_MOST_ROWS);
    if (chosen != k) ++exchanged;
    KN_VALUE line[KN_PANEL];
    kn_read_row(chosen_row + KN_KEY, line);
    const KN_VALUE pivot = line[0], inverse = 1 / pivot;
    // The pivot's row is as it will be.
    if (chosen == own && self < width - k) {
      panel[(k + self) * m + candidate[2]] = ((__local const KN_VALUE*)(candidate + KN_KEY))[self];
    }
#pragma unroll
    for (uint r = 0; r < KN_ROWS; ++r) {
      const uint row = row0 + r * KN_GROUP, before = position[r];
      position[r] = before == chosen ? k : before == k ? chosen : before;
      KN_VALUE factor = values[r][0];
      if (!kn_is_zero(pivot)) factor = isfinite(inverse) ? factor * inverse : factor / pivot;
      if (position[r] > k && row < rows) panel[k * m + row] = factor;
#pragma unroll
      for (uint w = 1; w < KN_PANEL; ++w) values[r][w - 1] = kn_take_away(values[r][w], factor, line[w]);
      values[r][KN_PANEL - 1] = KN_ZERO;
    }
  }
#pragma unroll
  for (uint r = 0; r < KN_ROWS; ++r) {
    const uint row = row0 + r * KN_GROUP;
    if (row >= rows) continue;
    __global int* const moved = moves + d.moves + matrix * 2 * KN_PANEL;
    if (position[r] < KN_PANEL) moved[position[r]] = (int)row;
    if (row < KN_PANEL) moved[KN_PANEL + row] = position[r] < KN_PANEL ? -1 : (int)position[r];
    if (d.first == 0) order[matrix * m + row] = row;
  }
  if (group == 0 && self == 0) exchanges[matrix] = exchanged + (d.first > 0 ? exchanges[matrix] : 0);
}

// SPDX-License-Identifier: Apache-2.0
// LU factorisations with partial pivoting of a stack of real matrices of any size on cards, whose columns lie one after
// another (the transposes of what lies in row-major order), by panels of KN_PANEL columns:
//
//   lu_panel  factorises a panel: a group takes it, of which a work-item has KN_ROWS rows and KN_WIDE columns at once in
//             registers. Rows stay where they are until the end; a work-item knows where each of its own belongs.
//   lu_rows   brings the rows of other columns to where they belong; after lu_spread.cl, of the panel's, too, and their
//             numbers
//
// kernels/turn.cl, solve_columns.cl and tile_update.cl do the rest.

#ifndef KN_ROWS
#define KN_ROWS 4
#endif
#ifndef KN_WIDE
#define KN_WIDE 8
#endif
// Work-items of a panel's group.
#ifndef KN_GROUP
#define KN_GROUP 256
#endif
// Pairs of rows that a work-item has under way.
#define KN_PAIRS 4u

#include "common/factors.clh"
#include "common/lu_panel.clh"

// The rows of columns from `columns` on, `count` of them: row moves[p] comes to p, of the first KN_PANEL ones, and row p
// to moves[KN_PANEL + p], if it is not among them. All of the group call it, KN_PANEL of them or a multiple.
static inline void kn_move_rows(__global KN_VALUE* columns, ulong pitch, uint count, uint rows,
                                __local const int* moves) {
  for (uint base = 0; base < count * KN_PANEL; base += KN_PAIRS * KN_TOGETHER) {
    KN_VALUE up[KN_PAIRS], down[KN_PAIRS];
#pragma unroll
    for (uint t = 0; t < KN_PAIRS; ++t) {
      const uint pair = base + KN_SELF + t * KN_TOGETHER, p = pair % KN_PANEL;
      if (pair >= count * KN_PANEL || p >= rows) continue;
      __global const KN_VALUE* const column = columns + pair / KN_PANEL * pitch;
      up[t] = column[moves[p]];
      down[t] = column[p];
    }
    KN_SYNC();
#pragma unroll
    for (uint t = 0; t < KN_PAIRS; ++t) {
      const uint pair = base + KN_SELF + t * KN_TOGETHER, p = pair % KN_PANEL;
      if (pair >= count * KN_PANEL || p >= rows) continue;
      __global KN_VALUE* const column = columns + pair / KN_PANEL * pitch;
      column[p] = up[t];
      if (moves[KN_PANEL + p] >= 0) column[moves[KN_PANEL + p]] = down[t];
    }
  }
}

// The numbers of the rows likewise.
static inline void kn_move_order(__global long* order, uint rows, __local const int* moves) {
  long up = 0, down = 0;
  const bool moves_order = KN_SELF < min(KN_PANEL, rows);
  if (moves_order) {
    up = order[moves[KN_SELF]];
    down = order[KN_SELF];
  }
  KN_SYNC();
  if (moves_order) {
    order[KN_SELF] = up;
    if (moves[KN_PANEL + KN_SELF] >= 0) order[moves[KN_PANEL + KN_SELF]] = down;
  }
}

__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void lu_panel(__global KN_VALUE* a,
                                                                             __global long* order,
                                                                             __global long* exchanges,
                                                                             __global int* moves,
                                                                             const kn_lu_panel parameters) {
  const kn_lu_panel d = parameters;
  __local ulong keys[KN_GROUP];
  __local KN_VALUE lines[2 * KN_WIDE];
  __local int moved[2 * KN_PANEL];
  const uint self = KN_SELF, together = KN_GROUP, width = (uint)d.width, rows = (uint)(d.m - d.first);
  const ulong matrix = get_group_id(0), m = d.m;
  __global KN_VALUE* const panel = a + matrix * m * d.n + d.first * m + d.first;
  order += matrix * m;
  uint position[KN_ROWS];
#pragma unroll
  for (uint r = 0; r < KN_ROWS; ++r) position[r] = self + r * together;
  uint exchanged = 0;
  for (uint begin = 0; begin < width; begin += KN_WIDE) {
    KN_VALUE values[KN_ROWS][KN_WIDE];
#pragma unroll
    for (uint r = 0; r < KN_ROWS; ++r)
#pragma unroll
      for (uint w = 0; w < KN_WIDE; ++w) {
        const uint row = self + r * together;
        values[r][w] = row < rows && begin + w < width ? panel[(begin + w) * m + row] : (KN_VALUE)NAN;  // no pivot
      }
    // What the columns before take away.
    KN_VALUE next[KN_ROWS];
#pragma unroll
    for (uint r = 0; r < KN_ROWS; ++r) next[r] = begin > 0 && self + r * together < rows ? panel[self + r * together] : KN_ZERO;
    for (uint k = 0; k < begin; ++k) {
      __local KN_VALUE* const line = lines + k % 2 * KN_WIDE;
      KN_VALUE factors[KN_ROWS];
      bool owns = false;
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) {
        const uint row = self + r * together;
        factors[r] = next[r];
        if (row < rows && k + 1 < begin) next[r] = panel[(k + 1) * m + row];
        owns |= position[r] == k;
      }
      if (owns) {
#pragma unroll
        for (uint r = 0; r < KN_ROWS; ++r) {
          if (position[r] != k) continue;
#pragma unroll
          for (uint w = 0; w < KN_WIDE; ++w) line[w] = values[r][w];
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) {
        const KN_VALUE factor = position[r] > k ? factors[r] : KN_ZERO;
#pragma unroll
        for (uint w = 0; w < KN_WIDE; ++w) values[r][w] = kn_take_away(values[r][w], factor, line[w]);
      }
    }
#pragma unroll
    for (uint part = 0; part < KN_WIDE; ++part) {
      const uint k = begin + part;
      const bool there = k < width;  // barriers are all items' and all parts': compilers make much of others
      // The row from position k on whose element is largest, the first of equals; NaN count as smaller than all.
      KN_REAL largest = -1;
      uint at = 0;
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) {
        const KN_REAL size = position[r] >= k ? fabs(values[r][part]) : -1;
        const bool better = size > largest || (size == largest && position[r] < at);
        largest = better ? size : largest;
        at = better ? position[r] : at;
      }
      const ulong best = kn_largest_key(largest < 0 ? 0 : kn_pivot_key(largest, at), keys);
      const uint chosen = there && best > 0 ? KN_MOST_ROWS - 1 - (uint)(best % KN_MOST_ROWS) : k;
      if (chosen != k) ++exchanged;
      bool owns = false;
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) owns |= position[r] == chosen;
      if (owns) {
#pragma unroll
        for (uint r = 0; r < KN_ROWS; ++r) {
          if (position[r] != chosen) continue;
#pragma unroll
          for (uint w = part; w < KN_WIDE; ++w) lines[w] = values[r][w];
        }
      }
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) {
        const uint before = position[r];
        position[r] = before == chosen ? k : before == k ? chosen : before;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const KN_VALUE pivot = lines[part], inverse = 1 / pivot;
      if (there) {
        if (kn_is_zero(pivot)) {
          // All below are 0, too, or NaN, which go on to the right.
        } else if (!isfinite(inverse)) {
#pragma unroll
          for (uint r = 0; r < KN_ROWS; ++r) values[r][part] = position[r] > k ? values[r][part] / pivot : values[r][part];
        } else {
#pragma unroll
          for (uint r = 0; r < KN_ROWS; ++r) values[r][part] *= position[r] > k ? inverse : KN_ONE;
        }
#pragma unroll
        for (uint r = 0; r < KN_ROWS; ++r) {
          const KN_VALUE factor = position[r] > k ? values[r][part] : KN_ZERO;
#pragma unroll
          for (uint w = part + 1; w < KN_WIDE; ++w) values[r][w] = kn_take_away(values[r][w], factor, lines[w]);
        }
      }
    }
#pragma unroll
    for (uint r = 0; r < KN_ROWS; ++r)
#pragma unroll
      for (uint w = 0; w < KN_WIDE; ++w) {
        const uint row = self + r * together;
        if (row < rows && begin + w < width) panel[(begin + w) * m + row] = values[r][w];
      }
    KN_SYNC();
  }
#pragma unroll
  for (uint r = 0; r < KN_ROWS; ++r) {
    const uint row = self + r * together;
    if (row >= rows) continue;
    if (position[r] < KN_PANEL) moved[position[r]] = (int)row;
    if (row < KN_PANEL) moved[KN_PANEL + row] = position[r] < KN_PANEL ? -1 : (int)position[r];
    if (d.first == 0) order[row] = row;
  }
  KN_SYNC();
  for (uint p = self; p < 2 * KN_PANEL; p += together) moves[d.moves + matrix * 2 * KN_PANEL + p] = moved[p];
  if (self == 0) exchanges[matrix] = exchanged + (d.first > 0 ? exchanges[matrix] : 0);
  kn_move_rows(panel, m, width, rows, moved);
  kn_move_order(order + d.first, rows, moved);
}

// Rows of `panels` panels, one after the other, the first of which begins with row `first`; of columns from `begin` to
// before `end`, but for those that stay, from `from` to before `to`.
typedef struct {
  ulong matrices, m, n, first, panels;
  ulong begin, end, from, to;
  ulong moves;  // where what moves them is kept
  uint order;   // whether the numbers of the rows move, too
} kn_lu_rows;

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void lu_rows(__global KN_VALUE* a, __global long* order,
                                                                       __global const int* moves,
                                                                       const kn_lu_rows parameters) {
  const kn_lu_rows d = parameters;
  __local int moved[2 * KN_PANEL];
  const uint together = 32;  // columns of a group
  const ulong stay = d.to - d.from, others = d.end - d.begin - stay, groups = (others + together - 1) / together;
  const ulong matrix = get_group_id(0) / groups, other0 = (get_group_id(0) - matrix * groups) * together;
  const ulong before = d.from - d.begin, left = other0 < before ? min((ulong)together, before - other0) : 0;
  const ulong right = min((ulong)together, others - other0) - left;
  a += matrix * d.m * d.n + (d.begin + other0) * d.m;
  for (ulong panel = 0; panel < d.panels; ++panel) {
    const ulong first = d.first + panel * KN_PANEL;
    const uint rows = (uint)(d.m - first);
    for (uint p = KN_SELF; p < 2 * KN_PANEL; p += KN_TOGETHER) {
      moved[p] = moves[d.moves + (panel * d.matrices + matrix) * 2 * KN_PANEL + p];
    }
    KN_SYNC();
    kn_move_rows(a + first, d.m, (uint)left, rows, moved);
    kn_move_rows(a + (left + stay) * d.m + first, d.m, (uint)right, rows, moved);
    if (d.order) kn_move_order(order + matrix * d.m + first, other0 == 0 ? rows : 0, moved);
    KN_SYNC();
  }
}

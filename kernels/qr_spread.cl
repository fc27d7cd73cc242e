// SPDX-License-Identifier: Apache-2.0
// What kernels/qr_panel.cl does, by several groups that run at the same time, or one: a work-item has all columns of
// KN_ROWS rows in registers. A column costs one exchange, of the sums over each group's rows. The columns that are left
// move up in the registers, and the vectors of reflections follow them.

#ifndef KN_ROWS
#define KN_ROWS 2
#endif
#define KN_GROUP 128

#include "common/factors.clh"
#include "common/lanes.clh"
#include "common/qr_panel.clh"
#include "common/reflection.clh"
#include "common/spread.clh"

#define KN_TEAMS (KN_GROUP / KN_TEAM)
// Words of what a group tells: a sum for each column. Behind those of all groups comes a row, which the first one tells.
#define KN_LINE (KN_PANEL * KN_WORDS)

static inline KN_REAL kn_join(KN_REAL a, KN_REAL b, bool largest) { return largest ? fmax(a, b) : a + b; }

#ifdef KN_VOTES
#define KN_MOST_GROUPS 32u
#define KN_ROOM (KN_PANEL * KN_PANEL)

static inline KN_REAL kn_across(KN_REAL value, uint by) {
#if KN_ELEMENT == KN_F64
  const ulong bits = as_ulong(value);
  return as_double((ulong)kn_lane_across((uint)(bits >> 32), by) << 32 | kn_lane_across((uint)bits, by));
#else
  return as_float(kn_lane_across(as_uint(value), by));
#endif
}

// What a team's values come to, of each lane's own column: a lane goes on with the half of the columns that its own is in.
#define KN_HALVE(half)                                                   \
  _Pragma("unroll") for (uint i = 0; i < half; ++i) {                    \
    const KN_REAL low = values[i], high = values[i + half];              \
    const bool upper = (KN_SELF & half) != 0;                            \
    const KN_REAL other = kn_across(upper ? low : high, half);           \
    values[i] = kn_join(upper ? high : low, other, largest);             \
  }
static inline KN_REAL kn_of_team(KN_REAL* values, bool largest, __local KN_REAL* room) {
  KN_HALVE(16u)
  KN_HALVE(8u)
  KN_HALVE(4u)
  KN_HALVE(2u)
  KN_HALVE(1u)
  return values[0];
}
#else
#define KN_MOST_GROUPS 1u
#define KN_PITCH (KN_GROUP + 1)
#define KN_ROOM (KN_PANEL * KN_PITCH)

static inline KN_REAL kn_of_team(const KN_REAL* values, bool largest, __local KN_REAL* room) {
#pragma unroll
  for (uint w = 0; w < KN_PANEL; ++w) room[w * KN_PITCH + KN_SELF] = values[w];
  barrier(CLK_LOCAL_MEM_FENCE);
  __local const KN_REAL* const own = room + KN_SELF % KN_TEAM * KN_PITCH + KN_SELF / KN_TEAM * KN_TEAM;
  KN_REAL all = own[0];
  for (uint t = 1; t < KN_TEAM; ++t) all = kn_join(all, own[t], largest);
  return all;
}
#endif

// As in kernels/qr_panel.cl.
__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void qr_spread(__global KN_VALUE* a,
                                                                              __global KN_VALUE* v,
                                                                              __global KN_VALUE* t,
                                                                              volatile __global ulong* words,
                                                                              const kn_qr_panel parameters) {
  const kn_qr_panel d = parameters;
  const uint self = KN_SELF, m = (uint)d.m, n = (uint)d.n, groups = (uint)d.groups;
  __local KN_REAL room[KN_ROOM];
  __local KN_REAL of_teams[KN_GROUP];
  __local KN_REAL own[KN_PANEL], scales[KN_PANEL], backs[KN_PANEL];
  __local KN_REAL line[KN_PANEL] __attribute__((aligned(16))), all[KN_PANEL] __attribute__((aligned(16)));
  __local uint heard[(KN_MOST_GROUPS + 1) * KN_LINE] __attribute__((aligned(8)));
  __local KN_VALUE crossed[KN_PANEL * KN_PANEL];
  const ulong matrix = get_group_id(0) / groups;
  const uint group = (uint)(get_group_id(0) - matrix * groups), row0 = group * KN_ROWS * KN_GROUP + self;
  a += matrix * d.a_step + d.offset;
  v += matrix * d.v_step + d.offset;
  t += matrix * d.t_step + d.t_offset;
  words += matrix * 2 * (groups + 1) * KN_LINE;
  KN_VALUE values[KN_ROWS][KN_PANEL];
  KN_REAL parts[KN_PANEL];
#pragma unroll
  for (uint w = 0; w < KN_PANEL; ++w) {
    parts[w] = 0;
#pragma unroll
    for (uint r = 0; r < KN_ROWS; ++r) {
      const uint row = row0 + r * KN_GROUP;
      values[r][w] = row < m && w < n ? a[w * d.pitch + row] : KN_ZERO;
      parts[w] = fmax(parts[w], fabs(values[r][w]));
    }
  }
  // Round 0 finds the columns' largest elements, the others make a reflection each.
  for (uint round = 0; round <= n; ++round) {
    const uint k = round - 1;
    if (round > 0) {
#pragma unroll
      for (uint w = 0; w < KN_PANEL; ++w) parts[w] = 0;
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) {
        const KN_VALUE below = row0 + r * KN_GROUP > k ? values[r][0] : KN_ZERO;
#pragma unroll
        for (uint w = 0; w < KN_PANEL; ++w) parts[w] = kn_multiply_add(below, values[r][w], parts[w]);
      }
    }
    of_teams[self] = kn_of_team(parts, round == 0, room);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (group == 0 && round > 0 && self == k) kn_write_row(line, values[0]);
    if (self < KN_PANEL) {
      KN_REAL value = of_teams[self];
#pragma unroll
      for (uint t = 1; t < KN_TEAMS; ++t) value = kn_join(value, of_teams[t * KN_TEAM + self], round == 0);
      own[self] = all[self] = value;
    }
    if (groups > 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      volatile __global ulong* const told = words + round % 2 * (groups + 1) * KN_LINE;
      kn_tell_all(told + group * KN_LINE, (uint)d.when + round, (__local const uint*)own, KN_LINE);
      if (group == 0) kn_tell_all(told + groups * KN_LINE, (uint)d.when + round, (__local const uint*)line, KN_LINE);
      kn_hear(told, (groups + 1) * KN_LINE, (uint)d.when + round, heard);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (self < KN_PANEL) {
        __local const KN_REAL* const each = (__local const KN_REAL*)heard;
        KN_REAL value = each[self];
        for (uint g = 1; g < groups; ++g) value = kn_join(value, each[g * KN_PANEL + self], round == 0);
        all[self] = value;
        line[self] = each[groups * KN_PANEL + self];
      }
    }
    if (round == 0 && self < KN_PANEL) {
      KN_REAL back;
      scales[self] = kn_scale(all[self], &back);
      backs[self] = back;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (round == 0) {
      // Squares of a column do not overflow where its largest element is near 1.
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r)
#pragma unroll
        for (uint w = 0; w < KN_PANEL; ++w) values[r][w] *= scales[w];
    } else {
      KnReflection reflection;
      kn_reflect(line[0], all[0], true, &reflection);
      const KN_REAL tau = reflection.tau, scale = reflection.scale;
      if (group == 0) {
        if (self == 0) crossed[k * KN_PANEL + k] = tau;
        // The vectors before lie in the last k columns.
        const uint i = self + k - KN_PANEL;
        if (self < KN_PANEL && self + k >= KN_PANEL) crossed[i * KN_PANEL + k] = fma(scale, all[self], line[self]);
        // R's part of the column.
        if (self <= k) a[k * d.pitch + self] = (self == k ? reflection.beta : values[0][0]) * backs[k];
      }
      KN_VALUE reflector[KN_ROWS], sums[KN_PANEL], across[KN_PANEL];
      kn_read_row(all, sums);
      kn_read_row(line, across);
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) {
        const uint row = row0 + r * KN_GROUP;
        reflector[r] = row > k ? values[r][0] * scale : row == k ? KN_ONE : KN_ZERO;
      }
#pragma unroll
      for (uint w = 1; w < KN_PANEL; ++w) {
        const KN_VALUE factor = w + k < KN_PANEL ? tau * fma(scale, sums[w], across[w]) : KN_ZERO;
#pragma unroll
        for (uint r = 0; r < KN_ROWS; ++r) values[r][w - 1] = kn_take_away(values[r][w], reflector[r], factor);
      }
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) values[r][KN_PANEL - 1] = reflector[r];
    }
  }
#pragma unroll
  for (uint r = 0; r < KN_ROWS; ++r)
#pragma unroll
    for (uint w = 0; w < KN_PANEL; ++w) {
      const uint row = row0 + r * KN_GROUP;
      if (row < m && w + n >= KN_PANEL) v[(w + n - KN_PANEL) * d.pitch + row] = values[r][w];
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (group == 0) kn_finish_panel(crossed, room, n, t, d.t_pitch);
}

// SPDX-License-Identifier: Apache-2.0
// QR factorisations of a stack of real matrices of any size on cards, whose columns lie one after another, by wide panels
// of narrow ones: what comes between the narrow panels (kernels/qr_panel.cl, qr_spread.cl) of a wide one.
//
//   qr_dots   products of a panel's vectors with the other columns of the wide one: the vectors before, and what is left
//             behind. By parts of the rows, which other groups take.
//   qr_join   adds the parts up, and takes them times the panel's triangle
//   qr_widen  the triangle of the wide panel, out of that
//   qr_eye    an identity
//
// kernels/turn.cl, tile_update.cl and products do the rest.

#include "common/factors.clh"
#include "common/qr_panel.clh"

#define KN_GROUP 256u
// Rows that are in local memory at once.
#define KN_CHUNK 64u
#define KN_LINE (KN_CHUNK + 1)
// The most columns of a wide panel.
#define KN_WIDE_PANEL 128u
// Loads that a work-item has under way.
#define KN_LOADS 8u

// Offsets are of the panel's first row, and, but for `v_offset`, of the wide panel's first column; steps in elements, from
// one matrix of the stack to the next. Of `others` columns `before` are vectors.
typedef struct {
  ulong rows, width, before, others;
  ulong pitch, a_offset, a_step, first, v_offset, v_step;
  ulong parts, each;  // of the rows
  ulong t_offset, t_pitch, t_step;
} kn_qr_blocks;

__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void qr_dots(__global const KN_VALUE* a,
                                                                            __global const KN_VALUE* v,
                                                                            __global KN_VALUE* dots,
                                                                            const kn_qr_blocks parameters) {
  const kn_qr_blocks d = parameters;
  __local KN_VALUE vectors[KN_PANEL * KN_LINE], columns[KN_PANEL * KN_LINE];
  const ulong blocks = (d.others + KN_PANEL - 1) / KN_PANEL, block = get_group_id(0) % blocks;
  const ulong part = get_group_id(0) / blocks % d.parts, matrix = get_group_id(0) / blocks / d.parts;
  a += matrix * d.a_step + d.a_offset;
  v += matrix * d.v_step;
  dots += ((matrix * d.parts + part) * d.others + block * KN_PANEL) * KN_PANEL;
  const uint count = (uint)min((ulong)KN_PANEL, d.others - block * KN_PANEL), width = (uint)d.width;
  const uint w = KN_SELF % 16, o = KN_SELF / 16;
  KN_VALUE sums[2][2];
  sums[0][0] = sums[0][1] = sums[1][0] = sums[1][1] = KN_ZERO;
  const ulong end = min((part + 1) * d.each, d.rows);
  for (ulong row0 = part * d.each; row0 < end; row0 += KN_CHUNK) {
    const ulong row = row0 + KN_SELF % KN_CHUNK;
#pragma unroll
    for (uint t = 0; t < KN_PANEL; t += KN_GROUP / KN_CHUNK) {
      const uint i = t + KN_SELF / KN_CHUNK;
      const ulong other = block * KN_PANEL + i;
      KN_VALUE vector = KN_ZERO, column = KN_ZERO;
      if (row < end && i < width) vector = v[d.v_offset + i * d.pitch + row];
      if (row < end && i < count) {
        column = other < d.before ? v[d.first + other * d.pitch + row] : a[(other + width) * d.pitch + row];
      }
      vectors[i * KN_LINE + KN_SELF % KN_CHUNK] = vector;
      columns[i * KN_LINE + KN_SELF % KN_CHUNK] = column;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 8
    for (uint r = 0; r < KN_CHUNK; ++r) {
#pragma unroll
      for (uint i = 0; i < 2; ++i)
#pragma unroll
        for (uint j = 0; j < 2; ++j) {
          sums[i][j] = kn_multiply_add(columns[(o + 16 * i) * KN_LINE + r], vectors[(w + 16 * j) * KN_LINE + r], sums[i][j]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (uint i = 0; i < 2; ++i)
#pragma unroll
    for (uint j = 0; j < 2; ++j) {
      if (o + 16 * i < count) dots[(o + 16 * i) * KN_PANEL + w + 16 * j] = sums[i][j];
    }
}

// `turned` has a row for each column behind the panel.
__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void qr_join(__global const KN_VALUE* dots,
                                                                            __global KN_VALUE* t,
                                                                            __global KN_VALUE* turned,
                                                                            const kn_qr_blocks parameters) {
  const kn_qr_blocks d = parameters;
  __local KN_VALUE triangle[KN_PANEL * KN_PANEL], sums[KN_GROUP];
  const uint together = KN_GROUP / KN_PANEL, width = (uint)d.width, w = KN_SELF % KN_PANEL, own = KN_SELF / KN_PANEL;
  const ulong blocks = (d.others + together - 1) / together, matrix = get_group_id(0) / blocks;
  const ulong other = (get_group_id(0) - matrix * blocks) * together + own;
  t += matrix * d.t_step + d.t_offset;
#pragma unroll
  for (uint i = own; i < KN_PANEL; i += together) {
    triangle[i * KN_PANEL + w] = i < width && w < width ? t[(d.before + i) * d.t_pitch + d.before + w] : KN_ZERO;
  }
  KN_VALUE sum = KN_ZERO;
  if (other < d.others) {
    dots += (matrix * d.parts * d.others + other) * KN_PANEL + w;
    const ulong step = d.others * KN_PANEL;
    for (ulong part = 0; part < d.parts; part += KN_LOADS) {
      KN_VALUE some[KN_LOADS];
#pragma unroll
      for (uint i = 0; i < KN_LOADS; ++i) some[i] = part + i < d.parts ? dots[(part + i) * step] : KN_ZERO;
#pragma unroll
      for (uint i = 0; i < KN_LOADS; ++i) sum += some[i];
    }
  }
  sums[KN_SELF] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  KN_VALUE all = KN_ZERO;
#pragma unroll 8
  for (uint i = 0; i < KN_PANEL; ++i) all = kn_multiply_add(sums[own * KN_PANEL + i], triangle[i * KN_PANEL + w], all);
  if (other >= d.others || w >= width) return;
  if (other < d.before) {
    t[other * d.t_pitch + d.before + w] = all;
  } else {
    turned[(matrix * (d.others - d.before) + other - d.before) * width + w] = all;
  }
}

// Of `others` columns in all. A narrow panel's columns become minus the triangle before them times what they are, by
// blocks of KN_PANEL of the triangle's columns.
__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void qr_widen(__global KN_VALUE* t,
                                                                             const kn_qr_blocks parameters) {
  const kn_qr_blocks d = parameters;
  __local KN_VALUE triangle[(KN_WIDE_PANEL - KN_PANEL) * KN_PANEL], factors[KN_PANEL * KN_PANEL];
  t += get_group_id(0) * d.t_step + d.t_offset;
  const uint w = KN_SELF % KN_PANEL, own = KN_SELF / KN_PANEL, together = KN_GROUP / KN_PANEL, all = (uint)d.others;
  for (uint first = KN_PANEL; first < all; first += KN_PANEL) {
    const bool there = first + w < all;
    KN_VALUE sums[(KN_WIDE_PANEL - KN_PANEL) / (KN_GROUP / KN_PANEL)];
#pragma unroll
    for (uint i = 0; i < (KN_WIDE_PANEL - KN_PANEL) / together; ++i) sums[i] = KN_ZERO;
    for (uint block = 0; block < first; block += KN_PANEL) {
#pragma unroll
      for (uint i = 0; i < (KN_WIDE_PANEL - KN_PANEL) / together; ++i) {
        const uint row = own + i * together;
        if (row < block + KN_PANEL) triangle[row * KN_PANEL + w] = t[row * d.t_pitch + block + w];
      }
#pragma unroll
      for (uint i = 0; i < KN_PANEL / together; ++i) {
        const uint row = own + i * together;
        factors[row * KN_PANEL + w] = there ? t[(block + row) * d.t_pitch + first + w] : KN_ZERO;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
      for (uint j = 0; j < KN_PANEL; ++j) {
        const KN_VALUE factor = factors[j * KN_PANEL + w];
#pragma unroll
        for (uint i = 0; i < (KN_WIDE_PANEL - KN_PANEL) / together; ++i) {
          const uint row = own + i * together;
          if (row < block + KN_PANEL) sums[i] = kn_multiply_add(triangle[row * KN_PANEL + j], factor, sums[i]);
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (uint i = 0; i < (KN_WIDE_PANEL - KN_PANEL) / together; ++i) {
      const uint row = own + i * together;
      if (row < first && there) t[row * d.t_pitch + first + w] = -sums[i];
    }
    KN_SYNC();
  }
}

typedef struct {
  ulong rows, columns;
} kn_qr_eye;

__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void qr_eye(__global KN_VALUE* q,
                                                                           const kn_qr_eye parameters) {
  const kn_qr_eye d = parameters;
  const ulong runs = (d.columns + KN_GROUP - 1) / KN_GROUP, line = get_group_id(0) / runs;
  const ulong column = (get_group_id(0) - line * runs) * KN_GROUP + KN_SELF;
  if (column < d.columns) q[line * d.columns + column] = line % d.rows == column ? KN_ONE : KN_ZERO;
}

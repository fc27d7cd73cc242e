// SPDX-License-Identifier: Apache-2.0
// QR factorisations by Householder reflections of a stack of real matrices of at most KN_PANEL columns, and no fewer rows,
// on cards: what kernels/householder.cl gives, of matrices whose columns lie one after another. A group takes a matrix,
// of which a work-item has KN_ROWS rows and KN_WIDE columns at once in registers. What a reflection takes from the
// columns beside it follows from the same sums as its own norm, so that a column costs one sum of the group's.

#include "common/factors.clh"
#include "common/qr_panel.clh"
#include "common/reflection.clh"

#ifndef KN_ROWS
#define KN_ROWS 4
#endif
#ifndef KN_WIDE
#define KN_WIDE 8
#endif
#ifndef KN_GROUP
#define KN_GROUP 256
#endif

// Leaves in the first word of each of KN_WIDE runs of KN_GROUP what the run comes to. Of as many work-items as a run has
// eighths each takes eight words; then of KN_LAST, and one.
#define KN_UNROLL _Pragma("unroll")
#define KN_EIGHT 8u
#define KN_LAST (KN_GROUP / KN_EIGHT)
#define KN_JOIN(join, count, left)                                               \
  barrier(CLK_LOCAL_MEM_FENCE);                                                  \
  if (self < (left)*KN_WIDE) {                                                   \
    __local KN_REAL* const run = parts + self / (left)*KN_GROUP + self % (left); \
    KN_REAL all = run[0];                                                        \
    KN_UNROLL                                                                    \
    for (uint i = 1; i < (count) / (left); ++i) all = join(all, run[i * (left)]); \
    run[0] = all;                                                                \
  }
#if KN_GROUP > 64
#define KN_TOGETHER_BY(join)        \
  KN_JOIN(join, KN_GROUP, KN_LAST)  \
  KN_JOIN(join, KN_LAST, 4u)        \
  KN_JOIN(join, 4u, 1u)             \
  barrier(CLK_LOCAL_MEM_FENCE)
#else
#define KN_TOGETHER_BY(join)        \
  KN_JOIN(join, KN_GROUP, KN_LAST)  \
  KN_JOIN(join, KN_LAST, 1u)        \
  barrier(CLK_LOCAL_MEM_FENCE)
#endif
#define KN_ADD(a, b) ((a) + (b))

// R comes in place of the triangle above the diagonal of `a`; `v` has the reflections' vectors, zeros above them; `t`, in
// row-major order, their triangle.
__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void qr_panel(__global KN_VALUE* a,
                                                                             __global KN_VALUE* v,
                                                                             __global KN_VALUE* t,
                                                                             const kn_qr_panel parameters) {
  const kn_qr_panel d = parameters;
  const uint self = KN_SELF, m = (uint)d.m, n = (uint)d.n;
  __local KN_REAL parts[KN_WIDE * KN_GROUP];
  __local KN_VALUE line[KN_WIDE];
  __local KN_VALUE crossed[KN_PANEL * KN_PANEL];  // (i, k): v_i^H v_k, and on the diagonal tau
  __local KN_VALUE triangle[KN_PANEL * KN_PANEL];
  a += get_group_id(0) * d.a_step + d.offset;
  v += get_group_id(0) * d.v_step + d.offset;
  t += get_group_id(0) * d.t_step + d.t_offset;
  for (uint begin = 0; begin < n; begin += KN_WIDE) {
    KN_VALUE values[KN_ROWS][KN_WIDE];
    KN_REAL backs[KN_WIDE];
#pragma unroll
    for (uint w = 0; w < KN_WIDE; ++w) {
      KN_REAL largest = 0;
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) {
        const uint row = self + r * KN_GROUP;
        values[r][w] = row < m && begin + w < n ? a[(begin + w) * d.pitch + row] : KN_ZERO;
        largest = fmax(largest, fabs(values[r][w]));
      }
      parts[w * KN_GROUP + self] = largest;
    }
    KN_TOGETHER_BY(fmax);
    // Squares of a column do not overflow where its largest element is near 1.
#pragma unroll
    for (uint w = 0; w < KN_WIDE; ++w) {
      const KN_REAL scale = kn_scale(parts[w * KN_GROUP], &backs[w]);
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) values[r][w] *= scale;
    }
    // The reflections before.
    for (uint k = 0; k < begin; ++k) {
      KN_VALUE own[KN_ROWS];
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) {
        const uint row = self + r * KN_GROUP;
        own[r] = row < m ? v[k * d.pitch + row] : KN_ZERO;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint w = 0; w < KN_WIDE; ++w) {
        KN_VALUE sum = KN_ZERO;
#pragma unroll
        for (uint r = 0; r < KN_ROWS; ++r) sum = kn_multiply_add(own[r], values[r][w], sum);
        parts[w * KN_GROUP + self] = sum;
      }
      KN_TOGETHER_BY(KN_ADD);
      const KN_VALUE tau = crossed[k * KN_PANEL + k];
#pragma unroll
      for (uint w = 0; w < KN_WIDE; ++w) {
        const KN_VALUE factor = tau * parts[w * KN_GROUP];
#pragma unroll
        for (uint r = 0; r < KN_ROWS; ++r) values[r][w] = kn_take_away(values[r][w], own[r], factor);
      }
    }
#pragma unroll
    for (uint part = 0; part < KN_WIDE; ++part) {
      const uint k = begin + part;
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint w = 0; w < KN_WIDE; ++w) {
        KN_VALUE sum = KN_ZERO;
#pragma unroll
        for (uint r = 0; r < KN_ROWS; ++r) {
          const KN_VALUE below = self + r * KN_GROUP > k ? values[r][part] : KN_ZERO;
          sum = kn_multiply_add(below, values[r][w], sum);
        }
        parts[w * KN_GROUP + self] = sum;
        if (self == k) line[w] = values[0][w];
      }
      KN_TOGETHER_BY(KN_ADD);
      const KN_REAL alpha = line[part], below = parts[part * KN_GROUP];
      KnReflection reflection;
      kn_reflect(alpha, below, k < n, &reflection);
      const KN_REAL beta = reflection.beta, tau = reflection.tau, scale = reflection.scale;
      KN_VALUE own[KN_ROWS];
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) {
        const uint row = self + r * KN_GROUP;
        own[r] = row > k ? values[r][part] * scale : row == k ? KN_ONE : KN_ZERO;
      }
#pragma unroll
      for (uint w = 0; w < KN_WIDE; ++w) {
        const KN_VALUE dot = fma(scale, parts[w * KN_GROUP], line[w]);
        if (w > part) {
          const KN_VALUE factor = tau * dot;
#pragma unroll
          for (uint r = 0; r < KN_ROWS; ++r) values[r][w] = kn_take_away(values[r][w], own[r], factor);
        } else if (w < part && self == 0 && k < n) {
          crossed[(begin + w) * KN_PANEL + k] = dot;
        }
      }
      if (self == 0 && k < n) crossed[k * KN_PANEL + k] = tau;
      // R's part of the column, and what is left of the vector.
      if (self <= k && k < n) a[k * d.pitch + self] = (self == k ? beta : values[0][part]) * backs[part];
#pragma unroll
      for (uint r = 0; r < KN_ROWS; ++r) values[r][part] = own[r];
    }
#pragma unroll
    for (uint r = 0; r < KN_ROWS; ++r)
#pragma unroll
      for (uint w = 0; w < KN_WIDE; ++w) {
        const uint row = self + r * KN_GROUP;
        if (row < m && begin + w < n) v[(begin + w) * d.pitch + row] = values[r][w];
      }
    for (uint k = 0; k < begin; ++k) {
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint w = 0; w < KN_WIDE; ++w) {
        KN_VALUE sum = KN_ZERO;
#pragma unroll
        for (uint r = 0; r < KN_ROWS; ++r) {
          const uint row = self + r * KN_GROUP;
          if (row < m) sum = kn_multiply_add(v[k * d.pitch + row], values[r][w], sum);
        }
        parts[w * KN_GROUP + self] = sum;
      }
      KN_TOGETHER_BY(KN_ADD);
      if (self < KN_WIDE && begin + self < n) crossed[k * KN_PANEL + begin + self] = parts[self * KN_GROUP];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  kn_finish_panel(crossed, triangle, n, t, d.t_pitch);
}

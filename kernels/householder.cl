// SPDX-License-Identifier: Apache-2.0
// QR factorisations of a stack of matrices of at most KN_PANEL columns, and no fewer rows, by Householder reflections:
// a work-group takes a matrix, column by column. Signs are LAPACK's (xGEQRF, xLARFT). Sums go along KN_STRANDS strands of
// rows, each in its order and by runs of KN_RUN rows, and strands are added up by halves, whatever the form.

#include "common/factors.clh"

#ifndef KN_PANEL
#define KN_PANEL 32
#endif
#define KN_STRANDS 8u
#define KN_RUN 4096ul
#define KN_NORM_STRANDS 256u

typedef struct {
  ulong offset, matrices, m, n;  // offset of `x`
} kn_householder;

// A power of two, and one over it, that brings a magnitude near 1; 1 for what is 0, infinite or NaN.
static inline KN_REAL kn_scale(KN_REAL largest, KN_REAL* back) {
  *back = 1;
  if (!(largest > 0) || isinf(largest)) return 1;
#if KN_ELEMENT == KN_F64 || KN_ELEMENT == KN_C128
  const ulong exponent = clamp(as_ulong(largest) >> 52, 1ul, 2045ul);
  *back = as_double(exponent << 52);
  const double scale = as_double((2046ul - exponent) << 52);
#else
  const uint exponent = clamp(as_uint(largest) >> 23, 1u, 253u);
  *back = as_float(exponent << 23);
  const float scale = as_float((254u - exponent) << 23);
#endif
  return scale;
}

__kernel void householder(__global const KN_VALUE* x, __global KN_VALUE* reflectors, __global KN_VALUE* triangles,
                          __global KN_VALUE* results, const kn_householder parameters) {
  const kn_householder d = parameters;
  const ulong m = d.m, n = d.n;
  __local KN_REAL norms[KN_NORM_STRANDS];
  __local KN_VALUE sums[KN_STRANDS * KN_PANEL];
  for (ulong matrix = get_group_id(0); matrix < d.matrices; matrix += get_num_groups(0)) {
    __global const KN_VALUE* const from = x + d.offset + matrix * m * n;
    __global KN_VALUE* const a = reflectors + matrix * m * n;
    __global KN_VALUE* const t = triangles + matrix * n * n;
    __global KN_VALUE* const r = results + matrix * n * n;
    for (ulong i = KN_SELF; i < m * n; i += KN_TOGETHER) a[i] = from[i];
    KN_SYNC();
    for (ulong k = 0; k < n; ++k) {
      // The largest part of the column, for a scale that keeps squares from overflow.
      for (uint q = KN_SELF; q < KN_NORM_STRANDS; q += KN_TOGETHER) {
        KN_REAL largest = 0;
        for (ulong i = k + q; i < m; i += KN_NORM_STRANDS) {
          const KN_VALUE value = a[i * n + k];
          largest = fmax(largest, fmax(fabs(kn_real(value)), fabs(kn_imag(value))));
        }
        norms[q] = largest;
      }
      KN_SYNC();
      for (uint apart = KN_NORM_STRANDS / 2; apart > 0; apart /= 2) {
        for (uint q = KN_SELF; q < apart; q += KN_TOGETHER) norms[q] = fmax(norms[q], norms[q + apart]);
        KN_SYNC();
      }
      KN_REAL back;
      const KN_REAL scale = kn_scale(norms[0], &back);
      KN_SYNC();
      for (uint q = KN_SELF; q < KN_NORM_STRANDS; q += KN_TOGETHER) {
        KN_REAL sum = 0;
        for (ulong i = k + 1 + q; i < m; i += KN_NORM_STRANDS) {
          const KN_REAL re = kn_real(a[i * n + k]) * scale, im = kn_imag(a[i * n + k]) * scale;
          sum = fma(im, im, fma(re, re, sum));
        }
        norms[q] = sum;
      }
      KN_SYNC();
      for (uint apart = KN_NORM_STRANDS / 2; apart > 0; apart /= 2) {
        for (uint q = KN_SELF; q < apart; q += KN_TOGETHER) norms[q] += norms[q + apart];
        KN_SYNC();
      }
      // The reflection I - tau v v^H, whose v begins with 1, leaves (beta, 0, 0, ...) of the column.
      const KN_VALUE alpha = a[k * n + k] * scale;
      const KN_REAL below = norms[0], re = kn_real(alpha), im = kn_imag(alpha);
      KN_VALUE tau = KN_ZERO;
      KN_REAL beta = kn_real(a[k * n + k]);
      const bool reflects = !(below + fabs(im) == 0);
      KN_SYNC();
      if (reflects) {
        const KN_REAL scaled = -copysign(sqrt(fma(im, im, fma(re, re, below))), re);
        tau = kn_value((scaled - re) / scaled, -im / scaled);
        beta = scaled * back;
        const KN_VALUE divisor = kn_value(re - scaled, im);
        for (ulong i = k + 1 + KN_SELF; i < m; i += KN_TOGETHER) a[i * n + k] = kn_divide(a[i * n + k] * scale, divisor);
      } else {
        for (ulong i = k + 1 + KN_SELF; i < m; i += KN_TOGETHER) a[i * n + k] = KN_ZERO;
      }
      // What stood above is R's.
      for (ulong i = KN_SELF; i < n; i += KN_TOGETHER) {
        r[i * n + k] = i < k ? a[i * n + k] : i == k ? kn_value(beta, 0) : KN_ZERO;
        if (i <= k) a[i * n + k] = i == k ? KN_ONE : KN_ZERO;
      }
      KN_SYNC();
      // v^H times each other column, from row k on.
#ifdef KN_CPU
      for (uint p = 0; p < KN_STRANDS * KN_PANEL; ++p) sums[p] = KN_ZERO;
      for (ulong run = k; run < m; run += KN_RUN) {
        KN_VALUE parts[KN_STRANDS * KN_PANEL];
        for (uint p = 0; p < KN_STRANDS * KN_PANEL; ++p) parts[p] = KN_ZERO;
        for (ulong i = run; i < min(run + KN_RUN, m); ++i) {
          const KN_VALUE v = kn_conj(a[i * n + k]);
          KN_VALUE* const strand = parts + (i - run) % KN_STRANDS * KN_PANEL;
          for (uint j = 0; j < n; ++j) strand[j] = kn_multiply_add(v, a[i * n + j], strand[j]);
        }
        for (uint p = 0; p < KN_STRANDS * KN_PANEL; ++p) sums[p] += parts[p];
      }
#else
      for (uint p = KN_SELF; p < KN_STRANDS * KN_PANEL; p += KN_TOGETHER) {
        const uint strand = p / KN_PANEL, j = p % KN_PANEL;
        KN_VALUE sum = KN_ZERO;
        for (ulong run = k; j < n && run < m; run += KN_RUN) {
          KN_VALUE part = KN_ZERO;
          for (ulong i = run + strand; i < min(run + KN_RUN, m); i += KN_STRANDS) {
            part = kn_multiply_add(kn_conj(a[i * n + k]), a[i * n + j], part);
          }
          sum += part;
        }
        sums[p] = sum;
      }
      KN_SYNC();
#endif
      for (uint apart = KN_STRANDS / 2; apart > 0; apart /= 2) {
        for (uint p = KN_SELF; p < apart * KN_PANEL; p += KN_TOGETHER) sums[p] += sums[p + apart * KN_PANEL];
        KN_SYNC();
      }
      const KN_VALUE turn = kn_conj(tau);
      for (ulong i = k + KN_ROW_OF; i < m; i += KN_DOWN) {
        const KN_VALUE v = a[i * n + k];
        for (ulong j = k + 1 + KN_COLUMN_OF; j < n; j += KN_ACROSS) {
          a[i * n + j] = kn_take_away(a[i * n + j], v, kn_multiply_add(turn, sums[j], KN_ZERO));
        }
      }
      // T's column k: -tau T V^H v above tau.
      for (ulong i = KN_SELF; i < n; i += KN_TOGETHER) {
        KN_VALUE sum = KN_ZERO;
        for (ulong j = i; j < k; ++j) sum = kn_multiply_add(t[i * n + j], kn_conj(sums[j]), sum);
        t[i * n + k] = i < k ? kn_take_away(KN_ZERO, tau, sum) : i == k ? tau : KN_ZERO;
      }
      KN_SYNC();
    }
  }
}

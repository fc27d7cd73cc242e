// SPDX-License-Identifier: Apache-2.0
// QR factorisations of a stack of matrices of at most KN_PANEL columns, and no fewer rows, by Householder reflections:
// a work-group takes a matrix, column by column. Signs are LAPACK's (xGEQRF, xLARFT). Sums go along KN_STRANDS strands of
// rows, each in its order and by runs of KN_RUN rows, and strands are added up by halves, whatever the form.

#include "common/factors.clh"
#include "common/reflection.clh"

#ifndef KN_PANEL
#define KN_PANEL 32
#endif
#define KN_STRANDS 8u
#define KN_RUN 4096ul

typedef struct {
  ulong offset, matrices, m, n;  // offset of `x`
} kn_householder;

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
      KN_VALUE tau;
      const KN_REAL beta = kn_reflection(a + k * n + k, n, m - k, norms, &tau);
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

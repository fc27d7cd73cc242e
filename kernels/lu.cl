// SPDX-License-Identifier: Apache-2.0
// LU factorisations with partial pivoting of a stack of matrices: a work-group takes a matrix, column by column. The
// element (i, j) is a chain of fused multiply-adds over the columns before both, in their order, whatever the form.

#include "common/factors.clh"

typedef struct {
  ulong offset, matrices, m, n;  // offset of `x`
} kn_lu;

// The row from k on whose element in column k is largest, the first of equals; NaN count as smaller than all.
static inline ulong kn_pivot(__global const KN_VALUE* a, ulong k, ulong m, ulong n, __local KN_REAL* sizes,
                             __local ulong* rows) {
  KN_REAL largest = -1;
  ulong row = k;
  for (ulong i = k + KN_SELF; i < m; i += KN_TOGETHER) {
    const KN_REAL size = kn_size(a[i * n + k]);
    if (size > largest) largest = size, row = i;
  }
#ifdef KN_CPU
  return row;
#else
  const uint self = KN_SELF;
  sizes[self] = largest;
  rows[self] = row;
  KN_SYNC();
  for (uint apart = KN_TOGETHER / 2; apart > 0; apart /= 2) {
    if (self < apart) {
      const KN_REAL other = sizes[self + apart];
      const bool equal = other == sizes[self] && rows[self + apart] < rows[self];
      if (other > sizes[self] || equal) sizes[self] = other, rows[self] = rows[self + apart];
    }
    KN_SYNC();
  }
  return sizes[0] < 0 ? k : rows[0];
#endif
}

__kernel void lu(__global const KN_VALUE* x, __global KN_VALUE* factors, __global long* order, __global long* exchanges,
                 const kn_lu parameters) {
  const kn_lu d = parameters;
  const ulong m = d.m, n = d.n;
  __local KN_REAL sizes[KN_MOST];
  __local ulong rows[KN_MOST];
  for (ulong matrix = get_group_id(0); matrix < d.matrices; matrix += get_num_groups(0)) {
    __global const KN_VALUE* const from = x + d.offset + matrix * m * n;
    __global KN_VALUE* const a = factors + matrix * m * n;
    __global long* const row_of = order + matrix * m;
    for (ulong t = KN_SELF; t < m * n; t += KN_TOGETHER) a[t] = from[t];
    for (ulong i = KN_SELF; i < m; i += KN_TOGETHER) row_of[i] = (long)i;
    KN_SYNC();
    long exchanged = 0;
    for (ulong k = 0; k < min(m, n); ++k) {
      const ulong chosen = kn_pivot(a, k, m, n, sizes, rows);
      if (chosen != k) {
        ++exchanged;
        for (ulong j = KN_SELF; j < n; j += KN_TOGETHER) {
          const KN_VALUE other = a[chosen * n + j];
          a[chosen * n + j] = a[k * n + j];
          a[k * n + j] = other;
        }
        if (KN_SELF == 0) {
          const long other = row_of[chosen];
          row_of[chosen] = row_of[k];
          row_of[k] = other;
        }
      }
      KN_SYNC();
      const KN_VALUE pivot = a[k * n + k];
      if (!kn_is_zero(pivot)) {
        for (ulong i = k + 1 + KN_SELF; i < m; i += KN_TOGETHER) a[i * n + k] = kn_divide(a[i * n + k], pivot);
      }
      KN_SYNC();
      for (ulong i = k + 1 + KN_ROW_OF; i < m; i += KN_DOWN) {
        const KN_VALUE factor = a[i * n + k];
        for (ulong j = k + 1 + KN_COLUMN_OF; j < n; j += KN_ACROSS) {
          a[i * n + j] = kn_take_away(a[i * n + j], factor, a[k * n + j]);
        }
      }
      KN_SYNC();
    }
    if (KN_SELF == 0) exchanges[matrix] = exchanged;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Cholesky factorisations of a stack of matrices of at most KN_BLOCK rows: a work-group takes a matrix, column by column,
// and reads the lower triangle. The element (i, j) is a chain of fused multiply-adds over the columns before j, in their
// order, whatever the form.

#include "common/factors.clh"

#ifndef KN_BLOCK
#define KN_BLOCK 64
#endif

typedef struct {
  ulong offset, matrices, n;  // offset of `x`
} kn_cholesky;

// Reports the order of the first leading minor that is not positive.
__kernel void cholesky(__global const KN_VALUE* x, __global KN_VALUE* factor, __global kn_fault* indefinite,
                       const kn_cholesky parameters) {
  const kn_cholesky d = parameters;
  const ulong n = d.n;
  __local KN_VALUE column[KN_BLOCK];
  for (ulong matrix = get_group_id(0); matrix < d.matrices; matrix += get_num_groups(0)) {
    __global const KN_VALUE* const from = x + d.offset + matrix * n * n;
    __global KN_VALUE* const a = factor + matrix * n * n;
    for (ulong i = KN_ROW_OF; i < n; i += KN_DOWN) {
      for (ulong j = KN_COLUMN_OF; j < n; j += KN_ACROSS) a[i * n + j] = j <= i ? from[i * n + j] : KN_ZERO;
    }
    KN_SYNC();
    for (ulong k = 0; k < n; ++k) {
      const KN_REAL square = kn_real(a[k * n + k]);
      if (!(square > 0)) {
        kn_report_at(indefinite, matrix, k + 1);
        break;
      }
      const KN_REAL root = sqrt(square);
      for (ulong i = k + 1 + KN_SELF; i < n; i += KN_TOGETHER) {
        const KN_VALUE value = a[i * n + k] / root;
        a[i * n + k] = value;
        column[i] = value;
      }
      KN_SYNC();
      if (KN_SELF == 0) a[k * n + k] = kn_value(root, 0);
      for (ulong i = k + 1 + KN_ROW_OF; i < n; i += KN_DOWN) {
        const KN_VALUE value = column[i];
        for (ulong j = k + 1 + KN_COLUMN_OF; j <= i; j += KN_ACROSS) {
          a[i * n + j] = kn_take_away(a[i * n + j], value, kn_conj(column[j]));
        }
      }
      KN_SYNC();
    }
    KN_SYNC();
  }
}

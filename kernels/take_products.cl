// SPDX-License-Identifier: Apache-2.0
// Takes products from parts of a stack of matrices, on cards: of each part all, or what is not right of a diagonal.

#include "common/factors.clh"

// Elements of a row that a work-item takes, and so a group.
#define KN_EACH 4u
#define KN_RUN (KN_EACH * 256u)

typedef struct {
  ulong offset, row, step;  // of `c`: its first element, from row to row and from matrix to matrix
  ulong rows, columns;
  long corner;  // row i ends with column i + corner
} kn_take_products;

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void take_products(__global KN_VALUE* c,
                                                                             __global const KN_VALUE* products,
                                                                             const kn_take_products parameters) {
  const kn_take_products d = parameters;
  const ulong runs = (d.columns + KN_RUN - 1) / KN_RUN, line = get_group_id(0) / runs;
  const ulong matrix = line / d.rows, i = line - matrix * d.rows, first = (get_group_id(0) - line * runs) * KN_RUN;
  c += d.offset + matrix * d.step + i * d.row;
  products += line * d.columns;
  KN_VALUE product[KN_EACH], before[KN_EACH];
#pragma unroll
  for (uint t = 0; t < KN_EACH; ++t) {
    const ulong j = first + t * 256 + KN_SELF;
    const bool there = j < d.columns && (long)j <= (long)i + d.corner;
    product[t] = there ? products[j] : KN_ZERO;
    before[t] = there ? c[j] : KN_ZERO;
  }
#pragma unroll
  for (uint t = 0; t < KN_EACH; ++t) {
    const ulong j = first + t * 256 + KN_SELF;
    if (j < d.columns && (long)j <= (long)i + d.corner) c[j] = before[t] - product[t];
  }
}

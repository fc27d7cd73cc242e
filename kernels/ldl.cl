// SPDX-License-Identifier: Apache-2.0
// Factorisations of symmetric and Hermitian matrices as L D L^T or L D L^H, D of blocks of one or two rows: a work-group
// takes a matrix, column by column, with the pivots of Bunch and Kaufman (Math. Comp. 31, 1977), and reads the lower
// triangle. Each element is a chain of operations in a fixed order, whatever the form.

#include "common/factors.clh"

typedef struct {
  ulong offset, matrices, n;  // offset of `x`
  ulong hermitian;
} kn_ldl;

#define KN_ALPHA ((KN_REAL)0.6403882032022076)  // (1 + sqrt(17)) / 8

// The other element of a pair at both sides of the diagonal.
#if KN_IS_COMPLEX
#define kn_mirror(a) (d.hermitian ? kn_conj(a) : (a))
#else
#define kn_mirror(a) (a)
#endif
#define KN_AT(i, j) a[(i) * n + (j)]

static inline KN_VALUE kn_product(KN_VALUE a, KN_VALUE b) {
  return kn_multiply_add(a, b, KN_ZERO);
}
static inline void kn_swap(__global KN_VALUE* a, __global KN_VALUE* b) {
  const KN_VALUE kept = *a;
  *a = *b;
  *b = kept;
}

// The largest of elements `first` to before `last` of a line, or -1 for none, and which one it is, the first of equals.
// NaN count as smaller than all. It is called at several places, and stays inline: PoCL 3.1's threads would share the
// local memory of a function that is a function still when work-groups are made.
__attribute__((always_inline)) static inline KN_REAL kn_largest(__global const KN_VALUE* line, ulong step, ulong first,
                                                                ulong last, __local KN_REAL* sizes,
                                                                __local ulong* positions, ulong* position) {
  KN_REAL largest = -1;
  ulong which = first;
  for (ulong i = first + KN_SELF; i < last; i += KN_TOGETHER) {
    const KN_REAL size = kn_size(line[i * step]);
    if (size > largest) largest = size, which = i;
  }
  sizes[KN_SELF] = largest;
  positions[KN_SELF] = which;
  KN_SYNC();
  for (uint q = 0; q < KN_TOGETHER; ++q) {
    const bool equal = sizes[q] == largest && positions[q] < which;
    if (sizes[q] > largest || equal) largest = sizes[q], which = positions[q];
  }
  KN_SYNC();
  *position = which;
  return largest;
}

// Above the diagonal of the matrix that is worked on lie the columns that were eliminated, as rows, before they were
// divided, and beside the diagonal a 1 where two rows are one block.
__kernel void ldl(__global const KN_VALUE* x, __global KN_VALUE* lower, __global KN_VALUE* diagonal,
                  __global long* order, const kn_ldl parameters) {
  const kn_ldl d = parameters;
  const ulong n = d.n;
  __local KN_REAL sizes[KN_MOST];
  __local ulong positions[KN_MOST];
  for (ulong matrix = get_group_id(0); matrix < d.matrices; matrix += get_num_groups(0)) {
    __global const KN_VALUE* const from = x + d.offset + matrix * n * n;
    __global KN_VALUE *const a = diagonal + matrix * n * n, *const l = lower + matrix * n * n;
    __global long* const row_of = order + matrix * n;
    for (ulong i = KN_ROW_OF; i < n; i += KN_DOWN) {
      for (ulong j = KN_COLUMN_OF; j < n; j += KN_ACROSS) {
        const KN_VALUE value = from[i * n + j];
        KN_AT(i, j) = j < i ? value : j > i ? KN_ZERO : d.hermitian ? kn_value(kn_real(value), 0) : value;
      }
    }
    for (ulong i = KN_SELF; i < n; i += KN_TOGETHER) row_of[i] = (long)i;
    KN_SYNC();
    for (ulong k = 0; k < n;) {
      ulong other, position;
      const KN_REAL below = kn_largest(a + k, n, k + 1, n, sizes, positions, &other);
      other = min(other, n - 1);
      const KN_REAL before = kn_largest(a + other * n, 1, k, other, sizes, positions, &position);
      const KN_REAL after = kn_largest(a + other, n, other + 1, n, sizes, positions, &position);
      const KN_REAL beside = fmax(before, after), here = kn_size(KN_AT(k, k)), there = kn_size(KN_AT(other, other));
      const bool keeps = !(here < KN_ALPHA * below) || here >= KN_ALPHA * below * (below / beside);
      const bool single = keeps || there >= KN_ALPHA * beside;
      const ulong next = k + (single ? 1 : 2), last = next - 1, with = keeps ? k : other;
      KN_SYNC();
      if (with != last) {
        for (ulong j = KN_SELF; j < last; j += KN_TOGETHER) kn_swap(&KN_AT(last, j), &KN_AT(with, j));
        for (ulong i = with + 1 + KN_SELF; i < n; i += KN_TOGETHER) kn_swap(&KN_AT(i, last), &KN_AT(i, with));
        for (ulong i = last + 1 + KN_SELF; i < with; i += KN_TOGETHER) {
          const KN_VALUE kept = KN_AT(i, last);
          KN_AT(i, last) = kn_mirror(KN_AT(with, i));
          KN_AT(with, i) = kn_mirror(kept);
        }
        if (KN_SELF == 0) {
          kn_swap(&KN_AT(last, last), &KN_AT(with, with));
          KN_AT(with, last) = kn_mirror(KN_AT(with, last));
          const long kept = row_of[last];
          row_of[last] = row_of[with];
          row_of[with] = kept;
        }
      }
      KN_SYNC();
      // Rows of Y = L D become rows of L: by D's inverse, for two columns in parts of what is beside its diagonal.
      const KN_VALUE pivot = KN_AT(k, k), corner = single ? KN_ONE : KN_AT(last, k);
      const KN_VALUE first = kn_divide(pivot, kn_mirror(corner)), second = kn_divide(KN_AT(last, last), corner);
      const KN_VALUE minor = kn_multiply_add(first, second, -KN_ONE);
      const KN_VALUE of_first = kn_product(kn_mirror(corner), minor), of_second = kn_product(corner, minor);
      KN_SYNC();
      for (ulong i = next + KN_SELF; i < n; i += KN_TOGETHER) {
        const KN_VALUE y1 = KN_AT(i, k), y2 = KN_AT(i, last);
        KN_AT(k, i) = y1;
        if (single) {
          KN_AT(i, k) = kn_is_zero(pivot) ? y1 : kn_divide(y1, pivot);
        } else {
          KN_AT(last, i) = y2;
          KN_AT(i, k) = kn_divide(kn_multiply_add(y1, second, -y2), of_first);
          KN_AT(i, last) = kn_divide(kn_multiply_add(y2, first, -y1), of_second);
        }
      }
      KN_SYNC();
      for (ulong i = next + KN_ROW_OF; i < n; i += KN_DOWN) {
        for (ulong j = next + KN_COLUMN_OF; j <= i; j += KN_ACROSS) {
          KN_VALUE value = kn_take_away(KN_AT(i, j), KN_AT(i, k), kn_mirror(KN_AT(k, j)));
          if (!single) value = kn_take_away(value, KN_AT(i, last), kn_mirror(KN_AT(last, j)));
          KN_AT(i, j) = i == j && d.hermitian ? kn_value(kn_real(value), 0) : value;
        }
      }
      KN_SYNC();
      if (KN_SELF == 0 && last + 1 < n) KN_AT(last, last + 1) = KN_ZERO;
      if (KN_SELF == 0 && !single) KN_AT(k, last) = KN_ONE;
      KN_SYNC();
      k = next;
    }
    for (ulong i = KN_ROW_OF; i < n; i += KN_DOWN) {
      __global KN_VALUE* const row = l + (ulong)row_of[i] * n;
      for (ulong j = KN_COLUMN_OF; j < n; j += KN_ACROSS) {
        const bool in_block = j + 1 == i && !kn_is_zero(KN_AT(j, i));
        row[j] = j == i ? KN_ONE : j > i || in_block ? KN_ZERO : KN_AT(i, j);
      }
    }
    KN_SYNC();
    for (ulong i = KN_ROW_OF; i < n; i += KN_DOWN) {
      for (ulong j = KN_COLUMN_OF; j < n; j += KN_ACROSS) {
        if (i > j + 1 || j > i + 1) KN_AT(i, j) = KN_ZERO;
      }
    }
    for (ulong i = KN_SELF; i + 1 < n; i += KN_TOGETHER) {
      const bool in_block = !kn_is_zero(KN_AT(i, i + 1));
      KN_AT(i, i + 1) = in_block ? kn_mirror(KN_AT(i + 1, i)) : KN_ZERO;
      if (!in_block) KN_AT(i + 1, i) = KN_ZERO;
    }
    KN_SYNC();
  }
}

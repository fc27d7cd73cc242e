// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of a stack of square matrices, in complex numbers: a work-group takes a matrix. Reflections
// leave zeros below the subdiagonal (H = Q^H x Q), rotations with shifts make H a triangle (Francis 1961, Kublanovskaya
// 1961; Wilkinson's shift), whose eigenvectors are found by substitution and turned back by Q. Each element is a chain of
// operations in a fixed order, whatever the form.
//
// A loop with barriers in it ends with one, and none stands under a condition that values decide, nor in a function that
// returns from its middle; what branches in its first round alone stands before it. PoCL, which makes loops of the
// work-items between barriers, would lose track of them, or end the process.

#ifndef KN_ELEMENT
#define KN_ELEMENT KN_C64
#endif
#include "common/factors.clh"
#include "common/hessenberg.clh"
#include "common/schur_complex.clh"

typedef struct {
  ulong offset, matrices, n, room;  // offset of `x` in its elements; what a matrix takes of the room
  uint parts, vectors;              // of an element of x: 1 or 2; whether they are wanted
  ulong steps;                      // for each row, at the most
} kn_eig;

// Eigenvectors of the triangle, each of one work-item, as rows. Where they grow they are made smaller, so that they do not
// overflow (Anderson 1991, of LAPACK).
static inline void kn_substitute(__global const KN_VALUE* h, __global KN_VALUE* found, ulong n) {
  for (ulong k = KN_SELF; k < n; k += KN_TOGETHER) {
    __global KN_VALUE* const x = found + k * n;
    const KN_VALUE value = h[k * n + k];
    const KN_REAL least = fmax(KN_EPSILON * kn_size(value), KN_NOTHING);
    x[k] = KN_ONE;
    for (ulong i = k; i-- > 0;) {
      KN_VALUE sum = KN_ZERO;
      for (ulong j = i + 1; j <= k; ++j) sum = kn_multiply_add(h[i * n + j], x[j], sum);
      KN_VALUE apart = value - h[i * n + i];
      if (kn_size(apart) < least) apart = kn_value(least, 0);
      const KN_REAL most = KN_LARGE * kn_size(apart), size = kn_size(sum);
      if (size > most) {
        const KN_REAL scale = most / size;
        for (ulong j = i + 1; j <= k; ++j) x[j] *= scale;
        sum *= scale;
      }
      x[i] = kn_divide(sum, apart);
    }
  }
  KN_SYNC();
}

// Rows become vectors of length 1 whose largest element is real.
static inline void kn_normalise(__global KN_VALUE* vectors, ulong n) {
  for (ulong k = KN_SELF; k < n; k += KN_TOGETHER) {
    __global KN_VALUE* const v = vectors + k * n;
    KN_REAL back, size = 0, sum = 0, most = -1;
    ulong at = 0;
    for (ulong i = 0; i < n; ++i) size = fmax(size, kn_size(v[i]));
    const KN_REAL scale = kn_scale(size, &back);
    for (ulong i = 0; i < n; ++i) {
      const KN_REAL square = kn_square(v[i] * scale);
      sum += square;
      at = square > most ? i : at;
      most = fmax(square, most);
    }
    const KN_VALUE turn = kn_conj(v[at] * scale) / sqrt(most) / sqrt(sum);
    for (ulong i = 0; i < n; ++i) v[i] = kn_product(v[i] * scale, turn);
    v[at].y = 0;
  }
}

__kernel void eig(__global const KN_REAL* x, __global KN_VALUE* values, __global KN_VALUE* vectors,
                  __global KN_VALUE* room, __global kn_fault* fault, const kn_eig parameters) {
  const kn_eig d = parameters;
  const ulong n = d.n;
  __local KN_REAL norms[KN_NORM_STRANDS];
  __global KN_VALUE* const turns = room + get_group_id(0) * d.room;
  __global KN_VALUE* const h = turns + 3 * n;
  __global KN_VALUE* const turned = d.vectors ? h + n * n : 0;  // Q^H
  __global KN_VALUE* const found = h + 2 * n * n;
  for (ulong matrix = get_group_id(0); matrix < d.matrices; matrix += get_num_groups(0)) {
    __global const KN_REAL* const from = x + (d.offset + matrix * n * n) * d.parts;
    __global KN_VALUE *const to = values + matrix * n, *const to_vectors = vectors + matrix * n * n;
    KN_REAL back;
    const bool finite = kn_start(from, d.parts, h, turned, n, norms, &back);
    kn_hessenberg(h, turned, n, norms);
    const ulong missing = kn_triangle(h, turned, turns, n, d.steps);
    const bool all = missing == 0 && finite;
    const KN_VALUE nan = kn_value((KN_REAL)NAN, (KN_REAL)NAN);
    if (!all && KN_SELF == 0) kn_report(fault, finite ? kn_not_found(matrix, missing) : (long)matrix);
    for (ulong i = KN_SELF; i < n; i += KN_TOGETHER) to[i] = all ? h[i * n + i] * back : nan;
    KN_SYNC();
    if (!d.vectors) continue;
    kn_substitute(h, found, n);
    for (ulong at = KN_SELF; at < n * n; at += KN_TOGETHER) {
      const ulong k = at / n, i = at % n;
      KN_VALUE sum = KN_ZERO;
      for (ulong j = 0; j <= k; ++j) sum = kn_multiply_add(found[k * n + j], kn_conj(turned[j * n + i]), sum);
      to_vectors[at] = all ? sum : nan;
    }
    KN_SYNC();
    kn_normalise(to_vectors, n);
    KN_SYNC();
  }
}

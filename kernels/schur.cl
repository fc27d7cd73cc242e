// SPDX-License-Identifier: Apache-2.0
// Schur's form of a stack of square matrices, x = Z T Z^H with a triangle T, which of a real matrix has blocks of two
// rows for pairs of complex eigenvalues: a work-group takes a matrix. Each element is a chain of operations in a fixed
// order, whatever the form. kernels/eig.cl says what its loops keep to.

#include "common/factors.clh"
#include "common/hessenberg.clh"
#if KN_IS_COMPLEX
#include "common/schur_complex.clh"
#else
#include "common/schur_real.clh"
#endif

typedef struct {
  ulong offset, matrices, n, steps;  // offset of `x` in its elements; for each row, at the most
} kn_schur;

// room: for 3 n elements of each group.
__kernel void schur(__global const KN_REAL* x, __global KN_VALUE* triangles, __global KN_VALUE* vectors,
                    __global KN_VALUE* room, __global kn_fault* fault, const kn_schur parameters) {
  const kn_schur d = parameters;
  const ulong n = d.n;
  const uint parts = KN_IS_COMPLEX ? 2 : 1;
  __local KN_REAL norms[KN_NORM_STRANDS];
  for (ulong matrix = get_group_id(0); matrix < d.matrices; matrix += get_num_groups(0)) {
    __global KN_VALUE *const t = triangles + matrix * n * n, *const z = vectors + matrix * n * n;
    KN_REAL back;
    const bool finite = kn_start(x + (d.offset + matrix * n * n) * parts, parts, t, z, n, norms, &back);
    kn_hessenberg(t, z, n, norms);
    const ulong missing = kn_triangle(t, z, room + get_group_id(0) * 3 * n, n, d.steps);
    const bool all = missing == 0 && finite;
    const KN_VALUE nan = kn_value((KN_REAL)NAN, (KN_REAL)NAN);
    if (!all && KN_SELF == 0) kn_report(fault, finite ? kn_not_found(matrix, missing) : (long)matrix);
    for (ulong at = KN_SELF; at < n * n; at += KN_TOGETHER) {
      const ulong i = at / n, j = at % n;
      const bool kept = j >= i || (!KN_IS_COMPLEX && j + 1 == i);
      t[at] = !all ? nan : kept ? t[at] * back : KN_ZERO;
      // z holds Z^H.
      if (j > i) continue;
      const KN_VALUE one = z[at], other = z[j * n + i];
      z[at] = all ? kn_conj(other) : nan;
      z[j * n + i] = all ? kn_conj(one) : nan;
    }
    KN_SYNC();
  }
}

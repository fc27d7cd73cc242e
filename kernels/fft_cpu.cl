// SPDX-License-Identifier: Apache-2.0
// Fourier transforms on a CPU: a work-item takes some lines, which lie in local memory, where passes go in place, and
// the results end up in the order of a table. One program for all lengths.
#include "common/fft.clh"

// Where lines lie: in global memory where local memory has no room for one.
#ifdef KN_FAR
#define KN_WORK __global
#else
#define KN_WORK __local
#endif

// A pass over all lines: butterflies of elements `s` apart, and the roots that turn their results.
#define KN_PASS(radix)                                                                                            \
  static inline void kn_pass_##radix(KN_WORK KN_C* work, __global const KN_C* roots, uint n, uint each, uint line_step, \
                                     uint step, uint s) {                                                         \
    const uint quarter = n / radix, first = n - s * radix;                                                          \
    for (uint b = 0; b < quarter * each; ++b) {                                                                   \
      const uint line = step > 1 ? b % each : b / quarter, q = step > 1 ? b / each : b - line * quarter;          \
      const uint block = q / s, o = q - block * s;                                                                \
      KN_WORK KN_C* const at = work + line * line_step + (block * s * radix + o) * step;                          \
      KN_C a[radix];                                                                                              \
      for (uint i = 0; i < radix; ++i) a[i] = at[i * s * step];                                                   \
      kn_butterfly_##radix(a);                                                                                    \
      at[0] = a[0];                                                                                               \
      for (uint i = 1; i < radix; ++i) at[i * s * step] = s == 1 ? a[i] : kn_times(a[i], roots[first + (i - 1) * s + o]);    \
    }                                                                                                             \
  }
KN_PASS(2)
KN_PASS(3)
KN_PASS(4)
KN_PASS(5)
KN_PASS(7)
KN_PASS(8)
KN_PASS(11)
KN_PASS(13)
KN_PASS(16)

__kernel void fft_lines(__global const KN_REAL* in, __global const KN_C* tables, __global const ushort* orders,
                        __global KN_REAL* out, KN_WORK KN_C* work, const kn_fft parameters) {
  const kn_fft d = parameters;
  const ulong first = get_group_id(0) * (ulong)d.each;
  const uint each = (uint)min((ulong)d.each, d.lines - first), n = d.n;
  const uint line_step = d.column ? 1 : n, step = d.column ? each : 1;
  in += d.in_offset;
#ifdef KN_FAR
  work += get_group_id(0) * (ulong)d.each * n;
#endif
  for (uint line = 0; line < each; ++line) {
    const kn_line here = kn_line_of(&d, first + line);
    for (uint j = 0; j < n; ++j) work[line * line_step + j * step] = kn_load(in, tables, &d, here, j);
  }
  uint s = n;
  for (ulong left = d.radices; left != 0; left >>= 8) {
    const uint radix = left & 255;
    __global const KN_C* const roots = tables + d.roots;
    s /= radix;
#define KN_CASE(radix)                                               \
  case radix:                                                        \
    kn_pass_##radix(work, roots, n, each, line_step, step, s);       \
    break;
    switch (radix) {
      KN_CASE(2)
      KN_CASE(3)
      KN_CASE(4)
      KN_CASE(5)
      KN_CASE(7)
      KN_CASE(8)
      KN_CASE(11)
      KN_CASE(13)
      KN_CASE(16)
    }
  }
  uint last = 1;  // radix
  for (ulong left = d.radices; left != 0; left >>= 8) last = left & 255;
  for (uint line = 0; line < each; ++line) {
    const kn_line here = kn_line_of(&d, first + line);
    for (uint q = 0; q < n / last; ++q) {
      KN_C turns[17];
      if (!d.last) kn_turns(&d, here, q, n / last, last, turns);
      for (uint i = 0; i < last; ++i) {
        const uint k = q + i * (n / last);
        const KN_C x = work[line * line_step + orders[d.order + k] * step];
        if (d.last) {
          kn_store(out, tables, &d, here, k, x);
        } else {
          kn_keep(out, &d, here, k, kn_times(x, turns[i]));
        }
      }
    }
  }
}

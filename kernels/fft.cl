// SPDX-License-Identifier: Apache-2.0
// Fourier transforms on a GPU: a group of KN_ITEMS work-items takes KN_EACH lines of KN_LENGTH elements. A pass lives in
// registers: a work-item reads the elements of its butterflies, from memory or from local memory, and writes the results
// to where the next pass finds them in order (Stockham's way, after Cochran and others, 1967).
#include "common/fft.clh"

#ifndef KN_LENGTH
#define KN_LENGTH 256
#define KN_EACH 16
#define KN_ITEMS 256
#define KN_COLUMN
#define KN_PADDED
#define KN_RADIX_0 16
#define KN_RADIX_1 16
#endif

// Where an element lies in local memory, so that work-items which read or write side by side do not wait for the same
// bank: one place in 17 is left out where there is room.
#ifdef KN_PADDED
#define KN_PAD(at) ((at) + ((at) >> 4))
#else
#define KN_PAD(at) (at)
#endif
#ifdef KN_COLUMN
#define KN_PLACE(line, at) KN_PAD((at) * KN_EACH + (line))
#else
#define KN_PLACE(line, at) ((line) * KN_PITCH + KN_PAD(at))
#endif
// Whether neighbouring work-items take neighbouring lines: where they read, and where they write.
#ifdef KN_COLUMN
#define KN_SIDE_IN true
#define KN_SIDE_OUT true
#else
#define KN_SIDE_IN false
#ifdef KN_BESIDE
#define KN_SIDE_OUT true
#else
#define KN_SIDE_OUT false
#endif
#endif

#define KN_FROM_MEMORY(at) kn_load(in, tables, &d, here, at)
#ifdef KN_LAST
#define KN_TURNS(radix)
#define KN_TO_MEMORY(at, value) kn_store(out, tables, &d, here, at, value)
#else
#define KN_TURNS(radix)    \
  KN_C turns[(radix) + 1]; \
  kn_turns(&d, here, q, quarter, radix, turns);
#define KN_TO_MEMORY(at, value) kn_keep(out, &d, here, at, kn_times(value, turns[i]))
#endif
#define KN_FROM_LOCAL(at) work[KN_PLACE(line, at)]
#define KN_TO_LOCAL(at, value) work[KN_PLACE(line, at)] = (value)
#define KN_BARRIER barrier(CLK_LOCAL_MEM_FENCE)

// Of the butterflies of a pass, KN_LENGTH / radix for each line, a work-item takes every KN_ITEMS-th. `span` is the product
// of the radices before this one.
#define KN_PASS(radix, span, side, FETCH, BETWEEN, FACTORS, WHERE, KEEP, AFTER)                                    \
  {                                                                                                                \
    enum { quarter = KN_LENGTH / (radix), block = quarter / (span), first_root = KN_LENGTH - KN_LENGTH / (span) }; \
    enum { count = quarter * KN_EACH, rounds = (count + KN_ITEMS - 1) / KN_ITEMS };                                \
    KN_C a[rounds][radix];                                                                                         \
    KN_UNROLL for (uint t = 0; t < rounds; ++t) {                                                                  \
      const uint b = id + t * KN_ITEMS, line = (side) ? b % KN_EACH : b / quarter;                                 \
      const uint q = (side) ? b / KN_EACH : b % quarter;                                                           \
      const kn_line here = kn_line_of(&d, first + line);                                                           \
      (void)here;  /* not every pass needs it */                                                                   \
      if (count % KN_ITEMS == 0 || b < count) {                                                                    \
        KN_UNROLL for (uint i = 0; i < (radix); ++i) a[t][i] = FETCH(q + i * quarter);                             \
        KN_CAT(kn_butterfly_, radix)(a[t]);                                                                        \
      }                                                                                                            \
    }                                                                                                              \
    BETWEEN;                                                                                                       \
    KN_UNROLL for (uint t = 0; t < rounds; ++t) {                                                                  \
      const uint b = id + t * KN_ITEMS, line = (side) ? b % KN_EACH : b / quarter;                                 \
      const uint q = (side) ? b / KN_EACH : b % quarter, p = q / (span), o = q % (span);                           \
      const kn_line here = kn_line_of(&d, first + line);                                                           \
      (void)here;  /* not every pass needs it */                                                                   \
      if ((count % KN_ITEMS == 0 || b < count) && (WHERE)) {                                                       \
        FACTORS                                                                                                    \
        KN_UNROLL for (uint i = 0; i < (radix); ++i) {                                                             \
          KN_C x = a[t][i];                                                                                        \
          if (i > 0 && block > 1) x = kn_times(x, roots[first_root + (i - 1) * block + p]);                        \
          KEEP(o + (span) * ((radix)*p + i), x);                                                                   \
        }                                                                                                          \
      }                                                                                                            \
    }                                                                                                              \
    AFTER;                                                                                                         \
  }
#define KN_FIRST_PASS KN_PASS(KN_RADIX_0, 1, KN_SIDE_IN, KN_FROM_MEMORY, , , true, KN_TO_LOCAL, KN_BARRIER)
#define KN_MIDDLE_PASS(radix, span) \
  KN_PASS(radix, span, KN_SIDE_IN, KN_FROM_LOCAL, KN_BARRIER, , true, KN_TO_LOCAL, KN_BARRIER)
#define KN_LAST_PASS(radix) \
  KN_PASS(radix, KN_LENGTH / (radix), KN_SIDE_OUT, KN_FROM_LOCAL, , KN_TURNS(radix), here.there, KN_TO_MEMORY, )

__kernel __attribute__((reqd_work_group_size(KN_ITEMS, 1, 1))) void fft_lines(
    __global const KN_REAL* in, __global const KN_C* restrict tables, __global KN_REAL* out, __local KN_C* work,
    const kn_fft parameters) {
  const kn_fft d = parameters;
  const uint id = (uint)get_local_id(0);
  const ulong first = get_group_id(0) * (ulong)KN_EACH;
  __global const KN_C* const roots = tables + d.roots;
  in += d.in_offset;
#ifndef KN_RADIX_1
  KN_PASS(KN_RADIX_0, 1, KN_SIDE_OUT, KN_FROM_MEMORY, , KN_TURNS(KN_RADIX_0), here.there, KN_TO_MEMORY, )
#else
  KN_FIRST_PASS
#ifndef KN_RADIX_2
  KN_LAST_PASS(KN_RADIX_1)
#else
  KN_MIDDLE_PASS(KN_RADIX_1, KN_RADIX_0)
#ifndef KN_RADIX_3
  KN_LAST_PASS(KN_RADIX_2)
#else
  KN_MIDDLE_PASS(KN_RADIX_2, KN_RADIX_0 * KN_RADIX_1)
#ifndef KN_RADIX_4
  KN_LAST_PASS(KN_RADIX_3)
#else
  KN_MIDDLE_PASS(KN_RADIX_3, KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2)
#ifndef KN_RADIX_5
  KN_LAST_PASS(KN_RADIX_4)
#else
  KN_MIDDLE_PASS(KN_RADIX_4, KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2 * KN_RADIX_3)
#ifndef KN_RADIX_6
  KN_LAST_PASS(KN_RADIX_5)
#else
  KN_MIDDLE_PASS(KN_RADIX_5, KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2 * KN_RADIX_3 * KN_RADIX_4)
  KN_LAST_PASS(KN_RADIX_6)
#endif
#endif
#endif
#endif
#endif
#endif
}

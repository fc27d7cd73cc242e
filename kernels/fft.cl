// SPDX-License-Identifier: Apache-2.0
// Fourier transforms on a GPU: a group of KN_ITEMS work-items takes KN_EACH lines of KN_LENGTH elements. A pass lives in
// registers: a work-item reads the elements of its butterflies, from memory or from local memory, and writes the results
// to where the next pass finds them in order (Stockham's way, after Cochran and others, 1967). Lines that are too long for
// local memory as complex numbers go through it in halves: first all real parts, then all imaginary ones.
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
#define KN_OFFSET(line, at) KN_PAD((at) * KN_EACH + (line))
#else
#define KN_OFFSET(line, at) ((line) * KN_PITCH + KN_PAD(at))
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

// Butterfly `b` of a pass: element q of a line, and what lies a quarter of it on. A work-item takes every KN_ITEMS-th.
#define KN_QUARTER(radix) (KN_LENGTH / (radix))
#define KN_COUNT(radix) (KN_QUARTER(radix) * KN_EACH)
#define KN_ROUNDS(radix) ((KN_COUNT(radix) + KN_ITEMS - 1) / KN_ITEMS)
#define KN_BUTTERFLY(radix, side)                                                                  \
  const uint b = id + t * KN_ITEMS, line = (side) ? b % KN_EACH : b / KN_QUARTER(radix);           \
  const uint q = (side) ? b / KN_EACH : b % KN_QUARTER(radix);                                     \
  const bool some = KN_COUNT(radix) % KN_ITEMS == 0 || b < KN_COUNT(radix);
#define KN_REGISTERS(a, radix) KN_C a[KN_ROUNDS(radix)][radix];

#define KN_READ(a, radix, side, FETCH)                                                             \
  KN_UNROLL for (uint t = 0; t < KN_ROUNDS(radix); ++t) {                                          \
    KN_BUTTERFLY(radix, side)                                                                      \
    const kn_line here = kn_line_of(&d, first + line);                                             \
    (void)here; /* local memory needs none */                                                      \
    if (some) KN_UNROLL for (uint i = 0; i < (radix); ++i) FETCH(a[t][i], q + i * KN_QUARTER(radix)); \
  }
// `span` is the product of the radices before this one.
#define KN_COMPUTE(a, radix, span, side)                                                           \
  KN_UNROLL for (uint t = 0; t < KN_ROUNDS(radix); ++t) {                                          \
    enum { block = KN_QUARTER(radix) / (span), first_root = KN_LENGTH - KN_LENGTH / (span) };      \
    KN_BUTTERFLY(radix, side)                                                                      \
    (void)line; /* roots are those of every line */                                                \
    if (some) {                                                                                    \
      KN_CAT(kn_butterfly_, radix)(a[t]);                                                          \
      KN_UNROLL for (uint i = 1; i < (radix); ++i) {                                               \
        if (block > 1) a[t][i] = kn_times(a[t][i], roots[first_root + (i - 1) * block + q / (span)]); \
      }                                                                                            \
    }                                                                                              \
  }
#define KN_WRITE(a, radix, span, side, KEEP)                                                       \
  KN_UNROLL for (uint t = 0; t < KN_ROUNDS(radix); ++t) {                                          \
    KN_BUTTERFLY(radix, side)                                                                      \
    const uint p = q / (span), o = q % (span);                                                     \
    if (some) KN_UNROLL for (uint i = 0; i < (radix); ++i) KEEP(o + (span) * ((radix)*p + i), a[t][i]); \
  }

#define KN_FROM_MEMORY(into, at) into = kn_load(in, tables, &d, here, at KN_LEAD_GIVEN)
#define KN_FROM_LOCAL(into, at) into = work[KN_OFFSET(line, at)]
#define KN_TO_LOCAL(at, value) work[KN_OFFSET(line, at)] = value
#define KN_FROM_REAL(into, at) into.x = parts[KN_OFFSET(line, at)]
#define KN_TO_REAL(at, value) parts[KN_OFFSET(line, at)] = value.x
#define KN_FROM_IMAGINARY(into, at) into.y = parts[KN_OFFSET(line, at)]
#define KN_TO_IMAGINARY(at, value) parts[KN_OFFSET(line, at)] = value.y
#define KN_BARRIER barrier(CLK_LOCAL_MEM_FENCE);

// From a pass, whose results are in registers, to the elements of the next one.
#ifdef KN_SPLIT
#define KN_EXCHANGE(a, radix, span, side, next, next_radix)                                        \
  KN_WRITE(a, radix, span, side, KN_TO_REAL)                                                       \
  KN_BARRIER                                                                                       \
  KN_READ(next, next_radix, KN_SIDE_OUT, KN_FROM_REAL)                                             \
  KN_BARRIER                                                                                       \
  KN_WRITE(a, radix, span, side, KN_TO_IMAGINARY)                                                  \
  KN_BARRIER                                                                                       \
  KN_READ(next, next_radix, KN_SIDE_OUT, KN_FROM_IMAGINARY)
#else
#define KN_EXCHANGE(a, radix, span, side, next, next_radix) \
  KN_WRITE(a, radix, span, side, KN_TO_LOCAL)               \
  KN_BARRIER                                                \
  KN_READ(next, next_radix, KN_SIDE_OUT, KN_FROM_LOCAL)
#endif

// The last pass, whose results go to memory.
#ifdef KN_LAST
#define KN_STORE_ALL(a, radix)                                                                     \
  KN_UNROLL for (uint t = 0; t < KN_ROUNDS(radix); ++t) {                                          \
    KN_BUTTERFLY(radix, KN_SIDE_OUT)                                                               \
    const kn_line here = kn_line_of(&d, first + line);                                             \
    if (some && here.there) {                                                                      \
      KN_UNROLL for (uint i = 0; i < (radix); ++i)                                                 \
        kn_store(out, tables, &d, here, q + i * KN_QUARTER(radix), a[t][i] KN_PUT_GIVEN);                       \
    }                                                                                              \
  }
#else
#define KN_STORE_ALL(a, radix)                                                                     \
  KN_UNROLL for (uint t = 0; t < KN_ROUNDS(radix); ++t) {                                          \
    KN_BUTTERFLY(radix, KN_SIDE_OUT)                                                               \
    const kn_line here = kn_line_of(&d, first + line);                                             \
    if (some && here.there) {                                                                      \
      KN_C turns[(radix) + 1];                                                                     \
      kn_turns(&d, here, q, KN_QUARTER(radix), radix, turns);                                      \
      KN_UNROLL for (uint i = 0; i < (radix); ++i)                                                 \
        kn_keep(out, &d, here, q + i * KN_QUARTER(radix), kn_times(a[t][i], turns[i]));            \
    }                                                                                              \
  }
#endif

// The passes: a0 holds the elements of the first one; END takes the results of the last one.
#ifndef KN_RADIX_1
#define KN_SIDE_FIRST KN_SIDE_OUT
#define KN_PASSES_0(END) KN_COMPUTE(a0, KN_RADIX_0, 1, KN_SIDE_FIRST) END(a0, KN_RADIX_0)
#else
#define KN_SIDE_FIRST KN_SIDE_IN
#define KN_PASSES_0(END) \
  KN_COMPUTE(a0, KN_RADIX_0, 1, KN_SIDE_FIRST) \
  KN_REGISTERS(a1, KN_RADIX_1) \
  KN_EXCHANGE(a0, KN_RADIX_0, 1, KN_SIDE_FIRST, a1, KN_RADIX_1) \
  KN_PASSES_1(END)
#ifndef KN_RADIX_2
#define KN_PASSES_1(END) KN_COMPUTE(a1, KN_RADIX_1, (KN_RADIX_0), KN_SIDE_OUT) END(a1, KN_RADIX_1)
#else
#define KN_PASSES_1(END) \
  KN_COMPUTE(a1, KN_RADIX_1, (KN_RADIX_0), KN_SIDE_OUT) \
  KN_REGISTERS(a2, KN_RADIX_2) \
  KN_BARRIER \
  KN_EXCHANGE(a1, KN_RADIX_1, (KN_RADIX_0), KN_SIDE_OUT, a2, KN_RADIX_2) \
  KN_PASSES_2(END)
#ifndef KN_RADIX_3
#define KN_PASSES_2(END) KN_COMPUTE(a2, KN_RADIX_2, (KN_RADIX_0 * KN_RADIX_1), KN_SIDE_OUT) END(a2, KN_RADIX_2)
#else
#define KN_PASSES_2(END) \
  KN_COMPUTE(a2, KN_RADIX_2, (KN_RADIX_0 * KN_RADIX_1), KN_SIDE_OUT) \
  KN_REGISTERS(a3, KN_RADIX_3) \
  KN_BARRIER \
  KN_EXCHANGE(a2, KN_RADIX_2, (KN_RADIX_0 * KN_RADIX_1), KN_SIDE_OUT, a3, KN_RADIX_3) \
  KN_PASSES_3(END)
#ifndef KN_RADIX_4
#define KN_PASSES_3(END) KN_COMPUTE(a3, KN_RADIX_3, (KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2), KN_SIDE_OUT) END(a3, KN_RADIX_3)
#else
#define KN_PASSES_3(END) \
  KN_COMPUTE(a3, KN_RADIX_3, (KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2), KN_SIDE_OUT) \
  KN_REGISTERS(a4, KN_RADIX_4) \
  KN_BARRIER \
  KN_EXCHANGE(a3, KN_RADIX_3, (KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2), KN_SIDE_OUT, a4, KN_RADIX_4) \
  KN_PASSES_4(END)
#ifndef KN_RADIX_5
#define KN_PASSES_4(END) KN_COMPUTE(a4, KN_RADIX_4, (KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2 * KN_RADIX_3), KN_SIDE_OUT) END(a4, KN_RADIX_4)
#else
#define KN_PASSES_4(END) \
  KN_COMPUTE(a4, KN_RADIX_4, (KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2 * KN_RADIX_3), KN_SIDE_OUT) \
  KN_REGISTERS(a5, KN_RADIX_5) \
  KN_BARRIER \
  KN_EXCHANGE(a4, KN_RADIX_4, (KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2 * KN_RADIX_3), KN_SIDE_OUT, a5, KN_RADIX_5) \
  KN_PASSES_5(END)
#ifndef KN_RADIX_6
#define KN_PASSES_5(END) KN_COMPUTE(a5, KN_RADIX_5, (KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2 * KN_RADIX_3 * KN_RADIX_4), KN_SIDE_OUT) END(a5, KN_RADIX_5)
#else
#define KN_PASSES_5(END) \
  KN_COMPUTE(a5, KN_RADIX_5, (KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2 * KN_RADIX_3 * KN_RADIX_4), KN_SIDE_OUT) \
  KN_REGISTERS(a6, KN_RADIX_6) \
  KN_BARRIER \
  KN_EXCHANGE(a5, KN_RADIX_5, (KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2 * KN_RADIX_3 * KN_RADIX_4), KN_SIDE_OUT, a6, KN_RADIX_6) \
  KN_PASSES_6(END)
#define KN_PASSES_6(END) KN_COMPUTE(a6, KN_RADIX_6, (KN_RADIX_0 * KN_RADIX_1 * KN_RADIX_2 * KN_RADIX_3 * KN_RADIX_4 * KN_RADIX_5), KN_SIDE_OUT) END(a6, KN_RADIX_6)
#endif
#endif
#endif
#endif
#endif
#endif

// A convolution: results times the filter are what the second transform, an inverse one, begins with.
#define KN_FILTER_ALL(a, radix)                                                                    \
  KN_UNROLL for (uint t = 0; t < KN_ROUNDS(radix); ++t) {                                          \
    KN_BUTTERFLY(radix, KN_SIDE_OUT)                                                               \
    if (some) {                                                                                    \
      KN_UNROLL for (uint i = 0; i < (radix); ++i)                                                 \
        a[t][i] = kn_times(a[t][i], tables[d.filter + q + i * KN_QUARTER(radix)]).yx;              \
    }                                                                                              \
  }                                                                                                \
  KN_BARRIER                                                                                       \
  KN_EXCHANGE(a, radix, KN_QUARTER(radix), KN_SIDE_OUT, a0, KN_RADIX_0)                            \
  KN_BARRIER

// NVIDIA's compiler keeps to a number of registers only where it is not told how large groups are.
#ifdef KN_FEW_REGISTERS
#define KN_GROUP_OF_LINES
#else
#define KN_GROUP_OF_LINES __attribute__((reqd_work_group_size(KN_ITEMS, 1, 1)))
#endif
__kernel KN_GROUP_OF_LINES void fft_lines(
    __global const KN_REAL* in, __global const KN_C* restrict tables, __global KN_OUT* out, __local KN_C* work,
    const kn_fft parameters KN_LEAD_TAKEN KN_PUT_TAKEN) {
  kn_fft d = parameters;
  // What is known of them here, for the compiler, which then leaves out what comes to nothing.
  d.n = KN_LENGTH;
#ifndef KN_COLUMN
  d.stride = d.inner = d.after = 1;
#endif
#ifdef KN_SWAP
  d.swap_in = d.swap_out = KN_SWAP;
  d.swap_after = 0;
#endif
#ifdef KN_FIRST
  d.before = d.turned = 1;
#else
  d.swap_in = 0;
#endif
#ifdef KN_LAST
  d.last = 1;
#else
  d.last = 0;
#endif
#ifdef KN_UNSCALED
  d.scale = 1;
#endif
  const uint id = (uint)get_local_id(0);
  const ulong first = get_group_id(0) * (ulong)KN_EACH;
  __global const KN_C* const roots = tables + d.roots;
  __local KN_REAL* const parts = (__local KN_REAL*)work;
  (void)parts;  // of lines that are not split
  in += d.in_offset;
  KN_REGISTERS(a0, KN_RADIX_0)
  KN_READ(a0, KN_RADIX_0, KN_SIDE_FIRST, KN_FROM_MEMORY)
#ifdef KN_CONVOLVED
  { KN_PASSES_0(KN_FILTER_ALL) }
#endif
  { KN_PASSES_0(KN_STORE_ALL) }
}

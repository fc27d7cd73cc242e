// SPDX-License-Identifier: Apache-2.0
// Where numbers belong in a sorted list: for each the number of elements of the list that stand before it, by
// bisection.
//
// Numbers are compared by their keys (common/sort.clh): NaN come last, both zeros are equal. On a CPU a work-item takes
// a run of the numbers, on a GPU neighbouring work-items take neighbouring ones.

#define KN_WANTED 1
#include "common/sort.clh"

// KN_LONG: a list of 2^32 elements and more.
#ifdef KN_LONG
#define KN_PLACE ulong
#define KN_PLACES ulong8
#define KN_WHERE(mask) as_ulong8(convert_long8(mask))
#else
#define KN_PLACE uint
#define KN_PLACES uint8
#define KN_WHERE(mask) as_uint8(convert_int8(mask))
#endif

typedef struct {
  ulong list_offset, sought_offset;
  ulong count, searches;
  uint after;  // whether equal elements count, too
} kn_search;

// As many steps whatever the values: the half that is kept counts as the larger one always.
#define KN_FOR_HALVES \
  for (KN_PLACE left = (KN_PLACE)d.count, half_left; half_left = left - left / 2, left > 0; left /= 2)

#ifdef KN_CPU
// As each step waits for loads, a CPU searches for so many numbers at a time, in vectors, whose comparisons branch under
// no compiler.
#define KN_AT_ONCE 32
#if KN_BITS == 8
#define KN_KEYS uchar8
#elif KN_BITS == 16
#define KN_KEYS ushort8
#elif KN_BITS == 32
#define KN_KEYS uint8
#else
#define KN_KEYS ulong8
#endif
static inline KN_KEYS kn_keys(KN_KEYS bits, KN_KEY flip) { KN_KEY_OF_BITS(KN_KEYS) }

#define KN_KEYS_AT(p) (KN_KEYS)(at[p.s0], at[p.s1], at[p.s2], at[p.s3], at[p.s4], at[p.s5], at[p.s6], at[p.s7])
#define KN_STEP(k) low##k += KN_WHERE(kn_keys(KN_KEYS_AT(low##k), 0) <= last##k) & half_left;

__kernel void searchsorted(__global const KN_KEY* list, __global const KN_KEY* sought, __global long* out,
                           const kn_search parameters) {
  const kn_search d = parameters;  // in registers, whatever is written meanwhile
  list += d.list_offset;
  sought += d.sought_offset;
  const ulong per_item = (d.searches + get_global_size(0) - 1) / get_global_size(0);
  const ulong first = get_global_id(0) * per_item, end = min(first + per_item, d.searches);
  for (ulong i = first; i < end; i += KN_AT_ONCE) {
    const uint here = (uint)min(end - i, (ulong)KN_AT_ONCE);
    // The last key that stands before each number; before the lowest of all there is none.
    KN_KEY last[KN_AT_ONCE];
    KN_PLACE found[KN_AT_ONCE];
    for (uint k = 0; k < KN_AT_ONCE; ++k) last[k] = kn_key(sought[i + min(k, here - 1)], 0) - (d.after == 0);
    const KN_KEYS last0 = vload8(0, last), last1 = vload8(1, last), last2 = vload8(2, last), last3 = vload8(3, last);
    KN_PLACES low0 = 0, low1 = 0, low2 = 0, low3 = 0;
    KN_FOR_HALVES {
      __global const KN_KEY* const at = list + half_left - 1;
      KN_STEP(0) KN_STEP(1) KN_STEP(2) KN_STEP(3)
    }
    vstore8(low0, 0, found), vstore8(low1, 1, found), vstore8(low2, 2, found), vstore8(low3, 3, found);
    for (uint k = 0; k < here; ++k) {
      const bool none = d.after == 0 && last[k] == (KN_KEY)~(KN_KEY)0;
      out[i + k] = none ? 0 : (long)found[k];
    }
  }
}
#else
__kernel void searchsorted(__global const KN_KEY* list, __global const KN_KEY* sought, __global long* out,
                           const kn_search d) {
  list += d.list_offset;
  sought += d.sought_offset;
  for (ulong i = get_global_id(0); i < d.searches; i += get_global_size(0)) {
    const KN_KEY key = kn_key(sought[i], 0);
    KN_PLACE low = 0;
    KN_FOR_HALVES {
      const KN_KEY middle = kn_key(list[low + half_left - 1], 0);
      low += (d.after != 0 ? middle <= key : middle < key) ? half_left : 0;
    }
    out[i] = (long)low;
  }
}
#endif

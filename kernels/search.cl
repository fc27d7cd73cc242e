// SPDX-License-Identifier: Apache-2.0
// Where numbers belong in a sorted list: for each the number of elements of the list that stand before it, by
// bisection.
//
// Numbers are compared by their keys (common/sort.clh): NaN come last, both zeros are equal. On a CPU a work-item takes
// a run of the numbers, on a GPU neighbouring work-items take neighbouring ones.

#define KN_WANTED 1
#include "common/sort.clh"

// As many steps whatever the values, so that a CPU foresees every branch: the half that is kept counts as the larger one
// always. A CPU searches for several numbers at a time, as each step waits for a load.
#ifdef KN_CPU
#define KN_AT_ONCE 8
#else
#define KN_AT_ONCE 1
#endif

typedef struct {
  ulong list_offset, sought_offset;
  ulong count, searches;
  uint after;  // whether equal elements count, too
} kn_search;

__kernel void searchsorted(__global const KN_KEY* list, __global const KN_KEY* sought, __global long* out,
                           const kn_search parameters) {
  const kn_search d = parameters;  // in registers, whatever is written meanwhile
  list += d.list_offset;
  sought += d.sought_offset;
#ifdef KN_CPU
  const ulong per_item = (d.searches + get_global_size(0) - 1) / get_global_size(0);
  const ulong first = get_global_id(0) * per_item, last = min(first + per_item, d.searches), step = KN_AT_ONCE;
#else
  const ulong first = get_global_id(0), last = d.searches, step = get_global_size(0);
#endif
  for (ulong i = first; i < last; i += step) {
    KN_KEY key[KN_AT_ONCE];
    ulong low[KN_AT_ONCE];
    for (uint k = 0; k < KN_AT_ONCE; ++k) {
      key[k] = kn_key(sought[min(i + k, last - 1)], 0);
      low[k] = 0;
    }
    for (ulong left = d.count; left > 0; left /= 2) {
      const ulong half_left = left - left / 2;
      for (uint k = 0; k < KN_AT_ONCE; ++k) {
        const KN_KEY middle = kn_key(list[low[k] + half_left - 1], 0);
        low[k] += (d.after != 0 ? middle <= key[k] : middle < key[k]) ? half_left : 0;
      }
    }
    for (uint k = 0; k < KN_AT_ONCE && i + k < last; ++k) out[i + k] = (long)low[k];
  }
}

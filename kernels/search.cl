// SPDX-License-Identifier: Apache-2.0
// Where numbers belong in a sorted list: for each the number of elements of the list that stand before it, by
// bisection.
//
// Numbers are compared by their keys (common/sort.clh): NaN come last, both zeros are equal. On a CPU a work-item takes
// a run of the numbers, on a GPU neighbouring work-items take neighbouring ones.

#define KN_WANTED 1
#include "common/sort.clh"

// `after` counts equal elements too.
__kernel void koine(__global const KN_KEY* list, __global const KN_KEY* wanted, __global long* out,
                    const ulong list_offset, const ulong wanted_offset, const ulong count, const ulong searches,
                    const uint after) {
  list += list_offset;
  wanted += wanted_offset;
#ifdef KN_CPU
  const ulong per_item = (searches + get_global_size(0) - 1) / get_global_size(0);
  const ulong first = get_global_id(0) * per_item, last = min(first + per_item, searches), step = 1;
#else
  const ulong first = get_global_id(0), last = searches, step = get_global_size(0);
#endif
  for (ulong i = first; i < last; i += step) {
    const KN_KEY key = kn_key(wanted[i], 0);
    ulong low = 0, left = count;
    while (left > 0) {
      const ulong half_left = left / 2;
      const KN_KEY middle = kn_key(list[low + half_left], 0);
      const bool beyond = after != 0 ? middle <= key : middle < key;
      low = beyond ? low + half_left + 1 : low;
      left = beyond ? left - half_left - 1 : half_left;
    }
    out[i] = (long)low;
  }
}

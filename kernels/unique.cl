// SPDX-License-Identifier: Apache-2.0
// The distinct elements of a few, in order, by one work-group of a GPU: they are sorted in local memory, the first of each
// group of equal ones is found, and what is wanted of the groups is put out without gaps. NaN equals nothing, zeros of
// both signs are equal.
//
//   KN_WITH_POSITIONS  in KN_WANTED: where each group's first element was
//   KN_INVERSE         the number of each element's group, from 0 on
//   KN_COUNTS          how many elements each group has
//
// With KN_POSITIONED equal elements keep their order; without it -0.0 comes before 0.0.

#include "common/sort.clh"

typedef struct {
  ulong offset, elements;  // of `values`
} kn_unique;

// Whether two neighbours in order are equal.
static inline bool kn_same(KN_KEY a, KN_KEY b) {
#if KN_KIND == KN_REAL && defined(KN_POSITIONED)
  return a == b && a != (KN_KEY) ~(KN_KEY)0;
#elif KN_KIND == KN_REAL
  const KN_KEY one = kn_value(a, 0), other = kn_value(b, 0), sizes = (one | other) & (KN_KEY)(KN_TOP - 1);
  return sizes == 0 || (one == other && sizes <= KN_INFINITY);
#else
  return a == b;
#endif
}

#if KN_WANTED & KN_WITH_POSITIONS
#define KN_POSITIONS_OUT , __global long* positions
#else
#define KN_POSITIONS_OUT
#endif
#ifdef KN_INVERSE
#define KN_INVERSE_OUT , __global long* inverse
#else
#define KN_INVERSE_OUT
#endif
#ifdef KN_COUNTS
#define KN_COUNTS_OUT , __global long* counts
#else
#define KN_COUNTS_OUT
#endif

// `groups`: how many there are.
__kernel void unique(__global const KN_KEY* values, __global long* groups, __global KN_KEY* distinct KN_POSITIONS_OUT
                         KN_INVERSE_OUT KN_COUNTS_OUT, const kn_unique d) {
  values += d.offset;
  const uint id = (uint)get_local_id(0), size = (uint)d.elements;
  __local KN_KEY keys[KN_STAGED];
  __local ushort places[KN_STAGED];
  __local ushort counters[KN_COUNTERS];  // then where groups begin
  __local uint sums[KN_GROUP];
  for (uint k = id; k < KN_TILE; k += KN_GROUP) {
    keys[KN_STAGED_AT(k)] = k < size ? kn_key(values[k], 0) : (KN_KEY) ~(KN_KEY)0;
    places[KN_STAGED_AT(k)] = (ushort)k;
  }
  kn_sort_tile(keys, places, counters, sums, size, size, 0);
  const uint first = id * KN_EACH, last = min(first + KN_EACH, size);
  uint begin = 0;  // of the work-item's elements
  for (uint k = first; k < last; ++k) {
    begin += k == 0 || !kn_same(keys[KN_STAGED_AT(k - 1)], keys[KN_STAGED_AT(k)]) ? 1 : 0;
  }
  kn_sum_up(sums, begin);
  const uint all = sums[KN_GROUP - 1];
  uint group = sums[id] - begin;  // the number of the next one
  for (uint k = first; k < last; ++k) {
    const KN_KEY key = keys[KN_STAGED_AT(k)];
    const uint place = places[KN_STAGED_AT(k)];
    if (k == 0 || !kn_same(keys[KN_STAGED_AT(k - 1)], key)) {
      distinct[group] = KN_SHARED(key, 0) ? values[place] : kn_value(key, 0);
#if KN_WANTED & KN_WITH_POSITIONS
      positions[group] = place;
#endif
      counters[group++] = (ushort)k;
    }
#ifdef KN_INVERSE
    inverse[place] = group - 1;
#endif
  }
  if (id == 0) {
    *groups = all;
    counters[all] = (ushort)size;
  }
#ifdef KN_COUNTS
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = id; k < all; k += KN_GROUP) counts[k] = counters[k + 1] - counters[k];
#endif
}

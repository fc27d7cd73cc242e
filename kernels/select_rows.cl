// SPDX-License-Identifier: Apache-2.0
// What stands at given ranks of many rows, and the first of each row: a group of a GPU, or a work-item of a CPU, takes a
// whole row, and finds a key digit by digit, from the highest on.
//
//   select_rows  the elements at the ranks
//   topk_rows    the first k, and their positions, in the order of the positions

#include "common/sort.clh"
#include "common/lanes.clh"
#ifdef KN_POSITIONED
#include "common/first.clh"
#endif

typedef struct {
  ulong count, rows, offset, flip;  // elements of a row; rows; of `values`
  ulong rows_each;                  // of a work-item of a CPU
  ulong k;
  ulong ranks[8];
  uint jobs;
} kn_select_rows;

// The key at `rank` of a row, which becomes its rank among equal keys.
#ifdef KN_CPU
static inline KN_KEY kn_key_at(__global const KN_KEY* row, ulong count, KN_KEY flip, uint* rank) {
  uint left = *rank;
  KN_KEY prefix = 0, mask = 0;
  for (int shift = KN_BITS - 8; shift >= 0; shift -= 8) {
    uint counters[KN_DIGITS];
    for (uint digit = 0; digit < KN_DIGITS; ++digit) counters[digit] = 0;
    for (ulong i = 0; i < count; ++i) {
      const KN_KEY key = kn_key(row[i], flip);
      counters[KN_DIGIT(key, shift)] += (key & mask) == prefix;
    }
    uint digit = 0;
    for (; left >= counters[digit]; ++digit) left -= counters[digit];
    prefix |= (KN_KEY)((KN_KEY)digit << shift);
    mask |= (KN_KEY)((KN_KEY)255 << shift);
  }
  *rank = left;
  return prefix;
}
#else
static inline KN_KEY kn_key_at(__global const KN_KEY* row, uint count, KN_KEY flip, uint* rank, __local uint* counters,
                               __local uint* sums, __local uint* found) {
  const uint id = (uint)get_local_id(0);
  uint left = *rank;
  KN_KEY prefix = 0, mask = 0;
  for (int shift = KN_BITS - 8; shift >= 0; shift -= 8) {
    counters[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < count; i += KN_GROUP) {
      const KN_KEY key = kn_key(row[i], flip);
      if ((key & mask) == prefix) atomic_inc(counters + KN_DIGIT(key, shift));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint before = kn_sum_before(counters[id], sums);
    if (left >= before && left - before < counters[id]) {
      found[0] = id;
      found[1] = left - before;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    prefix |= (KN_KEY)((KN_KEY)found[0] << shift);
    mask |= (KN_KEY)((KN_KEY)255 << shift);
    left = found[1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  *rank = left;
  return prefix;
}
#endif

__kernel void select_rows(__global const KN_KEY* values, __global KN_KEY* out, const kn_select_rows d) {
  const KN_KEY flip = (KN_KEY)d.flip;
  values += d.offset;
#ifdef KN_CPU
  const ulong first = get_global_id(0) * d.rows_each, last = min(first + d.rows_each, d.rows);
  for (ulong row = first; row < last; ++row) {
    for (uint j = 0; j < d.jobs; ++j) {
      uint rank = (uint)d.ranks[j];
      out[row * d.jobs + j] = kn_value(kn_key_at(values + row * d.count, d.count, flip, &rank), flip);
    }
  }
#else
  __local uint counters[KN_DIGITS], sums[KN_GROUP], found[2];
  const ulong row = get_group_id(0);
  for (uint j = 0; j < d.jobs; ++j) {
    uint rank = (uint)d.ranks[j];
    const KN_KEY key = kn_key_at(values + row * d.count, (uint)d.count, flip, &rank, counters, sums, found);
    if (get_local_id(0) == 0) out[row * d.jobs + j] = kn_value(key, flip);
  }
#endif
}

#ifdef KN_POSITIONED
__kernel void topk_rows(__global const KN_KEY* values, __global KN_KEY* chosen, __global long* positions,
                        const kn_select_rows d) {
  const KN_KEY flip = (KN_KEY)d.flip;
  values += d.offset;
#ifdef KN_CPU
  const ulong first = get_global_id(0) * d.rows_each, last = min(first + d.rows_each, d.rows);
  for (ulong row = first; row < last; ++row) {
    __global const KN_KEY* const from = values + row * d.count;
    uint rank = (uint)d.k - 1;
    const KN_KEY key = kn_key_at(from, d.count, flip, &rank);
    kn_put_first(from, 0, d.count, flip, key, rank + 1, 0, 0, chosen + row * d.k, positions + row * d.k);
  }
#else
  __local uint counters[KN_DIGITS], sums[KN_GROUP], found[2];
  const ulong row = get_group_id(0);
  __global const KN_KEY* const from = values + row * d.count;
  uint rank = (uint)d.k - 1;
  const KN_KEY key = kn_key_at(from, (uint)d.count, flip, &rank, counters, sums, found);
  kn_put_first(from, 0, d.count, flip, key, rank + 1, 0, 0, chosen + row * d.k, positions + row * d.k, sums, found);
#endif
}
#endif

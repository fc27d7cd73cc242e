// SPDX-License-Identifier: Apache-2.0
// A stable sort of many rows, or of short ones, in one kernel.
//
// On a CPU a work-item takes whole rows one after another; on a GPU a group takes a tile of as many rows as fit and
// sorts it by key and then, as long as it is stable, by row.

#include "common/sort.clh"

typedef struct {
  ulong count, rows, offset;  // elements of a row; rows; of `values`
  ulong flip;
  ulong rows_each;  // of a work-item (CPU) or of a tile (GPU)
  ulong row_bits;   // that number the rows of a tile (GPU)
} kn_sort_rows;

#ifdef KN_CPU
// Rows up to this length are sorted by comparing all with all, a vector at a time, ...
#define KN_FEWEST 16
// ... and up to this one by insertion.
#define KN_FEW 48

#define KN_PASSES (KN_BITS / 8)

// `scratch` has room for two rows of each work-item.
__kernel void sort_rows(__global const KN_KEY* values, __global KN_KEY* sorted, __global ulong* positions,
                        __global KN_ITEM* scratch, const kn_sort_rows parameters) {
  const kn_sort_rows d = parameters;
  values += d.offset;
  const KN_KEY flip = (KN_KEY)d.flip;
  const ulong first = get_global_id(0) * d.rows_each, last = min(first + d.rows_each, d.rows);
  __global KN_ITEM* const here = scratch + get_global_id(0) * 2 * d.count;
  for (ulong row = first; row < last; ++row) {
    const ulong base = row * d.count;
    if (d.count <= KN_FEWEST) {
      KN_ITEM items[KN_FEWEST];
      uint ranks[KN_FEWEST];
      for (uint i = 0; i < KN_FEWEST; ++i) {
        items[i] = i < (uint)d.count ? KN_MAKE_ITEM(kn_key(values[base + i], flip), i) : KN_NO_ITEM;
        ranks[i] = 0;
      }
      for (uint j = 0; j < (uint)d.count; ++j) {
        const KN_ITEM item = items[j];
        for (uint i = 0; i < KN_FEWEST; ++i) {
          ranks[i] += (uint)KN_ABOVE(items[i], item) | ((uint)(j < i) & (uint)!KN_ABOVE(item, items[i]));
        }
      }
      for (uint i = 0; i < (uint)d.count; ++i) {
        KN_PUT(values + base, base + ranks[i], KN_KEY_OF(items[i]), KN_POSITION_OF(items[i]));
      }
      continue;
    }
    if (d.count <= KN_FEW) {
      KN_ITEM items[KN_FEW];
      for (uint i = 0; i < (uint)d.count; ++i) {
        const KN_ITEM item = KN_MAKE_ITEM(kn_key(values[base + i], flip), i);
        uint at = i;
        for (; at > 0 && KN_ABOVE(items[at - 1], item); --at) items[at] = items[at - 1];
        items[at] = item;
      }
      for (uint i = 0; i < (uint)d.count; ++i) {
        KN_PUT(values + base, base + i, KN_KEY_OF(items[i]), KN_POSITION_OF(items[i]));
      }
      continue;
    }
    KN_COUNT counters[KN_PASSES][KN_DIGITS];
    for (uint pass = 0; pass < KN_PASSES; ++pass) {
      for (uint digit = 0; digit < KN_DIGITS; ++digit) counters[pass][digit] = 0;
    }
    __global KN_ITEM *from = here, *to = here + d.count;
    for (ulong i = 0; i < d.count; ++i) {
      const KN_KEY key = kn_key(values[base + i], flip);
      from[i] = KN_MAKE_ITEM(key, i);
      for (uint pass = 0; pass < KN_PASSES; ++pass) ++counters[pass][KN_DIGIT(key, 8 * pass)];
    }
    for (uint pass = 0; pass < KN_PASSES; ++pass) {
      // A digit that all have in common leaves all where they are.
      if (counters[pass][KN_DIGIT(KN_KEY_OF(from[0]), 8 * pass)] == d.count) continue;
      KN_COUNT sum = 0;
      for (uint digit = 0; digit < KN_DIGITS; ++digit) {
        const KN_COUNT number = counters[pass][digit];
        counters[pass][digit] = sum;
        sum += number;
      }
      for (ulong i = 0; i < d.count; ++i) {
        const KN_ITEM item = from[i];
        to[counters[pass][KN_DIGIT(KN_KEY_OF(item), 8 * pass)]++] = item;
      }
      __global KN_ITEM* const moved = to;
      to = from;
      from = moved;
    }
    for (ulong i = 0; i < d.count; ++i) KN_PUT(values + base, base + i, KN_KEY_OF(from[i]), KN_POSITION_OF(from[i]));
  }
}
#else
// An element of a tile is a key and its position there, which also says the row.
__kernel void sort_rows(__global const KN_KEY* values, __global KN_KEY* sorted, __global ulong* positions,
                        const kn_sort_rows parameters) {
  const kn_sort_rows d = parameters;
  values += d.offset;
  const KN_KEY flip = (KN_KEY)d.flip;
  const uint id = (uint)get_local_id(0), count = (uint)d.count;
  const ulong first = get_group_id(0) * d.rows_each, base = first * d.count;
  const uint size = (uint)min(d.rows_each, d.rows - first) * count;
  __local KN_KEY staged_keys[KN_STAGED];
  __local ushort staged_positions[KN_STAGED];
  __local ushort counters[KN_COUNTERS];
  __local uint sums[KN_GROUP];
  for (uint k = id; k < KN_TILE; k += KN_GROUP) {
    staged_keys[KN_STAGED_AT(k)] = k < size ? kn_key(values[base + k], flip) : (KN_KEY) ~(KN_KEY)0;
    staged_positions[KN_STAGED_AT(k)] = (ushort)k;
  }
  kn_sort_tile(staged_keys, staged_positions, counters, sums, size, count, (uint)d.row_bits);
  for (uint k = id; k < size; k += KN_GROUP) {
    const uint row = k / count * count;
    KN_PUT(values + base + row, base + k, staged_keys[KN_STAGED_AT(k)], staged_positions[KN_STAGED_AT(k)] - row);
  }
}
#endif

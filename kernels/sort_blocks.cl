// SPDX-License-Identifier: Apache-2.0
// A stable sort of long rows by one digit of their keys: `count` counts each digit in each block of a row, and once
// those counts have been summed up, digit by digit and block by block, `scatter` moves each element to its position.
//
// The first pass reads elements and makes items of them, the last makes results of items. On a CPU a work-item takes a
// block; on a GPU a block is a tile, which a group sorts by the digit in local memory, so that neighbours write
// neighbours.

#include "common/sort.clh"

typedef struct {
  ulong count, blocks, per_block, offset;  // elements of a row, blocks of a row, elements of a block; of `values`
  ulong flip;
  uint shift, first, last;
} kn_sort_pass;

#define KN_TAKE(i) (d.first ? KN_MAKE_ITEM(kn_key(values[base + (i)], (KN_KEY)d.flip), (i)) : from[base + (i)])
#define KN_TAKE_KEY(i) (d.first ? kn_key(values[base + (i)], (KN_KEY)d.flip) : KN_KEY_OF(from[base + (i)]))

__kernel void sort_count(__global const KN_KEY* values, __global const KN_ITEM* from, __global KN_COUNT* table,
                         const kn_sort_pass pass) {
  const kn_sort_pass d = pass;  // in registers, whatever is written meanwhile
  values += d.offset;
#ifdef KN_CPU
  const ulong unit = get_global_id(0);
#else
  const ulong unit = get_group_id(0);
#endif
  const ulong row = unit / d.blocks, block = unit - row * d.blocks, base = row * d.count;
  const ulong begin = block * d.per_block, end = min(begin + d.per_block, d.count);
#ifdef KN_CPU
  // Four sets of counters: neighbours are often equal, and would wait for each other.
  KN_COUNT counters[4][KN_DIGITS];
  for (uint digit = 0; digit < KN_DIGITS; ++digit) {
    counters[0][digit] = counters[1][digit] = counters[2][digit] = counters[3][digit] = 0;
  }
  ulong i = begin;
  for (; i + 4 <= end; i += 4) {
    for (uint k = 0; k < 4; ++k) ++counters[k][KN_DIGIT(KN_TAKE_KEY(i + k), d.shift)];
  }
  for (; i < end; ++i) ++counters[0][KN_DIGIT(KN_TAKE_KEY(i), d.shift)];
  for (uint digit = 0; digit < KN_DIGITS; ++digit) {
    table[(row * KN_DIGITS + digit) * d.blocks + block] =
        counters[0][digit] + counters[1][digit] + counters[2][digit] + counters[3][digit];
  }
#else
  const uint id = (uint)get_local_id(0);
  __local uint counters[KN_DIGITS];
  counters[id] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (ulong i = begin + id; i < end; i += KN_GROUP) atomic_inc(counters + KN_DIGIT(KN_TAKE_KEY(i), d.shift));
  barrier(CLK_LOCAL_MEM_FENCE);
  table[(row * KN_DIGITS + id) * d.blocks + block] = counters[id];
#endif
}

// Where the elements of `digit` in a block begin, of `table` with the inclusive running sum of each row's counts.
static inline KN_COUNT kn_begin(__global const KN_COUNT* table, ulong row, uint digit, ulong block, ulong blocks) {
  const ulong at = (ulong)digit * blocks + block;
  return at == 0 ? 0 : table[row * KN_DIGITS * blocks + at - 1];
}

__kernel void sort_scatter(__global const KN_KEY* values, __global const KN_ITEM* from, __global KN_ITEM* to,
                           __global KN_KEY* sorted, __global ulong* positions, __global const KN_COUNT* table,
                           const kn_sort_pass pass) {
  const kn_sort_pass d = pass;  // in registers, whatever is written meanwhile
  values += d.offset;
#ifdef KN_CPU
  const ulong unit = get_global_id(0);
#else
  const ulong unit = get_group_id(0);
#endif
  const ulong row = unit / d.blocks, block = unit - row * d.blocks, base = row * d.count;
  const ulong begin = block * d.per_block, end = min(begin + d.per_block, d.count);
#ifdef KN_CPU
  ulong next[KN_DIGITS];
  for (uint digit = 0; digit < KN_DIGITS; ++digit) next[digit] = base + kn_begin(table, row, digit, block, d.blocks);
  for (ulong i = begin; i < end; ++i) {
    const KN_ITEM item = KN_TAKE(i);
    const ulong at = next[KN_DIGIT(KN_KEY_OF(item), d.shift)]++;
    if (d.last) {
      KN_PUT(values + base, at, KN_KEY_OF(item), KN_POSITION_OF(item));
    } else {
      to[at] = item;
    }
  }
#else
  const uint id = (uint)get_local_id(0);
  __local KN_ITEM staged[KN_STAGED];
  __local ushort counters[KN_COUNTERS];
  __local uint sums[KN_GROUP];
  __local ushort starts[KN_DIGITS];
  __local KN_COUNT begins[KN_DIGITS];
  begins[id] = kn_begin(table, row, id, block, d.blocks);
  const uint size = (uint)(end - begin);
  // What is missing in the last tile has the largest key and so ends up behind all that is there.
  for (uint k = id; k < KN_TILE; k += KN_GROUP) staged[KN_STAGED_AT(k)] = k < size ? KN_TAKE(begin + k) : KN_NO_ITEM;
  barrier(CLK_LOCAL_MEM_FENCE);
  KN_ITEM items[KN_EACH];
  uint digits[KN_EACH], ranks[KN_EACH];
  for (uint half_digit = 0; half_digit < 8; half_digit += 4) {
#pragma unroll
    for (uint k = 0; k < KN_EACH; ++k) {
      items[k] = staged[KN_STAGED_AT(id * KN_EACH + k)];
      digits[k] = KN_DIGIT(KN_KEY_OF(items[k]), d.shift) >> half_digit & 15u;
    }
    kn_rank(digits, ranks, counters, sums);
#pragma unroll
    for (uint k = 0; k < KN_EACH; ++k) staged[KN_STAGED_AT(ranks[k])] = items[k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint k = id; k < size; k += KN_GROUP) {
    const uint digit = KN_DIGIT(KN_KEY_OF(staged[KN_STAGED_AT(k)]), d.shift);
    if (k == 0 || KN_DIGIT(KN_KEY_OF(staged[KN_STAGED_AT(k - 1)]), d.shift) != digit) starts[digit] = (ushort)k;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = id; k < size; k += KN_GROUP) {
    const KN_ITEM item = staged[KN_STAGED_AT(k)];
    const uint digit = KN_DIGIT(KN_KEY_OF(item), d.shift);
    const ulong at = base + begins[digit] + (k - starts[digit]);
    if (d.last) {
      KN_PUT(values + base, at, KN_KEY_OF(item), KN_POSITION_OF(item));
    } else {
      to[at] = item;
    }
  }
#endif
}

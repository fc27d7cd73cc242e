// SPDX-License-Identifier: Apache-2.0
// The elements of long rows whose keys are below a row's limit, and the first of those that equal it, as many as it
// takes to be k, with their positions and in the order of these: `topk_count` counts both in each block, and `topk_write`
// puts out those of blocks that have any.

#ifndef KN_POSITIONED
#define KN_POSITIONED
#endif
#include "common/sort.clh"
#include "common/lanes.clh"
#include "common/first.clh"

typedef struct {
  ulong count, offset, flip;  // elements of a row; of `values`
  ulong blocks, per_block;    // of a row
  ulong k;
} kn_topk;

__kernel void topk_count(__global const KN_KEY* values, __global const KN_KEY* limits, __global uint* table,
                         const kn_topk d) {
  const KN_KEY flip = (KN_KEY)d.flip;
#ifdef KN_CPU
  const ulong unit = get_global_id(0), row = unit / d.blocks, block = unit - row * d.blocks;
#else
  const ulong unit = get_group_id(0), row = unit / d.blocks, block = unit - row * d.blocks;
#endif
  const KN_KEY limit = limits[row];
  const ulong begin = min(block * d.per_block, d.count), end = min(begin + d.per_block, d.count);
  values += d.offset + row * d.count;
#ifdef KN_CPU
  uint below = 0, equal = 0;
  for (ulong i = begin; i < end; ++i) {
    const KN_KEY key = kn_key(values[i], flip);
    below += key < limit;
    equal += key == limit;
  }
  table[2 * unit] = below;
  table[2 * unit + 1] = equal;
#else
  __local uint sums[2];
  const uint id = (uint)get_local_id(0);
  if (id < 2) sums[id] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint below = 0, equal = 0;
  for (ulong i = begin + id; i < end; i += 8 * KN_GROUP) {
    KN_KEY keys[8];
#pragma unroll
    for (uint k = 0; k < 8; ++k) keys[k] = kn_key(values[min(i + k * KN_GROUP, end - 1)], flip);
#pragma unroll
    for (uint k = 0; k < 8; ++k) {
      below += i + k * KN_GROUP < end && keys[k] < limit;
      equal += i + k * KN_GROUP < end && keys[k] == limit;
    }
  }
  if (below > 0) atomic_add(sums, below);
  if (equal > 0) atomic_add(sums + 1, equal);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id < 2) table[2 * unit + id] = sums[id];
#endif
}

__kernel void topk_write(__global const KN_KEY* values, __global const KN_KEY* limits, __global const uint* table,
                         __global KN_KEY* chosen, __global long* positions, const kn_topk d) {
  const KN_KEY flip = (KN_KEY)d.flip;
#ifdef KN_CPU
  const ulong unit = get_global_id(0), row = unit / d.blocks, block = unit - row * d.blocks;
#else
  const ulong unit = get_group_id(0), row = unit / d.blocks, block = unit - row * d.blocks;
#endif
  const uint own_below = table[2 * unit], own_equal = table[2 * unit + 1];
  if (own_below == 0 && own_equal == 0) return;
  const KN_KEY limit = limits[row];
  const ulong begin = min(block * d.per_block, d.count), end = min(begin + d.per_block, d.count);
  values += d.offset + row * d.count;
  table += 2 * row * d.blocks;
  chosen += row * d.k;
  positions += row * d.k;
#ifdef KN_CPU
  uint below = 0, equal = 0, all_below = 0;
  for (ulong b = 0; b < d.blocks; ++b) {
    below += b < block ? table[2 * b] : 0;
    equal += b < block ? table[2 * b + 1] : 0;
    all_below += table[2 * b];
  }
  const uint ties = (uint)d.k - all_below;  // that are taken
  kn_put_first(values, begin, end, flip, limit, ties, below, equal, chosen, positions);
#else
  __local uint sums[KN_GROUP], found[3];
  const uint id = (uint)get_local_id(0);
  if (id < 3) found[id] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint below = 0, equal = 0, all_below = 0;
  for (ulong b = id; b < d.blocks; b += KN_GROUP) {
    below += b < block ? table[2 * b] : 0;
    equal += b < block ? table[2 * b + 1] : 0;
    all_below += table[2 * b];
  }
  if (below > 0) atomic_add(found, below);
  if (equal > 0) atomic_add(found + 1, equal);
  if (all_below > 0) atomic_add(found + 2, all_below);
  barrier(CLK_LOCAL_MEM_FENCE);
  below = found[0];
  equal = found[1];
  const uint ties = (uint)d.k - found[2];  // that are taken
  barrier(CLK_LOCAL_MEM_FENCE);
  kn_put_first(values, begin, end, flip, limit, ties, below, equal, chosen, positions, sums, found);
#endif
}

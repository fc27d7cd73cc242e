// SPDX-License-Identifier: Apache-2.0
// Scans along rows of which few lie side by side. A unit is one block of one row. The order in which values are combined
// follows from a row's length alone (codegen/scan.hpp).
//
// On a CPU device a work-item takes whole units; on a GPU, KN_LANES neighbouring work-items share one, each with a chunk
// of it, which lies in local memory so that neighbours read and write neighbours.
//
// KN_TOTALS gives the blocks' totals alone. KN_PREFIX says that blocks begin with a value of memory. With KN_CARRIED, on a
// GPU, a unit is a whole row, whose blocks a group takes in turn (common/carry.clh); with KN_CHAINED groups tell those of
// later blocks of their totals (common/chain.clh).
//
// Hooks, filled by codegen; the defaults sum rows of floats:
//   KN_NAME        the kernel's name
//   KN_PARAMETERS  the kernel's parameters: buffers, and the block `d` of all else
//   KN_KEPT        the offsets of row number `kept`, and what stays the same along it
//   KN_BODY        puts the elements i to i + KN_W - 1, of which `left` exist, into `taken`
//   KN_STATE, KN_ONE           the types of `taken` and of one element of it
//   KN_IDENTITY, KN_COMBINE(a, b)  a being of earlier elements
//   KN_PUT(v)                  stores results i to i + KN_W - 1, of which `left` exist
//   KN_PUT_TOTAL(v, block), KN_PREFIX(block)  of block number `block` of the row

#ifndef KN_BODY
#include "common/vector.clh"
#include "common/memory.clh"
KN_MEMORY(float32, float)
typedef struct {
  ulong count, inner, tiles, blocks, units, units_per_item;
} kn_bounds;
#define KN_INDEX uint
#define KN_CHUNK 16
#define KN_GROUPS 16
#define KN_LANES 256
#define KN_GROUP 256
#define KN_NAME scan_rows
#define KN_PARAMETERS __global const float *p0, __global float *out, const kn_bounds d
#define KN_CONSTANTS
#define KN_KEPT const long o0 = (long)(kept * d.count);
#define KN_BODY taken = kn_load_float32(p0 + o0 + i, left);
#define KN_STATE float
#define KN_ONE float
#define KN_IDENTITY (-0.0f)
#define KN_COMBINE(a, b) ((a) + (b))
#define KN_PUT(v) kn_store_float32(v, out + o0 + i, left);
#endif

#ifdef KN_CARRIED
#include "common/carry.clh"
#endif
#ifdef KN_CHAINED
#include "common/chain.clh"
#endif
#define KN_BLOCK (KN_GROUPS * KN_CHUNK * KN_CHUNK)

__kernel void KN_NAME(KN_PARAMETERS) {
  KN_CONSTANTS
#ifdef KN_CPU
  const ulong first_unit = get_global_id(0) * d.units_per_item;
  const ulong last_unit = min(first_unit + d.units_per_item, d.units);
  for (ulong unit = first_unit; unit < last_unit; ++unit) {
    const ulong kept = unit / d.blocks;
    const ulong block = unit - kept * d.blocks;
    const ulong first = block * KN_BLOCK;
    const ulong last = min(first + KN_BLOCK, d.count);
    KN_KEPT
    KN_ONE groups = KN_IDENTITY;
#ifdef KN_PREFIX
    const KN_ONE before = block > 0 ? KN_PREFIX(block) : KN_IDENTITY;
#endif
    for (ulong group = first; group < last; group += KN_CHUNK * KN_CHUNK) {
      KN_STATE values[KN_CHUNK * KN_CHUNK / KN_W];
      KN_ONE* const one = (KN_ONE*)values;
      const uint there = min(last - group, (ulong)(KN_CHUNK * KN_CHUNK));
      const uint chunks_there = (there + KN_CHUNK - 1) / KN_CHUNK;
      for (uint t = 0; t < chunks_there * (KN_CHUNK / KN_W); ++t) {
        const ulong i = group + t * KN_W;
        KN_STATE taken = KN_IDENTITY;
        if (i < last) {
          const ulong left = last - i;
          KN_BODY
        }
        values[t] = taken;
      }
#ifndef KN_TOTALS
      // Chunk beside chunk, so that one addition need not wait for the one before. As vectors they would be gathered and
      // scattered, which takes three times as long.
      for (uint k = 1; k < KN_CHUNK; ++k) {
#pragma clang loop vectorize(disable)
        for (uint at = k; at < chunks_there * KN_CHUNK; at += KN_CHUNK) {
          const KN_ONE sum = one[at - 1];
          const KN_ONE next = one[at];
          one[at] = KN_COMBINE(sum, next);
        }
      }
#ifdef KN_PREFIX
      const KN_ONE outside = KN_COMBINE(before, groups);
#else
      const KN_ONE outside = groups;
#endif
#endif
      KN_ONE chunks = KN_IDENTITY;
      // Intel's compiler would add a vector of chunks in another order.
#pragma clang loop vectorize(disable)
      for (uint c = 0; c < chunks_there; ++c) {
#ifdef KN_TOTALS
        KN_ONE total = one[c * KN_CHUNK];
        for (uint k = 1; k < KN_CHUNK; ++k) {
          const KN_ONE next = one[c * KN_CHUNK + k];
          total = KN_COMBINE(total, next);
        }
#else
        const KN_ONE total = one[c * KN_CHUNK + KN_CHUNK - 1];
        const KN_STATE base = KN_COMBINE(outside, chunks);
        for (uint t = c * (KN_CHUNK / KN_W); t < (c + 1) * (KN_CHUNK / KN_W); ++t) {
          const ulong i = group + t * KN_W;
          const KN_STATE result = KN_COMBINE(base, values[t]);
          if (i < last) {
            const ulong left = last - i;
            KN_PUT(result)
          }
        }
#endif
        chunks = KN_COMBINE(chunks, total);
      }
      groups = KN_COMBINE(groups, chunks);
    }
#ifdef KN_TOTALS
    KN_PUT_TOTAL(groups, block)
#endif
  }
#else
  const uint local_id = get_local_id(0);
  const uint lane = local_id % KN_LANES;
#ifdef KN_CHAINED
  __local uint ticket;
  if (local_id == 0) ticket = atomic_inc((volatile __global uint*)chain);
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong number = ticket;
#else
  const ulong number = (ulong)get_group_id(0) * (KN_GROUP / KN_LANES) + local_id / KN_LANES;
#endif
  const bool exists = number < d.units;
  const ulong unit = exists ? number : d.units - 1;
#ifdef KN_CARRIED
  const ulong kept = unit;
#else
  const ulong kept = (KN_INDEX)unit / (KN_INDEX)d.blocks;
  const ulong block = unit - kept * d.blocks;
#endif
  // A chunk of 16 takes 17 places, or its reader's neighbours would wait for the same bank.
  __local KN_ONE staged[KN_GROUP * (KN_CHUNK + 1)];
  __local KN_ONE totals[KN_GROUP + KN_GROUP / KN_CHUNK];
#if KN_LANES > KN_CHUNK
  __local KN_ONE group_totals[KN_GROUP / KN_CHUNK];
#endif
  __local KN_ONE* mine = staged + local_id * (KN_CHUNK + 1);
  __local KN_ONE* shared = staged + (local_id - lane) * (KN_CHUNK + 1);
  KN_KEPT
#if defined(KN_CARRIED) || defined(KN_CHAINED)
  __local KN_ONE block_total;
#endif
#ifdef KN_CHAINED
  __local KN_ONE found[KN_KINDS * KN_CHUNK];
  __local KN_ONE kinds[KN_KINDS];
#endif
#ifdef KN_CARRIED
  KN_CARRY_OF(KN_ONE)
  for (ulong block = 0; block < d.blocks; ++block) {
#endif
    const ulong first = block * KN_BLOCK;
    const uint there = (uint)min(d.count - first, (ulong)KN_BLOCK);
    KN_ONE values[KN_CHUNK];
    // Past the end the last element is read again, so that no load waits for another's condition.
#pragma unroll
    for (uint t = 0; t < KN_CHUNK; ++t) {
      const uint at = t * KN_LANES + lane;
      const ulong i = first + min(at, there - 1);
      const ulong left = 1;
      KN_STATE taken;
      KN_BODY
      values[t] = taken;
      if (at >= there) values[t] = KN_IDENTITY;
    }
#pragma unroll
    for (uint t = 0; t < KN_CHUNK; ++t) {
      const uint at = t * KN_LANES + lane;
      shared[at / KN_CHUNK * (KN_CHUNK + 1) + at % KN_CHUNK] = values[t];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    KN_ONE sum = values[0] = mine[0];
#pragma unroll
    for (uint k = 1; k < KN_CHUNK; ++k) {
      const KN_ONE one = mine[k];
      values[k] = sum = KN_COMBINE(sum, one);
    }
    KN_ONE groups = KN_IDENTITY;
    KN_ONE chunks = KN_IDENTITY;
#if KN_LANES > 1
    const uint own = local_id + local_id / KN_CHUNK;
    totals[own] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    // What lies before each chunk of a group is found by one work-item for all of them: if each found its own, the
    // instructions would take longer than memory.
    if (local_id < KN_GROUP / KN_CHUNK) {
      __local KN_ONE* of_group = totals + local_id * (KN_CHUNK + 1);
      KN_ONE all[KN_CHUNK];
#pragma unroll
      for (uint c = 0; c < KN_CHUNK; ++c) all[c] = of_group[c];
      KN_ONE before = KN_IDENTITY;
#pragma unroll
      for (uint c = 0; c < KN_CHUNK; ++c) {
        of_group[c] = before;
        before = KN_COMBINE(before, all[c]);
      }
#if KN_LANES > KN_CHUNK
      group_totals[local_id] = before;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    chunks = totals[own];
#endif
#if KN_LANES > KN_CHUNK
#ifdef KN_TOTALS
    if (lane == KN_LANES - 1)
#endif
    {
      KN_ONE earlier[KN_LANES / KN_CHUNK];
#pragma unroll
      for (uint g = 0; g < KN_LANES / KN_CHUNK - 1; ++g) earlier[g] = group_totals[g];
#pragma unroll
      for (uint g = 0; g < KN_LANES / KN_CHUNK - 1; ++g) {
        if (g < local_id / KN_CHUNK) groups = KN_COMBINE(groups, earlier[g]);
      }
    }
#endif
#if defined(KN_TOTALS) || defined(KN_CARRIED) || defined(KN_CHAINED)
    const KN_ONE group_total = KN_COMBINE(chunks, sum);
    const KN_ONE whole = KN_COMBINE(groups, group_total);
#endif
#ifdef KN_TOTALS
    if (exists && lane == KN_LANES - 1) {
      KN_PUT_TOTAL(whole, block)
    }
#else
#ifdef KN_CHAINED
    if (lane == KN_LANES - 1) block_total = whole;
    barrier(CLK_LOCAL_MEM_FENCE);
    const KN_ONE before = kn_before_block(block, block_total, chain + 1 + kept * d.chain_row, d.chain_chunks,
                                          d.chain_groups, d.chain_blocks, found, kinds);
    groups = KN_COMBINE(before, groups);
#endif
#ifdef KN_PREFIX
    const KN_ONE before = block > 0 ? KN_PREFIX(block) : KN_IDENTITY;
    groups = KN_COMBINE(before, groups);
#endif
    const KN_ONE base = KN_COMBINE(groups, chunks);
#pragma unroll
    for (uint k = 0; k < KN_CHUNK; ++k) mine[k] = KN_COMBINE(base, values[k]);
#ifdef KN_CARRIED
    if (lane == KN_LANES - 1) block_total = whole;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint t = 0; t < KN_CHUNK; ++t) {
      const uint at = t * KN_LANES + lane;
      const ulong i = first + at;
      const ulong left = 1;
      if (exists && at < there) {
        const KN_ONE result = shared[at / KN_CHUNK * (KN_CHUNK + 1) + at % KN_CHUNK];
        KN_PUT(result)
      }
    }
#ifdef KN_CARRIED
    KN_CARRY(block, block_total)
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#endif
#ifdef KN_CARRIED
  }
#endif
#endif
}

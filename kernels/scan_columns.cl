// SPDX-License-Identifier: Apache-2.0
// Scans of many rows that lie side by side, so that a vector holds elements of neighbouring rows. A unit is one vector
// of rows over one block along the scanned axis, on a CPU device for one work-item. On a GPU it is as many vectors as
// fill a group beside one another, each of which KN_LANES work-items share: one for each chunk of a group of chunks.
// Hooks as in scan_rows.cl, with these instead:
//   KN_KEPT   the offsets of group number `kept` of neighbouring rows
//   KN_ROW    the offsets of element number `row` of them along the scanned axis, and what stays the same in it
//   KN_BODY, KN_PUT(v)  the row's elements i to i + KN_W - 1: of neighbouring rows
// The defaults sum columns of floats.

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
#define KN_LANES 16
#define KN_GROUP 256
#define KN_NAME scan_columns
#define KN_PARAMETERS __global const float *p0, __global float *out, const kn_bounds d
#define KN_CONSTANTS
#define KN_KEPT const long b0 = (long)(kept * d.count * d.inner);
#define KN_ROW const long o0 = b0 + (long)(row * d.inner);
#define KN_BODY taken = kn_load_float32(p0 + o0 + i, left);
#define KN_STATE float
#define KN_IDENTITY (-0.0f)
#define KN_COMBINE(a, b) ((a) + (b))
#define KN_PUT(v) kn_store_float32(v, out + o0 + i, left);
#endif

#ifdef KN_CARRIED
#include "common/carry.clh"
#endif
#define KN_BLOCK (KN_GROUPS * KN_CHUNK * KN_CHUNK)
// What comes before a group of chunks: of earlier blocks, and of this one.
#ifdef KN_PREFIX
#define KN_OUTSIDE KN_COMBINE(before, groups)
#else
#define KN_OUTSIDE groups
#endif

__kernel void KN_NAME(KN_PARAMETERS) {
  KN_CONSTANTS
#ifndef KN_CPU
  const uint across = KN_GROUP / KN_LANES;
  const uint column = get_local_id(0) % across;
  const uint lane = get_local_id(0) / across;
  const KN_INDEX unit = (KN_INDEX)get_group_id(0);
  const KN_INDEX rest = unit / (KN_INDEX)d.tiles;
  const ulong column_at = ((ulong)(unit - rest * (KN_INDEX)d.tiles) * across + column) * KN_W;
  const bool exists = column_at < d.inner;
  const ulong i = exists ? column_at : 0;
  const ulong left = KN_W;  // vectors are whole, or else of one element
#ifdef KN_CARRIED
  const KN_INDEX kept = rest;
#else
  const KN_INDEX kept = rest / (KN_INDEX)d.blocks;
  const ulong block = rest - kept * (KN_INDEX)d.blocks;
#endif
  // Two of them, so that the next ones are written while these are read.
  __local KN_STATE totals[2 * KN_GROUP];
  uint turn = 0;
  KN_KEPT
#ifdef KN_CARRIED
  KN_CARRY_OF(KN_STATE)
  for (ulong block = 0; block < d.blocks; ++block) {
#endif
    const ulong first = block * KN_BLOCK;
    const ulong last = min(first + KN_BLOCK, d.count);
    KN_STATE groups = KN_IDENTITY;
#ifdef KN_PREFIX
    KN_STATE before = KN_IDENTITY;
    if (block > 0) before = KN_PREFIX(block);
#endif
    for (ulong group = first; group < last; group += KN_CHUNK * KN_CHUNK, turn ^= KN_GROUP) {
      const ulong chunk = group + lane * KN_CHUNK;
      KN_STATE values[KN_CHUNK];
      // Past the end the last row is read again, so that no load waits for another's condition.
#pragma unroll
      for (uint t = 0; t < KN_CHUNK; ++t) {
        const ulong row = min(chunk + t, last - 1);
        KN_STATE taken;
        KN_ROW
        KN_BODY
        values[t] = taken;
        if (chunk + t >= last) values[t] = KN_IDENTITY;
      }
      KN_STATE sum = values[0];
#pragma unroll
      for (uint t = 1; t < KN_CHUNK; ++t) values[t] = sum = KN_COMBINE(sum, values[t]);
      totals[turn + get_local_id(0)] = sum;
      barrier(CLK_LOCAL_MEM_FENCE);
      KN_STATE chunks = KN_IDENTITY;
      KN_STATE earlier = KN_IDENTITY;
      for (uint c = 0; c < KN_LANES; ++c) {
        if (c == lane) earlier = chunks;
        const KN_STATE total = totals[turn + c * across + column];
        chunks = KN_COMBINE(chunks, total);
      }
#ifndef KN_TOTALS
      const KN_STATE outside = KN_OUTSIDE;
      const KN_STATE base = KN_COMBINE(outside, earlier);
#pragma unroll
      for (uint t = 0; t < KN_CHUNK; ++t) {
        const ulong row = chunk + t;
        const KN_STATE result = KN_COMBINE(base, values[t]);
        if (exists && row < last) {
          KN_ROW
          KN_PUT(result)
        }
      }
#endif
      groups = KN_COMBINE(groups, chunks);
    }
#ifdef KN_TOTALS
    if (exists && lane == 0) {
      KN_PUT_TOTAL(groups, block)
    }
#endif
#ifdef KN_CARRIED
    KN_CARRY(block, groups)
  }
#endif
#else
  const ulong first_unit = get_global_id(0) * d.units_per_item;
  const ulong last_unit = min(first_unit + d.units_per_item, d.units);
  for (ulong unit = first_unit; unit < last_unit; ++unit) {
    const ulong tile = unit % d.tiles;
    const ulong rest = unit / d.tiles;
    const ulong block = rest % d.blocks;
    const ulong kept = rest / d.blocks;
    const ulong i = tile * KN_W;
    const ulong left = d.inner - i;
    const ulong first = block * KN_BLOCK;
    const ulong last = min(first + KN_BLOCK, d.count);
    KN_KEPT
    KN_STATE groups = KN_IDENTITY;
    KN_STATE chunks = KN_IDENTITY;
#ifdef KN_PREFIX
    KN_STATE before = KN_IDENTITY;
    if (block > 0) before = KN_PREFIX(block);
#endif
    for (ulong chunk = first; chunk < last; chunk += KN_CHUNK) {
      if (chunk % (KN_CHUNK * KN_CHUNK) == 0 && chunk > first) {
        groups = KN_COMBINE(groups, chunks);
        chunks = KN_IDENTITY;
      }
      // All loads before the first result, so that they are under way together.
      KN_STATE values[KN_CHUNK];
#pragma unroll
      for (uint t = 0; t < KN_CHUNK; ++t) {
        const ulong row = chunk + t;
        KN_STATE taken = KN_IDENTITY;
        if (row < last) {
          KN_ROW
          KN_BODY
        }
        values[t] = taken;
      }
#ifndef KN_TOTALS
      const KN_STATE outside = KN_OUTSIDE;
      const KN_STATE base = KN_COMBINE(outside, chunks);
#endif
      KN_STATE sum = values[0];
#pragma unroll
      for (uint t = 0; t < KN_CHUNK; ++t) {
        const ulong row = chunk + t;
        if (t > 0) sum = KN_COMBINE(sum, values[t]);
#ifndef KN_TOTALS
        const KN_STATE result = KN_COMBINE(base, sum);
        if (row < last) {
          KN_ROW
          KN_PUT(result)
        }
#endif
      }
      chunks = KN_COMBINE(chunks, sum);
    }
#ifdef KN_TOTALS
    groups = KN_COMBINE(groups, chunks);
    KN_PUT_TOTAL(groups, block)
#endif
  }
#endif
}

// SPDX-License-Identifier: Apache-2.0
// Reductions across rows: the results lie along the innermost axis of memory, so a vector holds values of neighbouring
// results. A unit is one tile of neighbouring results over one block of rows. Hooks as in reduce_rows.cl, and
//   KN_TILE         vectors of results that a unit takes
//   KN_PUT_ALL(acc, at, left)  stores the vector's values as numbers at, at + 1, ..., of which `left` exist
// The defaults sum columns of floats. KN_CHUNK, as in reduce_rows.cl, is the number of rows that are at hand at once.
//
// On a CPU device a work-item takes whole units of KN_TILE vectors; on a GPU a unit is one vector, and its block's rows
// fall in turn to KN_LANES work-items of a group.
//
// KN_FIXED makes it the order that is the same on every device (codegen/reduce.hpp): a block's rows fall to KN_LANES
// running values of each result in turn, which on a CPU are KN_TILE vectors each.

#ifndef KN_BODY
#include "common/vector.clh"
#include "common/memory.clh"
KN_MEMORY(float32, float)
typedef struct {
  ulong inner, row_segments, segments, segment, blocks, per_block, units, units_per_item;
} kn_bounds;
#define KN_INDEX uint
#define KN_TILE 1
#define KN_LANES 8
#define KN_GROUP 256
#define KN_NAME reduce_columns
#define KN_PARAMETERS __global const float *p0, __global float *out, const kn_bounds d
#define KN_CONSTANTS
#define KN_KEPT
#define KN_ROW const long o0 = (long)(row * d.inner);
#define KN_BODY acc += kn_load_float32(p0 + o0 + i, left);
#define KN_STATE float
#define KN_IDENTITY 0
#define KN_COMBINE(a, b) ((a) + (b))
#define KN_PUT_ALL(acc, at, left) kn_store_float32(acc, out + (at), left);
#endif

#define KN_EXIST left

// Running values of a result that a work-item of a CPU keeps.
#ifdef KN_FIXED
#define KN_VALUES KN_LANES
#else
#define KN_VALUES 1
#endif

// d.segment results make a tile, d.row_segments tiles a row of results, d.segments is the number of rows to reduce.
__kernel void KN_NAME(KN_PARAMETERS) {
  KN_CONSTANTS
#ifndef KN_CPU
  // Neighbouring work-items take neighbouring tiles; those that share one are a group's KN_LANES rows of them.
  const uint across = KN_GROUP / KN_LANES;
  const uint local_id = get_local_id(0);
  const uint lane = local_id / across;
  const ulong unit = (ulong)get_group_id(0) * across + local_id % across;
  const KN_INDEX rest = (KN_INDEX)unit / (KN_INDEX)d.row_segments;
  const KN_INDEX tile = (KN_INDEX)unit - rest * (KN_INDEX)d.row_segments;
#ifdef KN_BLOCKS
  const KN_INDEX kept = rest / (KN_INDEX)d.blocks;
  const KN_INDEX block = rest - kept * (KN_INDEX)d.blocks;
#else
  const KN_INDEX kept = rest;
  const KN_INDEX block = 0;
#endif
  const ulong i = (ulong)tile * KN_W;
  // Vectors are whole, or else of one element.
  const ulong left = KN_W;
  KN_STATE acc = KN_IDENTITY;
  if (unit < d.units) {
    const ulong last = min((ulong)(block + 1) * d.per_block, d.segments);
    const ulong mine = (ulong)block * d.per_block + lane;
    KN_KEPT
#ifdef KN_CHUNK
    for (ulong chunk = mine; chunk < last; chunk += KN_CHUNK * KN_LANES) {
      const uint rows = min((last - chunk + KN_LANES - 1) / KN_LANES, (ulong)KN_CHUNK);
      KN_VALUE values[KN_CHUNK];
      KN_VALUE sum = 0;
      // Unrolled, or `values` would lie in memory. Past the end the last row is read again, so that no load waits for
      // another's condition.
#pragma unroll
      for (uint r = 0; r < KN_CHUNK; ++r) {
        const KN_INDEX row = (KN_INDEX)min(chunk + r * KN_LANES, last - 1);
        KN_ROW
        KN_BODY
        values[r] = taken;
      }
#pragma unroll
      for (uint r = 0; r < KN_CHUNK; ++r) sum += r < rows ? values[r] : (KN_VALUE)(0);
      const KN_VALUE count = (KN_VALUE)(rows);
      const KN_VALUE mean = sum / count;
      KN_VALUE rest_of_sum = 0;
      KN_VALUE squares = 0;
#pragma unroll
      for (uint r = 0; r < KN_CHUNK; ++r) {
        const KN_VALUE apart = r < rows ? values[r] - mean : (KN_VALUE)(0);
        rest_of_sum += apart;
        squares += apart * apart;
      }
      acc = kn_moments_combined(acc, kn_moments_around(mean, count, rest_of_sum, squares));
    }
#else
    // All loads of a batch are under way together, since no branch lies between them; in the last ones the last row is
    // read again.
    ulong s = mine;
    for (; s + 7 * KN_LANES < last; s += 8 * KN_LANES) {
#pragma unroll
      for (uint t = 0; t < 8; ++t) {
        const KN_INDEX row = (KN_INDEX)(s + t * KN_LANES);
        KN_ROW
        KN_BODY
      }
    }
    for (; s < last; s += 4 * KN_LANES) {
#pragma unroll
      for (uint t = 0; t < 4; ++t) {
        const KN_INDEX row = (KN_INDEX)min(s + t * KN_LANES, last - 1);
        const KN_STATE before = acc;
        KN_ROW
        KN_BODY
        if (s + t * KN_LANES >= last) acc = before;
      }
    }
#endif
  }
#if KN_LANES > 1
  __local KN_STATE shared[KN_GROUP];
  shared[local_id] = acc;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_lanes = KN_LANES / 2; half_lanes > 0; half_lanes /= 2) {
    if (lane < half_lanes)
      shared[local_id] = KN_COMBINE(shared[local_id], shared[local_id + half_lanes * across]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  acc = shared[local_id];
#endif
  if (lane == 0 && unit < d.units) {
    const ulong results = d.units / (d.row_segments * d.blocks) * d.inner;
    KN_PUT_ALL(acc, (ulong)block * results + (ulong)kept * d.inner + i, left)
  }
#else
  const ulong first_unit = get_global_id(0) * d.units_per_item;
  const ulong last_unit = min(first_unit + d.units_per_item, d.units);
  for (ulong unit = first_unit; unit < last_unit; ++unit) {
    const ulong tile = unit % d.row_segments;
    const ulong rest = unit / d.row_segments;
    const ulong block = rest % d.blocks;
    const ulong kept = rest / d.blocks;
    const ulong begin = tile * d.segment;
    const ulong last = min((block + 1) * d.per_block, d.segments);
    KN_KEPT
    KN_STATE tiles[KN_VALUES * KN_TILE];
    for (int t = 0; t < KN_VALUES * KN_TILE; ++t) tiles[t] = KN_IDENTITY;
#ifdef KN_CHUNK
    for (ulong chunk = block * d.per_block; chunk < last; chunk += KN_CHUNK) {
      const uint rows = min(last - chunk, (ulong)KN_CHUNK);
      KN_VALUE values[KN_CHUNK * KN_TILE];
      KN_VALUE sums[KN_TILE];
      for (int t = 0; t < KN_TILE; ++t) sums[t] = 0;
      for (uint r = 0; r < rows; ++r) {
        const KN_INDEX row = (KN_INDEX)(chunk + r);
        KN_ROW
        for (int t = 0; t < KN_TILE; ++t) {
          const ulong i = begin + t * KN_W;
          if (i >= d.inner) break;
          const ulong left = d.inner - i;
          KN_BODY
          values[r * KN_TILE + t] = taken;
          sums[t] += taken;
        }
      }
      for (int t = 0; t < KN_TILE; ++t) {
        if (begin + t * KN_W >= d.inner) break;
        const KN_VALUE count = (KN_VALUE)(rows);
        const KN_VALUE mean = sums[t] / count;
        KN_VALUE rest = 0;
        KN_VALUE squares = 0;
        for (uint r = 0; r < rows; ++r) {
          const KN_VALUE apart = values[r * KN_TILE + t] - mean;
          rest += apart;
          squares += apart * apart;
        }
        tiles[t] = kn_moments_combined(tiles[t], kn_moments_around(mean, count, rest, squares));
      }
    }
#else
    for (KN_INDEX row = (KN_INDEX)(block * d.per_block); row < last; ++row) {
      KN_ROW
      const int first_of_tile = KN_VALUES == 1 ? 0 : (int)(row % KN_VALUES) * KN_TILE;
      for (int t = 0; t < KN_TILE; ++t) {
        const ulong i = begin + t * KN_W;
        if (i >= d.inner) break;
        const ulong left = d.inner - i;
        KN_STATE acc = tiles[first_of_tile + t];
        KN_BODY
        tiles[first_of_tile + t] = acc;
      }
    }
#endif
    for (int half_tiles = KN_VALUES / 2 * KN_TILE; half_tiles >= KN_TILE; half_tiles /= 2)
      for (int t = 0; t < half_tiles; ++t) tiles[t] = KN_COMBINE(tiles[t], tiles[t + half_tiles]);
    const ulong results = d.units / (d.row_segments * d.blocks) * d.inner;
    for (int t = 0; t < KN_TILE; ++t) {
      const ulong i = begin + t * KN_W;
      if (i >= d.inner) break;
      KN_PUT_ALL(tiles[t], block * results + kept * d.inner + i, d.inner - i)
    }
  }
#endif
}

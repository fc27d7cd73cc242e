// SPDX-License-Identifier: Apache-2.0
// Reductions along the innermost axis of memory. A unit is one block of one result's elements; it gives one value, the
// result itself or, where there are several blocks, a partial one for the next pass. The order in which values are
// combined follows from the shape alone.
//
// On a CPU device a work-item takes whole units; on a GPU, KN_LANES neighbouring work-items share one.
//
// Hooks, filled by codegen; the defaults sum rows of floats:
//   KN_PARAMETERS  the kernel's parameters, ending in `const kn_bounds d`
//   KN_KEPT        the offsets of result number `kept`
//   KN_ROW         the offsets of row `row` of its elements, and what stays the same along that row
//   KN_BODY        takes the elements i to i + KN_W - 1, of which `left` exist, into acc
//   KN_STATE, KN_IDENTITY      the type of acc and its first value
//   KN_ONE, KN_FOLD(acc)       the type of a single value, and acc brought down to one
//   KN_COMBINE(a, b)           two single values as one, a being of earlier elements
//   KN_PUT(one, at)            stores a value as number `at`

#ifndef KN_BODY
#include "common/vector.clh"
#include "common/memory.clh"
KN_MEMORY(float32, float)
typedef struct {
  ulong inner, row_segments, segments, segment, blocks, per_block, units, units_per_item;
} kn_bounds;
#define KN_INDEX uint
#define KN_LANES 256
#define KN_GROUP 256
#define KN_PARAMETERS __global const float *p0, __global float *out, const kn_bounds d
#define KN_CONSTANTS
#define KN_KEPT const long o0 = (long)(kept * d.inner);
#define KN_ROW
#define KN_BODY acc += kn_load_float32(p0 + o0 + i, left);
#define KN_STATE float
#define KN_ONE float
#define KN_IDENTITY 0
#define KN_FOLD(acc) (acc)
#define KN_COMBINE(a, b) ((a) + (b))
#define KN_PUT(one, at) out[at] = one;
#endif

__kernel void koine(KN_PARAMETERS) {
  KN_CONSTANTS
#ifdef KN_CPU
  const ulong first_unit = get_global_id(0) * d.units_per_item;
  const ulong last_unit = min(first_unit + d.units_per_item, d.units);
  for (ulong unit = first_unit; unit < last_unit; ++unit) {
    const ulong kept = unit / d.blocks;
    const ulong first = (unit - kept * d.blocks) * d.per_block;
    const ulong last = min(first + d.per_block, d.segments);
    KN_KEPT
    KN_STATE acc = KN_IDENTITY;
    for (ulong s = first; s < last; ++s) {
      const ulong row = s / d.row_segments;
      KN_ROW
      ulong i = (s - row * d.row_segments) * d.segment;
      const ulong end = min(i + d.segment, d.inner);
      for (; i < end; i += KN_W) {
        const ulong left = end - i;
        KN_BODY
      }
    }
    KN_PUT(KN_FOLD(acc), unit)
  }
#else
  const uint lane = get_local_id(0) % KN_LANES;
  const ulong unit = (ulong)get_group_id(0) * (KN_GROUP / KN_LANES) + get_local_id(0) / KN_LANES;
  KN_STATE acc = KN_IDENTITY;
  if (unit < d.units) {
    const KN_INDEX kept = (KN_INDEX)unit / (KN_INDEX)d.blocks;
    const ulong first = (unit - (ulong)kept * d.blocks) * d.per_block;
    const ulong last = min(first + d.per_block, d.segments);
    KN_KEPT
#pragma unroll 4
    for (ulong s = first + lane; s < last; s += KN_LANES) {
#ifdef KN_ROWS
      const KN_INDEX row = (KN_INDEX)s / (KN_INDEX)d.row_segments;
#else
      const KN_INDEX row = 0;
#endif
      KN_ROW
      const ulong i = (s - (ulong)row * d.row_segments) * KN_W;
      const ulong left = d.inner - i;
      KN_BODY
    }
  }
#if KN_LANES == 1
  if (unit < d.units) {
    KN_PUT(KN_FOLD(acc), unit)
  }
#else
  __local KN_ONE shared[KN_GROUP];
  const uint local_id = get_local_id(0);
  shared[local_id] = KN_FOLD(acc);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_lanes = KN_LANES / 2; half_lanes > 0; half_lanes /= 2) {
    if (lane < half_lanes) shared[local_id] = KN_COMBINE(shared[local_id], shared[local_id + half_lanes]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0 && unit < d.units) {
    KN_PUT(shared[local_id], unit)
  }
#endif
#endif
}

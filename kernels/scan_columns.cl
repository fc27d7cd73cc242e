// SPDX-License-Identifier: Apache-2.0
// Scans of many rows that lie side by side, so that a vector holds elements of neighbouring rows. A unit is one vector
// of rows over one block along the scanned axis. Hooks as in scan_rows.cl, with these instead:
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
#define KN_CHUNK 16
#define KN_GROUPS 16
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

#define KN_BLOCK (KN_GROUPS * KN_CHUNK * KN_CHUNK)

__kernel void KN_NAME(KN_PARAMETERS) {
  KN_CONSTANTS
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
#ifdef KN_PREFIX
      const KN_STATE outside = KN_COMBINE(before, groups);
#else
      const KN_STATE outside = groups;
#endif
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
}

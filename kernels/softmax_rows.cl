// SPDX-License-Identifier: Apache-2.0
// softmax, and logsumexp, of rows that are read once: what exponentials are taken of stays in registers between the
// search for the largest element, their sum, and the results.
//
// On a CPU device a work-item takes whole rows; on a GPU, KN_LANES neighbouring work-items share one.
//
// Hooks, filled by codegen; the defaults are for rows of floats:
//   KN_PARAMETERS  the kernel's parameters, ending in `const kn_bounds d`
//   KN_KEPT        the offsets of row number `kept`, and what stays the same along it
//   KN_BODY        puts the elements i to i + KN_W - 1, of which `left` exist, into `taken`
//   KN_STATE, KN_ONE  the types of `taken` and of one element of it
//   KN_ROOM        elements that a work-item keeps, a power of two
//   KN_PUT(v)      stores results i to i + KN_W - 1, of which `left` exist
//   KN_PUT_LOGARITHM(v)  instead: stores the row's one result

#ifndef KN_BODY
#include "common/vector.clh"
#include "common/memory.clh"
KN_MEMORY(float32, float)
typedef struct {
  ulong count, rows, rows_per_item;
} kn_bounds;
#define KN_ROOM 4
#define KN_LANES 256
#define KN_GROUP 256
#define KN_PARAMETERS __global const float *p0, __global float *out, const kn_bounds d
#define KN_CONSTANTS
#define KN_KEPT const long o0 = (long)(kept * d.count);
#define KN_BODY taken = kn_load_float32(p0 + o0 + i, left);
#define KN_STATE float
#define KN_ONE float
#define KN_PUT(v) kn_store_float32(v, out + o0 + i, left);
#endif

// Beside an infinity all differences would be infinite or NaN, as softmax gives them.
#ifdef KN_PUT_LOGARITHM
#define KN_SHIFT(high) (isfinite(high) ? (high) : (KN_ONE)(0))
#else
#define KN_SHIFT(high) (high)
#endif

// `v` of each work-item of a row becomes what combining all of them gives.
#define KN_ALL_LANES(v, combine)                              \
  for (uint apart = KN_LANES / 2; apart > 0; apart /= 2) {    \
    shared[local_id] = v;                                     \
    barrier(CLK_LOCAL_MEM_FENCE);                             \
    const KN_ONE other = shared[local_id ^ apart];            \
    v = combine(v, other);                                    \
    barrier(CLK_LOCAL_MEM_FENCE);                             \
  }
#define KN_ADD(a, b) ((a) + (b))

__kernel void koine(KN_PARAMETERS) {
  KN_CONSTANTS
#ifdef KN_CPU
  const ulong first = get_global_id(0) * d.rows_per_item;
  const ulong last = min(first + d.rows_per_item, d.rows);
  for (ulong kept = first; kept < last; ++kept) {
    KN_KEPT
    KN_STATE values[KN_ROOM / KN_W];
    KN_STATE largest = (KN_ONE)(-INFINITY);
    for (ulong i = 0; i < d.count; i += KN_W) {
      const ulong left = d.count - i;
      KN_STATE taken;
      KN_BODY
      for (ulong l = left; l < KN_W; ++l) KN_LANE(KN_ONE, taken, l) = -INFINITY;
      values[i / KN_W] = taken;
      largest = fmax(largest, taken);
    }
    KN_ONE high = -INFINITY;
    for (uint l = 0; l < KN_W; ++l) high = fmax(high, KN_LANE(KN_ONE, largest, l));
    const KN_ONE shift = KN_SHIFT(high);
    KN_STATE sums = 0;
    for (ulong i = 0; i < d.count; i += KN_W) sums += values[i / KN_W] = exp(values[i / KN_W] - shift);
    KN_ONE total = 0;
    for (uint l = 0; l < KN_W; ++l) total += KN_LANE(KN_ONE, sums, l);
#ifdef KN_PUT_LOGARITHM
    const KN_STATE result = log(total) + shift;
    KN_PUT_LOGARITHM(result)
#else
    for (ulong i = 0; i < d.count; i += KN_W) {
      const ulong left = d.count - i;
      const KN_STATE result = values[i / KN_W] / total;
      KN_PUT(result)
    }
#endif
  }
#else
  __local KN_ONE shared[KN_GROUP];
  const uint local_id = get_local_id(0);
  const uint lane = local_id % KN_LANES;
  const ulong wanted = (ulong)get_group_id(0) * (KN_GROUP / KN_LANES) + local_id / KN_LANES;
  const bool exists = wanted < d.rows;
  const ulong kept = exists ? wanted : d.rows - 1;
  const ulong left = 1;
  KN_KEPT
  KN_STATE values[KN_ROOM];
  KN_ONE high = -INFINITY;
  // Unrolled, or `values` would lie in memory.
#pragma unroll
  for (uint t = 0; t < KN_ROOM; ++t) {
    const ulong i = t * KN_LANES + lane;
    KN_STATE taken = -INFINITY;
    if (i < d.count) {
      KN_BODY
    }
    values[t] = taken;
    high = fmax(high, taken);
  }
  KN_ALL_LANES(high, fmax)
  const KN_ONE shift = KN_SHIFT(high);
  KN_ONE total = 0;
#pragma unroll
  for (uint t = 0; t < KN_ROOM; ++t) total += values[t] = exp(values[t] - shift);
  KN_ALL_LANES(total, KN_ADD)
#ifdef KN_PUT_LOGARITHM
  if (exists && lane == 0) {
    const KN_STATE result = log(total) + shift;
    KN_PUT_LOGARITHM(result)
  }
#else
#pragma unroll
  for (uint t = 0; t < KN_ROOM; ++t) {
    const ulong i = t * KN_LANES + lane;
    const KN_STATE result = values[t] / total;
    if (exists && i < d.count) {
      KN_PUT(result)
    }
  }
#endif
#endif
}

// SPDX-License-Identifier: Apache-2.0
// Whole rows in phases: each phase is a loop over the elements of a row, at the end of which reductions of it are known
// to all that work on the row; the next phase may use them. What later phases need stays in registers, in the nearest
// cache, or is read again from a cache.
//
// On a CPU device a work-item takes whole rows; on a GPU, KN_LANES neighbouring work-items share one. What they hold of
// it at once is a block: the row, or, with KN_AGAIN, a part of it, so that each phase reads all blocks anew.
//
// With KN_TOGETHER a CPU takes KN_W short rows at once. A vector then holds element number `t` of rows i to i + KN_W - 1,
// of which `left` exist, and what is known of a row is a vector, too.
//
// Hooks, filled by codegen; the defaults divide rows of floats by their sums:
//   KN_NAME        the kernel's name
//   KN_PARAMETERS  the kernel's parameters: buffers, and the block `d` of all else
//   KN_SHARED      of a GPU: local memory, by KN_SHARE(T) for each type T of what KN_ALL_LANES is asked for
//   KN_KEPT        the offsets of row number `kept`, and what stays the same along it
//   KN_ROOM        elements that a work-item has at hand, a power of two: on a CPU of a row, on a GPU of a block
//   KN_AGAIN       of a GPU: that a row may be several blocks
//   KN_WHOLE       that all that is at hand exists: on a CPU whole vectors, on a GPU whole blocks
//   KN_LONGEST_CHAIN  of a CPU: elements of a row after which KN_CHAIN<p> puts aside what was added up
//   KN_GAP<p>      what is known of the row before phase p, and what phase p begins with
//   KN_BODY<p>     takes the elements i to i + KN_W - 1, vector number `t` of the work-item's, of which `exist` exist and
//                  `left` can be read; `at` is i where they exist, and else behind the row
//   KN_CHAIN<p>    puts aside what phase p has added up so far
//   KN_ELEMENT     with KN_TOGETHER: the offsets of element `t` of the rows, and what is the same in all of them
// The last gap, behind all phases, has what is stored for the row.

#ifndef KN_BODY0
#include "common/vector.clh"
#include "common/memory.clh"
KN_MEMORY(float32, float)
typedef struct {
  ulong count, rows, rows_per_item;
} kn_bounds;
#define KN_ROOM 4
#define KN_LANES 256
#define KN_GROUP 256
#define KN_NAME rows
#define KN_PARAMETERS __global const float *p0, __global float *p1, const kn_bounds d
#define KN_CONSTANTS
#define KN_SHARED KN_SHARE(float)
#define KN_KEPT const long o0 = (long)(kept * d.count);
#define KN_GAP0 float keep0[KN_ROOM]; float acc0 = 0;
#define KN_BODY0 const float v0 = kn_load_float32(p0 + o0 + i, left); keep0[t] = v0; acc0 += exist ? v0 : 0;
static inline float kn_join0(float a, float b) { return a + b; }
#define KN_CHAIN0
#define KN_CHAIN1
#define KN_GAP1 KN_ALL_LANES(float, acc0, kn_join0)
#define KN_BODY1 KN_STORES kn_store_float32(keep0[t] / acc0, p1 + o0 + i, left);
#define KN_GAP2
#endif

// A power of two, no less than a row's elements.
#ifdef KN_AGAIN
#define KN_SIZE (2UL << (63 - clz(d.count - 1)))
#else
#define KN_SIZE (KN_ROOM * KN_LANES)
#endif

#ifdef KN_TOGETHER
#define KN_ROWS KN_W
#define KN_PHASE(p)                     \
  for (ulong t = 0; t < d.count; ++t) { \
    const ulong at = t;                 \
    KN_ELEMENT                          \
    KN_BODY##p                          \
  }
#define KN_STORES
#elif defined(KN_CPU)
#define KN_ROWS 1
#ifndef KN_LONGEST_CHAIN
#define KN_LONGEST_CHAIN d.count
#endif
#define KN_VECTOR(p, elements)   \
  {                              \
    const ulong left = elements; \
    const ulong exist = left;    \
    const ulong at = i;          \
    const ulong t = i / KN_W;    \
    KN_BODY##p                   \
  }
// Whole vectors apart from the last, for the compiler to see that all of each exists.
#ifdef KN_WHOLE
#define KN_REST(p)
#else
#define KN_REST(p) if (i < stop) KN_VECTOR(p, stop - i)
#endif
#define KN_PHASE(p)                                                   \
  for (ulong begin = 0; begin < d.count; begin += KN_LONGEST_CHAIN) { \
    const ulong stop = min(begin + KN_LONGEST_CHAIN, d.count);        \
    ulong i = begin;                                                  \
    for (; i + KN_W <= stop; i += KN_W) KN_VECTOR(p, KN_W)            \
    KN_REST(p)                                                        \
    KN_CHAIN##p                                                       \
  }
#define KN_FIRST
#define KN_STORES
#else
#ifdef KN_AGAIN
#define KN_BLOCKS for (uint begin = 0; begin < (uint)d.count; begin += KN_ROOM * KN_LANES)
#else
#define KN_BLOCKS
#endif
// Whole vectors, or none. What does not exist is read from the row's beginning: a branch would keep loads from being under
// way together. With KN_WHOLE all exists.
#ifdef KN_WHOLE
#define KN_EXIST(at) KN_W
#else
#define KN_EXIST(at) ((at) < (uint)d.count ? KN_W : 0)
#endif
#define KN_PHASE(p)                                       \
  for (uint t = 0; t < KN_ROOM / KN_W; ++t) {             \
    const uint at = begin + (t * KN_LANES + lane) * KN_W; \
    const uint exist = KN_EXIST(at);                      \
    const uint i = exist ? at : 0;                        \
    const ulong left = KN_W;                              \
    KN_BODY##p                                            \
  }
// Before what is stored once for a row, and for each vector.
#define KN_FIRST if (exists && lane == 0)
#define KN_STORES if (exists && exist)

// `v` of each work-item of a row becomes what `join` makes of all of them: first of KN_PARTS interleaved parts, then of
// the parts' results. Each work-item does it for itself, in one order for all. Two arrays, so that neither is written
// while others still read it.
#define KN_SHARE(T) __local T shared_##T[KN_GROUP]; __local T parts_##T[KN_GROUP];
#if KN_LANES >= 64
#define KN_PARTS 16
#elif KN_LANES >= 16
#define KN_PARTS 4
#else
#define KN_PARTS KN_LANES
#endif
#if KN_LANES == 1
#define KN_ALL_LANES(T, v, join)
#else
#define KN_ALL_LANES(T, v, join)                                                \
  {                                                                             \
    const uint of_part = lane % KN_PARTS;                                       \
    shared_##T[local_id] = v;                                                   \
    barrier(CLK_LOCAL_MEM_FENCE);                                               \
    T part = shared_##T[first_lane + of_part];                                  \
    for (uint l = of_part + KN_PARTS; l < KN_LANES; l += KN_PARTS)              \
      part = join(part, shared_##T[first_lane + l]);                            \
    if (lane < KN_PARTS) parts_##T[first_lane + lane] = part;                   \
    barrier(CLK_LOCAL_MEM_FENCE);                                               \
    v = parts_##T[first_lane];                                                  \
    for (uint l = 1; l < KN_PARTS; ++l) v = join(v, parts_##T[first_lane + l]); \
  }
#endif
#endif

#ifndef KN_CPU
// The work-items of a group may have all of its registers.
__attribute__((reqd_work_group_size(KN_GROUP, 1, 1)))
#endif
__kernel void KN_NAME(KN_PARAMETERS) {
  KN_CONSTANTS
#ifdef KN_CPU
  const ulong first = get_global_id(0) * d.rows_per_item;
  const ulong last = min(first + d.rows_per_item, d.rows);
  for (ulong kept = first; kept < last; kept += KN_ROWS) {
    KN_KEPT
    KN_GAP0
    KN_PHASE(0)
    KN_GAP1
#ifdef KN_BODY1
    KN_PHASE(1)
    KN_GAP2
#endif
#ifdef KN_BODY2
    KN_PHASE(2)
    KN_GAP3
#endif
#ifdef KN_BODY3
    KN_PHASE(3)
    KN_GAP4
#endif
#ifdef KN_BODY4
    KN_PHASE(4)
    KN_GAP5
#endif
#ifdef KN_BODY5
    KN_PHASE(5)
    KN_GAP6
#endif
  }
#else
  KN_SHARED
  const uint local_id = get_local_id(0);
  const uint lane = local_id % KN_LANES;
  const uint first_lane = local_id - lane;
  const ulong wanted = (ulong)get_group_id(0) * (KN_GROUP / KN_LANES) + local_id / KN_LANES;
  // Every work-item reaches the barriers.
  const bool exists = wanted < d.rows;
  const ulong kept = exists ? wanted : d.rows - 1;
  KN_KEPT
#ifndef KN_AGAIN
  const uint begin = 0;
#endif
  // Unrolled, or what is kept would lie in memory.
  KN_GAP0
  KN_BLOCKS
#pragma unroll
  KN_PHASE(0)
  KN_GAP1
#ifdef KN_BODY1
  KN_BLOCKS
#pragma unroll
  KN_PHASE(1)
  KN_GAP2
#endif
#ifdef KN_BODY2
  KN_BLOCKS
#pragma unroll
  KN_PHASE(2)
  KN_GAP3
#endif
#ifdef KN_BODY3
  KN_BLOCKS
#pragma unroll
  KN_PHASE(3)
  KN_GAP4
#endif
#ifdef KN_BODY4
  KN_BLOCKS
#pragma unroll
  KN_PHASE(4)
  KN_GAP5
#endif
#ifdef KN_BODY5
  KN_BLOCKS
#pragma unroll
  KN_PHASE(5)
  KN_GAP6
#endif
#endif
}

// SPDX-License-Identifier: Apache-2.0
// Element-wise code where some operands are contiguous along another axis than the innermost one of the results, as in
// a + b.T. A unit is a block of KN_W by KN_W elements of these two axes: a work-item reads such operands in vectors along
// the one, transposes the block in registers, and computes and stores vectors along the other.
//
// Blocks of neighbouring work-items make a tile, which reads and writes whole lines of memory on a GPU. On a CPU device
// a work-item takes a run of blocks along the results' rows, and then those that read on in the same lines.
//
// Hooks, filled by codegen; the defaults transpose a matrix of floats:
//   KN_NAME        the kernel's name
//   KN_PARAMETERS  the kernel's parameters: buffers, and the block `d` of all else
//   KN_ROW         what stays the same along the two axes: offsets
//   KN_BLOCK       reads the block that begins at element i of row `first`, of which `left` elements of `rows` rows exist
//   KN_BODY        arithmetic and stores of the elements i to i + KN_W - 1 of row first + r, of which `left` exist

#ifndef KN_BODY
#define KN_W 4
#include "common/vector.clh"
#include "common/memory.clh"
KN_MEMORY(float32, float)
typedef struct {
  ulong inner, depth, row_segments, deep_segments, segments, per_item, segment, lanes, deep_lanes;
} kn_bounds;
#define KN_INDEX uint
#define KN_NAME elementwise_transposed
#define KN_PARAMETERS __global const float *p0, __global float *p1, const kn_bounds d
#define KN_CONSTANTS
#define KN_ROW
#define KN_BLOCK
#define KN_BODY \
  kn_store_float32(kn_gather_float32(p0 + i * d.depth + first + r, d.depth, left), p1 + (first + r) * d.inner + i, left);
#endif

__kernel void KN_NAME(KN_PARAMETERS) {
  KN_CONSTANTS
#ifdef KN_CPU
  const ulong first_unit = get_global_id(0) * d.per_item;
  const ulong last_unit = min(first_unit + d.per_item, d.segments);
  for (ulong s = first_unit; s < last_unit; ++s) {
    const ulong rest = s / d.deep_segments;
    const ulong first = (s - rest * d.deep_segments) * KN_W;
    const ulong rows = min(d.depth - first, (ulong)KN_W);
    const ulong row = rest / d.row_segments;
    ulong i = (rest - row * d.row_segments) * d.segment;
    const ulong end = min(i + d.segment, d.inner);
    KN_ROW
    for (; i < end; i += KN_W) {
      const ulong left = end - i;
      KN_BLOCK
      for (uint r = 0; r < rows; ++r) {
        KN_BODY
      }
    }
  }
#else
  const KN_INDEX s = (KN_INDEX)get_global_id(0);
  const KN_INDEX tile = s / (KN_INDEX)(d.lanes * d.deep_lanes);
  const uint in_tile = (uint)(s - tile * (KN_INDEX)(d.lanes * d.deep_lanes));
  const KN_INDEX rest = tile / (KN_INDEX)d.deep_segments;
  const KN_INDEX row = rest / (KN_INDEX)d.row_segments;
  const uint lane = in_tile / (uint)d.deep_lanes;
  const ulong first =
      ((ulong)(tile - rest * (KN_INDEX)d.deep_segments) * d.deep_lanes + (in_tile - lane * (uint)d.deep_lanes)) * KN_W;
  const ulong i = ((ulong)(rest - row * (KN_INDEX)d.row_segments) * d.lanes + lane) * KN_W;
  if (tile < d.segments && first < d.depth && i < d.inner) {
    const ulong rows = min(d.depth - first, (ulong)KN_W);
    const ulong left = d.inner - i;
    KN_ROW
    KN_BLOCK
    // Unrolled, or the block would lie in memory.
#pragma unroll
    for (uint r = 0; r < KN_W; ++r) {
      if (r < rows) {
        KN_BODY
      }
    }
  }
#endif
}

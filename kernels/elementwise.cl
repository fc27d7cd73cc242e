// SPDX-License-Identifier: Apache-2.0
// Element-wise code over an n-dimensional domain: rows of the innermost axis, cut into segments.
//
// On a CPU device a work-item takes a run of whole segments and walks each in wide vectors; on a GPU a segment is one
// vector and neighbouring work-items take neighbouring vectors. With KN_ACROSS those go on from row to row, so that
// results are stored in whole vectors whatever a row's length is. With KN_PARTS groups take the same part of all rows
// before they go on to the next part. With KN_TILED, on a CPU, short rows are taken together: a row of this kernel is a
// whole tile of them, of which the last one may lack some.
//
// Hooks, filled by codegen; the defaults double a row of floats:
//   KN_NAME        the kernel's name
//   KN_PARAMETERS  the kernel's parameters: buffers, and the block `d` of all else
//   KN_ROW         what stays the same along a row: offsets, repeated values
//   KN_COLUMN      with KN_STACKED or KN_TILED: what is the same in all rows, read once
//   KN_PIECE       where operands are in pieces along the row: their offsets in the piece that element i is of, and what
//                  stays the same along it
//   KN_PIECE_END   with it: lowers `stop` to the next piece's first element
//   KN_BODY        loads, arithmetic and stores of the elements i to i + KN_W - 1, of which `left` exist

#ifndef KN_BODY
#include "common/vector.clh"
#include "common/memory.clh"
KN_MEMORY(float32, float)
typedef struct {
  ulong inner, row_segments, segments, per_item, segment;
} kn_bounds;
#define KN_INDEX uint
#define KN_NAME elementwise
#define KN_PARAMETERS __global const float *p0, __global float *p1, const kn_bounds d
#define KN_CONSTANTS
#define KN_ROW
#define KN_BODY kn_store_float32(kn_load_float32(p0 + i, left) * 2.0f, p1 + i, left);
#endif

__kernel void KN_NAME(KN_PARAMETERS) {
  KN_CONSTANTS
#ifdef KN_CPU
  const ulong first = get_global_id(0) * d.per_item;
  const ulong last = min(first + d.per_item, d.segments);
#ifdef KN_TILED
  KN_COLUMN
#endif
  for (ulong s = first; s < last; ++s) {
    const ulong row = s / d.row_segments;
    KN_ROW
    ulong i = (s - row * d.row_segments) * d.segment;
#ifdef KN_TILED
    const ulong end = min(d.inner, d.elements - row * d.inner);
#else
    const ulong end = min(i + d.segment, d.inner);
#endif
#ifdef KN_PIECE
    while (i < end) {
      ulong stop = end;
      KN_PIECE_END
      KN_PIECE
      for (; i < stop; i += KN_W) {
        const ulong left = stop - i;
        KN_BODY
      }
      i = stop;
    }
#else
    for (; i < end; i += KN_W) {
      const ulong left = end - i;
      KN_BODY
    }
#endif
  }
#else
#if defined(KN_TOGETHER)
  // One group, in which each work-item goes all the way; those beyond the last vector have it too, and are not to store.
  const ulong s = min((ulong)get_local_id(0), d.segments - 1);
  const bool mine = get_local_id(0) < d.segments;
  {
#elif defined(KN_STACKED)
  // A work-item takes per_item elements below each other, so that it looks once where in a row they lie.
  const KN_INDEX stack = (KN_INDEX)get_global_id(0) / (KN_INDEX)d.inner;
  const ulong i = (KN_INDEX)get_global_id(0) - stack * (KN_INDEX)d.inner;
  const ulong left = 1;
  KN_COLUMN
  const KN_INDEX end = min((stack + 1) * (KN_INDEX)d.per_item, (KN_INDEX)d.segments / (KN_INDEX)d.inner);
  for (KN_INDEX row = stack * (KN_INDEX)d.per_item; row < end; ++row) {
#elif defined(KN_PARTS)
  // Groups that are under way together take the same part of their rows.
  const KN_INDEX part = (KN_INDEX)get_group_id(0) / (KN_INDEX)d.rows;
  const KN_INDEX row = (KN_INDEX)get_group_id(0) - part * (KN_INDEX)d.rows;
  const ulong i = ((ulong)part * get_local_size(0) + get_local_id(0)) * KN_W;
  const ulong left = d.inner - i;
  if (i < d.inner) {
#else
  // A group takes per_item runs of as many vectors as it has items, so that neighbours stay neighbours.
  ulong s = get_group_id(0) * get_local_size(0) * d.per_item + get_local_id(0);
  for (ulong item = 0; item < d.per_item && s < d.segments; ++item, s += get_local_size(0)) {
#endif
#if !defined(KN_STACKED) && !defined(KN_PARTS)
#ifdef KN_ACROSS
    const ulong flat = s * KN_W;
    const KN_INDEX row = (KN_INDEX)flat / (KN_INDEX)d.inner;
    const ulong i = flat - (ulong)row * d.inner;
    const ulong left = d.elements - flat;
#else
#ifdef KN_ROWS
    const KN_INDEX row = (KN_INDEX)s / (KN_INDEX)d.row_segments;
#else
    const KN_INDEX row = 0;
#endif
    const ulong i = (s - (ulong)row * d.row_segments) * KN_W;
    const ulong left = d.inner - i;
#endif
#endif
    KN_ROW
#ifdef KN_PIECE
    KN_PIECE
#endif
    KN_BODY
  }
#endif
}

// SPDX-License-Identifier: Apache-2.0
// Elements along one axis, picked by an array of positions: out[o, j, i] = x[o, positions[j], i], all row-major.
//
// On a CPU a work-item takes a run of rows (o, j) and copies each (KN_SINGLE: of one element); on a GPU neighbouring work-items take neighbouring
// elements. A position below zero counts from the end; one outside the axis is reported and gives -1, which as a
// position is none.

#include "common/fault.clh"

// What an element is moved as.
#ifndef KN_MOVED
#define KN_MOVED uint
#endif
#ifndef KN_INDEX
#define KN_INDEX ulong
#endif
#define KN_NONE ((KN_MOVED)(-1))

static inline bool kn_find(__global const long* positions, KN_INDEX j, long size, __global kn_fault* fault, long* at) {
  const long position = positions[j];
  *at = position < 0 ? position + size : position;
  if (*at >= 0 && *at < size) return true;
  kn_report(fault, position);
  return false;
}

__kernel void koine(__global const KN_MOVED* x, __global const long* positions, __global KN_MOVED* out,
                    __global kn_fault* fault, const ulong x_offset, const ulong positions_offset, const ulong rows,
                    const ulong count, const ulong size, const ulong inner) {
  x += x_offset;
  positions += positions_offset;
#ifdef KN_CPU
  const ulong per_item = (rows + get_global_size(0) - 1) / get_global_size(0);
  const ulong first = get_global_id(0) * per_item, last = min(first + per_item, rows);
  // Counted along, not divided for each row, so that the reads of many rows are under way at once.
  ulong o = first / count, j = first - o * count;
  for (ulong row = first; row < last; ++row) {
    long at;
    const bool found = kn_find(positions, j, (long)size, fault, &at);
    const ulong source = o * size + (found ? (ulong)at : 0);
    if (++j == count) {
      j = 0;
      ++o;
    }
#ifdef KN_SINGLE
    out[row] = found ? x[source] : KN_NONE;
#else
    __global const KN_MOVED* from = x + source * inner;
    __global KN_MOVED* to = out + row * inner;
    if (found) {
      for (ulong i = 0; i < inner; ++i) to[i] = from[i];
    } else {
      for (ulong i = 0; i < inner; ++i) to[i] = KN_NONE;
    }
#endif
  }
#else
  const KN_INDEX elements = (KN_INDEX)(rows * inner), step = (KN_INDEX)get_global_size(0);
  for (KN_INDEX e = (KN_INDEX)get_global_id(0); e < elements; e += step) {
    const KN_INDEX row = e / (KN_INDEX)inner, o = row / (KN_INDEX)count;
    long at;
    const bool found = kn_find(positions, row - o * (KN_INDEX)count, (long)size, fault, &at);
    out[e] = found ? x[((ulong)o * size + (ulong)at) * inner + (e - row * (KN_INDEX)inner)] : KN_NONE;
  }
#endif
}

// SPDX-License-Identifier: Apache-2.0
// Elements along one axis, picked by an array of positions: out[o, j, i] = x[o, positions[j], i], all row-major.
//
// On a CPU a work-item takes a run of rows (o, j), a block after another, and copies each (KN_SINGLE: of one element); on
// a GPU neighbouring work-items take neighbouring elements. A position below zero counts from the end; one outside the
// axis is reported and gives -1, which as a position is none.

#include "common/fault.clh"

// What an element is moved as.
#ifndef KN_MOVED
#define KN_MOVED uint
#endif
#ifndef KN_INDEX
#define KN_INDEX ulong
#endif
#define KN_NONE ((KN_MOVED)(-1))
// Positions that a CPU looks at together.
#define KN_BLOCK 64

static inline bool kn_find(__global const long* positions, KN_INDEX j, long size, __global kn_fault* fault, long* at) {
  const long position = positions[j];
  *at = position < 0 ? position + size : position;
  if (*at >= 0 && *at < size) return true;
  kn_report(fault, position);
  return false;
}

typedef struct {
  ulong x_offset, positions_offset;
  ulong rows, count, size, inner;
} kn_take;

__kernel void take(__global const KN_MOVED* x, __global const long* positions, __global KN_MOVED* out,
                   __global kn_fault* fault, const kn_take parameters) {
  const kn_take d = parameters;  // in registers, whatever is written meanwhile
  x += d.x_offset;
  positions += d.positions_offset;
#ifdef KN_CPU
  const ulong per_item = (d.rows + get_global_size(0) - 1) / get_global_size(0);
  const ulong first = get_global_id(0) * per_item, last = min(first + per_item, d.rows);
  ulong o = first / d.count, j = first - o * d.count;
  for (ulong row = first; row < last;) {
    const uint block = (uint)min((ulong)KN_BLOCK, min(d.count - j, last - row));
    // As few instructions as can be between one read of x and the next, so that many are under way at once.
    long at[KN_BLOCK];
    int outside = 0;
    for (uint k = 0; k < block; ++k) {
      const long position = positions[j + k];
      at[k] = position + (position < 0 ? (long)d.size : 0);
      outside |= at[k] < 0 || at[k] >= (long)d.size;
    }
    if (outside) {
      for (uint k = 0; k < block; ++k) {
        if (!kn_find(positions, j + k, (long)d.size, fault, &at[k])) at[k] = -1;
      }
    }
    __global const KN_MOVED* from = x + o * d.size * d.inner;
    __global KN_MOVED* to = out + row * d.inner;
#ifdef KN_SINGLE
    if (!outside) {
      // A processor's own gathers are slower.
#pragma clang loop vectorize(disable)
      for (uint k = 0; k < block; ++k) to[k] = from[at[k]];
    } else {
      for (uint k = 0; k < block; ++k) to[k] = at[k] < 0 ? KN_NONE : from[at[k]];
    }
#else
    for (uint k = 0; k < block; ++k, to += d.inner) {
      if (at[k] < 0) {
        for (ulong i = 0; i < d.inner; ++i) to[i] = KN_NONE;
      } else {
        for (ulong i = 0; i < d.inner; ++i) to[i] = from[(ulong)at[k] * d.inner + i];
      }
    }
#endif
    row += block;
    j += block;
    if (j == d.count) {
      j = 0;
      ++o;
    }
  }
#else
  const KN_INDEX elements = (KN_INDEX)(d.rows * d.inner), step = (KN_INDEX)get_global_size(0);
  for (KN_INDEX e = (KN_INDEX)get_global_id(0); e < elements; e += step) {
    const KN_INDEX row = e / (KN_INDEX)d.inner, o = row / (KN_INDEX)d.count;
    long at;
    const bool found = kn_find(positions, row - o * (KN_INDEX)d.count, (long)d.size, fault, &at);
    out[e] = found ? x[((ulong)o * d.size + (ulong)at) * d.inner + (e - row * (KN_INDEX)d.inner)] : KN_NONE;
  }
#endif
}

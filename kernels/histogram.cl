// SPDX-License-Identifier: Apache-2.0
// How many elements lie between edges that rise: each is counted in the bin whose edges it lies between; what equals the
// last edge is in the last bin. Whether it is the bin that it were if all had the same width is looked at first; if not,
// a bisection finds it.
//
// Reals are compared by their keys (common/sort.clh), with edges of their own type: NaN lie behind all. Integers are
// compared, as int64, with bounds of that type: each bin's lowest, and one above the highest of the last. On a CPU a
// work-item takes a run of elements, on a GPU neighbours take neighbours; each group, or work-item of a CPU, has its own
// bins (KN_OWN), or all count in global memory.

#ifndef KN_POSITIONED
#define KN_POSITIONED
#endif
#include "common/fp64.clh"
#include "common/sort.clh"

typedef struct {
  ulong count, offset, edges_offset;  // elements; of `values`; of `edges`
  uint bins;
} kn_histogram;

#if KN_KIND == KN_REAL
#define KN_EDGE KN_KEY
#define KN_BOUND KN_KEY
#define KN_BOUND_OF(edge, last) ((KN_KEY)(kn_key(edge, 0) + (last)))
#define KN_COMPARED(bits) kn_key(bits, 0)
#else
#define KN_EDGE long
#define KN_BOUND long
#define KN_BOUND_OF(edge, last) (edge)
#if KN_KIND == KN_UNSIGNED
#define KN_COMPARED(bits) ((long)(bits))
#elif KN_BITS == 8
#define KN_COMPARED(bits) ((long)as_char(bits))
#elif KN_BITS == 16
#define KN_COMPARED(bits) ((long)as_short(bits))
#else
#define KN_COMPARED(bits) ((long)as_int((uint)(bits)))
#endif
#endif

// Numbers of 32 and 64 bits as reals, to say where they lie from the first to the last edge.
#if KN_KIND != KN_REAL
#define KN_GUESS float
#define KN_REAL_OF(bits) ((float)KN_COMPARED(bits))
#define KN_EDGE_REAL(edge) ((float)(edge))
#elif KN_BITS == 32
#define KN_GUESS float
#define KN_REAL_OF(bits) as_float(bits)
#define KN_EDGE_REAL(edge) as_float(edge)
#elif KN_BITS == 64 && KN_FP64
#define KN_GUESS double
#define KN_REAL_OF(bits) as_double(bits)
#define KN_EDGE_REAL(edge) as_double(edge)
#endif

// Bins that a group has room for.
#define KN_MOST_OWN 2048
// Elements whose bisections go on side by side, as each step waits for a load.
#define KN_AT_ONCE 8

__kernel void histogram(__global const KN_KEY* values, __global const KN_EDGE* edges, __global uint* counts,
                        const kn_histogram d) {
  values += d.offset;
  edges += d.edges_offset;
#ifdef KN_CPU
  const ulong per_item = (d.count + get_global_size(0) - 1) / get_global_size(0);
  const ulong first = get_global_id(0) * per_item, last = min(first + per_item, d.count), step = 1;
#else
  const ulong first = get_global_id(0), last = d.count, step = get_global_size(0);
#endif
#ifdef KN_OWN
#ifdef KN_CPU
  KN_BOUND bounds[KN_MOST_OWN + 1];
  uint own[KN_MOST_OWN];
  const uint id = 0, items = 1;
#define KN_COUNT_IN(bin) ++own[bin]
#else
  __local KN_BOUND bounds[KN_MOST_OWN + 1];
  __local uint own[KN_MOST_OWN];
  const uint id = (uint)get_local_id(0), items = (uint)get_local_size(0);
#define KN_COUNT_IN(bin) atomic_inc(own + (bin))
#endif
  for (uint k = id; k <= d.bins; k += items) bounds[k] = KN_BOUND_OF(edges[k], k == d.bins);
  for (uint k = id; k < d.bins; k += items) own[k] = 0;
#ifndef KN_CPU
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
#define KN_BOUND_AT(k) bounds[k]
#else
#define KN_BOUND_AT(k) KN_BOUND_OF(edges[k], (k) == d.bins)
#define KN_COUNT_IN(bin) atomic_inc(counts + (bin))
#endif
#ifdef KN_GUESS
  const KN_GUESS low = KN_EDGE_REAL(edges[0]), scale = (KN_GUESS)d.bins / (KN_EDGE_REAL(edges[d.bins]) - low);
#endif
  for (ulong i = first; i < last; i += KN_AT_ONCE * step) {
    KN_BOUND compared[KN_AT_ONCE];
    uint bins[KN_AT_ONCE];  // d.bins: none
    bool missed = false;
#pragma unroll
    for (uint k = 0; k < KN_AT_ONCE; ++k) {
      const KN_KEY bits = values[min(i + k * step, last - 1)];
      compared[k] = KN_COMPARED(bits);
#ifdef KN_GUESS
      const KN_GUESS guess = (KN_REAL_OF(bits) - low) * scale;
      const uint bin = !(guess > 0) ? 0 : guess < (KN_GUESS)(d.bins - 1) ? (uint)guess : d.bins - 1;
      const bool inside = compared[k] >= KN_BOUND_AT(0) && compared[k] < KN_BOUND_AT(d.bins);
      bins[k] = inside ? bin : d.bins;
      missed = missed || (inside && (compared[k] < KN_BOUND_AT(bin) || compared[k] >= KN_BOUND_AT(bin + 1)));
#endif
    }
#ifdef KN_GUESS
    if (missed)
#endif
    {
      uint below[KN_AT_ONCE];  // bounds that are not above the element
      for (uint k = 0; k < KN_AT_ONCE; ++k) below[k] = 0;
      for (uint left = d.bins + 1; left > 0; left /= 2) {
        const uint half_left = left - left / 2;
#pragma unroll
        for (uint k = 0; k < KN_AT_ONCE; ++k) {
          below[k] += KN_BOUND_AT(below[k] + half_left - 1) <= compared[k] ? half_left : 0;
        }
      }
#pragma unroll
      for (uint k = 0; k < KN_AT_ONCE; ++k) bins[k] = below[k] > 0 ? below[k] - 1 : d.bins;
    }
#pragma unroll
    for (uint k = 0; k < KN_AT_ONCE; ++k) {
      if (i + k * step < last && bins[k] < d.bins) KN_COUNT_IN(bins[k]);
    }
  }
#ifdef KN_OWN
#ifndef KN_CPU
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  for (uint k = id; k < d.bins; k += items) {
    if (own[k] > 0) atomic_add(counts + k, own[k]);
  }
#endif
}

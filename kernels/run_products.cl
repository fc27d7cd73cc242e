// SPDX-License-Identifier: Apache-2.0
// The products of runs of equal ids, which rise, and of which each names the row where its product goes. A work-item
// takes the rows of one block, at one position of the inner axis, one after another. A run that begins and ends inside
// a block is done there; the products of a block's first and last run are the rows of the next pass, which has two for
// each block. So the order of the multiplications follows from the ids alone.
//
// `fill` writes the product of no rows first.

#include "common/fault.clh"
#pragma OPENCL FP_CONTRACT OFF

// What is multiplied: an unsigned integer, a real, or with KN_COMPLEX a pair of them.
#ifndef KN_T
#define KN_T float
#endif
#ifdef KN_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef KN_COMPLEX
#define KN_ONE (KN_T)(1, 0)
#define KN_TIMES(a, b) ((KN_T)((a).x * (b).x - (a).y * (b).y, (a).x * (b).y + (a).y * (b).x))
#else
#define KN_ONE (KN_T)1
#define KN_TIMES(a, b) ((a) * (b))
#endif
#ifndef KN_ID
#define KN_ID int
#endif

typedef struct {
  ulong values_offset, ids_offset;
  ulong rows, inner, step, per_block, blocks, groups;  // `step` 0: one value for all
} kn_runs;

__kernel void run_products_fill(__global KN_T* out, const kn_runs d) {
  const ulong entries = d.groups * d.inner;
  for (ulong t = get_global_id(0); t < entries; t += get_global_size(0)) out[t] = KN_ONE;
}

__kernel void run_products(__global const KN_T* values, __global const KN_ID* ids, __global KN_T* part_values,
                           __global KN_ID* part_ids, __global KN_T* out, __global kn_fault* outside,
                           __global kn_fault* falling, const kn_runs runs) {
  const kn_runs d = runs;  // in registers, whatever is written meanwhile
  values += d.values_offset;
  ids += d.ids_offset;
  for (ulong unit = get_global_id(0); unit < d.blocks * d.inner; unit += get_global_size(0)) {
    const ulong block = unit / d.inner, i = unit - block * d.inner;
    const ulong first = block * d.per_block, last = min(first + d.per_block, d.rows);
    KN_ID id = ids[first];
    KN_T product = values[(first * d.inner + i) * d.step];
    bool in_first = true;
    for (ulong row = first + 1; row <= last; ++row) {
      const bool ends = row == last;
      const KN_ID next = ends ? id : ids[row];
      if (!ends && next == id) {
        product = KN_TIMES(product, values[(row * d.inner + i) * d.step]);
        continue;
      }
      const bool group = id >= 0 && (ulong)id < d.groups;
      if (!group) kn_report(outside, (long)min((ulong)id, id < 0 ? ~0UL : 0x7fffffffffffffffUL));
      if (next < id) kn_report(falling, (long)next);
      if (d.blocks > 1 && (in_first || ends)) {
        const ulong part = 2 * block + (in_first ? 0 : 1);
        part_values[part * d.inner + i] = product;
        part_ids[part] = id;
        if (in_first && ends) {
          part_values[(part + 1) * d.inner + i] = KN_ONE;
          part_ids[part + 1] = id;
        }
      } else if (group) {
        out[(ulong)id * d.inner + i] = product;
      }
      in_first = false;
      id = next;
      if (!ends) product = values[(row * d.inner + i) * d.step];
    }
  }
}

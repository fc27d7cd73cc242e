// SPDX-License-Identifier: Apache-2.0
// Elements put where an array of positions says: out[positions[i]] = values[i], of equal positions the last. A position
// below zero is one that was reported as wrong, and goes nowhere.
//
// Where positions may be equal, a kernel with KN_CLAIM runs first: `owners`, zeros before, then holds of each element
// the number of the last value for it, from 1 on. KN_OWNERS looks at that.

// What an element is moved as.
#ifndef KN_MOVED
#define KN_MOVED uint
#endif

typedef struct {
  ulong positions_offset, values_offset;
  ulong step, count;  // `step` 0: one value for all
} kn_scatter;

#ifdef KN_CLAIM
__kernel void scatter_claim(__global const long* positions, __global uint* owners, const kn_scatter parameters) {
  const kn_scatter d = parameters;  // in registers, whatever is written meanwhile
  positions += d.positions_offset;
  for (ulong i = get_global_id(0); i < d.count; i += get_global_size(0)) {
    const long at = positions[i];
    if (at >= 0) atomic_max(&owners[at], (uint)i + 1);
  }
}
#else
#ifdef KN_OWNERS
#define KN_OWNERS_PARAMETER __global const uint *owners,
#define KN_OWNS(at, i) (owners[at] == (uint)(i) + 1)
#else
#define KN_OWNERS_PARAMETER
#define KN_OWNS(at, i) true
#endif

__kernel void scatter(__global const long* positions, __global const KN_MOVED* values,
                      KN_OWNERS_PARAMETER __global KN_MOVED* out, const kn_scatter parameters) {
  const kn_scatter d = parameters;  // in registers, whatever is written meanwhile
  positions += d.positions_offset;
  values += d.values_offset;
  for (ulong i = get_global_id(0); i < d.count; i += get_global_size(0)) {
    const long at = positions[i];
    if (at >= 0 && KN_OWNS(at, i)) out[at] = values[i * d.step];
  }
}
#endif

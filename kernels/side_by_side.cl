// SPDX-License-Identifier: Apache-2.0
// Whether all groups of a launch run at the same time: each waits until all have come, but not for ever.

// Looks at memory: seconds on a card, milliseconds on a CPU, which looks at its cache.
#define KN_PATIENCE (1u << 22)

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void side_by_side(volatile __global uint* come,
                                                                           __global uint* met) {
  if (get_local_id(0) > 0) return;
  const uint all = (uint)get_num_groups(0);
  atomic_inc(come);
  uint looks = 0;
  while (*come < all && looks < KN_PATIENCE) ++looks;
  met[get_group_id(0)] = looks < KN_PATIENCE;
}

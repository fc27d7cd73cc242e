// SPDX-License-Identifier: Apache-2.0
// Sums of many groups of float32, whose table would reach far in global memory: values come sorted by buckets of 256 ids
// each, of which a group has all in local memory. The results are those of scatter_reduce.cl.
//
//   keys     the ids that sort_sweep.cl sorts, the values beside them
//   begins   where each bucket's values begin
//   buckets  a bucket's results

#include "common/by_ids.clh"

#define KN_BUCKET 256

#ifndef KN_CPU

// An id of no group becomes one behind all groups.
__kernel void scatter_keys(__global const KN_ID* ids, __global uint* keys, __global kn_fault* fault,
                           const kn_scatter_reduce d) {
  ids += d.ids_offset;
  for (ulong i = get_global_id(0); i < d.rows; i += get_global_size(0)) {
    keys[i] = (uint)min(kn_group_of(ids[i], d.groups, d.reports, d.wraps, fault), d.groups);
  }
}

// `begins` has one more than there are buckets.
__kernel void scatter_begins(__global const uint* keys, __global uint* begins, const kn_scatter_reduce d) {
  const ulong buckets = d.groups / KN_BUCKET + 1;
  for (ulong i = get_global_id(0); i < d.rows; i += get_global_size(0)) {
    const ulong bucket = keys[i] / KN_BUCKET, first = i == 0 ? 0 : keys[i - 1] / KN_BUCKET + 1;
    for (ulong b = first; b <= bucket; ++b) begins[b] = (uint)i;
    if (i + 1 < d.rows) continue;
    for (ulong b = bucket + 1; b <= buckets; ++b) begins[b] = (uint)d.rows;
  }
}

__kernel __attribute__((reqd_work_group_size(KN_BUCKET, 1, 1))) void scatter_buckets(
    __global const uint* keys, __global const uint* values, __global const uint* begins, __global const KN_OUT* base,
    __global KN_OUT* out, const kn_scatter_reduce d) {
  __local uint largest[KN_BUCKET], words[KN_WORDS * KN_BUCKET];
  const uint id = (uint)get_local_id(0);
  const ulong bucket = get_group_id(0), entry = bucket * KN_BUCKET + id;
  const bool based = d.based != 0 && entry < d.groups;
  const KN_OUT start = based ? base[d.base_offset + entry] : 0;
  largest[id] = based ? KN_EXPONENT(start) : 0;
  for (uint k = 0; k < KN_WORDS; ++k) words[k * KN_BUCKET + id] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint begin = begins[bucket] + id, end = begins[bucket + 1];
  for (uint i = begin; i < end; i += KN_BUCKET) {
    kn_raise_in_local(largest + keys[i] % KN_BUCKET, KN_EXPONENT(values[i]));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = begin; i < end; i += KN_BUCKET) {
    const uint at = keys[i] % KN_BUCKET;
    kn_add_to_local(words + at, KN_BUCKET, kn_addend(values[i], largest[at], 0));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (entry < d.groups) {
    uint own[KN_WORDS];
    for (uint k = 0; k < KN_WORDS; ++k) own[k] = words[k * KN_BUCKET + id];
    out[entry] = kn_exact_result(KN_TOTAL_OF(own), largest[id], d.based, start);
  }
}
#endif

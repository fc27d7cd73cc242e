// SPDX-License-Identifier: Apache-2.0
// Rows added to the rows of a table that their ids name, or the largest kept: each result is the sum, or the largest, of
// all values with its id.
//
//   largest  the largest `key` of each entry: of sums of reals the exponent, of extremes the first 32 bits of a key that
//            has the order of the values
//   join     those of all parts, and of the array that sums are added to, brought together
//   total    the sums, in KN_WORDS words of 32 bits; of extremes of 64 bits the last 32 bits of the key
//   finish   the results
//   at_once  all of that by one work-group, of few values
//   few      the same in place, of few values beside many entries
//
// With KN_RANGED sums of reals are first looked at together:
//
//   range    the largest and the smallest exponent of all terms
//
// Where these are so near that no term loses a bit beside the largest of all, entries need no exponents of their own,
// `largest` and `join` have nothing to do, and terms are added in two parts of 64 bits that need no carries. Sums are exact
// then, as they are the other way wherever exponents are so near: which way is taken changes no bit.
//
// On a CPU a work-item takes a run of rows, and has a table of its own, a part. On a GPU neighbouring work-items take
// neighbouring values; a group has a table in local memory (KN_LOCAL) that it adds to the one in global memory in the
// end, or all work on that. Carries go from word to word, so 64-bit atomics are not needed.

#include "common/by_ids.clh"

#if defined(KN_RANGED) && defined(KN_EXACT) && (defined(KN_ADD_LONG) || defined(KN_CPU))
#include "common/near_sum.clh"
#define KN_NEAR_SUM
#endif
// Whether terms are added so.
#ifdef KN_NEAR_SUM
#define KN_NEAR kn_is_near(range)
#else
#define KN_NEAR false
#endif
#ifdef KN_RANGED
#define KN_RANGE , __global uint* range
#else
#define KN_RANGE
#endif

// Tables in `totals`.
#ifdef KN_CPU
#define KN_PARTS d.parts
#else
#define KN_PARTS 1
#endif
#ifdef KN_SINGLE
#define KN_INNER 1
#else
#define KN_INNER d.inner
#endif
#define KN_ENTRIES (d.groups * KN_INNER)
#ifndef KN_INDEX
#define KN_INDEX ulong
#endif
// KN_SAME: one value for all.
#ifdef KN_SAME
#define KN_GIVEN 1
#define KN_VALUE_AT(i) values[0]
#else
#define KN_GIVEN d.rows * KN_INNER
#define KN_VALUE_AT(i) values[i]
#endif
// Whether there is a largest key of each entry, and whether there is a total.
#if defined(KN_EXACT) || KN_REDUCE == KN_EXTREME
#define KN_KEYED 1
#define KN_LARGEST(from, at) from[at]
#else
#define KN_KEYED 0
#define KN_LARGEST(from, at) 0
#endif
#define KN_TOTALLED (KN_REDUCE == KN_SUM || KN_BITS == 64)
#ifndef KN_CPU
// Values that a work-item loads together.
#define KN_BATCH 8
#endif

// KN_AT(at, bits) for each value and its entry.
#ifdef KN_CPU
#define KN_FOR_EACH                                                                           \
  const ulong per_item = (d.rows + get_global_size(0) - 1) / get_global_size(0);              \
  const ulong first_row = get_global_id(0) * per_item;                                        \
  const ulong last_row = min(first_row + per_item, d.rows);                                   \
  for (ulong row = first_row; row < last_row; ++row) {                                        \
    const ulong group = kn_group_of(ids[row], d.groups, d.reports, d.wraps, fault);           \
    if (group >= d.groups) continue;                                                          \
    for (ulong i = 0; i < KN_INNER; ++i) {                                                    \
      KN_AT(group * KN_INNER + i, KN_VALUE_AT(row * KN_INNER + i))                            \
    }                                                                                         \
  }
#else
#define KN_FOR_EACH                                                                           \
  const KN_INDEX elements = (KN_INDEX)(d.rows * KN_INNER), stride = (KN_INDEX)get_global_size(0); \
  for (KN_INDEX e = (KN_INDEX)get_global_id(0); e < elements; e += KN_BATCH * stride) {       \
    KN_KEY batch[KN_BATCH];                                                                   \
    KN_ID named[KN_BATCH];                                                                    \
    _Pragma("unroll") for (uint k = 0; k < KN_BATCH; ++k) {                                   \
      const KN_INDEX at = min(e + k * stride, (KN_INDEX)(elements - 1));                      \
      named[k] = ids[at / (KN_INDEX)KN_INNER];                                                \
      batch[k] = KN_VALUE_AT(at);                                                             \
    }                                                                                         \
    _Pragma("unroll") for (uint k = 0; k < KN_BATCH; ++k) {                                   \
      const KN_INDEX at = e + k * stride;                                                     \
      if (at >= elements) continue;                                                           \
      const ulong group = kn_group_of(named[k], d.groups, d.reports, d.wraps, fault);         \
      if (group < d.groups) KN_AT(group * KN_INNER + at % (KN_INDEX)KN_INNER, batch[k])       \
    }                                                                                         \
  }
#endif

#ifdef KN_LOCAL
// Values of `few`.
#define KN_FEW_VALUES 256
#define KN_TABLE , __local uint *table
#else
#define KN_TABLE
#endif

#ifdef KN_RANGED
__kernel void scatter_reduce_range(__global const KN_KEY* values, __global const KN_KEY* base, __global uint* range,
                                   const kn_scatter_reduce d) {
#if defined(KN_NEAR_SUM) && defined(KN_CPU)
  uint largest = 0, below = 0;
  kn_widen_by_run(values + d.values_offset, KN_GIVEN, &largest, &below);
  if (d.based != 0) kn_widen_by_run(base + d.base_offset, KN_ENTRIES, &largest, &below);
  atomic_max(range, largest);
  atomic_max(range + 1, below);
#elif defined(KN_NEAR_SUM)
  __local uint shared[2];
  if (get_local_id(0) < 2) shared[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  values += d.values_offset;
  base += d.base_offset;
  const ulong elements = d.rows * KN_INNER, stride = get_global_size(0);
  uint largest = 0, below = 0;
  for (ulong e = get_global_id(0); e < elements; e += KN_BATCH * stride) {
    KN_KEY batch[KN_BATCH];
    _Pragma("unroll") for (uint k = 0; k < KN_BATCH; ++k) batch[k] = KN_VALUE_AT(min(e + k * stride, elements - 1));
    _Pragma("unroll") for (uint k = 0; k < KN_BATCH; ++k) kn_widen(batch[k], &largest, &below);
  }
  if (d.based != 0) {
    for (ulong t = get_global_id(0); t < KN_ENTRIES; t += stride) kn_widen(base[t], &largest, &below);
  }
  atomic_max(shared, largest);
  atomic_max(shared + 1, below);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) < 2) atomic_max(range + get_local_id(0), shared[get_local_id(0)]);
#endif
}
#endif

__kernel void scatter_reduce_largest(__global const KN_KEY* values, __global const KN_ID* ids, __global uint* keys,
                                     __global kn_fault* fault KN_RANGE, const kn_scatter_reduce d KN_TABLE) {
  if (KN_NEAR) return;
  values += d.values_offset;
  ids += d.ids_offset;
#if defined(KN_CPU)
  keys += get_global_id(0) * KN_ENTRIES;
#define KN_AT(at, bits)                        \
  const uint key = kn_first(bits, d.flip);     \
  if (key > keys[at]) keys[at] = key;
#elif defined(KN_LOCAL)
  for (uint t = get_local_id(0); t < KN_ENTRIES; t += get_local_size(0)) table[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#define KN_AT(at, bits) kn_raise_in_local(table + (at), kn_first(bits, d.flip));
#else
#define KN_AT(at, bits) kn_raise_in_global(keys + (at), kn_first(bits, d.flip));
#endif
  KN_FOR_EACH
#undef KN_AT
#ifdef KN_LOCAL
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = get_local_id(0); t < KN_ENTRIES; t += get_local_size(0)) kn_raise_in_global(keys + t, table[t]);
#endif
}

// KN_FOR_EACH_ENTRY(t): on a CPU a run of them.
#ifdef KN_CPU
#define KN_FOR_EACH_ENTRY                                                                  \
  const ulong per_item = (KN_ENTRIES + get_global_size(0) - 1) / get_global_size(0);       \
  const ulong last_entry = min((get_global_id(0) + 1) * per_item, (ulong)KN_ENTRIES);      \
  for (ulong t = get_global_id(0) * per_item; t < last_entry; ++t)
#else
#define KN_FOR_EACH_ENTRY for (ulong t = get_global_id(0); t < KN_ENTRIES; t += get_global_size(0))
#endif

__kernel void scatter_reduce_join(__global uint* keys, __global const KN_KEY* base KN_RANGE,
                                  const kn_scatter_reduce d) {
  if (KN_NEAR) return;
  KN_FOR_EACH_ENTRY {
    uint key = keys[t];
    for (ulong part = 1; part < d.parts; ++part) key = max(key, keys[part * KN_ENTRIES + t]);
#ifdef KN_EXACT
    if (d.based != 0) key = max(key, KN_EXPONENT(base[d.base_offset + t]));
#endif
    keys[t] = key;
  }
}

__kernel void scatter_reduce_total(__global const KN_KEY* values, __global const KN_ID* ids, __global const uint* keys,
                                   __global KN_STORED* totals, __global kn_fault* fault KN_RANGE,
                                   const kn_scatter_reduce d KN_TABLE) {
  values += d.values_offset;
  ids += d.ids_offset;
#ifdef KN_NEAR_SUM
  if (KN_NEAR) {
    const uint largest = range[0];
#ifdef KN_CPU
    totals += get_global_id(0) * KN_ENTRIES;
#endif
#define KN_AT(at, bits) kn_add_parts((__global ulong*)totals + (at), KN_ENTRIES, bits, largest, d.part_bits);
    KN_FOR_EACH
#undef KN_AT
    return;
  }
#endif
#if defined(KN_CPU)
  totals += get_global_id(0) * KN_ENTRIES;
#define KN_AT(at, bits) totals[at] = kn_both(totals[at], kn_addend(bits, KN_LARGEST(keys, at), d.flip));
#elif defined(KN_LOCAL)
  const uint entries = (uint)KN_ENTRIES;
  __local uint* const words = table + entries;
  for (uint t = get_local_id(0); t < entries; t += get_local_size(0)) {
    table[t] = KN_LARGEST(keys, t);
    for (uint k = 0; k < KN_WORDS; ++k) words[k * entries + t] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#define KN_AT(at, bits) \
  kn_add_to_local(words + (at), entries, kn_addend(bits, KN_LARGEST(table, at), d.flip));
#else
#define KN_AT(at, bits) \
  kn_add_to_entry(totals + (at) * KN_STRIDE, kn_addend(bits, KN_LARGEST(keys, at), d.flip));
#endif
  KN_FOR_EACH
#undef KN_AT
#ifdef KN_LOCAL
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = get_local_id(0); t < entries; t += get_local_size(0)) {
    uint own[KN_WORDS];
    for (uint k = 0; k < KN_WORDS; ++k) own[k] = words[k * entries + t];
    kn_add_to_entry(totals + (ulong)t * KN_STRIDE, KN_TOTAL_OF(own));
  }
#endif
}

__kernel void scatter_reduce_finish(__global const uint* keys, __global const KN_STORED* totals,
                                    __global const KN_OUT* base, __global KN_OUT* out KN_RANGE,
                                    const kn_scatter_reduce d) {
  base += d.base_offset;
#ifdef KN_NEAR_SUM
  if (KN_NEAR) {
    KN_FOR_EACH_ENTRY {
      ulong upper = 0, lower = 0;
      for (ulong table = 0; table < KN_PARTS; ++table) {
        __global const ulong* const parts = (__global const ulong*)(totals + table * KN_ENTRIES);
        upper += parts[t];
        lower += parts[KN_ENTRIES + t];
      }
      const KN_TOTAL total = kn_sum_of_parts(upper, lower, d.part_bits);
      out[t] = kn_exact_result(total, range[0], d.based, d.based != 0 ? base[t] : 0);
    }
    return;
  }
#endif
  KN_FOR_EACH_ENTRY {
#if !KN_TOTALLED
    const KN_TOTAL total = 0;
#elif defined(KN_CPU)
    KN_TOTAL total = totals[t];
    for (ulong part = 1; part < d.parts; ++part) total = kn_both(total, totals[part * KN_ENTRIES + t]);
#else
    uint words[KN_WORDS];
    for (uint k = 0; k < KN_WORDS; ++k) words[k] = totals[t * KN_STRIDE + k];
    const KN_TOTAL total = KN_TOTAL_OF(words);
#endif
    out[t] = kn_result(KN_KEYED ? keys[t] : 0, total, d.based, d.based != 0 ? base[t] : 0, d.flip);
  }
}

#ifdef KN_LOCAL
// An entry's total, in a table of so many.
static inline KN_TOTAL kn_total_in(__local const uint* words, const uint entries, const uint at) {
#if KN_TOTALLED
  uint own[KN_WORDS];
  for (uint k = 0; k < KN_WORDS; ++k) own[k] = words[k * entries + at];
  return KN_TOTAL_OF(own);
#else
  return 0;
#endif
}

// All of that at once, by one work-group.
__kernel void scatter_reduce_at_once(__global const KN_KEY* values, __global const KN_ID* ids,
                                     __global const KN_OUT* base, __global KN_OUT* out, __global kn_fault* fault,
                                     const kn_scatter_reduce d KN_TABLE) {
  values += d.values_offset;
  ids += d.ids_offset;
  base += d.base_offset;
  const uint entries = (uint)KN_ENTRIES;
  __local uint* const words = table + entries;
  for (uint t = get_local_id(0); t < entries; t += get_local_size(0)) {
#ifdef KN_EXACT
    table[t] = d.based != 0 ? KN_EXPONENT(base[t]) : 0;
#else
    table[t] = 0;
#endif
#if KN_TOTALLED
    for (uint k = 0; k < KN_WORDS; ++k) words[k * entries + t] = 0;
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#if KN_KEYED
#define KN_AT(at, bits) kn_raise_in_local(table + (at), kn_first(bits, d.flip));
  { KN_FOR_EACH }
#undef KN_AT
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if KN_TOTALLED
#define KN_AT(at, bits) \
  kn_add_to_local(words + (at), entries, kn_addend(bits, KN_LARGEST(table, at), d.flip));
  { KN_FOR_EACH }
#undef KN_AT
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  for (uint t = get_local_id(0); t < entries; t += get_local_size(0)) {
    const KN_TOTAL total = kn_total_in(words, entries, t);
    out[t] = kn_result(table[t], total, d.based, d.based != 0 ? base[t] : 0, d.flip);
  }
}

// Of few values, one for each work-item of a group: the entries that they name are brought together in place, however
// many others there are. Equal ids share the table's entry of the first of them.
__kernel void scatter_reduce_few(__global const KN_KEY* values, __global const KN_ID* ids, __global KN_OUT* out,
                                 __global kn_fault* fault, const kn_scatter_reduce d) {
  values += d.values_offset;
  ids += d.ids_offset;
  const uint id = (uint)get_local_id(0), inner = (uint)KN_INNER, rows = (uint)d.rows;
  const uint row = id / inner, column = id % inner;
  __local ulong groups[KN_FEW_VALUES];
  __local uint table[(1 + KN_TOTALLED * KN_WORDS) * KN_FEW_VALUES];
  if (id < rows) groups[id] = kn_group_of(ids[id], d.groups, d.reports, d.wraps, fault);
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool mine = row < rows && groups[min(row, rows - 1)] < d.groups;
  uint first = 0;
  ulong place = 0;
  if (mine) {
    while (groups[first] != groups[row]) ++first;
    place = groups[row] * inner + column;
  }
  const bool leads = mine && first == row;
  const uint at = first * inner + column;
  __local uint* const words = table + KN_FEW_VALUES;
  if (row < rows) {
#ifdef KN_EXACT
    table[id] = leads ? KN_EXPONENT(out[place]) : 0;
#else
    table[id] = 0;
#endif
#if KN_TOTALLED
    for (uint k = 0; k < KN_WORDS; ++k) words[k * KN_FEW_VALUES + id] = 0;
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#if KN_KEYED
  if (mine) kn_raise_in_local(table + at, kn_first(KN_VALUE_AT(id), d.flip));
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if KN_TOTALLED
  if (mine) kn_add_to_local(words + at, KN_FEW_VALUES, kn_addend(KN_VALUE_AT(id), KN_LARGEST(table, at), d.flip));
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (leads) {
    const KN_TOTAL total = kn_total_in(words, KN_FEW_VALUES, id);
    out[place] = kn_result(table[id], total, 1, out[place], d.flip);
  }
}
#endif

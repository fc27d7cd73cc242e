// SPDX-License-Identifier: Apache-2.0
// Long: the kernels of a table, for CPUs and cards, share how values are walked and totals are kept.
// Rows added to the rows of a table that their ids name, or the largest kept: each result is the sum, or the largest, of
// all values with its id. Every step is one of integers that may come in any order, so that a result has the same bits on
// every run and every device.
//
//   largest  the largest `key` of each entry: of sums of reals the exponent, of extremes the first 32 bits of a key that
//            has the order of the values
//   join     those of all parts, and of the array that sums are added to, brought together
//   total    the sums, in KN_WORDS words of 32 bits; of extremes of 64 bits the last 32 bits of the key
//   finish   the results
//
// With KN_RANGED sums of reals are first looked at together:
//
//   range    the largest and the smallest exponent of all terms
//
// Where these are so near that no term loses a bit beside the largest of all, entries need no exponents of their own,
// `largest` and `join` have nothing to do, and terms are added in parts of 64 bits that need no carries. Sums are exact
// then, as they are the other way wherever exponents are so near: which way is taken changes no bit.
//
// Sums of many groups of float32 reach far in tables of global memory. Where a sort by ids costs less, values come
// sorted by buckets of 256 ids each, of which a group has all in local memory:
//
//   keys     the ids that sort_sweep.cl sorts, the values beside them
//   begins   where each bucket's values begin
//   buckets  a bucket's results
//
// On a CPU a work-item takes a run of rows, and has a table of its own, a part. On a GPU neighbouring work-items take
// neighbouring values; a group has a table in local memory (KN_LOCAL) that it adds to the one in global memory in the
// end, or all work on that. Carries go from word to word, so 64-bit atomics are not needed.

#include "common/sort.clh"
#include "common/fault.clh"

#define KN_SUM 0
#define KN_EXTREME 1
#ifndef KN_REDUCE
#define KN_REDUCE KN_SUM
#endif
#if KN_REDUCE == KN_SUM && KN_KIND == KN_REAL
#define KN_EXACT
#include "common/exact_sum.clh"
#endif
#ifndef KN_ID
#define KN_ID int
#endif
// The size of a result: of sums of integers it may be another than the values'.
#ifndef KN_RESULT_BITS
#define KN_RESULT_BITS KN_BITS
#endif
#if KN_RESULT_BITS == 8
#define KN_OUT uchar
#elif KN_RESULT_BITS == 16
#define KN_OUT ushort
#elif KN_RESULT_BITS == 32
#define KN_OUT uint
#else
#define KN_OUT ulong
#endif

// A total as what is computed with, and in the table.
#if defined(KN_EXACT)
#define KN_WORDS (KN_BITS == 64 ? 4 : 3)
#define KN_TOTAL kn_wide
#elif KN_REDUCE == KN_SUM
#define KN_WORDS (KN_RESULT_BITS == 64 ? 2 : 1)
#define KN_TOTAL ulong
#else
#define KN_WORDS 1
#define KN_TOTAL uint
#endif
// In global memory the words of an entry lie together, in one sector of a card's cache, and where there are such atomics
// two are added to as one.
#define KN_STRIDE (KN_WORDS == 3 ? 4 : KN_WORDS)
#ifdef KN_CPU
#define KN_STORED KN_TOTAL
#else
#define KN_STORED uint
#endif
#if defined(cl_khr_int64_base_atomics) && KN_REDUCE == KN_SUM && !defined(KN_CPU)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define KN_ADD_LONG
#endif
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

typedef struct {
  ulong values_offset, ids_offset, base_offset;
  ulong rows, inner;
  ulong groups, parts, flip;
  int one_part;         // the distance of exponents up to which the sum of all terms fits into one part; -1: never
  uint based, reports;  // whether sums are added to an array; whether an id out of range is a fault, or no id at all
} kn_scatter_reduce;

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

static inline bool kn_is_group(KN_ID id, ulong groups, uint reports, __global kn_fault* fault) {
  if (id >= 0 && (ulong)id < groups) return true;
  if (reports != 0) kn_report(fault, id < 0 ? (long)id : (long)min((ulong)id, 0x7fffffffffffffffUL));
  return false;
}

static inline uint kn_first(KN_KEY bits, ulong flip) {
#if defined(KN_EXACT)
  return KN_EXPONENT(bits);
#elif KN_BITS == 64
  return (uint)(kn_key(bits, (KN_KEY)flip) >> 32);
#else
  return kn_key(bits, (KN_KEY)flip);
#endif
}

// What a value adds to an entry with that largest key.
static inline KN_TOTAL kn_addend(KN_KEY bits, uint largest, ulong flip) {
#if defined(KN_EXACT)
  return kn_term(bits, largest);
#elif KN_REDUCE == KN_EXTREME
  return kn_first(bits, flip) == largest ? (uint)kn_key(bits, (KN_KEY)flip) : 0;
#elif KN_KIND == KN_SIGNED
  return (ulong)(long)(KN_BITS == 8    ? (long)as_char((uchar)bits)
                       : KN_BITS == 16 ? (long)as_short((ushort)bits)
                       : KN_BITS == 32 ? (long)as_int((uint)bits)
                                       : (long)bits);
#else
  return bits;
#endif
}

static inline KN_TOTAL kn_both(KN_TOTAL a, KN_TOTAL b) {
#if defined(KN_EXACT)
  return kn_wide_sum(a, b);
#elif KN_REDUCE == KN_EXTREME
  return max(a, b);
#else
  return a + b;
#endif
}

#ifndef KN_CPU
static inline uint kn_word(KN_TOTAL total, uint k) {
#ifdef KN_EXACT
  return (uint)((k < 2 ? total.low : total.high) >> (k % 2 * 32));
#else
  return (uint)((ulong)total >> (k * 32));
#endif
}

// Of words by value: where a function both returns a struct and reads memory, clang tells so by an intrinsic that
// Oclgrind does not know.
static inline KN_TOTAL kn_total(uint first, uint second, uint third, uint fourth) {
#if defined(KN_EXACT)
  kn_wide total;
  total.low = (ulong)second << 32 | first;
  total.high = KN_WORDS == 4 ? (ulong)fourth << 32 | third : (ulong)(long)(int)third;
  return total;
#else
  return KN_WORDS == 2 ? (KN_TOTAL)((ulong)second << 32 | first) : first;
#endif
}
#define KN_WORD(words, k) (words)[(k) < KN_WORDS ? (k) : 0]
#define KN_TOTAL_OF(words) kn_total(KN_WORD(words, 0), KN_WORD(words, 1), KN_WORD(words, 2), KN_WORD(words, 3))

#if KN_REDUCE == KN_EXTREME
#define KN_ADD_TO(SPACE)                                                                               \
  static inline void kn_add_to_##SPACE(volatile __##SPACE uint* words, ulong apart, KN_TOTAL total) { \
    atomic_max(words, total);                                                                          \
  }
#else
#define KN_ADD_TO(SPACE)                                                                               \
  static inline void kn_add_to_##SPACE(volatile __##SPACE uint* words, ulong apart, KN_TOTAL total) { \
    uint carry = 0;                                                                                    \
    for (uint k = 0; k < KN_WORDS; ++k, words += apart) {                                              \
      const uint word = kn_word(total, k) + carry;                                                     \
      carry = word < carry;                                                                            \
      if (word == 0) continue;                                                                         \
      const uint before = atomic_add(words, word);                                                     \
      carry += before + word < word;                                                                   \
    }                                                                                                  \
  }
#endif
KN_ADD_TO(local)
KN_ADD_TO(global)
static inline void kn_add_to_entry(volatile __global uint* words, KN_TOTAL total) {
#if defined(KN_ADD_LONG) && !defined(KN_EXACT)
  if (KN_WORDS == 2) {
    if (total != 0) atom_add((volatile __global ulong*)words, (ulong)total);
    return;
  }
#endif
  kn_add_to_global(words, 1, total);
}
#define KN_RAISE(SPACE)                                                                \
  static inline void kn_raise_in_##SPACE(volatile __##SPACE uint* largest, uint key) { \
    atomic_max(largest, key);                                                          \
  }
KN_RAISE(local)
KN_RAISE(global)
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
    const KN_ID id = ids[row];                                                                \
    if (!kn_is_group(id, d.groups, d.reports, fault)) continue;                                                \
    for (ulong i = 0; i < KN_INNER; ++i) {                                                    \
      KN_AT((ulong)id * KN_INNER + i, KN_VALUE_AT(row * KN_INNER + i))                  \
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
      batch[k] = KN_VALUE_AT(at);                                                         \
    }                                                                                         \
    _Pragma("unroll") for (uint k = 0; k < KN_BATCH; ++k) {                                   \
      const KN_INDEX at = e + k * stride;                                                     \
      if (at >= elements || !kn_is_group(named[k], d.groups, d.reports, fault)) continue;                      \
      KN_AT((ulong)named[k] * KN_INNER + at % (KN_INDEX)KN_INNER, batch[k])                   \
    }                                                                                         \
  }
#endif

#ifdef KN_LOCAL
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
    const int distance = kn_distance(range);
    const bool one = distance <= d.one_part;
#ifdef KN_CPU
    totals += get_global_id(0) * KN_ENTRIES;
#endif
#define KN_AT(at, bits) kn_add_parts((__global ulong*)totals, at, bits, largest, distance, one);
    KN_FOR_EACH
#undef KN_AT
    return;
  }
#endif
#if defined(KN_EXACT) || KN_REDUCE == KN_EXTREME
#define KN_LARGEST(from, at) from[at]
#else
#define KN_LARGEST(from, at) 0
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

#ifdef KN_EXACT
// A result. Where all values together add nothing, the array that they are added to stays as it is, down to the sign of a
// zero.
static inline KN_OUT kn_exact_result(KN_TOTAL total, uint largest, uint based, KN_OUT start) {
  if (based == 0) return kn_rounded(total, largest);
  const bool still = total.low == 0 && total.high == 0;
  return still ? start : kn_rounded(kn_wide_sum(total, kn_term(start, largest)), largest);
}
#endif

__kernel void scatter_reduce_finish(__global const uint* keys, __global const KN_STORED* totals,
                                    __global const KN_OUT* base, __global KN_OUT* out KN_RANGE,
                                    const kn_scatter_reduce d) {
  base += d.base_offset;
#ifdef KN_NEAR_SUM
  if (KN_NEAR) {
    const int distance = kn_distance(range);
    const bool one = distance <= d.one_part;
    KN_FOR_EACH_ENTRY {
      ulong low = 0, high = 0;
      for (ulong table = 0; table < KN_PARTS; ++table) {
        __global const ulong* const parts = (__global const ulong*)(totals + table * KN_ENTRIES);
        low += one ? 0 : parts[2 * t];
        high += parts[one ? t : 2 * t + 1];
      }
      const KN_TOTAL total = kn_sum_of_parts(low, (long)high, distance, one);
      out[t] = kn_exact_result(total, range[0], d.based, d.based != 0 ? base[t] : 0);
    }
    return;
  }
#endif
  KN_FOR_EACH_ENTRY {
#if KN_REDUCE == KN_EXTREME
    KN_KEY key = (KN_KEY)keys[t];
#if KN_BITS == 64
    uint low = totals[t];
    for (ulong part = 1; part < d.parts; ++part) low = max(low, totals[part * KN_ENTRIES + t]);
    key = key << 32 | low;
#endif
    if (d.based != 0) key = max(key, kn_key(base[t], (KN_KEY)d.flip));
    out[t] = kn_value(key, (KN_KEY)d.flip);
#else
#ifdef KN_CPU
    KN_TOTAL total = totals[t];
    for (ulong part = 1; part < d.parts; ++part) total = kn_both(total, totals[part * KN_ENTRIES + t]);
#else
    uint words[KN_WORDS];
    for (uint k = 0; k < KN_WORDS; ++k) words[k] = totals[t * KN_STRIDE + k];
    const KN_TOTAL total = KN_TOTAL_OF(words);
#endif
#ifdef KN_EXACT
    out[t] = kn_exact_result(total, keys[t], d.based, d.based != 0 ? base[t] : 0);
#else
    out[t] = (KN_OUT)(total + (d.based != 0 ? base[t] : 0));
#endif
#endif
  }
}

#if defined(KN_EXACT) && !defined(KN_CPU) && KN_BITS == 32
#define KN_BUCKET 256

// An id of no group becomes one behind all groups.
__kernel void scatter_reduce_keys(__global const KN_ID* ids, __global uint* keys, __global kn_fault* fault,
                                  const kn_scatter_reduce d) {
  ids += d.ids_offset;
  for (ulong i = get_global_id(0); i < d.rows; i += get_global_size(0)) {
    const KN_ID id = ids[i];
    keys[i] = kn_is_group(id, d.groups, d.reports, fault) ? (uint)id : (uint)d.groups;
  }
}

// `begins` has one more than there are buckets.
__kernel void scatter_reduce_begins(__global const uint* keys, __global uint* begins, const kn_scatter_reduce d) {
  const ulong buckets = d.groups / KN_BUCKET + 1;
  for (ulong i = get_global_id(0); i < d.rows; i += get_global_size(0)) {
    const ulong bucket = keys[i] / KN_BUCKET, first = i == 0 ? 0 : keys[i - 1] / KN_BUCKET + 1;
    for (ulong b = first; b <= bucket; ++b) begins[b] = (uint)i;
    if (i + 1 < d.rows) continue;
    for (ulong b = bucket + 1; b <= buckets; ++b) begins[b] = (uint)d.rows;
  }
}

__kernel __attribute__((reqd_work_group_size(KN_BUCKET, 1, 1))) void scatter_reduce_buckets(
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

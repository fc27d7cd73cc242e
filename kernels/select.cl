// SPDX-License-Identifier: Apache-2.0
// The keys that stand at given ranks of long rows, found digit by digit from the highest on: among the keys that share
// all digits so far, the numbers of each next digit say which one the wanted key has.
//
//   select_count  counts the first digits
//   select_step   from the counts of a digit finds it for each rank, keeps the keys that have it, and counts their next
//                 digits; after the last one, puts out the results
//
// Kept keys come in any order, their counts, and so the results, do not. Ranks whose keys share all digits so far share
// the keys that are kept. On a CPU a work-item takes a block of a row; on a GPU a group.

#include "common/sort.clh"
#include "common/lanes.clh"

// Ranks at most.
#define KN_RANKS 8

typedef struct {
  ulong count, offset, flip;  // elements of a row; of `values`
  ulong blocks;               // of a row
  ulong ranks[8];
  uint jobs, level;           // ranks; which digit
} kn_select;

// The first digit has more bits than others, since the elements of the whole row are read again for it.
#define KN_FIRST_BITS (KN_BITS < 11 ? KN_BITS : 11)
#define KN_FIRST_DIGITS (1 << KN_FIRST_BITS)
#define KN_LEVELS (1 + (KN_BITS - KN_FIRST_BITS + 7) / 8)

// What is known of a rank before a digit is: the first of the ranks with the same digits so far, and the keys with these
// digits, which lie where that one says: in `values`, or in one of two buffers.
typedef struct {
  uint leader, source, begin, size;
  uint rank, digit;  // among these keys; the next digit
  ulong prefix;  // of the key
} kn_job;

// Of a row: the counts of each level, and how many keys were kept for each rank.
#define KN_COUNTS_AT(level, job) ((level) == 0 ? 0 : KN_FIRST_DIGITS + (((level)-1) * d.jobs + (job)) * KN_DIGITS)
#define KN_KEPT_AT(level, job) (KN_COUNTS_AT(KN_LEVELS, 0) + (level)*d.jobs + (job))
#define KN_ROW_WORDS KN_KEPT_AT(KN_LEVELS, 0)

static inline uint kn_shift(uint level) {
  const int shift = KN_BITS - KN_FIRST_BITS - 8 * (int)level;
  return (uint)max(shift, 0);
}

static inline uint kn_digit(KN_KEY key, uint level) {
  const uint bits = level == 0 ? KN_FIRST_BITS : min(8u, kn_shift(level - 1));
  return (uint)(key >> kn_shift(level)) & ((1u << bits) - 1);
}

#ifdef KN_CPU
#define KN_NEAR
#define KN_MEET
#define KN_FIRST_ITEM true
#else
#define KN_NEAR __local
#define KN_MEET barrier(CLK_LOCAL_MEM_FENCE)
#define KN_FIRST_ITEM (get_local_id(0) == 0)
#endif

// Copies of the first digits' counters on a GPU, for neighbours with equal digits; on a CPU for the next element.
#define KN_COPIES 2u
// Elements that a work-item takes at once.
#define KN_BATCH 8

__kernel void select_count(__global const KN_KEY* values, __global uint* control, const kn_select d) {
#ifdef KN_CPU
  const ulong unit = get_global_id(0);
  uint counters[KN_COPIES * KN_FIRST_DIGITS];
  const uint id = 0, step = 1;
#else
  const ulong unit = get_group_id(0);
  __local uint counters[KN_COPIES * KN_FIRST_DIGITS];
  const uint id = (uint)get_local_id(0), step = KN_GROUP;
#endif
  const ulong row = unit / d.blocks, block = unit - row * d.blocks;
  const ulong per_block = (d.count + d.blocks - 1) / d.blocks;
  const ulong begin = min(block * per_block, d.count), end = min(begin + per_block, d.count);
  values += d.offset + row * d.count;
  control += row * KN_ROW_WORDS;
  for (uint k = id; k < KN_COPIES * KN_FIRST_DIGITS; k += step) counters[k] = 0;
  KN_MEET;
#ifdef KN_CPU
  ulong i = begin;
  for (; i + 2 <= end; i += 2) {
    ++counters[kn_digit(kn_key(values[i], (KN_KEY)d.flip), 0) * 2];
    ++counters[kn_digit(kn_key(values[i + 1], (KN_KEY)d.flip), 0) * 2 + 1];
  }
  if (i < end) ++counters[kn_digit(kn_key(values[i], (KN_KEY)d.flip), 0) * 2];
#else
  for (ulong i = begin + id; i < end; i += KN_BATCH * KN_GROUP) {
    KN_KEY keys[KN_BATCH];
#pragma unroll
    for (uint k = 0; k < KN_BATCH; ++k) keys[k] = kn_key(values[min(i + k * KN_GROUP, end - 1)], (KN_KEY)d.flip);
#pragma unroll
    for (uint k = 0; k < KN_BATCH; ++k) {
      if (i + k * KN_GROUP < end) atomic_inc(counters + kn_digit(keys[k], 0) * KN_COPIES + id % KN_COPIES);
    }
  }
#endif
  KN_MEET;
  for (uint k = id; k < KN_FIRST_DIGITS; k += step) {
    uint sum = 0;
    for (uint copy = 0; copy < KN_COPIES; ++copy) sum += counters[k * KN_COPIES + copy];
    if (sum > 0) atomic_add(control + k, sum);
  }
}

// The digit that has the key of this rank, by the numbers of each; then the rank among those, and how many they are.
#ifdef KN_CPU
static inline void kn_pick(__global const uint* counts, uint digits, kn_job* job) {
  uint digit = 0;
  for (; job->rank >= counts[digit]; ++digit) job->rank -= counts[digit];
  job->digit = digit;
  job->size = counts[digit];
}
#else
static inline void kn_pick(__global const uint* counts, uint digits, __local kn_job* job, __local uint* sums) {
  const uint id = (uint)get_local_id(0), each = digits / KN_GROUP, rank = job->rank;
  uint sum = 0;
  for (uint k = 0; k < each; ++k) sum += counts[id * each + k];
  uint before = kn_sum_before(sum, sums);
  if (rank >= before && rank - before < sum) {
    uint digit = id * each;
    for (; rank - before >= counts[digit]; ++digit) before += counts[digit];
    job->rank = rank - before;
    job->digit = digit;
    job->size = counts[digit];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

__kernel void select_step(__global const KN_KEY* values, __global KN_KEY* one, __global KN_KEY* two,
                          __global uint* control, __global kn_job* states, __global KN_KEY* out,
                          const kn_select d) {
  KN_NEAR kn_job before[KN_RANKS], jobs[KN_RANKS];
#ifdef KN_CPU
  const ulong unit = get_global_id(0);
  uint counters[KN_RANKS * KN_DIGITS];
  const uint id = 0, step = 1;
#else
  const ulong unit = get_group_id(0);
  __local uint counters[KN_RANKS * KN_DIGITS];
  __local uint sums[KN_GROUP];
  __local uint kept[KN_RANKS], begins[KN_RANKS];
  const uint id = (uint)get_local_id(0), step = KN_GROUP;
#endif
  const uint level = d.level;
  const ulong row = unit / d.blocks;
  const uint block = (uint)(unit - row * d.blocks), blocks = (uint)d.blocks;
  const KN_KEY flip = (KN_KEY)d.flip;
  values += d.offset + row * d.count;
  control += row * KN_ROW_WORDS;
  states += row * (KN_LEVELS + 1) * d.jobs;
  for (uint j = id; j < d.jobs; j += step) {
    if (level > 0) {
      before[j] = states[level * d.jobs + j];
    } else {
      before[j].leader = before[j].source = before[j].begin = 0;
      before[j].size = (uint)d.count;
      before[j].rank = (uint)d.ranks[j];
      before[j].prefix = 0;
    }
    jobs[j] = before[j];
  }
  KN_MEET;
  for (uint j = 0; j < d.jobs; ++j) {
    __global const uint* const counts = control + KN_COUNTS_AT(level, before[j].leader);
    const uint digits = level == 0 ? KN_FIRST_DIGITS : KN_DIGITS;
#ifdef KN_CPU
    kn_pick(counts, digits, jobs + j);
#else
    kn_pick(counts, digits, jobs + j, sums);
#endif
  }
  if (KN_FIRST_ITEM) {
    uint all = 0;
    for (uint j = 0; j < d.jobs; ++j) {
      jobs[j].prefix = before[j].prefix | (ulong)jobs[j].digit << kn_shift(level);
      jobs[j].leader = j;
      for (uint other = 0; other < j; ++other) {
        if (before[other].leader == before[j].leader && jobs[other].digit == jobs[j].digit) {
          jobs[j].leader = other;
          break;
        }
      }
      jobs[j].begin = jobs[j].leader < j ? jobs[jobs[j].leader].begin : all;
      all += jobs[j].leader < j ? 0 : jobs[j].size;
    }
    // Where all keys have the digit they stay where they are.
    bool stay = before[0].size == jobs[0].size;
    for (uint j = 1; j < d.jobs; ++j) stay = stay && before[j].leader == 0;
    for (uint j = 0; j < d.jobs; ++j) {
      jobs[j].source = stay ? before[0].source : before[0].source == 1 ? 2 : 1;
      if (stay) jobs[j].begin = before[0].begin;
      if (block == 0) states[(level + 1) * d.jobs + j] = jobs[j];
#ifdef KN_POSITIONED
      if (block == 0 && level + 1 == KN_LEVELS) out[row * d.jobs + j] = (KN_KEY)jobs[j].prefix;
#else
      if (block == 0 && level + 1 == KN_LEVELS) out[row * d.jobs + j] = kn_value((KN_KEY)jobs[j].prefix, flip);
#endif
    }
  }
  KN_MEET;
  if (level + 1 == KN_LEVELS) return;

  for (uint k = id; k < d.jobs * KN_DIGITS; k += step) counters[k] = 0;
#ifndef KN_CPU
  if (id < KN_RANKS) kept[id] = 0;
#endif
  KN_MEET;
  const uint source = before[0].source;
  const bool stay = jobs[0].source == source;
  __global const KN_KEY* const from = source == 0 ? values : (source == 1 ? one : two) + row * d.count;
  __global KN_KEY* const to = (source == 1 ? two : one) + row * d.count;
  for (uint region = 0; region < d.jobs; ++region) {
    const uint size = before[region].leader == region ? before[region].size : 0;
    __global const KN_KEY* const keys_from = from + before[region].begin;
#ifdef KN_CPU
    const uint share = size / blocks + (size % blocks != 0), begin = min(block * share, size);
    const uint end = size - begin > share ? begin + share : size;
    KN_KEY own[256];
    for (uint j = 0; j < d.jobs; ++j) {
      if (jobs[j].leader != j || before[j].leader != region) continue;
      const uint digit = jobs[j].digit;
      for (uint i = begin; i < end;) {
        const uint last = end - i > 256 ? i + 256 : end;
        uint n = 0;
        for (; i < last; ++i) {
          const KN_KEY key = source == 0 ? kn_key(keys_from[i], flip) : keys_from[i];
          own[n] = key;
          n += kn_digit(key, level) == digit;
        }
        if (n == 0) continue;
        for (uint k = 0; k < n; ++k) ++counters[j * KN_DIGITS + kn_digit(own[k], level + 1)];
        if (stay) continue;
        __global KN_KEY* const target = to + jobs[j].begin + atomic_add(control + KN_KEPT_AT(level, j), n);
        for (uint k = 0; k < n; ++k) target[k] = own[k];
      }
    }
#else
    for (ulong first = (ulong)block * KN_BATCH * KN_GROUP; first < size; first += (ulong)blocks * KN_BATCH * KN_GROUP) {
      KN_KEY keys[KN_BATCH];
      uint slots[KN_BATCH];
#pragma unroll
      for (uint k = 0; k < KN_BATCH; ++k) {
        const KN_KEY bits = keys_from[min(first + id + k * KN_GROUP, (ulong)size - 1)];
        keys[k] = source == 0 ? kn_key(bits, flip) : bits;
      }
#pragma unroll
      for (uint k = 0; k < KN_BATCH; ++k) {
        const bool there = first + id + k * KN_GROUP < size;
        const uint digit = kn_digit(keys[k], level);
        uint chosen = KN_RANKS;
        for (uint j = 0; j < d.jobs; ++j) {
          if (there && digit == jobs[j].digit && jobs[j].leader == j && before[j].leader == region) chosen = j;
        }
        slots[k] = ~0u;
        if (chosen < KN_RANKS) {
          atomic_inc(counters + chosen * KN_DIGITS + kn_digit(keys[k], level + 1));
          if (!stay) slots[k] = chosen << 16 | atomic_inc(kept + chosen);
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (id < d.jobs) {
        const uint n = kept[id];
        begins[id] = jobs[id].begin + (n > 0 ? atomic_add(control + KN_KEPT_AT(level, id), n) : 0);
        kept[id] = 0;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint k = 0; k < KN_BATCH; ++k) {
        if (slots[k] != ~0u) to[begins[slots[k] >> 16] + (slots[k] & 0xffffu)] = keys[k];
      }
    }
#endif
  }
  KN_MEET;
  for (uint k = id; k < d.jobs * KN_DIGITS; k += step) {
    if (counters[k] > 0) atomic_add(control + KN_COUNTS_AT(level + 1, 0) + k, counters[k]);
  }
}

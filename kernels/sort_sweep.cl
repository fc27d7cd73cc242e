// SPDX-License-Identifier: Apache-2.0
// A stable sort of long rows by digits of eight bits, lowest first, that reads and writes each element once for a digit.
//
//   sort_digits  counts the digits of all passes at once
//   sort_plan    the passes that a row needs: a digit that all of its elements share leaves them where they are
//   sort_sweep   moves the elements by one digit. A group that has counted the digits of its tile makes them known, and
//                adds up those of the tiles before, whose groups have started before it, as far back as one knows the
//                sum of all before. Such groups must go on running while this one waits.
//
// After Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" (2022).

#ifndef KN_BITS
#define KN_BITS 32
#endif
#include "common/sort.clh"
#include "common/lanes.clh"

// KN_PAYLOAD: in place of its position each key moves a word of `payload`.
#ifdef KN_PAYLOAD
#define KN_POSITION uint
#define KN_FIRST_POSITION(i) payload[d.payload_offset + base + (i)]
#else
#define KN_POSITION ulong
#define KN_FIRST_POSITION(i) (uint)(i)
#endif

#define KN_PASSES (KN_BITS / 8)
#define KN_TEAMS (KN_GROUP / 32)

typedef struct {
  ulong count, tiles, rows, offset;  // elements of a row, tiles of a row; rows; of `values`
  ulong flip;
  ulong blocks, per_block;  // of a row, where digits are counted
  ulong positions_apart;       // words from one position to the next row's in the second buffer, for each element of a row
  ulong payload_offset;     // of `payload`
  uint lowest, pass;        // the lowest digit that counts; this one
} kn_sort_sweep;

// What the passes know, zeros at first: how many tiles of each pass have started; the digits of each row and pass,
// counts at first and then where they begin; how each row takes part in each pass; and what tiles make known.
#define KN_COUNTS 16
#define KN_DIGITS_AT(row, pass) (KN_COUNTS + ((row)*KN_PASSES + (pass)) * KN_DIGITS)
#define KN_PLAN_AT(row, pass) (KN_COUNTS + d.rows * KN_PASSES * KN_DIGITS + (row)*KN_PASSES + (pass))
#define KN_KNOWN_AT(row, pass) \
  (KN_COUNTS + d.rows * KN_PASSES * (KN_DIGITS + 1) + ((ulong)(pass)*d.rows + (row)) * d.tiles * KN_DIGITS)

// A row's part in a pass: none, or from and to which of the buffers, and whether the results are made.
#define KN_TAKES_PART 1u
#define KN_FROM_VALUES 2u
#define KN_FROM_SECOND 4u
#define KN_TO_SECOND 8u
#define KN_TO_RESULTS 16u

// A number that is not known yet, that counts the tile's own elements, or those of all tiles before, too.
#define KN_OWN 0x40000000u
#define KN_ALL 0x80000000u
#define KN_KNOWN 0x3fffffffu

#ifndef KN_CPU

// Counters of a digit side by side, so that neighbours with equal digits seldom wait for each other.
#define KN_COPIES (KN_BITS > 32 ? 2u : 4u)

__kernel void sort_digits(__global const KN_KEY* values, __global uint* control, const kn_sort_sweep d) {
  __local uint counters[KN_PASSES * KN_DIGITS * KN_COPIES];
  const uint id = (uint)get_local_id(0);
  const ulong row = get_group_id(0) / d.blocks, block = get_group_id(0) - row * d.blocks;
  values += d.offset + row * d.count;
  for (uint k = id; k < KN_PASSES * KN_DIGITS * KN_COPIES; k += KN_GROUP) counters[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong begin = block * d.per_block, end = min(begin + d.per_block, d.count);
  for (ulong i = begin + id; i < end; i += 8 * KN_GROUP) {
    KN_KEY keys[8];
#pragma unroll
    for (uint k = 0; k < 8; ++k) keys[k] = kn_key(values[min(i + k * KN_GROUP, end - 1)], (KN_KEY)d.flip);
#pragma unroll
    for (uint k = 0; k < 8; ++k) {
      if (i + k * KN_GROUP >= end) break;
#pragma unroll
      for (uint pass = 0; pass < KN_PASSES; ++pass) {
        atomic_inc(counters + (pass * KN_DIGITS + KN_DIGIT(keys[k], 8 * pass)) * KN_COPIES + id % KN_COPIES);
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = id; k < KN_PASSES * KN_DIGITS; k += KN_GROUP) {
    uint sum = 0;
    for (uint copy = 0; copy < KN_COPIES; ++copy) sum += counters[k * KN_COPIES + copy];
    if (sum > 0) atomic_add(control + KN_DIGITS_AT(row, 0) + k, sum);
  }
}

__kernel void sort_plan(__global uint* control, const kn_sort_sweep d) {
  __local uint sums[KN_GROUP];
  __local uint shared[KN_PASSES];
  const uint id = (uint)get_local_id(0);
  const ulong row = get_group_id(0);
  if (id < KN_PASSES) shared[id] = id < d.lowest;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint pass = 0; pass < KN_PASSES; ++pass) {
    const ulong at = KN_DIGITS_AT(row, pass) + id;
    const uint count = control[at];
    if (count == d.count) shared[pass] = 1;
    control[at] = kn_sum_before(count, sums);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id == 0) {
    // The last pass reads the first buffer, since the second may be a result's own; those before it take turns.
    uint left = 0;
    for (uint pass = 0; pass < KN_PASSES; ++pass) left += 1 - shared[pass];
    if (left == 0) {
      shared[d.lowest] = 0;
      left = 1;
    }
    bool first = true;
    for (uint pass = 0; pass < KN_PASSES; ++pass) {
      if (shared[pass] != 0) continue;
      --left;
      control[KN_PLAN_AT(row, pass)] = KN_TAKES_PART | (first ? KN_FROM_VALUES : left % 2 != 0 ? KN_FROM_SECOND : 0) |
                                       (left == 0 ? KN_TO_RESULTS : left % 2 == 0 ? KN_TO_SECOND : 0);
      first = false;
    }
  }
}

// For each key the number of those before it in the tile of its team that have the same digit; `counters` become the
// digits' counts of the team. A team's keys lie 32 apart in each work-item.
static inline void kn_rank_in_team(const KN_KEY* keys, uint* ranks, uint shift, __local uint* counters,
                                   __local uint* masks) {
  const uint lane = (uint)get_local_id(0) % KN_TEAM, below = (1u << lane) - 1;
#pragma unroll
  for (uint k = 0; k < KN_EACH; ++k) {
    const uint digit = KN_DIGIT(keys[k], shift);
#ifdef KN_VOTES
    const uint peers = kn_peers(digit), leader = 31 - clz(peers);
    uint before = 0;
    if (lane == leader) {
      before = counters[digit];
      counters[digit] = before + popcount(peers);
    }
    ranks[k] = kn_of_lane(before, leader) + popcount(peers & below);
    kn_meet_team();
#else
    atomic_or(masks + digit, 1u << lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint peers = masks[digit];
    ranks[k] = counters[digit] + popcount(peers & below);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 31 - clz(peers)) {
      counters[digit] += popcount(peers);
      masks[digit] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
  }
}

// Local memory for a tile's keys, or its positions, or the masks of kn_rank_in_team, in words.
#ifdef KN_POSITIONED
#define KN_TILE_WORDS (KN_TILE * (KN_BITS > 32 ? 2 : 1))
#else
#define KN_TILE_WORDS (KN_TILE * KN_BITS / 32)
#endif
#define KN_MASK_WORDS (KN_TEAMS * KN_DIGITS)

__kernel __attribute__((reqd_work_group_size(KN_GROUP, 1, 1))) void sort_sweep(
    __global const KN_KEY* values, __global KN_KEY* one, __global KN_KEY* two, __global uint* positions_one,
    __global uint* positions_two, __global KN_KEY* sorted, __global KN_POSITION* positions, __global uint* control,
    __global const uint* payload, const kn_sort_sweep d) {
  __local ulong room[(KN_TILE_WORDS > KN_MASK_WORDS ? KN_TILE_WORDS : KN_MASK_WORDS) / 2];
  __local KN_KEY* const staged = (__local KN_KEY*)room;
  __local uint counters[KN_TEAMS * KN_DIGITS];
  __local uint* const masks = (__local uint*)room;
  __local uint sums[KN_GROUP];
  __local uint begins[KN_DIGITS];
  __local uint ticket, again;
  const uint id = (uint)get_local_id(0), team = id / KN_TEAM, lane = id % KN_TEAM;
  const KN_KEY flip = (KN_KEY)d.flip;
  if (id == 0) {
    ticket = atomic_inc(control + d.pass);
    again = 8 * d.pass;
  }
  for (uint k = id; k < KN_TEAMS * KN_DIGITS; k += KN_GROUP) {
    counters[k] = 0;
#ifndef KN_VOTES
    masks[k] = 0;
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong row = ticket / d.tiles, tile = ticket - row * d.tiles, base = row * d.count;
  const uint plan = control[KN_PLAN_AT(row, d.pass)];
  if (plan == 0) return;
  const uint shift = 8 * d.pass;
  const ulong begin = tile * KN_TILE;
  const uint size = (uint)min(d.count - begin, (ulong)KN_TILE);
  values += d.offset + base;
  const bool from_values = (plan & KN_FROM_VALUES) != 0, from_second = (plan & KN_FROM_SECOND) != 0;
  __global const KN_KEY* const from = (from_second ? two : one) + base + begin;

  // A team's keys lie one after another, for equal digits to keep their order. What is missing in the last tile has the
  // largest key and so ends up behind all that is there.
  const uint own = team * (KN_TEAM * KN_EACH) + lane;
  KN_KEY keys[KN_EACH];
  uint ranks[KN_EACH];
  if (size == KN_TILE) {
    if (from_values) {
#pragma unroll
      for (uint k = 0; k < KN_EACH; ++k) keys[k] = kn_key(values[begin + own + k * KN_TEAM], flip);
    } else {
#pragma unroll
      for (uint k = 0; k < KN_EACH; ++k) keys[k] = from[own + k * KN_TEAM];
    }
  } else {
#pragma unroll
    for (uint k = 0; k < KN_EACH; ++k) {
      const uint at = own + k * KN_TEAM;
      keys[k] = at >= size ? (KN_KEY) ~(KN_KEY)0 : from_values ? kn_key(values[begin + at], flip) : from[at];
    }
  }
  kn_rank_in_team(keys, ranks, shift, counters + team * KN_DIGITS, masks + team * KN_DIGITS);
  barrier(CLK_LOCAL_MEM_FENCE);

  // Of the digit that this work-item is for: its elements in the tile, and where those of each team begin.
  uint count = 0, first = 0;
  volatile __global uint* const known = control + KN_KNOWN_AT(row, d.pass) + tile * KN_DIGITS + id;
  if (id < KN_DIGITS) {
#pragma unroll
    for (uint t = 0; t < KN_TEAMS; ++t) count += counters[t * KN_DIGITS + id];
    if (id == KN_DIGITS - 1) count -= KN_TILE - size;
    first = control[KN_DIGITS_AT(row, d.pass) + id];
    *known = tile == 0 ? KN_ALL | (first + count) : KN_OWN | count;
  }
  const uint start = kn_sum_before(count, sums);
  if (id < KN_DIGITS) {
    uint next = start;
    for (uint t = 0; t < KN_TEAMS; ++t) {
      const uint of_team = counters[t * KN_DIGITS + id];
      counters[t * KN_DIGITS + id] = next;
      next += of_team;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // From local memory, for compilers not to keep the digits of before in registers.
  const uint shift_again = again;
#pragma unroll
  for (uint k = 0; k < KN_EACH; ++k) {
    ranks[k] += counters[team * KN_DIGITS + KN_DIGIT(keys[k], shift_again)];
    staged[ranks[k]] = keys[k];
  }
  if (id < KN_DIGITS) {
    uint before = first;
    if (tile > 0) {
      before = 0;
      for (volatile __global uint* other = known - KN_DIGITS;;) {
        const uint word = *other;
        if ((word & ~KN_KNOWN) == 0) continue;
        before += word & KN_KNOWN;
        if ((word & KN_ALL) != 0) break;
        other -= KN_DIGITS;
      }
      *known = KN_ALL | (before + count);
    }
    begins[id] = before - start;
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  const bool last = (plan & KN_TO_RESULTS) != 0, to_second = (plan & KN_TO_SECOND) != 0;
  __global KN_KEY* const to = (to_second ? two : one) + base;
#ifndef KN_POSITIONED
  __global KN_KEY* const out = last ? sorted + base : to;
#pragma unroll 4
  for (uint k = 0; k < KN_EACH; ++k) {
    const uint i = id + k * KN_GROUP;
    if (i < size) {
      const KN_KEY key = staged[i];
      out[begins[KN_DIGIT(key, shift)] + i] = last ? kn_value(key, flip) : key;
    }
  }
#else
  uint at[KN_EACH], own_positions[KN_EACH];
  __global const uint* const positions_from =
      from_second ? positions_two + base * d.positions_apart + begin : positions_one + base + begin;
#pragma unroll
  for (uint k = 0; k < KN_EACH; ++k) {
    const uint i = own + k * KN_TEAM;
    own_positions[k] = i >= size ? 0 : from_values ? KN_FIRST_POSITION(begin + i) : positions_from[i];
  }
#pragma unroll
  for (uint k = 0; k < KN_EACH; ++k) {
    const uint i = id + k * KN_GROUP;
    keys[k] = staged[i];
    at[k] = begins[KN_DIGIT(keys[k], shift)] + i;
    if (!last && i < size) to[at[k]] = keys[k];
  }
  // Positions follow the keys, through the same memory.
  __local uint* const staged_positions = (__local uint*)room;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint k = 0; k < KN_EACH; ++k) staged_positions[ranks[k]] = own_positions[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  __global uint* const positions_to = to_second ? positions_two + base * d.positions_apart : positions_one + base;
#pragma unroll
  for (uint k = 0; k < KN_EACH; ++k) {
    const uint i = id + k * KN_GROUP;
    if (i < size) {
      if (last) {
        KN_PUT(values, base + at[k], keys[k], staged_positions[i]);
      } else {
        positions_to[at[k]] = staged_positions[i];
      }
    }
  }
#endif
}
#endif

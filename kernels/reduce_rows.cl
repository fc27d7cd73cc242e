// SPDX-License-Identifier: Apache-2.0
// Reductions along the innermost axis of memory. A unit is one block of one result's elements; it gives one value, the
// result itself or, where there are several blocks, a partial one for the next pass. The order in which values are
// combined follows from the shape alone.
//
// On a CPU device a work-item takes whole units; on a GPU, KN_LANES neighbouring work-items share one.
//
// KN_FIXED makes it the order that is the same on every device (codegen/reduce.hpp): a unit's elements fall to 32
// running values in turn. On a CPU these are KN_TILE vectors, on a GPU the vectors of the unit's work-items. KN_RAGGED
// says that rows may begin at any of them.
//
// Hooks, filled by codegen; the defaults sum rows of floats:
//   KN_NAME        the kernel's name
//   KN_PARAMETERS  the kernel's parameters: buffers, and the block `d` of all else
//   KN_KEPT        the offsets of result number `kept`
//   KN_ROW         the offsets of row `row` of its elements, and what stays the same along that row
//   KN_BODY        takes the elements i to i + KN_W - 1, of which `left` exist, into acc
//   KN_STATE, KN_IDENTITY      the type of acc and its first value
//   KN_ONE, KN_FOLD(acc)       the type of a single value, and acc brought down to one
//   KN_COMBINE(a, b)           two single values as one, a being of earlier elements
//   KN_PUT(one, at)            stores a value, or what it finishes as, as number `at`
//
// On a CPU, KN_CHAINS is the number of running vectors of a work-item, and KN_SKIMMED, for positions, that of vectors
// whose best value, by KN_LOOK, which leaves a vector in `looked`, is found before their positions are. KN_EACH_POSITION(f)
// is f(k, before, value) for each of the positions: its number, whether a value comes before another, and the name of its
// value in a state.
//
// On a GPU, KN_WHOLE says that rows are whole vectors, KN_BLOCKS that a result may have several blocks, and KN_ROUNDS
// that a work-item takes no more than so many vectors.
//
// KN_TOGETHER folds the vectors of KN_W neighbouring units at once, by KN_PAIR(a, b), which combines the neighbours in two
// vectors and leaves the results side by side; KN_PUT_ALL, as in reduce_columns.cl, stores them. KN_DENSE says that rows
// follow one another in memory.
//
// KN_CHUNK is for moments (common/moments.clh): that many vectors are at hand at once, so that the distances from their
// mean are taken of what is in registers or in the nearest cache. KN_BODY then leaves the elements in `taken`, of type
// KN_VALUE, and kn_only(v, left) is v with 0 for elements that do not exist.

#ifndef KN_BODY
#include "common/vector.clh"
#include "common/memory.clh"
KN_MEMORY(float32, float)
typedef struct {
  ulong inner, row_segments, segments, segment, blocks, per_block, units, units_per_item;
} kn_bounds;
#define KN_INDEX uint
#define KN_LANES 256
#define KN_GROUP 256
#define KN_NAME reduce_rows
#define KN_PARAMETERS __global const float *p0, __global float *out, const kn_bounds d
#define KN_CONSTANTS
#define KN_KEPT const long o0 = (long)(kept * d.inner);
#define KN_ROW
#define KN_BODY acc += kn_load_float32(p0 + o0 + i, left);
#define KN_STATE float
#define KN_ONE float
#define KN_IDENTITY 0
#define KN_FOLD(acc) (acc)
#define KN_COMBINE(a, b) ((a) + (b))
#define KN_PUT(one, at) out[at] = one;
#endif

// On a CPU: takes the elements from i to `end` into acc, `whole` saying that all vectors may be read to their ends.
#if defined(KN_CPU) && !defined(KN_FIXED)
#define KN_EXIST exist
#ifdef KN_CHUNK
#define KN_TAKE(whole)                                                                   \
  while (i < end) {                                                                      \
    const ulong last_vector = min((end - i - 1) / KN_W, (ulong)(KN_CHUNK - 1));          \
    const ulong last_exist = min(end - i - last_vector * KN_W, (ulong)KN_W);             \
    KN_VALUE values[KN_CHUNK];                                                           \
    KN_VALUE sum = 0;                                                                    \
    for (ulong t = 0; t <= last_vector; ++t, i += KN_W) {                                \
      const ulong exist = end - i;                                                       \
      const ulong left = whole ? KN_W : exist;                                           \
      KN_BODY                                                                            \
      if (exist < KN_W) taken = kn_only(taken, exist);                                   \
      values[t] = taken;                                                                 \
      sum += taken;                                                                      \
    }                                                                                    \
    const KN_VALUE count = (KN_VALUE)(last_vector) + kn_only((KN_VALUE)(1), last_exist); \
    const KN_VALUE mean = sum / fmax(count, (KN_VALUE)(1));                              \
    KN_VALUE rest = 0;                                                                   \
    KN_VALUE squares = 0;                                                                \
    for (ulong t = 0; t <= last_vector; ++t) {                                           \
      KN_VALUE apart = values[t] - mean;                                                 \
      if (t == last_vector && last_exist < KN_W) apart = kn_only(apart, last_exist);     \
      rest += apart;                                                                     \
      squares += apart * apart;                                                          \
    }                                                                                    \
    acc = kn_moments_combined(acc, kn_moments_around(mean, count, rest, squares));       \
  }
#else
#define KN_TAKE_EACH(whole, stop)                \
  for (; i < stop; i += KN_W) {                  \
    const ulong exist = end - i;                 \
    const ulong left = whole ? KN_W : exist;     \
    KN_BODY                                      \
  }
#if defined(KN_CHAINS)
// While one vector is combined, so are others, with running values of their own.
#define KN_TAKE(whole)                                                       \
  if (end - i >= KN_CHAINS * KN_W) {                                         \
    KN_STATE chains[KN_CHAINS];                                              \
    for (uint c = 0; c < KN_CHAINS; ++c) chains[c] = KN_IDENTITY;            \
    while (end - i >= KN_CHAINS * KN_W) {                                    \
      const ulong exist = KN_W;                                              \
      const ulong left = KN_W;                                               \
      _Pragma("unroll") for (uint c = 0; c < KN_CHAINS; ++c, i += KN_W) {    \
        KN_STATE acc = chains[c];                                            \
        KN_BODY                                                              \
        chains[c] = acc;                                                     \
      }                                                                      \
    }                                                                        \
    for (uint c = 0; c < KN_CHAINS; ++c) acc = KN_COMBINE(acc, chains[c]);   \
  }                                                                          \
  KN_TAKE_EACH(whole, end)
#elif defined(KN_SKIMMED)
// Of so many vectors only the best value, and their positions where it is better than that of all before, which is `bar`.
#define KN_BAR(k, before, value) KN_VALUE bar##k = 0;
#define KN_BEST(k, before, value) KN_VALUE best##k[2] = {bar##k, bar##k};
#define KN_LOOK_FOR(k, before, value) best##k[c] = before(looked, best##k[c]) ? looked : best##k[c];
#define KN_BETTER(k, before, value) | before(best##k[0], bar##k) | before(best##k[1], bar##k)
#define KN_RAISE(k, before, value) bar##k = so_far.value;
#define KN_TAKE(whole)                                                       \
  while (i < end) {                                                          \
    const ulong stop = min(end, i + KN_SKIMMED * KN_W);                      \
    bool better = true;                                                      \
    if (seen && stop - i == KN_SKIMMED * KN_W) {                             \
      const ulong left = KN_W;                                               \
      const ulong begin = i;                                                 \
      KN_EACH_POSITION(KN_BEST)                                              \
      KN_MASK unordered = 0;                                                 \
      while (i < stop) {                                                     \
        _Pragma("unroll") for (uint c = 0; c < 2; ++c, i += KN_W) {          \
          KN_LOOK                                                            \
          KN_EACH_POSITION(KN_LOOK_FOR)                                      \
          unordered |= looked != looked;                                     \
        }                                                                    \
      }                                                                      \
      better = KN_ANY(unordered KN_EACH_POSITION(KN_BETTER));                \
      if (better) i = begin;                                                 \
    }                                                                        \
    if (better) {                                                            \
      KN_TAKE_EACH(whole, stop)                                              \
      const KN_ONE so_far = KN_FOLD(acc);                                    \
      KN_EACH_POSITION(KN_RAISE)                                             \
      seen = true;                                                           \
    }                                                                        \
  }
#else
#define KN_TAKE(whole) KN_TAKE_EACH(whole, end)
#endif
#endif
#else
#define KN_EXIST left
#endif

// What work-items that share a unit leave each other: whole vectors where the order is fixed, else a value each.
#ifdef KN_FIXED
#define KN_PART KN_STATE
#define KN_TO_PART(acc) (acc)
#define KN_FROM_PART(part) KN_FOLD(part)
#else
#define KN_PART KN_ONE
#define KN_TO_PART(acc) KN_FOLD(acc)
#define KN_FROM_PART(part) (part)
#endif

// On a GPU: where the vector of segment s begins.
#ifdef KN_ROWS
#define KN_ROW_OF(s) ((KN_INDEX)(s) / (KN_INDEX)d.row_segments)
#else
#define KN_ROW_OF(s) 0
#endif
#ifdef KN_WHOLE
#define KN_LEFT KN_W
#else
#define KN_LEFT d.inner - i
#endif
#define KN_SEGMENT                                               \
  const KN_INDEX row = KN_ROW_OF(s);                             \
  KN_ROW                                                         \
  const ulong i = (s - (ulong)row * d.row_segments) * KN_W;      \
  const ulong left = KN_LEFT;

__kernel void KN_NAME(KN_PARAMETERS) {
  KN_CONSTANTS
#if defined(KN_CPU) && defined(KN_FIXED)
  // Segments are elements here.
  const ulong first_unit = get_global_id(0) * d.units_per_item;
  const ulong last_unit = min(first_unit + d.units_per_item, d.units);
  for (ulong unit = first_unit; unit < last_unit; ++unit) {
    const ulong kept = unit / d.blocks;
    ulong element = (unit - kept * d.blocks) * d.per_block;
    const ulong last = min(element + d.per_block, d.segments);
    ulong row = element / d.inner;
    ulong i = element - row * d.inner;
    KN_KEPT
    KN_STATE values[KN_TILE];
    for (int t = 0; t < KN_TILE; ++t) values[t] = KN_IDENTITY;
    for (; element < last; ++row, i = 0) {
      const ulong end = min(d.inner, i + (last - element));
      KN_ROW
      while (i < end) {
        uint in_tile = element % (KN_TILE * KN_W);
        if (in_tile == 0 && end - i >= KN_TILE * KN_W) {
          KN_STATE now[KN_TILE];
          for (int t = 0; t < KN_TILE; ++t) now[t] = values[t];
          for (; end - i >= KN_TILE * KN_W; element += KN_TILE * KN_W) {
#pragma unroll
            for (int t = 0; t < KN_TILE; ++t, i += KN_W) {
              const ulong left = KN_W;
              KN_STATE acc = now[t];
              KN_BODY
              now[t] = acc;
            }
          }
          for (int t = 0; t < KN_TILE; ++t) values[t] = now[t];
        } else {
          const ulong left = min(end - i, (ulong)(KN_W - in_tile % KN_W));
#if defined(KN_RAGGED) && KN_W > 1
          KN_STATE acc = KN_IDENTITY;
          KN_BODY
          for (uint l = 0; l < left; ++l, ++in_tile) {
            const KN_ONE sum = KN_LANE(KN_ONE, values[in_tile / KN_W], in_tile % KN_W);
            KN_LANE(KN_ONE, values[in_tile / KN_W], in_tile % KN_W) = KN_COMBINE(sum, KN_LANE(KN_ONE, acc, l));
          }
#else
          KN_STATE acc = values[in_tile / KN_W];
          KN_BODY
          values[in_tile / KN_W] = acc;
#endif
          i += left;
          element += left;
        }
      }
    }
    for (int half_values = KN_TILE / 2; half_values > 0; half_values /= 2)
      for (int t = 0; t < half_values; ++t) values[t] = KN_COMBINE(values[t], values[t + half_values]);
    KN_PUT(KN_FOLD(values[0]), unit)
  }
#elif defined(KN_CPU) && defined(KN_TOGETHER)
  const ulong first_unit = get_global_id(0) * d.units_per_item;
  const ulong last_unit = min(first_unit + d.units_per_item, d.units);
  for (ulong unit = first_unit; unit < last_unit; unit += KN_W) {
    KN_STATE states[KN_W];
#ifdef KN_DENSE
    // Behind a row's end lies the next row, which a vector may well reach into.
    const bool whole = unit + KN_W <= d.units && (d.units - unit - KN_W) * d.inner >= KN_W;
#else
    const bool whole = d.inner % KN_W == 0;
#endif
    for (uint r = 0; r < KN_W; ++r) {
      const ulong kept = min(unit + r, d.units - 1);
      const ulong row = 0;
      KN_KEPT
      KN_ROW
      KN_STATE acc = KN_IDENTITY;
      const ulong end = d.inner;
      ulong i = 0;
      KN_TAKE(whole)
      states[r] = acc;
    }
    for (uint pairs = KN_W / 2; pairs > 0; pairs /= 2)
      for (uint p = 0; p < pairs; ++p) states[p] = KN_PAIR(states[2 * p], states[2 * p + 1]);
    const ulong left = d.units - unit;
    KN_PUT_ALL(states[0], unit, left)
  }
#elif defined(KN_CPU)
  const ulong first_unit = get_global_id(0) * d.units_per_item;
  const ulong last_unit = min(first_unit + d.units_per_item, d.units);
  for (ulong unit = first_unit; unit < last_unit; ++unit) {
    const ulong kept = unit / d.blocks;
    const ulong first = (unit - kept * d.blocks) * d.per_block;
    const ulong last = min(first + d.per_block, d.segments);
    KN_KEPT
    KN_STATE acc = KN_IDENTITY;
#ifdef KN_SKIMMED
    KN_EACH_POSITION(KN_BAR)
    bool seen = false;
#endif
    for (ulong s = first; s < last; ++s) {
      const ulong row = s / d.row_segments;
      KN_ROW
      ulong i = (s - row * d.row_segments) * d.segment;
      const ulong end = min(i + d.segment, d.inner);
      KN_TAKE(false)
    }
    KN_PUT(KN_FOLD(acc), unit)
  }
#else
  const uint lane = get_local_id(0) % KN_LANES;
  const ulong unit = (ulong)get_group_id(0) * (KN_GROUP / KN_LANES) + get_local_id(0) / KN_LANES;
  KN_STATE acc = KN_IDENTITY;
  if (unit < d.units) {
#ifdef KN_BLOCKS
    const KN_INDEX kept = (KN_INDEX)unit / (KN_INDEX)d.blocks;
    const ulong first = (unit - (ulong)kept * d.blocks) * d.per_block;
#else
    const KN_INDEX kept = (KN_INDEX)unit;
    const ulong first = 0;
#endif
    const ulong last = min(first + d.per_block, d.segments);
    KN_KEPT
#ifdef KN_CHUNK
    for (ulong chunk = first + lane; chunk < last; chunk += KN_LANES * KN_CHUNK) {
      KN_VALUE values[KN_CHUNK];
      uint lefts[KN_CHUNK];
      KN_VALUE sum = 0;
      KN_VALUE count = 0;
      // Unrolled, or `values` would lie in memory.
#pragma unroll
      for (uint t = 0; t < KN_CHUNK; ++t) {
        // Past the end the last vector is read again, so that no load waits for another's condition.
        const bool exists = chunk + t * KN_LANES < last;
        const ulong s = exists ? chunk + t * KN_LANES : last - 1;
        KN_SEGMENT
        KN_BODY
        lefts[t] = exists ? min(left, (ulong)KN_W) : 0;
        values[t] = kn_only(taken, lefts[t]);
        sum += values[t];
        count += kn_only((KN_VALUE)(1), lefts[t]);
      }
      const KN_VALUE mean = sum / fmax(count, (KN_VALUE)(1));
      KN_VALUE rest = 0;
      KN_VALUE squares = 0;
#pragma unroll
      for (uint t = 0; t < KN_CHUNK; ++t) {
        const KN_VALUE apart = kn_only(values[t] - mean, lefts[t]);
        rest += apart;
        squares += apart * apart;
      }
      acc = kn_moments_combined(acc, kn_moments_around(mean, count, rest, squares));
    }
#else
    // All loads of a batch are under way together, since no branch lies between them; in the last ones the last vector is
    // read again.
    ulong begin = first + lane;
#ifndef KN_ROUNDS
    for (; begin + 3 * KN_LANES < last; begin += 4 * KN_LANES) {
#pragma unroll
      for (uint t = 0; t < 4; ++t) {
        const ulong s = begin + t * KN_LANES;
        KN_SEGMENT
        KN_BODY
      }
    }
#define KN_ROUNDS 4
#endif
    for (; begin < last; begin += KN_ROUNDS * KN_LANES) {
#pragma unroll
      for (uint t = 0; t < KN_ROUNDS; ++t) {
        const ulong s = min(begin + t * KN_LANES, last - 1);
        const KN_STATE before = acc;
        KN_SEGMENT
        KN_BODY
        if (begin + t * KN_LANES >= last) acc = before;
      }
    }
#endif
  }
#if KN_LANES == 1
  if (unit < d.units) {
    KN_PUT(KN_FOLD(acc), unit)
  }
#else
  __local KN_PART shared[KN_GROUP];
  const uint local_id = get_local_id(0);
  shared[local_id] = KN_TO_PART(acc);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_lanes = KN_LANES / 2; half_lanes > 0; half_lanes /= 2) {
    if (lane < half_lanes) shared[local_id] = KN_COMBINE(shared[local_id], shared[local_id + half_lanes]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0 && unit < d.units) {
    KN_PUT(KN_FROM_PART(shared[local_id]), unit)
  }
#endif
#endif
}

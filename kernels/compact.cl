// SPDX-License-Identifier: Apache-2.0
// The elements that a mask keeps, in their order and without gaps. KN_COUNT: how many each block keeps; otherwise, with
// the running sums of those, the elements themselves, or with KN_POSITIONS their positions. All arrays are row-major. With
// KN_ALONE a group has the only block, and says itself how many that keeps.
//
// A block has 4096 elements. On a CPU a work-item takes a run of blocks; on a GPU a group takes one, and each of its
// work-items a chunk of 16 neighbours.

#define KN_BLOCK 4096
#define KN_CHUNK 16
#define KN_GROUP (KN_BLOCK / KN_CHUNK)

// What an element is moved as.
#ifndef KN_MOVED
#define KN_MOVED uint
#endif

// A mask holds bytes of 0 and 1: the sum of eight of them.
static inline uint kn_kept(uchar8 mask) { return (uint)((as_ulong(mask) * 0x0101010101010101UL) >> 56); }

static inline uint kn_kept_in(__global const uchar* mask, uint count) {
  uint kept = 0;
  uint i = 0;
  for (; i + 8 <= count; i += 8) kept += kn_kept(vload8(0, mask + i));
  for (; i < count; ++i) kept += mask[i];
  return kept;
}

typedef struct {
  ulong x_offset, mask_offset;
  ulong elements, blocks;
} kn_compact;

#ifdef KN_COUNT
__kernel void compact_count(__global const uchar* mask, __global long* counts, const kn_compact parameters) {
  const kn_compact d = parameters;  // in registers, whatever is written meanwhile
  mask += d.mask_offset;
#ifdef KN_CPU
  const ulong per_item = (d.blocks + get_global_size(0) - 1) / get_global_size(0);
  const ulong first_block = get_global_id(0) * per_item;
  const ulong last_block = min(first_block + per_item, d.blocks);
  for (ulong block = first_block; block < last_block; ++block) {
    const ulong first = block * KN_BLOCK;
    counts[block] = kn_kept_in(mask + first, (uint)min(d.elements - first, (ulong)KN_BLOCK));
  }
#else
  __local uint kept;
  const uint lane = get_local_id(0);
  if (lane == 0) kept = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong first = (ulong)get_group_id(0) * KN_BLOCK + lane * KN_CHUNK;
  if (first < d.elements) {
    const uint mine = kn_kept_in(mask + first, (uint)min(d.elements - first, (ulong)KN_CHUNK));
    if (mine > 0) atomic_add(&kept, mine);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0) counts[get_group_id(0)] = kept;
#endif
}
#else

#ifdef KN_POSITIONS
#undef KN_MOVED
#define KN_MOVED long
#define KN_NAME compact_positions
#define KN_VALUES
#define KN_ELEMENT(i) ((long)(i))
#else
#define KN_NAME compact
#define KN_VALUES __global const KN_MOVED *x,
#define KN_ELEMENT(i) x[d.x_offset + (i)]
#endif

#ifdef KN_ALONE
#define KN_ENDS __global long* kept
#else
#define KN_ENDS __global const long* ends
#endif

__kernel void KN_NAME(KN_VALUES __global const uchar* mask, KN_ENDS, __global KN_MOVED* out,
                      const kn_compact parameters) {
  const kn_compact d = parameters;  // in registers, whatever is written meanwhile
  mask += d.mask_offset;
#ifdef KN_CPU
  const ulong per_item = (d.blocks + get_global_size(0) - 1) / get_global_size(0);
  const ulong first_block = get_global_id(0) * per_item;
  const ulong last_block = min(first_block + per_item, d.blocks);
  ulong to = first_block > 0 && first_block < last_block ? (ulong)ends[first_block - 1] : 0;
  const ulong last = min(last_block * KN_BLOCK, d.elements);
  for (ulong i = first_block * KN_BLOCK; i < last; i += 64) {
    const uint count = (uint)min(last - i, (ulong)64);
    // Without branches, for which no processor guesses right: what is not kept is written over by the next.
    KN_MOVED kept[64];
    uint n = 0;
    for (uint k = 0; k < count; ++k) {
      kept[n] = KN_ELEMENT(i + k);
      n += mask[i + k];
    }
    for (uint k = 0; k < n; ++k) out[to + k] = kept[k];
    to += n;
  }
#else
  __local uint sums[KN_GROUP];
  __local ushort kept_at[KN_BLOCK];  // where in the block what it keeps lies
  const uint lane = get_local_id(0);
  const ulong block = get_group_id(0);
  const ulong first = block * KN_BLOCK + lane * KN_CHUNK;
  const uint count = first < d.elements ? (uint)min(d.elements - first, (ulong)KN_CHUNK) : 0;
  const uint mine = kn_kept_in(mask + first, count);
  uint sum = mine;
  sums[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < KN_GROUP; distance *= 2) {
    const uint before = lane >= distance ? sums[lane - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[lane] = sum += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint to = sum - mine;
  for (uint k = 0; k < count; ++k) {
    if (mask[first + k]) kept_at[to++] = (ushort)(lane * KN_CHUNK + k);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint all = sums[KN_GROUP - 1];
#ifdef KN_ALONE
  if (lane == 0) *kept = all;
#else
  out += block > 0 ? (ulong)ends[block - 1] : 0;
#endif
  // Neighbours write to neighbouring places.
  for (uint i = lane; i < all; i += KN_GROUP) out[i] = KN_ELEMENT(block * KN_BLOCK + kept_at[i]);
#endif
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Positions that put the upper halves of int64 keys in order, put in order by the whole keys: those whose upper halves
// agree lie side by side, few of them, and each finds its position among them. Equal keys keep their order.

typedef struct {
  ulong count, upper_offset, order_offset, keys_offset;
} kn_order_ties;

__kernel void order_ties(__global const int* upper, __global const long* order, __global const long* keys,
                         __global long* out, const kn_order_ties d) {
  upper += d.upper_offset;
  order += d.order_offset;
  keys += d.keys_offset;
#ifdef KN_CPU
  const ulong per_item = (d.count + get_global_size(0) - 1) / get_global_size(0);
  const ulong first = get_global_id(0) * per_item, last = min(first + per_item, d.count), step = 1;
#else
  const ulong first = get_global_id(0), last = d.count, step = get_global_size(0);
#endif
  for (ulong i = first; i < last; i += step) {
    const int own = upper[i];
    const long position = order[i];
    ulong to = i;
    for (ulong before = i; before > 0 && upper[before - 1] == own; --before) {
      to -= keys[order[before - 1]] > keys[position];
    }
    for (ulong after = i + 1; after < d.count && upper[after] == own; ++after) {
      to += keys[order[after]] < keys[position];
    }
    out[to] = position;
  }
}

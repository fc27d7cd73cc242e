// SPDX-License-Identifier: Apache-2.0
// Transposes a stack of matrices, on cards, by squares in local memory.

#include "common/factors.clh"

#define KN_SQUARE 32u

typedef struct {
  ulong offset, m, n, pitch, step;  // of `from`: its first element, size, from row to row and from matrix to matrix
  uint lower;                       // what is above its diagonal becomes zeros
} kn_turn;

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void turn(__global const KN_VALUE* from,
                                                                       __global KN_VALUE* to,
                                                                       const kn_turn parameters) {
  const kn_turn d = parameters;
  __local KN_VALUE square[KN_SQUARE * (KN_SQUARE + 1)];
  const ulong across = (d.n + KN_SQUARE - 1) / KN_SQUARE, squares = (d.m + KN_SQUARE - 1) / KN_SQUARE * across;
  const ulong matrix = get_group_id(0) / squares, at = get_group_id(0) - matrix * squares;
  const ulong row0 = at / across * KN_SQUARE, column0 = (at - at / across * across) * KN_SQUARE;
  const uint x = KN_SELF % KN_SQUARE, y = KN_SELF / KN_SQUARE;
  from += d.offset + matrix * d.step;
  to += matrix * d.m * d.n;
  for (uint i = y; i < KN_SQUARE; i += 256 / KN_SQUARE) {
    if (row0 + i < d.m && column0 + x < d.n) square[i * (KN_SQUARE + 1) + x] = from[(row0 + i) * d.pitch + column0 + x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = y; i < KN_SQUARE; i += 256 / KN_SQUARE) {
    if (row0 + x >= d.m || column0 + i >= d.n) continue;
    const bool kept = !d.lower || column0 + i <= row0 + x;
    to[(column0 + i) * d.m + row0 + x] = kept ? square[x * (KN_SQUARE + 1) + i] : KN_ZERO;
  }
}

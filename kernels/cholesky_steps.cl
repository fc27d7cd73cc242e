// SPDX-License-Identifier: Apache-2.0
// Cholesky factorisations of a stack of real matrices of any size on cards, by blocks of KN_BLOCK columns, within panels,
// of each of which a launch makes the factor's columns. Every group that has rows of the block takes the last block's
// products from them and from the square on the diagonal, factorises the square, and solves for its rows while it does so:
// that all of them factorise it costs nobody time, and no launch waits for another between square and rows. Further groups
// take the last block's products from what is left of the panel. What is behind a panel has the products of all of it
// taken by others (DeepUpdate in lib/exec/factor_blocks.hpp).

#define KN_BLOCK 64u
#include "common/factors.clh"

// A group has KN_TALL rows and KN_BLOCK columns, a work-item every KN_LANES-th row and every KN_SIDE-th column of them.
#define KN_ITEMS 256u
#define KN_TALL 128u
#define KN_LANES 32u
#define KN_SIDE (KN_ITEMS / KN_LANES)
#define KN_ROWS (KN_TALL / KN_LANES)
#define KN_COLUMNS (KN_BLOCK / KN_SIDE)
// What is read from local memory at once, and the last block's columns that are there at a time.
#if KN_ELEMENT == KN_F64
typedef double2 KnRun;
#define KN_RUN 2u
#define KN_DEPTH 16u
#else
typedef float4 KnRun;
#define KN_RUN 4u
#define KN_DEPTH 32u
#endif
// Of such a column a work-item fetches KN_SETS runs, KN_APART runs from each other.
#define KN_APART (KN_ITEMS / KN_DEPTH)
#define KN_SETS ((KN_TALL + KN_BLOCK) / KN_RUN / KN_APART)
#define KN_FETCHED (KN_SETS * KN_RUN)
// Neighbours in depth, or rows, fall on different banks.
#define KN_DEEP_PITCH (KN_TALL + KN_BLOCK + KN_RUN)
#define KN_PITCH (KN_BLOCK + 1)
#define KN_SHARED (KN_DEPTH * KN_DEEP_PITCH > KN_BLOCK * KN_PITCH ? KN_DEPTH * KN_DEEP_PITCH : KN_BLOCK * KN_PITCH)
// Columns that are factorised between two barriers: a work-item has one of them. Work-items' columns are two sets, so that
// less is taken from the second one when the first one is known.
#define KN_STRIP KN_SIDE
#define KN_SET (KN_COLUMNS / 2)
// From one line of shares to the next.
#define KN_SHARES (KN_BLOCK + KN_TALL)

typedef struct {
  ulong offset;                  // of `x`
  uint n, done;                  // columns of a matrix; those of the factor that are known
  uint groups, solving, across;  // of a matrix: all, those with rows of the block; blocks that are left of the panel
  uint depth;                    // columns of the last block, or none
} kn_cholesky_steps;

// 1 / a to about the last bit. Columns wait for it one after the other, so that there is no branch.
static inline KN_REAL kn_inverse(KN_REAL a) {
#if KN_ELEMENT == KN_F32
  // No part of it is too small for a device without subnormal numbers.
  const float scale = a < 0x1p-60f ? 0x1p60f : a > 0x1p60f ? 0x1p-60f : 1.0f, scaled = a * scale;
  const float inverse = native_recip(scaled);
  return fma(inverse, fma(-scaled, inverse, 1.0f), inverse) * scale;
#else
  return 1 / a;
#endif
}

// Where the element `i` * `side` + `y` of a column lies in local memory: what a work-item has of it are runs.
static inline uint kn_place(uint i, uint y, uint side) {
  return (i / KN_RUN * side + y) * KN_RUN + i % KN_RUN;
}
static inline void kn_read_runs(__local const KN_VALUE* line, uint y, uint side, uint count, KN_VALUE* values) {
#pragma unroll
  for (uint i = 0; i < count; i += KN_RUN) {
    const KnRun run = *(__local const KnRun*)(line + kn_place(i, y, side));
    values[i] = run.s0;
    values[i + 1] = run.s1;
#if KN_RUN > 2
    values[i + 2] = run.s2;
    values[i + 3] = run.s3;
#endif
  }
}
static inline void kn_write_run(__local KN_VALUE* line, const KN_VALUE* values) {
#if KN_RUN > 2
  *(__local KnRun*)line = (KnRun)(values[0], values[1], values[2], values[3]);
#else
  *(__local KnRun*)line = (KnRun)(values[0], values[1]);
#endif
}

// Fetches a work-item's runs of a column: of the group's rows, the first KN_BLOCK of which begin with `upper`, the others
// with `lower`, and of those that go along its columns, from `column` on.
static inline void kn_fetch(__global const KN_VALUE* from, uint n, uint upper, uint lower, uint column, uint wide,
                            KN_VALUE values[KN_FETCHED]) {
#pragma unroll
  for (uint t = 0; t < KN_FETCHED; ++t) {
    const uint unit = t / KN_RUN * KN_APART + wide;
    uint row;
    if (t / KN_RUN * KN_APART * KN_RUN < KN_TALL) {
      const uint at = (unit / KN_LANES * KN_RUN + t % KN_RUN) * KN_LANES;
      row = (at < KN_BLOCK ? upper : lower - KN_BLOCK) + at + unit % KN_LANES;
    } else {
      const uint other = unit - KN_TALL / KN_RUN;
      row = column + (other / KN_SIDE * KN_RUN + t % KN_RUN) * KN_SIDE + other % KN_SIDE;
    }
    values[t] = row < n ? from[(ulong)row * n] : KN_ZERO;
  }
}

// Takes products of a line in local memory from a work-item's columns from `first` on.
static inline void kn_take_line(KN_VALUE values[KN_ROWS][KN_COLUMNS], uint first, __local const KN_VALUE* down,
                                uint item_y, __local const KN_VALUE* right, uint item_x) {
  KN_VALUE below[KN_ROWS], across[KN_COLUMNS];
  kn_read_runs(down, item_y, KN_LANES, KN_ROWS, below);
  kn_read_runs(right, item_x, KN_SIDE, KN_COLUMNS - first, across);
#pragma unroll
  for (uint i = 0; i < KN_ROWS; ++i)
#pragma unroll
    for (uint j = first; j < KN_COLUMNS; ++j) values[i][j] = kn_take_away(values[i][j], below[i], across[j - first]);
}

// At first, where `done` is 0, all is copied from `x`, and above the diagonal are zeros. Factors of squares on the
// diagonal go to `squares`, since others may still read what they are made of, but for the last one's.
__kernel __attribute__((reqd_work_group_size(KN_ITEMS, 1, 1))) void cholesky_steps(__global const KN_VALUE* x,
                                                                                   __global KN_VALUE* factor,
                                                                                   __global KN_VALUE* squares,
                                                                                   __global kn_fault* indefinite,
                                                                                   const kn_cholesky_steps parameters) {
  const kn_cholesky_steps d = parameters;
  __local KN_VALUE shared[KN_SHARED] __attribute__((aligned(16)));
  __local KN_REAL pivots[KN_BLOCK], roots[KN_BLOCK], inverses[KN_BLOCK];
  const uint matrix = (uint)get_group_id(0) / d.groups, group = (uint)get_group_id(0) - matrix * d.groups;
  const bool solves = group < d.solving;
  // The first KN_BLOCK rows, those behind them, and the columns.
  const uint chunk = solves ? 0 : (group - d.solving) / (d.across - 1);
  const uint upper0 = d.done + chunk * KN_TALL;
  // The first group has nothing but the square.
  const uint lower0 = solves && group == 0 ? d.n : upper0 + (solves ? group : 1) * KN_BLOCK;
  const uint column0 = d.done + (solves ? 0 : 1 + (group - d.solving) - chunk * (d.across - 1)) * KN_BLOCK;
  if (d.done > 0 && column0 >= upper0 + KN_TALL) return;
  __global KN_VALUE* const to = factor + (ulong)matrix * d.n * d.n;
  __global const KN_VALUE* const from = d.done > 0 ? to : x + d.offset + (ulong)matrix * d.n * d.n;
  const uint item_x = KN_SELF / KN_LANES, item_y = KN_SELF % KN_LANES;
  // Rows lie in memory one behind the other, and neighbouring work-items take neighbours there: local memory turns them.
  const uint line = KN_SELF / KN_BLOCK, column = KN_SELF % KN_BLOCK, lines = KN_ITEMS / KN_BLOCK;
  const uint deep = KN_SELF % KN_DEPTH, wide = KN_SELF / KN_DEPTH;
  __global const KN_VALUE* const known = to + d.done - d.depth + deep;
  KN_VALUE values[KN_ROWS][KN_COLUMNS], next[KN_FETCHED];
  {
    KN_VALUE read[KN_TALL / lines];
#pragma unroll
    for (uint t = 0; t < KN_TALL / lines; ++t) {
      const uint i = (t * lines < KN_BLOCK ? upper0 : lower0 - KN_BLOCK) + t * lines + line, j = column0 + column;
      // What is missing of a square to factorise is the identity.
      read[t] = i < d.n && j <= i ? from[(ulong)i * d.n + j] : i == j ? KN_ONE : KN_ZERO;
    }
    if (d.depth > 0) kn_fetch(known, d.n, upper0, lower0, column0, wide, next);
#pragma unroll
    for (uint pass = 0; pass < 2; ++pass) {
#pragma unroll
      for (uint t = 0; t < KN_BLOCK / lines; ++t) {
        shared[(t * lines + line) * KN_PITCH + column] = read[pass * (KN_BLOCK / lines) + t];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint i = 0; i < KN_ROWS / 2; ++i)
#pragma unroll
        for (uint j = 0; j < KN_COLUMNS; ++j) {
          values[pass * (KN_ROWS / 2) + i][j] = shared[(i * KN_LANES + item_y) * KN_PITCH + j * KN_SIDE + item_x];
        }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  for (uint slice = 0; slice < d.depth; slice += KN_DEPTH) {
#pragma unroll
    for (uint t = 0; t < KN_SETS; ++t) {
      kn_write_run(shared + deep * KN_DEEP_PITCH + (t * KN_APART + wide) * KN_RUN, next + t * KN_RUN);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (slice + KN_DEPTH < d.depth) kn_fetch(known + slice + KN_DEPTH, d.n, upper0, lower0, column0, wide, next);
#pragma unroll 8
    for (uint k = 0; k < KN_DEPTH; ++k) {
      __local const KN_VALUE* const deep_line = shared + k * KN_DEEP_PITCH;
      kn_take_line(values, 0, deep_line, item_y, deep_line + KN_TALL, item_x);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // Columns are left unscaled until all of them are known. A strip of them goes to local memory, where a work-item for each
  // row takes from it what the strip's columns take from each other; each of them factorises the strip's square, too.
  if (solves) {
    __local KN_VALUE* const strip = shared;
    __local KN_VALUE* const ready = strip + KN_STRIP * KN_TALL;
    __local KN_VALUE* const shares = ready + KN_STRIP * KN_TALL;
    const uint my_row = (KN_SELF / (KN_RUN * KN_LANES) * KN_RUN + KN_SELF % KN_RUN) * KN_LANES +
                        KN_SELF / KN_RUN % KN_LANES;
    const uint my_column = my_row / KN_SIDE;
    uint positive = KN_BLOCK;
#pragma unroll
    for (uint set = 0; set < KN_COLUMNS; set += KN_SET)
      for (uint turn = 0; turn < KN_SET; ++turn) {
        const uint first = (set + turn) * KN_STRIP;
#pragma unroll
        for (uint i = 0; i < KN_ROWS; i += KN_RUN) {
          KN_VALUE column_run[KN_RUN];
#pragma unroll
          for (uint t = 0; t < KN_RUN; ++t) column_run[t] = values[i + t][set];
          kn_write_run(strip + item_x * KN_TALL + kn_place(i, item_y, KN_LANES), column_run);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (KN_SELF < KN_TALL) {
          KN_VALUE square[KN_STRIP][KN_STRIP], mine[KN_STRIP];
#pragma unroll
          for (uint k = 0; k < KN_STRIP; ++k) {
            mine[k] = strip[k * KN_TALL + KN_SELF];
#pragma unroll
            for (uint i = k; i < KN_STRIP; ++i) {
              square[i][k] = strip[k * KN_TALL + kn_place(first / KN_LANES, first % KN_LANES + i, KN_LANES)];
            }
          }
          // Where the columns are by now whose shares this row has.
          const uint moved = my_column < set + KN_SET ? (my_column - turn) % KN_SET : my_column - set;
          const bool behind = my_column > set + turn;
          // Rows that have none write behind them.
          __local KN_VALUE* const share_at =
              shares + (my_row < KN_BLOCK && my_column >= set ? kn_place(moved, my_row % KN_SIDE, KN_SIDE)
                                                              : KN_BLOCK + KN_SELF);
#pragma unroll
          for (uint k = 0; k < KN_STRIP; ++k) {
            const KN_REAL pivot = square[k][k], inverse = kn_inverse(pivot);
            positive = pivot > 0 ? positive : min(positive, first + k);
            ready[k * KN_TALL + KN_SELF] = mine[k];
            share_at[k * KN_SHARES] = behind ? mine[k] * inverse : KN_ZERO;
#pragma unroll
            for (uint j = k + 1; j < KN_STRIP; ++j) {
              const KN_VALUE share = square[j][k] * inverse;
              mine[j] = kn_take_away(mine[j], mine[k], share);
#pragma unroll
              for (uint i = j; i < KN_STRIP; ++i) square[i][j] = kn_take_away(square[i][j], square[i][k], share);
            }
          }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        KN_VALUE known_column[KN_ROWS];
        kn_read_runs(ready + item_x * KN_TALL, item_y, KN_LANES, KN_ROWS, known_column);
#pragma unroll
        for (uint k = 0; k < KN_STRIP; ++k) {
          kn_take_line(values, set, ready + k * KN_TALL, item_y, shares + k * KN_SHARES, item_x);
        }
#pragma unroll
        for (uint i = 0; i < KN_ROWS; ++i) {
#pragma unroll
          for (uint j = set; j + 1 < set + KN_SET; ++j) values[i][j] = values[i][j + 1];
          values[i][set + KN_SET - 1] = known_column[i];
        }
      }
    if (group == 0 && positive < KN_BLOCK) kn_report_at(indefinite, matrix, d.done + positive + 1);
#pragma unroll
    for (uint i = 0; i < KN_BLOCK / KN_LANES; ++i)
#pragma unroll
      for (uint j = 0; j < KN_COLUMNS; ++j) {
        if (i * KN_LANES + item_y == j * KN_SIDE + item_x) pivots[i * KN_LANES + item_y] = values[i][j];
      }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (KN_SELF < KN_BLOCK) {
      const KN_REAL pivot = pivots[KN_SELF], root = sqrt(pivot);
      roots[KN_SELF] = root;
      inverses[KN_SELF] = kn_inverse(pivot) * root;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint j = 0; j < KN_COLUMNS; ++j) {
      const uint k = j * KN_SIDE + item_x;
#pragma unroll
      for (uint i = 0; i < KN_ROWS; ++i) {
        values[i][j] = i * KN_LANES + item_y == k ? roots[k] : values[i][j] * inverses[k];
      }
    }
  }
  const uint blocks = (d.n - 1) / KN_BLOCK;
  __global KN_VALUE* const square = squares + ((ulong)matrix * blocks + d.done / KN_BLOCK) * KN_BLOCK * KN_BLOCK;
  for (uint pass = solves && group > 0 ? 1 : 0; pass < (solves && group == 0 ? 1u : 2u); ++pass) {
#pragma unroll
    for (uint i = 0; i < KN_ROWS / 2; ++i)
#pragma unroll
      for (uint j = 0; j < KN_COLUMNS; ++j) {
        const KN_VALUE value = pass > 0 ? values[KN_ROWS / 2 + i][j] : values[i][j];
        shared[(i * KN_LANES + item_y) * KN_PITCH + j * KN_SIDE + item_x] = value;
      }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint t = 0; t < KN_BLOCK / lines; ++t) {
      const uint at = t * lines + line, i = (pass > 0 ? lower0 : upper0) + at, j = column0 + column;
      const KN_VALUE value = shared[at * KN_PITCH + column];
      if (solves && pass == 0 && d.solving > 1) {
        square[at * KN_BLOCK + column] = column <= at ? value : KN_ZERO;
      } else if (i < d.n && j < d.n && (j <= i || d.done == 0)) {
        to[(ulong)i * d.n + j] = j <= i ? value : KN_ZERO;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Puts the factors of the squares on the diagonal into their places, but for the last one of each matrix.
__kernel __attribute__((reqd_work_group_size(KN_ITEMS, 1, 1))) void cholesky_diagonal(__global const KN_VALUE* squares,
                                                                                      __global KN_VALUE* factor,
                                                                                      const ulong n) {
  const ulong count = (n - 1) / KN_BLOCK, matrix = get_group_id(0) / count;
  const ulong first = (get_group_id(0) - matrix * count) * KN_BLOCK;
  squares += get_group_id(0) * KN_BLOCK * KN_BLOCK;
  factor += matrix * n * n + first * n + first;
  KN_VALUE values[KN_BLOCK * KN_BLOCK / KN_ITEMS];
#pragma unroll
  for (uint t = 0; t < KN_BLOCK * KN_BLOCK / KN_ITEMS; ++t) values[t] = squares[t * KN_ITEMS + KN_SELF];
#pragma unroll
  for (uint t = 0; t < KN_BLOCK * KN_BLOCK / KN_ITEMS; ++t) {
    const uint i = (t * KN_ITEMS + KN_SELF) / KN_BLOCK, j = KN_SELF % KN_BLOCK;
    factor[i * n + j] = values[t];
  }
}

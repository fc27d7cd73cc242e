// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of a stack of square matrices, in complex numbers: a work-group takes a matrix. Reflections
// leave zeros below the subdiagonal (H = Q^H x Q), rotations with shifts make H a triangle (Francis 1961, Kublanovskaya
// 1961; Wilkinson's shift), whose eigenvectors are found by substitution and turned back by Q. Each element is a chain of
// operations in a fixed order, whatever the form.
//
// A loop with barriers in it ends with one, and none stands under a condition that values decide, nor in a function that
// returns from its middle: PoCL, which makes loops of the work-items between barriers, loses track of them.

#ifndef KN_ELEMENT
#define KN_ELEMENT KN_C64
#endif
#include "common/factors.clh"
#include "common/reflection.clh"

// KN_NOTHING is small beside any element of a matrix that matters, and KN_LARGE times KN_LARGE times sizes of matrices
// is far from overflow: these are magnitudes of a matrix whose largest part is between 1 and 2.
#if KN_ELEMENT == KN_C128
#define KN_EPSILON DBL_EPSILON
#define KN_NOTHING 0x1p-900
#define KN_LARGE 0x1p+100
#else
#define KN_EPSILON FLT_EPSILON
#define KN_NOTHING 0x1p-100f
#define KN_LARGE 0x1p+20f
#endif

typedef struct {
  ulong offset, matrices, n, room;  // offset of `x` in its elements; what a matrix takes of the room
  uint parts, vectors;              // of an element of x: 1 or 2; whether they are wanted
} kn_eig;

static inline KN_VALUE kn_product(KN_VALUE a, KN_VALUE b) {
  return kn_multiply_add(a, b, KN_ZERO);
}
static inline KN_REAL kn_square(KN_VALUE a) {
  return fma(a.x, a.x, a.y * a.y);
}
static inline KN_VALUE kn_root(KN_VALUE a) {
  const KN_REAL root = sqrt((fabs(a.x) + sqrt(kn_square(a))) / 2);
  if (root == 0) return KN_ZERO;
  const KN_REAL other = a.y / (2 * root);
  return a.x >= 0 ? kn_value(root, other) : kn_value(fabs(other), copysign(root, a.y));
}

// Of two rows p and q: p becomes cosine p + sine q, and q becomes -conj(sine) p + cosine q.
struct kn_turn {
  KN_REAL cosine;
  KN_VALUE sine, kept;
};

// What leaves (kept, 0) of elements f and g.
static inline struct kn_turn kn_turn_of(KN_VALUE f, KN_VALUE g) {
  struct kn_turn turn;
  turn.cosine = 1;
  turn.sine = KN_ZERO;
  turn.kept = f;
  if (kn_is_zero(g)) return turn;
  const KN_REAL size = fmax(kn_size(f), kn_size(g));
  f /= size;
  g /= size;
  const KN_REAL ff = kn_square(f), gg = kn_square(g);
  if (ff > KN_NOTHING) {
    const KN_REAL first = sqrt(ff), both = sqrt(ff + gg);
    const KN_VALUE phase = f / first;
    turn.cosine = first / both;
    turn.sine = kn_product(phase, kn_conj(g)) / both;
    turn.kept = phase * (both * size);
  } else {
    const KN_REAL length = sqrt(gg);
    turn.cosine = 0;
    turn.sine = kn_conj(g) / length;
    turn.kept = kn_value(length * size, 0);
  }
  return turn;
}

// The eigenvalue of ((a, b), (c, d)) that is closer to d.
static inline KN_VALUE kn_shift(KN_VALUE a, KN_VALUE b, KN_VALUE c, KN_VALUE d) {
  const KN_REAL size = fmax(fmax(kn_size(a - d), kn_size(b)), kn_size(c));
  if (size == 0) return d;
  const KN_VALUE half_way = (a - d) / size / 2, product = kn_product(b / size, c / size);
  KN_VALUE root = kn_root(kn_multiply_add(half_way, half_way, product));
  if (fma(half_way.x, root.x, half_way.y * root.y) < 0) root = -root;
  const KN_VALUE other = half_way + root;
  return kn_is_zero(other) ? d : d - kn_divide(product, other) * size;
}

// A column less v times its share, both m elements `step` apart.
static inline void kn_reflect_column(__global KN_VALUE* column, __global const KN_VALUE* v, ulong step, ulong m,
                                     KN_VALUE turn) {
  KN_VALUE sum = KN_ZERO;
  for (ulong i = 0; i < m; ++i) sum = kn_multiply_add(kn_conj(v[i * step]), column[i * step], sum);
  sum = kn_product(turn, sum);
  for (ulong i = 0; i < m; ++i) column[i * step] = kn_take_away(column[i * step], v[i * step], sum);
}

// H = Q^H x Q, where h holds x, and Q^H, if `turned` is there.
static inline void kn_hessenberg(__global KN_VALUE* h, __global KN_VALUE* turned, ulong n, __local KN_REAL* norms) {
  for (ulong k = 0; k + 2 < n; ++k) {
    __global KN_VALUE* const v = h + (k + 1) * n + k;  // and further down the column
    const ulong m = n - k - 1;
    KN_VALUE tau;
    const KN_REAL beta = kn_reflection(v, n, m, norms, &tau);
    if (KN_SELF == 0) *v = KN_ONE;
    KN_SYNC();
    const KN_VALUE turn = kn_conj(tau);
    for (ulong j = k + 1 + KN_SELF; j < n; j += KN_TOGETHER) kn_reflect_column(h + (k + 1) * n + j, v, n, m, turn);
    for (ulong j = KN_SELF; turned && j < n; j += KN_TOGETHER) {
      kn_reflect_column(turned + (k + 1) * n + j, v, n, m, turn);
    }
    KN_SYNC();
    for (ulong i = KN_SELF; i < n; i += KN_TOGETHER) {
      __global KN_VALUE* const row = h + i * n + k + 1;
      KN_VALUE sum = KN_ZERO;
      for (ulong j = 0; j < m; ++j) sum = kn_multiply_add(row[j], v[j * n], sum);
      sum = kn_product(tau, sum);
      for (ulong j = 0; j < m; ++j) row[j] = kn_take_away(row[j], sum, kn_conj(v[j * n]));
    }
    KN_SYNC();
    for (ulong i = KN_SELF; i < m; i += KN_TOGETHER) v[i * n] = i == 0 ? kn_value(beta, 0) : KN_ZERO;
    KN_SYNC();
  }
}

// One step of the block of rows and columns from `low` to before `high`, which ends what is beside it: H - shift = G^H R
// becomes R G^H + shift. With vectors the other rows and columns are turned, too.
static inline void kn_step(__global KN_VALUE* h, __global KN_VALUE* turned, __global KN_VALUE* turns, ulong n, ulong low,
                           ulong high, KN_VALUE shift) {
  if (KN_SELF == 0 && low > 0) h[low * n + low - 1] = KN_ZERO;
  for (ulong i = low + KN_SELF; i < high; i += KN_TOGETHER) h[i * n + i] -= shift;
  KN_SYNC();
  for (ulong k = low; k + 1 < high; ++k) {
    __global KN_VALUE* const row = h + k * n;
    const struct kn_turn turn = kn_turn_of(row[k], row[n + k]);
    for (ulong j = k + 1 + KN_SELF; j < (turned ? n : high); j += KN_TOGETHER) {
      const KN_VALUE p = row[j], q = row[n + j];
      row[j] = kn_multiply_add(turn.sine, q, turn.cosine * p);
      row[n + j] = kn_take_away(turn.cosine * q, kn_conj(turn.sine), p);
    }
    if (KN_SELF == 0) {
      turns[3 * k] = kn_value(turn.cosine, 0);
      turns[3 * k + 1] = turn.sine;
      turns[3 * k + 2] = turn.kept;
    }
    KN_SYNC();
  }
  for (ulong k = low + KN_SELF; k + 1 < high; k += KN_TOGETHER) {
    h[k * n + k] = turns[3 * k + 2];
    h[(k + 1) * n + k] = KN_ZERO;
  }
  KN_SYNC();
  for (ulong i = (turned ? 0 : low) + KN_SELF; i < high; i += KN_TOGETHER) {
    __global KN_VALUE* const row = h + i * n;
    for (ulong k = i > low ? i - 1 : low; k + 1 < high; ++k) {
      const KN_VALUE p = row[k], q = row[k + 1], sine = turns[3 * k + 1];
      const KN_REAL cosine = turns[3 * k].x;
      row[k] = kn_multiply_add(kn_conj(sine), q, cosine * p);
      row[k + 1] = kn_take_away(cosine * q, sine, p);
    }
    if (i >= low) row[i] += shift;
  }
  for (ulong k = low; turned && k + 1 < high; ++k) {
    const KN_VALUE sine = turns[3 * k + 1];
    const KN_REAL cosine = turns[3 * k].x;
    for (ulong j = KN_SELF; j < n; j += KN_TOGETHER) {
      const KN_VALUE p = turned[k * n + j], q = turned[(k + 1) * n + j];
      turned[k * n + j] = kn_multiply_add(sine, q, cosine * p);
      turned[(k + 1) * n + j] = kn_take_away(cosine * q, kn_conj(sine), p);
    }
  }
  KN_SYNC();
}

// The last block, of at least two rows, that has no zero below its diagonal: from the row given back to before `high`, which
// is 0 if there is none. What is behind it is found. `steps` were made since something was.
static inline ulong kn_last_block(__global const KN_VALUE* h, ulong n, ulong* high, uint* steps) {
  ulong low = 0;
  while (*high > 0) {
    for (low = *high - 1; low > 0; --low) {
      __global const KN_VALUE* const at = h + low * n + low;
      KN_REAL near = kn_size(at[0]) + kn_size(at[-(long)n - 1]);
      // Beside nothing, and where that takes long: what is lost beside the matrix.
      if (near == 0 || *steps > 20) near = fmax(near, (KN_REAL)1);
      if (kn_size(at[-1]) <= KN_EPSILON * near) break;
    }
    if (low + 1 < *high) break;
    --*high;
    *steps = 0;
  }
  return low;
}

// H becomes a triangle. False where that takes more than 30 steps for each row.
static inline bool kn_triangle(__global KN_VALUE* h, __global KN_VALUE* turned, __global KN_VALUE* turns, ulong n) {
  ulong high = n;
  uint steps = 0;
  ulong low = kn_last_block(h, n, &high, &steps);
  KN_SYNC();
  for (ulong left = 30 * max(n, 10ul); high > 0 && left > 0; --left) {
    ++steps;
    __global const KN_VALUE* const last = h + (high - 1) * n + high - 1;
    __global const KN_VALUE* const first = h + low * n + low;
    KN_VALUE shift = kn_shift(last[-(long)n - 1], last[-(long)n], last[-1], last[0]);
    // Others, where these go in a circle, as LAPACK's.
    if (steps % 20 == 10) shift = first[0] + kn_value((KN_REAL)0.75 * kn_size(first[n]), 0);
    if (steps % 20 == 0) shift = last[0] + kn_value((KN_REAL)0.75 * kn_size(last[-1]), 0);
    KN_SYNC();
    kn_step(h, turned, turns, n, low, high, shift);
    low = kn_last_block(h, n, &high, &steps);
    KN_SYNC();
  }
  return high == 0;
}

// Eigenvectors of the triangle, each of one work-item, as rows. Where they grow they are made smaller, so that they do not
// overflow (Anderson 1991, of LAPACK).
static inline void kn_substitute(__global const KN_VALUE* h, __global KN_VALUE* found, ulong n) {
  for (ulong k = KN_SELF; k < n; k += KN_TOGETHER) {
    __global KN_VALUE* const x = found + k * n;
    const KN_VALUE value = h[k * n + k];
    const KN_REAL least = fmax(KN_EPSILON * kn_size(value), KN_NOTHING);
    x[k] = KN_ONE;
    for (ulong i = k; i-- > 0;) {
      KN_VALUE sum = KN_ZERO;
      for (ulong j = i + 1; j <= k; ++j) sum = kn_multiply_add(h[i * n + j], x[j], sum);
      KN_VALUE apart = value - h[i * n + i];
      if (kn_size(apart) < least) apart = kn_value(least, 0);
      const KN_REAL most = KN_LARGE * kn_size(apart), size = kn_size(sum);
      if (size > most) {
        const KN_REAL scale = most / size;
        for (ulong j = i + 1; j <= k; ++j) x[j] *= scale;
        sum *= scale;
      }
      x[i] = kn_divide(sum, apart);
    }
  }
  KN_SYNC();
}

// Rows become vectors of length 1 whose largest element is real.
static inline void kn_normalise(__global KN_VALUE* vectors, ulong n) {
  for (ulong k = KN_SELF; k < n; k += KN_TOGETHER) {
    __global KN_VALUE* const v = vectors + k * n;
    KN_REAL back, size = 0, sum = 0, most = -1;
    ulong at = 0;
    for (ulong i = 0; i < n; ++i) size = fmax(size, kn_size(v[i]));
    const KN_REAL scale = kn_scale(size, &back);
    for (ulong i = 0; i < n; ++i) {
      const KN_REAL square = kn_square(v[i] * scale);
      sum += square;
      at = square > most ? i : at;
      most = fmax(square, most);
    }
    const KN_VALUE turn = kn_conj(v[at] * scale) / sqrt(most) / sqrt(sum);
    for (ulong i = 0; i < n; ++i) v[i] = kn_product(v[i] * scale, turn);
    v[at].y = 0;
  }
}

__kernel void eig(__global const KN_REAL* x, __global KN_VALUE* values, __global KN_VALUE* vectors,
                  __global KN_VALUE* room, __global kn_fault* fault, const kn_eig parameters) {
  const kn_eig d = parameters;
  const ulong n = d.n;
  __local KN_REAL norms[KN_NORM_STRANDS];
  __global KN_VALUE* const turns = room + get_group_id(0) * d.room;
  __global KN_VALUE* const h = turns + 3 * n;
  __global KN_VALUE* const turned = d.vectors ? h + n * n : 0;  // Q^H
  __global KN_VALUE* const found = h + 2 * n * n;
  for (ulong matrix = get_group_id(0); matrix < d.matrices; matrix += get_num_groups(0)) {
    __global const KN_REAL* const from = x + (d.offset + matrix * n * n) * d.parts;
    __global KN_VALUE *const to = values + matrix * n, *const to_vectors = vectors + matrix * n * n;
    KN_REAL largest = 0;
    for (ulong at = KN_SELF; at < n * n * d.parts; at += KN_TOGETHER) {
      const KN_REAL part = fabs(from[at]);
      largest = part <= largest ? largest : part < (KN_REAL)INFINITY ? part : (KN_REAL)INFINITY;
    }
    norms[KN_SELF] = largest;
    KN_SYNC();
    for (uint i = 0; i < KN_TOGETHER; ++i) largest = fmax(largest, norms[i]);
    KN_SYNC();
    const bool finite = largest < (KN_REAL)INFINITY;
    KN_REAL back;
    const KN_REAL scale = kn_scale(largest, &back);
    for (ulong at = KN_SELF; at < n * n; at += KN_TOGETHER) {
      const KN_REAL re = from[at * d.parts] * scale, im = d.parts == 2 ? from[at * d.parts + 1] * scale : 0;
      h[at] = finite ? kn_value(re, im) : KN_ZERO;
      if (turned) turned[at] = at / n == at % n ? KN_ONE : KN_ZERO;
    }
    KN_SYNC();
    kn_hessenberg(h, turned, n, norms);
    const bool all = kn_triangle(h, turned, turns, n) && finite;
    const KN_VALUE nan = kn_value((KN_REAL)NAN, (KN_REAL)NAN);
    if (!all && KN_SELF == 0) kn_report(fault, finite ? -1 - (long)matrix : (long)matrix);
    for (ulong i = KN_SELF; i < n; i += KN_TOGETHER) to[i] = all ? h[i * n + i] * back : nan;
    KN_SYNC();
    if (!d.vectors) continue;
    kn_substitute(h, found, n);
    for (ulong at = KN_SELF; at < n * n; at += KN_TOGETHER) {
      const ulong k = at / n, i = at % n;
      KN_VALUE sum = KN_ZERO;
      for (ulong j = 0; j <= k; ++j) sum = kn_multiply_add(found[k * n + j], kn_conj(turned[j * n + i]), sum);
      to_vectors[at] = all ? sum : nan;
    }
    KN_SYNC();
    kn_normalise(to_vectors, n);
    KN_SYNC();
  }
}

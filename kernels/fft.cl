// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of lines that fit into local memory. A line's elements lie `stride` apart, as do its neighbours'
// elements beside them; of a longer transform a launch does one of two or three steps (Gentleman and Sande, 1966).
//
// In local memory it goes in place, by decimation in frequency: a pass of radix r turns blocks of r * s elements into r
// blocks of s, and the results end up in the order of a table. The order of all operations follows from the length
// alone, so every device gives the same bits. On a GPU a group shares some lines; on a CPU a work-item takes them.
//
// An inverse transform is one whose parts, real and imaginary, change places before and after it.

#ifdef KN_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KN_REAL double
#define KN_N(number) number
#define KN_C double2
#else
#define KN_REAL float
#define KN_N(number) number##f
#define KN_C float2
#endif
#pragma OPENCL FP_CONTRACT OFF

#ifdef KN_CPU
#define KN_BARRIER
#define KN_UNROLL
#else
#define KN_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define KN_UNROLL _Pragma("unroll")  // so that a card keeps a butterfly in registers
#endif

// Counts elements.
#ifndef KN_INDEX
#define KN_INDEX ulong
#endif

// Places in the tables count complex numbers, of `order` numbers of 16 bits.
typedef struct {
  ulong in_offset, lines, stride;
  ulong in_pitch, in_end;        // elements from one row of lines to the next; from which on all are zero
  ulong inner;                   // elements that lie between neighbours of the whole transform
  ulong whole, half_end;         // its length; elements of a half that are there
  ulong before, turned;          // steps before this one have so many results; the second of two: so many
  ulong keep;                    // elements to store along the axis
  ulong radices;                 // eight bits for each pass, of seven at most: 4 * 3^6 elements
  ulong roots, order, load_factors, store_factors, low, high;
  uint n, each, column;          // elements of a line; lines of a group; whether lines lie side by side there
  uint low_bits;                 // of a factor between steps that `low` has
  uint in_kind, out_kind;        // 0 complex, 1 real, 2 the half that says all where the result is real
  uint last;                     // whether this is the last step
  uint swap_in, swap_out, swap_after;  // parts change places: as they come; as they go, before and after store_factors
  uint has_load_factors, has_store_factors;
  KN_REAL scale;
} kn_fft;

static inline KN_C kn_times(KN_C a, KN_C b) {
  return (KN_C)(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x));
}
// Times -i.
static inline KN_C kn_turned(KN_C a) { return (KN_C)(a.y, -a.x); }

static inline void kn_butterfly_2(KN_C* a) {
  const KN_C t = a[1];
  a[1] = a[0] - t;
  a[0] += t;
}
static inline void kn_butterfly_4(KN_C* a) {
  const KN_C s = a[0] + a[2], d = a[0] - a[2], t = a[1] + a[3], u = kn_turned(a[1] - a[3]);
  a[0] = s + t;
  a[1] = d + u;
  a[2] = s - t;
  a[3] = d - u;
}
static inline void kn_butterfly_8(KN_C* a) {
  const KN_REAL diagonal = KN_N(0.707106781186547524);
  KN_C e[4], o[4];
  for (uint i = 0; i < 4; ++i) {
    e[i] = a[i] + a[i + 4];
    o[i] = a[i] - a[i + 4];
  }
  o[1] = (KN_C)(o[1].x + o[1].y, o[1].y - o[1].x) * diagonal;
  o[2] = kn_turned(o[2]);
  o[3] = (KN_C)(o[3].y - o[3].x, -o[3].x - o[3].y) * diagonal;
  kn_butterfly_4(e);
  kn_butterfly_4(o);
  for (uint i = 0; i < 4; ++i) {
    a[2 * i] = e[i];
    a[2 * i + 1] = o[i];
  }
}

// Of an odd radix: a pair of results shares its products. cosines[j] and sines[j] are those of j turns divided by it.
#define KN_ODD(radix)                                                                  \
  static inline void kn_butterfly_##radix(KN_C* a) {                                   \
    KN_C sums[radix / 2], differences[radix / 2];                                      \
    const KN_C first = a[0];                                                           \
    KN_C total = first;                                                                \
    KN_UNROLL for (uint i = 0; i < radix / 2; ++i) {                                   \
      sums[i] = a[i + 1] + a[radix - 1 - i];                                           \
      differences[i] = a[i + 1] - a[radix - 1 - i];                                    \
      total += sums[i];                                                                \
    }                                                                                  \
    a[0] = total;                                                                      \
    KN_UNROLL for (uint k = 1; k <= radix / 2; ++k) {                                  \
      KN_C even = first, odd = (KN_C)(0, 0);                                           \
      KN_UNROLL for (uint i = 0; i < radix / 2; ++i) {                                 \
        const uint turn = (i + 1) * k % radix;                                         \
        even = fma((KN_C)(kn_cosines_##radix[turn]), sums[i], even);                   \
        odd = fma((KN_C)(kn_sines_##radix[turn]), differences[i], odd);                \
      }                                                                                \
      odd = kn_turned(odd);                                                            \
      a[k] = even + odd;                                                               \
      a[radix - k] = even - odd;                                                       \
    }                                                                                  \
  }
__constant KN_REAL kn_cosines_3[] = {
    KN_N(1.0), KN_N(-0.5), KN_N(-0.5)};
__constant KN_REAL kn_sines_3[] = {
    KN_N(0.0), KN_N(0.866025403784438647), KN_N(-0.866025403784438647)};
__constant KN_REAL kn_cosines_5[] = {
    KN_N(1.0), KN_N(0.309016994374947424), KN_N(-0.809016994374947424), KN_N(-0.809016994374947424),
    KN_N(0.309016994374947424)};
__constant KN_REAL kn_sines_5[] = {
    KN_N(0.0), KN_N(0.951056516295153572), KN_N(0.587785252292473129), KN_N(-0.587785252292473129),
    KN_N(-0.951056516295153572)};
__constant KN_REAL kn_cosines_7[] = {
    KN_N(1.0), KN_N(0.623489801858733531), KN_N(-0.222520933956314404), KN_N(-0.900968867902419126),
    KN_N(-0.900968867902419126), KN_N(-0.222520933956314404), KN_N(0.623489801858733531)};
__constant KN_REAL kn_sines_7[] = {
    KN_N(0.0), KN_N(0.781831482468029809), KN_N(0.974927912181823607), KN_N(0.43388373911755812),
    KN_N(-0.43388373911755812), KN_N(-0.974927912181823607), KN_N(-0.781831482468029809)};
__constant KN_REAL kn_cosines_11[] = {
    KN_N(1.0), KN_N(0.841253532831181169), KN_N(0.415415013001886426), KN_N(-0.14231483827328514),
    KN_N(-0.654860733945285064), KN_N(-0.95949297361449739), KN_N(-0.95949297361449739), KN_N(-0.654860733945285064),
    KN_N(-0.14231483827328514), KN_N(0.415415013001886426), KN_N(0.841253532831181169)};
__constant KN_REAL kn_sines_11[] = {
    KN_N(0.0), KN_N(0.540640817455597582), KN_N(0.909631995354518371), KN_N(0.989821441880932732),
    KN_N(0.755749574354258284), KN_N(0.281732556841429698), KN_N(-0.281732556841429698), KN_N(-0.755749574354258284),
    KN_N(-0.989821441880932732), KN_N(-0.909631995354518371), KN_N(-0.540640817455597582)};
__constant KN_REAL kn_cosines_13[] = {
    KN_N(1.0), KN_N(0.885456025653209896), KN_N(0.568064746731155803), KN_N(0.120536680255323053),
    KN_N(-0.354604887042535626), KN_N(-0.748510748171101099), KN_N(-0.970941817426052027), KN_N(-0.970941817426052027),
    KN_N(-0.748510748171101099), KN_N(-0.354604887042535626), KN_N(0.120536680255323053), KN_N(0.568064746731155803),
    KN_N(0.885456025653209896)};
__constant KN_REAL kn_sines_13[] = {
    KN_N(0.0), KN_N(0.464723172043768546), KN_N(0.822983865893656395), KN_N(0.992708874098053993),
    KN_N(0.935016242685414823), KN_N(0.663122658240795202), KN_N(0.239315664287557767), KN_N(-0.239315664287557767),
    KN_N(-0.663122658240795202), KN_N(-0.935016242685414823), KN_N(-0.992708874098053993), KN_N(-0.822983865893656395),
    KN_N(-0.464723172043768546)};
KN_ODD(3)
KN_ODD(5)
KN_ODD(7)
KN_ODD(11)
KN_ODD(13)

// A pass over all lines of the group: butterflies of elements `s` apart, and the roots that turn their results.
#define KN_PASS(radix)                                                                                        \
  static inline void kn_pass_##radix(__local KN_C* work, __global const KN_C* roots, uint id, uint items, uint n, \
                                     uint each, uint line_step, uint step, uint s, bool column) {             \
    const uint quarter = n / radix, turn = quarter / s;                                                       \
    for (uint b = id; b < quarter * each; b += items) {                                                       \
      const uint line = column ? b % each : b / quarter, q = column ? b / each : b - line * quarter;          \
      const uint block = q / s, o = q - block * s;                                                            \
      __local KN_C* const at = work + line * line_step + (block * s * radix + o) * step;                      \
      KN_C a[radix];                                                                                          \
      KN_UNROLL for (uint i = 0; i < radix; ++i) a[i] = at[i * s * step];                                     \
      kn_butterfly_##radix(a);                                                                                \
      at[0] = a[0];                                                                                           \
      KN_UNROLL for (uint i = 1; i < radix; ++i) at[i * s * step] = s == 1 ? a[i] : kn_times(a[i], roots[i * o * turn]); \
    }                                                                                                         \
  }
KN_PASS(2)
KN_PASS(3)
KN_PASS(4)
KN_PASS(5)
KN_PASS(7)
KN_PASS(8)
KN_PASS(11)
KN_PASS(13)

static inline KN_INDEX kn_over(KN_INDEX at, ulong inner) { return inner == 1 ? at : at / (KN_INDEX)inner; }

// Element `at` of a row of lines.
static inline KN_C kn_load(__global const KN_REAL* in, __global const KN_C* tables, const kn_fft* d, KN_INDEX row,
                           KN_INDEX at) {
  __global const KN_REAL* const from = in + (ulong)row * d->in_pitch * (d->in_kind == 1 ? 1 : 2);
  KN_C x = (KN_C)(0, 0);
  if (d->in_kind == 2) {
    const KN_INDEX inner = (KN_INDEX)d->inner, whole = (KN_INDEX)d->whole, k = kn_over(at, d->inner);
    const KN_INDEX other = whole - k, m = k <= other ? k : other;
    if (k >= whole || m >= (KN_INDEX)d->half_end) return x;
    x = vload2(m * inner + (at - k * inner), from);
    if (m != k) x.y = -x.y;
    if (k == 0 || k == other) x.y = 0;  // as of any real result
  } else {
    if (at >= (KN_INDEX)d->in_end) return x;
    if (d->in_kind == 1) {
      x.x = from[at];
    } else {
      x = vload2(at, from);
    }
  }
  if (d->swap_in) x = x.yx;
  return d->has_load_factors ? kn_times(x, tables[d->load_factors + kn_over(at, d->inner)]) : x;
}

// Result k of line `at` of a row.
static inline void kn_store(__global KN_REAL* out, __global const KN_C* tables, const kn_fft* d, KN_INDEX row, KN_INDEX at,
                            uint k, KN_C x) {
  if (!d->last) {
    const KN_INDEX turn = kn_over(at, d->inner) * k;
    const KN_C low = tables[d->low + (turn & (((KN_INDEX)1 << d->low_bits) - 1))];
    x = kn_times(x, kn_times(low, tables[d->high + (turn >> d->low_bits)]));
    vstore2(x, ((ulong)row * d->n + k) * d->stride + at, out);
    return;
  }
  KN_INDEX outer = row, index = k;
  if (d->before > 1) {
    const KN_INDEX before = (KN_INDEX)d->before, turned = (KN_INDEX)d->turned;
    outer = row / before;
    const KN_INDEX b = row - outer * before, first = b / turned;
    index = first + (b - first * turned) * (before / turned) + k * before;
  }
  if (index >= (KN_INDEX)d->keep) return;
  if (d->swap_out) x = x.yx;
  if (d->has_store_factors) x = kn_times(x, tables[d->store_factors + index]);
  if (d->swap_after) x = x.yx;
  const ulong to = (outer * d->keep + index) * d->inner + at;
  if (d->out_kind == 1) {
    out[to] = x.x * d->scale;
  } else {
    vstore2(x * d->scale, to, out);
  }
}

__kernel void fft_lines(__global const KN_REAL* in, __global const KN_C* tables, __global const ushort* orders,
                        __global KN_REAL* out, __local KN_C* work, const kn_fft parameters) {
  const kn_fft d = parameters;
  const uint id = (uint)get_local_id(0), items = (uint)get_local_size(0);
  const ulong first = get_group_id(0) * (ulong)d.each;
  const uint each = (uint)min((ulong)d.each, d.lines - first), n = d.n;
  const bool column = d.column;
  const uint line_step = column ? 1 : n, step = column ? each : 1;
  in += d.in_offset;
  for (uint t = id; t < each * n; t += items) {
    const uint line = column ? t % each : t / n, j = column ? t / each : t - line * n;
    const KN_INDEX l = (KN_INDEX)first + line, row = kn_over(l, d.stride), at = l - row * (KN_INDEX)d.stride;
    work[line * line_step + j * step] = kn_load(in, tables, &d, row, j * (KN_INDEX)d.stride + at);
  }
  KN_BARRIER;
  uint s = n;
  for (ulong left = d.radices; left != 0; left >>= 8) {
    const uint radix = left & 255;
    __global const KN_C* const roots = tables + d.roots;
    s /= radix;
#define KN_CASE(radix)                                                             \
  case radix:                                                                      \
    kn_pass_##radix(work, roots, id, items, n, each, line_step, step, s, column); \
    break;
    switch (radix) {
      KN_CASE(2)
      KN_CASE(3)
      KN_CASE(4)
      KN_CASE(5)
      KN_CASE(7)
      KN_CASE(8)
      KN_CASE(11)
      KN_CASE(13)
    }
    KN_BARRIER;
  }
  // Neighbours in memory are neighbouring lines, or elements of one line if it is a whole transform.
  const bool beside = column || d.before > 1;
  for (uint t = id; t < each * n; t += items) {
    const uint line = beside ? t % each : t / n, k = beside ? t / each : t - line * n;
    const KN_INDEX l = (KN_INDEX)first + line, row = kn_over(l, d.stride), at = l - row * (KN_INDEX)d.stride;
    kn_store(out, tables, &d, row, at, k, work[line * line_step + orders[d.order + k] * step]);
  }
}

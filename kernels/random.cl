// SPDX-License-Identifier: Apache-2.0
// Random numbers: Philox4x32-10, counter based, so that any part of a stream can be made by anyone.
//
// Block b of a stream is four 32-bit words, Philox of the counter (b, 0) and the key `seed`. float32 and the 16-bit
// types take one word for each number, the others two. Everything is integer arithmetic, exact conversions and
// operations that round correctly (add, multiply, fma, square root), so every device gives the same bits; sums of
// products are written as fma, because a compiler may or may not fuse them.

// What is drawn, and the type it is drawn in.
#define KN_UNIFORM 0
#define KN_NORMAL 1
#define KN_INTEGERS 2
#ifndef KN_KIND
#define KN_KIND KN_UNIFORM
#endif

#define KN_U8 1
#define KN_U16 2
#define KN_U32 3
#define KN_U64 4
#define KN_F16 5
#define KN_BF16 6
#define KN_F32 7
#define KN_F64 8
#ifndef KN_ELEMENT
#define KN_ELEMENT KN_F32
#endif

// Blocks that a work-item makes at once: 8 on a CPU, where they fill its vectors, else 1.
#ifndef KN_LANES
#define KN_LANES 1
#endif

// Whether sqrt(float) rounds correctly.
#ifndef KN_EXACT_SQRT
#define KN_EXACT_SQRT 0
#endif

#if KN_ELEMENT == KN_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define KN_PASTE_(x, y) x##y
#define KN_PASTE(x, y) KN_PASTE_(x, y)

// A word of each lane; the halves and the whole of the lanes' blocks, two words to a ulong.
#if KN_LANES == 1
#define KN_WORDS uint
#define KN_HIGH(word, factor) mul_hi(word, factor)
#define KN_LOW(word, factor) ((word) * (factor))
#define KN_HALF(type) type
#define KN_WHOLE(type) KN_PASTE(type, 2)
#define KN_SINGLES(type) KN_PASTE(type, 4)
#define KN_FIRST_BLOCKS(block) block
#else
// A word in each 64-bit lane, where one instruction makes the whole product; what is above bit 31 does not count.
#define KN_WORDS ulong8
#define KN_HIGH(word, factor) ((((word) & 0xffffffffUL) * (factor)) >> 32)
#define KN_LOW(word, factor) (((word) & 0xffffffffUL) * (factor))
#define KN_HALF(type) KN_PASTE(type, 8)
#define KN_WHOLE(type) KN_PASTE(type, 16)
#define KN_SINGLES(type) KN_PASTE(type, 16)
#define KN_FIRST_BLOCKS(block) ((ulong8)(block) + (ulong8)(0, 1, 2, 3, 4, 5, 6, 7))
#endif

// The words of KN_LANES blocks from `block` on, in order.
static inline KN_WHOLE(ulong) kn_words(ulong block, ulong seed) {
  KN_HALF(ulong) blocks = KN_FIRST_BLOCKS(block);
  KN_WORDS c0 = KN_PASTE(convert_, KN_WORDS)(blocks & 0xffffffffUL), c1 = KN_PASTE(convert_, KN_WORDS)(blocks >> 32);
  KN_WORDS c2 = 0, c3 = 0;
  uint k0 = (uint)seed, k1 = (uint)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    KN_WORDS high0 = KN_HIGH(c0, 0xD2511F53u), low0 = KN_LOW(c0, 0xD2511F53u);
    KN_WORDS high1 = KN_HIGH(c2, 0xCD9E8D57u), low1 = KN_LOW(c2, 0xCD9E8D57u);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  KN_WHOLE(ulong) words;
  words.even = (KN_PASTE(convert_, KN_HALF(ulong))(c0) & 0xffffffffUL) | (KN_PASTE(convert_, KN_HALF(ulong))(c1) << 32);
  words.odd = (KN_PASTE(convert_, KN_HALF(ulong))(c2) & 0xffffffffUL) | (KN_PASTE(convert_, KN_HALF(ulong))(c3) << 32);
  return words;
}

// Numbers in memory: KN_STORED is an element, KN_REAL the type it is computed in, KN_RUN how many are stored at once.
#if KN_ELEMENT == KN_U8
#define KN_STORED uchar
#elif KN_ELEMENT == KN_U16 || KN_ELEMENT == KN_BF16
#define KN_STORED ushort
#elif KN_ELEMENT == KN_U32
#define KN_STORED uint
#elif KN_ELEMENT == KN_U64
#define KN_STORED ulong
#elif KN_ELEMENT == KN_F16
#define KN_STORED half
#elif KN_ELEMENT == KN_F32
#define KN_STORED float
#elif KN_ELEMENT == KN_F64
#define KN_STORED double
#else
#error "KN_ELEMENT is none of the types above"
#endif

#if KN_KIND == KN_INTEGERS
#define KN_REAL ulong
#define KN_WIDE 1
#elif KN_ELEMENT == KN_F64
#define KN_REAL double
#define KN_WIDE 1
#else
#define KN_REAL float
#define KN_WIDE 0
#endif

#if KN_WIDE
#define KN_RUN (2 * KN_LANES)
#define KN_NUMBERS KN_WHOLE(KN_REAL)
#else
#define KN_RUN (KN_LANES == 1 ? 4 : 16)
#define KN_NUMBERS KN_SINGLES(KN_REAL)
#endif

#if KN_ELEMENT == KN_F16
#define KN_PUT(number, index, out) vstore_half_rte(number, (size_t)(index), out)
#define KN_PUT_RUN(numbers, out) KN_PASTE(KN_PASTE(vstore_, KN_SINGLES(half)), _rte)(numbers, 0, out)
#elif KN_ELEMENT == KN_BF16
// To nearest, ties to even; no number here is NaN.
#define KN_ROUNDED(bits) (((bits) + 0x7fffu + (((bits) >> 16) & 1u)) >> 16)
#define KN_PUT(number, index, out) (out)[index] = (ushort)KN_ROUNDED(as_uint(number))
#define KN_PUT_RUN(numbers, out) \
  KN_VSTORE(KN_PASTE(convert_, KN_SINGLES(ushort))(KN_ROUNDED(KN_PASTE(as_, KN_SINGLES(uint))(numbers))), 0, out)
#else
#define KN_PUT(number, index, out) (out)[index] = (KN_STORED)(number)
#if KN_WIDE
#define KN_PUT_RUN(numbers, out) KN_VSTORE(KN_PASTE(convert_, KN_WHOLE(KN_STORED))(numbers), 0, out)
#else
#define KN_PUT_RUN(numbers, out) KN_VSTORE(numbers, 0, out)
#endif
#endif
#if KN_WIDE
#define KN_VSTORE KN_WHOLE(vstore)
#define KN_VSTORE_PRIVATE KN_VSTORE
#else
#define KN_VSTORE KN_SINGLES(vstore)
#endif

// Stores a run of numbers, the first of which is number `at`; those before 0 and from `count` on are none of ours.
static inline void kn_put(KN_NUMBERS numbers, long at, long count, __global KN_STORED* out) {
  if (at >= 0 && at + KN_RUN <= count) {
    KN_PUT_RUN(numbers, out + at);
  } else {
    KN_REAL each[KN_RUN];
    KN_VSTORE(numbers, 0, each);
    for (int i = 0; i < KN_RUN; ++i)
      if (at + i >= 0 && at + i < count) KN_PUT(each[i], at + i, out);
  }
}

#if KN_KIND == KN_NORMAL && KN_WIDE
// Box and Muller: -2 ln u for u = (a + 1/2) / 2^64 is the squared radius, b / 2^64 of a turn the angle.
static inline KN_WHOLE(double) kn_normals(KN_WHOLE(ulong) words) {
#define KN_TO_REAL KN_PASTE(convert_, KN_HALF(double))
#define KN_AS_REAL KN_PASTE(as_, KN_HALF(double))
#define KN_AS_BITS KN_PASTE(as_, KN_HALF(ulong))
#define KN_AS_SIGNED KN_PASTE(as_, KN_HALF(long))
  KN_HALF(ulong) a = words.even, b = words.odd;
  // u = 2^k (1 + f), 1 + f from sqrt(1/2) to sqrt(2); beside u = 1 from 1 - u, which still has all its digits.
  KN_HALF(ulong) bits = KN_AS_BITS(KN_TO_REAL(a) + 0.5) + (0x3ff0000000000000UL - 0x3fe6a09e667f3bcdUL);
  KN_HALF(double) k = KN_TO_REAL(KN_AS_SIGNED(bits >> 52) - (1023 + 64));
  KN_HALF(double) f = KN_AS_REAL((bits & 0xfffffffffffffUL) + 0x3fe6a09e667f3bcdUL) - 1.0;
  f = k == 0.0 ? (KN_TO_REAL(~a) + 0.5) * -0x1p-64 : f;
  KN_HALF(double) s = f / (f + 2.0), s2 = s * s, half_f2 = 0.5 * f * f, p = 0.14800846358005593;
  p = fma(s2, p, (KN_HALF(double))(0.15313892697597978));
  p = fma(s2, p, (KN_HALF(double))(0.18183552651134707));
  p = fma(s2, p, (KN_HALF(double))(0.2222219927095375));
  p = fma(s2, p, (KN_HALF(double))(0.2857142872916346));
  p = fma(s2, p, (KN_HALF(double))(0.39999999999515234));
  p = fma(s2, p, (KN_HALF(double))(0.6666666666666711));
  KN_HALF(double) log1p_f = f + fma(s, fma(s2, p, half_f2), -half_f2);
  KN_HALF(double) radius = sqrt(-2.0 * fma(k, (KN_HALF(double))(0.6931471805599453), log1p_f));
  // The angle is a quarter turn times `quarter` and y, at most an eighth of a turn either way.
  KN_HALF(ulong) quarter = (b + 0x2000000000000000UL) >> 62;
  KN_HALF(double) y = KN_TO_REAL(KN_AS_SIGNED(b - (quarter << 62))) * (0x1.921fb54442d18p+2 * 0x1p-64), y2 = y * y;
  KN_HALF(double) sine = 1.5876242486466408e-10, cosine = -1.1223047881661619e-11;
  sine = fma(y2, sine, (KN_HALF(double))(-2.5050419686289613e-08));
  sine = fma(y2, sine, (KN_HALF(double))(2.7557311783328424e-06));
  sine = fma(y2, sine, (KN_HALF(double))(-0.00019841269825859442));
  sine = fma(y2, sine, (KN_HALF(double))(0.008333333333321664));
  sine = fma(y2, sine, (KN_HALF(double))(-0.1666666666666667));
  sine = fma(y * y2, sine, y);
  cosine = fma(y2, cosine, (KN_HALF(double))(2.0872146170702183e-09));
  cosine = fma(y2, cosine, (KN_HALF(double))(-2.7557279256369867e-07));
  cosine = fma(y2, cosine, (KN_HALF(double))(2.480158712913911e-05));
  cosine = fma(y2, cosine, (KN_HALF(double))(-0.0013888888888538462));
  cosine = fma(y2, cosine, (KN_HALF(double))(0.04166666666666411));
  cosine = fma(y2, fma(y2, cosine, (KN_HALF(double))(-0.5)), (KN_HALF(double))(1.0));
  KN_HALF(ulong) cosine_sign = ((quarter + 1) & 2) << 62, sine_sign = (quarter & 2) << 62;
  KN_HALF(double) along = (quarter & 1) != 0 ? sine : cosine, across = (quarter & 1) != 0 ? cosine : sine;
  KN_WHOLE(double) result;
  result.even = radius * KN_AS_REAL(KN_AS_BITS(along) ^ cosine_sign);
  result.odd = radius * KN_AS_REAL(KN_AS_BITS(across) ^ sine_sign);
  return result;
}
#elif KN_KIND == KN_NORMAL
static inline KN_WHOLE(float) kn_sqrt(KN_WHOLE(float) x) {
  KN_WHOLE(float) root = sqrt(x);
#if !KN_EXACT_SQRT
  // OpenCL allows 3 units in the last place: step to the neighbour until the root is the nearest (Tuckerman's test).
  for (int step = 0; step < 3; ++step) {
    KN_WHOLE(float) below = KN_PASTE(as_, KN_WHOLE(float))(KN_PASTE(as_, KN_WHOLE(int))(root) - 1);
    KN_WHOLE(float) above = KN_PASTE(as_, KN_WHOLE(float))(KN_PASTE(as_, KN_WHOLE(int))(root) + 1);
    root = fma(-below, root, x) <= 0.0f ? below : fma(-above, root, x) > 0.0f ? above : root;
  }
#endif
  return root;
}

// Box and Muller: -2 ln u for u = (a + 1/2) / 2^32 is the squared radius, b / 2^32 of a turn the angle. Two floats lie
// where their two words lay.
static inline KN_WHOLE(ulong) kn_normals(KN_WHOLE(ulong) words) {
#define KN_TO_REAL KN_PASTE(convert_, KN_WHOLE(float))
#define KN_AS_REAL KN_PASTE(as_, KN_WHOLE(float))
#define KN_AS_BITS KN_PASTE(as_, KN_WHOLE(uint))
#define KN_AS_SIGNED KN_PASTE(as_, KN_WHOLE(int))
#define KN_TO_BITS KN_PASTE(convert_, KN_WHOLE(uint))
#define KN_TO_WORDS KN_PASTE(convert_, KN_WHOLE(ulong))
  KN_WHOLE(uint) a = KN_TO_BITS(words & 0xffffffffUL), b = KN_TO_BITS(words >> 32);
  // u = 2^k (1 + f), 1 + f from sqrt(1/2) to sqrt(2); beside u = 1 from 1 - u, which still has all its digits.
  KN_WHOLE(uint) bits = KN_AS_BITS(KN_TO_REAL(a) + 0.5f) + (0x3f800000u - 0x3f3504f3u);
  KN_WHOLE(float) k = KN_TO_REAL(KN_AS_SIGNED(bits >> 23) - (127 + 32));
  KN_WHOLE(float) f = KN_AS_REAL((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  f = k == 0.0f ? (KN_TO_REAL(~a) + 0.5f) * -0x1p-32f : f;
  KN_WHOLE(float) p = -0.07634499669075012f;
  p = fma(f, p, (KN_WHOLE(float))(0.1276157796382904f));
  p = fma(f, p, (KN_WHOLE(float))(-0.13160181045532227f));
  p = fma(f, p, (KN_WHOLE(float))(0.14201757311820984f));
  p = fma(f, p, (KN_WHOLE(float))(-0.16623356938362122f));
  p = fma(f, p, (KN_WHOLE(float))(0.20001226663589478f));
  p = fma(f, p, (KN_WHOLE(float))(-0.2500081956386566f));
  p = fma(f, p, (KN_WHOLE(float))(0.3333333134651184f));
  KN_WHOLE(float) log1p_f = fma(f * f, fma(f, p, (KN_WHOLE(float))(-0.5f)), f);
  KN_WHOLE(float) radius = kn_sqrt(-2.0f * fma(k, (KN_WHOLE(float))(0.69314718f), log1p_f));
  // The angle is a quarter turn times `quarter` and y, at most an eighth of a turn either way.
  KN_WHOLE(uint) quarter = (b + 0x20000000u) >> 30;
  KN_WHOLE(float) y = KN_TO_REAL(KN_AS_SIGNED(b - (quarter << 30))) * (0x1.921fb6p+2f * 0x1p-32f), y2 = y * y;
  KN_WHOLE(float) sine = -0.00019515282474458218f, cosine = 2.44331567955669e-05f;
  sine = fma(y2, sine, (KN_WHOLE(float))(0.00833216030150652f));
  sine = fma(y2, sine, (KN_WHOLE(float))(-0.16666655242443085f));
  sine = fma(y * y2, sine, y);
  cosine = fma(y2, cosine, (KN_WHOLE(float))(-0.0013887316454201937f));
  cosine = fma(y2, cosine, (KN_WHOLE(float))(0.04166664555668831f));
  cosine = fma(y2, fma(y2, cosine, (KN_WHOLE(float))(-0.5f)), (KN_WHOLE(float))(1.0f));
  KN_WHOLE(uint) cosine_sign = ((quarter + 1u) & 2u) << 30, sine_sign = (quarter & 2u) << 30;
  KN_WHOLE(float) along = (quarter & 1u) != 0u ? sine : cosine, across = (quarter & 1u) != 0u ? cosine : sine;
  along = radius * KN_AS_REAL(KN_AS_BITS(along) ^ cosine_sign);
  across = radius * KN_AS_REAL(KN_AS_BITS(across) ^ sine_sign);
  return KN_TO_WORDS(KN_AS_BITS(along)) | (KN_TO_WORDS(KN_AS_BITS(across)) << 32);
}
#endif

// The numbers that `words` make, before they are scaled: uniform in [0, 1) with as many bits as the type holds exactly.
#if KN_KIND == KN_UNIFORM && KN_WIDE
#define KN_DRAWN(words) (KN_PASTE(convert_, KN_WHOLE(double))((words) >> 11) * 0x1p-53)
#elif KN_KIND == KN_UNIFORM
#if KN_ELEMENT == KN_F16
#define KN_DIGITS 11
#elif KN_ELEMENT == KN_BF16
#define KN_DIGITS 8
#else
#define KN_DIGITS 24
#endif
#define KN_UPPER(words) (KN_PASTE(as_, KN_SINGLES(uint))(words) >> (32 - KN_DIGITS))
#define KN_DRAWN(words) (KN_PASTE(convert_, KN_SINGLES(float))(KN_UPPER(words)) * (1.0f / (1 << KN_DIGITS)))
#elif KN_KIND == KN_NORMAL && !KN_WIDE
#define KN_DRAWN(words) KN_PASTE(as_, KN_SINGLES(float))(words)
#else
#define KN_DRAWN(words) (words)
#endif

// Uniform: low, high - low and the largest number below high, which rounding must not pass. Normal: the mean, the
// standard deviation. Integers: low and high - low, of which the upper half of a 128-bit product makes the number.
#if KN_KIND == KN_UNIFORM
#define KN_SCALED(x) min(fma(x, (KN_NUMBERS)(scale), (KN_NUMBERS)(start)), (KN_NUMBERS)(last))
#elif KN_KIND == KN_NORMAL
#define KN_SCALED(x) fma(x, (KN_NUMBERS)(scale), (KN_NUMBERS)(start))
#else
#define KN_SCALED(x) (mul_hi(x, (KN_NUMBERS)(scale)) + start)
#endif

// out[0..count) are the numbers from word `first` of the stream on.
__kernel void koine(__global KN_STORED* restrict out, long count, ulong seed, ulong first, KN_REAL start, KN_REAL scale,
                    KN_REAL last) {
  const int words_each = 1 + KN_WIDE;
  const ulong first_block = first / 4;
  const long skipped = (long)(first % 4) / words_each;
  const long numbers_each = 4 * KN_LANES / words_each;
  const long groups = (skipped + count + numbers_each - 1) / numbers_each;
  const long item = get_global_id(0), items = get_global_size(0);
#if KN_LANES == 1
  for (long group = item; group < groups; group += items) {
#else
  // One contiguous piece for each work-item.
  const long piece = (groups + items - 1) / items;
  const long end = min(groups, (item + 1) * piece);
  for (long group = item * piece; group < end; ++group) {
#endif
    KN_WHOLE(ulong) words = kn_words(first_block + (ulong)(group * KN_LANES), seed);
#if KN_KIND == KN_NORMAL && !KN_WIDE
    words = kn_normals(words);
#endif
    long at = group * numbers_each - skipped;
#if KN_KIND == KN_NORMAL && KN_WIDE
    kn_put(KN_SCALED(kn_normals(words)), at, count, out);
#elif KN_WIDE || KN_LANES == 1
    kn_put(KN_SCALED(KN_DRAWN(words)), at, count, out);
#else
    kn_put(KN_SCALED(KN_DRAWN(words.lo)), at, count, out);
    kn_put(KN_SCALED(KN_DRAWN(words.hi)), at + KN_RUN, count, out);
#endif
  }
}

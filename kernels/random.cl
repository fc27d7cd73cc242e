// SPDX-License-Identifier: Apache-2.0
// Random numbers of a fixed number of words each, so that any part of a stream can be made by anyone: float32 and the
// 16-bit types take one word for each number, the others two.
#include "common/random.clh"

// KN_RUN numbers are stored at once.
#if KN_WIDE
#define KN_RUN (2 * KN_BLOCKS)
#define KN_NUMBERS KN_PAIRS(KN_REAL)
#else
#define KN_RUN (KN_BLOCKS == 1 ? 4 : 16)
#define KN_NUMBERS KN_SINGLES(KN_REAL)
#endif

#if KN_ELEMENT == KN_F16
#define KN_PUT_RUN(numbers, out) KN_PASTE(KN_PASTE(vstore_, KN_SINGLES(half)), _rte)(numbers, 0, out)
#elif KN_ELEMENT == KN_BF16
#define KN_PUT_RUN(numbers, out) \
  KN_VSTORE(KN_PASTE(convert_, KN_SINGLES(ushort))(KN_ROUNDED(KN_PASTE(as_, KN_SINGLES(uint))(numbers))), 0, out)
#elif KN_WIDE
#define KN_PUT_RUN(numbers, out) KN_VSTORE(KN_PASTE(convert_, KN_PAIRS(KN_STORED))(numbers), 0, out)
#else
#define KN_PUT_RUN(numbers, out) KN_VSTORE(numbers, 0, out)
#endif
#if KN_WIDE
#define KN_VSTORE KN_PAIRS(vstore)
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
      if (at + i >= 0 && at + i < count) KN_PUT_NUMBER(each[i], at + i, out);
  }
}

// The numbers that `words` make, before they are scaled: uniform in [0, 1) with as many bits as the type holds exactly.
#if KN_KIND == KN_UNIFORM && KN_WIDE
#define KN_DRAWN(words) (KN_PASTE(convert_, KN_PAIRS(double))((words) >> 11) * 0x1p-53)
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
#elif KN_KIND == KN_EXPONENTIAL && KN_WIDE
static inline KN_NUMBERS kn_exponentials(KN_PAIRS(ulong) words) {
  KN_NUMBERS numbers;
  numbers.even = -kn_log_uniform(words.even);
  numbers.odd = -kn_log_uniform(words.odd);
  return numbers;
}
#define KN_DRAWN(words) kn_exponentials(words)
#elif KN_KIND == KN_EXPONENTIAL
#define KN_DRAWN(words) -kn_log_uniform(KN_PASTE(as_, KN_SINGLES(uint))(words))
#else
#define KN_DRAWN(words) (words)
#endif

// Uniform: low, high - low and the largest number below high, which rounding must not pass. Normal: the mean, the
// standard deviation; exponential: 0 and the mean. Integers: low and high - low, of which the upper half of a 128-bit
// product makes the number.
#if KN_KIND == KN_UNIFORM
#define KN_SCALED(x) min(fma(x, (KN_NUMBERS)(d.scale), (KN_NUMBERS)(d.start)), (KN_NUMBERS)(d.last))
#elif KN_KIND == KN_NORMAL || KN_KIND == KN_EXPONENTIAL
#define KN_SCALED(x) fma(x, (KN_NUMBERS)(d.scale), (KN_NUMBERS)(d.start))
#else
#define KN_SCALED(x) (mul_hi(x, (KN_NUMBERS)(d.scale)) + d.start)
#endif

#if KN_KIND == KN_UNIFORM
#define KN_NAME random_uniform
#elif KN_KIND == KN_NORMAL
#define KN_NAME random_normal
#elif KN_KIND == KN_EXPONENTIAL
#define KN_NAME random_exponential
#else
#define KN_NAME random_integers
#endif

typedef struct {
  long count;
  ulong seed, first;
  KN_REAL start, scale, last;
} kn_random;

// out[0..count) are the numbers from word `first` of the stream on.
__kernel void KN_NAME(__global KN_STORED* restrict out, const kn_random parameters) {
  const kn_random d = parameters;  // in registers, whatever is written meanwhile
  const int words_each = 1 + KN_WIDE;
  const ulong first_block = d.first / 4;
  const long skipped = (long)(d.first % 4) / words_each;
  const long numbers_each = 4 * KN_BLOCKS / words_each;
  const long groups = (skipped + d.count + numbers_each - 1) / numbers_each;
  const long item = get_global_id(0), items = get_global_size(0);
#if KN_BLOCKS == 1
  for (long group = item; group < groups; group += items) {
#else
  // One contiguous piece for each work-item.
  const long piece = (groups + items - 1) / items;
  const long end = min(groups, (item + 1) * piece);
  for (long group = item * piece; group < end; ++group) {
#endif
    KN_PAIRS(ulong) words = kn_words(first_block + (ulong)(group * KN_BLOCKS), 0, d.seed);
#if KN_KIND == KN_NORMAL && !KN_WIDE
    words = kn_normals(words);
#endif
    long at = group * numbers_each - skipped;
#if KN_KIND == KN_NORMAL && KN_WIDE
    kn_put(KN_SCALED(kn_normals(words)), at, d.count, out);
#elif KN_WIDE || KN_BLOCKS == 1
    kn_put(KN_SCALED(KN_DRAWN(words)), at, d.count, out);
#else
    kn_put(KN_SCALED(KN_DRAWN(words.lo)), at, d.count, out);
    kn_put(KN_SCALED(KN_DRAWN(words.hi)), at + KN_RUN, d.count, out);
#endif
  }
}

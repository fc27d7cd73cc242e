// SPDX-License-Identifier: Apache-2.0
// Random numbers that are proposed until one is accepted: gamma, and poisson and binomial where their means are large.
//
// A number takes the place of two words of the stream, and its proposals come from blocks that no other number has:
// Philox of the counter (position, other) with other = 1, 2, ... So it depends on its position alone, however many
// proposals were refused before it.
//
// Counts are computed in float32, whatever the device has: a proposal is an integer, the mean has 20 binary places, and
// their difference is exact before it becomes a float.
#ifndef KN_KIND
#define KN_KIND KN_GAMMA
#endif
#include "common/random.clh"

// Proposals are accepted two times in three or more, so that none is left after so many rounds of two; this ends loops
// whatever the parameters are.
#define KN_ROUNDS 200

// ln x of any positive normal number.
static inline KN_REAL kn_log(KN_REAL x) {
  KN_REAL k, f = kn_split(x, &k);
  return fma(k, (KN_REAL)KN_LN2, kn_log1p(f));
}

#if KN_KIND == KN_GAMMA
#if KN_WIDE
#define KN_LEAST -708.0
#define KN_LOG2_E 1.4426950408889634
#define KN_LN2_LOW 2.3190468138462996e-17
__constant double kn_factors[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                                  1.0 / 40320,      1.0 / 5040,      1.0 / 720,      1.0 / 120,     1.0 / 24,
                                  1.0 / 6,          0.5,             1.0,            1.0};
#else
#define KN_LEAST -87.0f
#define KN_LOG2_E 1.44269504f
#define KN_LN2_LOW -1.9046543e-9f
__constant float kn_factors[] = {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
#endif
// e^x by its series; 0 where that is less than the smallest normal number.
static inline KN_REAL kn_exp(KN_REAL x) {
  if (!(x > KN_LEAST)) return 0;
  KN_REAL k = rint(x * KN_LOG2_E), r = fma(-k, (KN_REAL)KN_LN2_LOW, fma(-k, (KN_REAL)KN_LN2, x)), sum = kn_factors[0];
  for (uint i = 1; i < sizeof(kn_factors) / sizeof(kn_factors[0]); ++i) sum = fma(sum, r, kn_factors[i]);
  return sum * KN_AS_REAL((KN_BITS)((KN_SIGNED)k + KN_BIAS) << KN_DIGIT_BITS);
}

// A number of the gamma distribution of scale 1 (Marsaglia and Tsang, "A simple method for generating gamma variables",
// ACM Transactions on Mathematical Software 26, 2000): d (1 + c x)^3 for normal x, of a shape d + 1/3 of 1 or more. A
// smaller shape takes the number of the shape above, times u^(1 / shape); `power` is 1 / shape there, else 0.
#define KN_NUMBER KN_REAL
typedef struct {
  ulong count, seed, first;
  KN_REAL d, c, power, scale;
} kn_gamma;
#define KN_LAW kn_gamma
static KN_REAL kn_drawn(ulong position, const KN_LAW law) {
  const KN_REAL d = law.d, c = law.c;
  KN_REAL number = d;
  bool accepted = false;
  for (uint round = 1; round <= KN_ROUNDS && !accepted; ++round) {
    ulong2 words = kn_words(position, round, law.seed);
#if KN_WIDE
    const double2 x = kn_normals(words);
    const ulong2 u = kn_words(position, round | 1UL << 32, law.seed);
#else
    const float2 x = as_float2(kn_normals(words.even));
    const uint2 u = as_uint2(words.odd);
#endif
    for (int i = 0; i < 2 && !accepted; ++i) {
      const KN_REAL v = fma(c, i == 0 ? x.even : x.odd, (KN_REAL)1), y = v - (KN_REAL)1;
      if (v <= (KN_REAL)0) continue;
      // Accepted if ln u < x^2 / 2 + d - d v^3 + d ln v^3, which is 3 d (ln(1 + y) - y + y^2 / 2 - y^3 / 3): of four
      // large numbers one small one, so it is taken from the logarithm's own series.
      KN_REAL excess;
      if (y >= (KN_REAL)-0.2928932 && y <= (KN_REAL)0.4142135) {
#if KN_WIDE
        double s, series = kn_log_series(y, &s);
        excess = fma(s, series, y * y * y * (-1.0 / 3));
#else
        excess = y * y * y * y * kn_log_series(y);
#endif
      } else {
        excess = fma(y * y, fma(y, (KN_REAL)(-1.0f / 3), (KN_REAL)0.5f), kn_log(v) - y);
      }
      accepted = kn_log_uniform(i == 0 ? u.even : u.odd) < 3 * d * excess;
      number = d * (v * v * v);
    }
  }
  if (law.power > (KN_REAL)0) {
    const ulong word = kn_words(position, 1UL << 32, law.seed).even;
    number *= kn_exp(kn_log_uniform((KN_BITS)word) * law.power);
    // Devices may or may not keep what is smaller.
    if (number < KN_AS_REAL((KN_BITS)1 << KN_DIGIT_BITS)) number = 0;
  }
  return number * law.scale;
}

#else
// 1 / x of a normal number, to about a unit in the last place: divisions of floats need not round correctly.
static inline float kn_reciprocal(float x) {
  float r = as_float(0x7ef311c7u - as_uint(x));
  for (int i = 0; i < 4; ++i) r = fma(r, fma(-x, r, 1.0f), r);
  return r;
}

// ln k! - k ln k + k
__constant float kn_first_factorials[] = {0.0f,       1.0f,       1.3068528f, 1.4959226f, 1.6328764f,
                                          1.7403022f, 1.8286944f, 1.9037903f, 1.9690706f, 2.0268063f};
static inline float kn_factorial(long k) {
  if (k < 10) return kn_first_factorials[k];
  const float x = convert_float(k), r = kn_reciprocal(x);  // Stirling's series
  return fma(0.5f, kn_log(6.2831853f * x), r * fma(r * r, -1.0f / 360, 1.0f / 12));
}

// `sum` less mean ((1 + e) ln(1 + e) - e) for e = distance / mean, which is k ln(k / mean) + mean - k for
// k = mean + distance.
static inline float kn_less_deviance(float sum, float distance, float mean, float inverse) {
  const float e = distance * inverse;
  if (e >= -0.2928932f && e <= 0.4142135f) {
    const float p = fma(e, kn_log_series(e), 0.3333333134651184f);
    return fma(-mean, e * e * fma(e, fma(e, p, p - 0.5f), 0.5f), sum);
  }
  const float ratio = max(fma(distance, inverse, 1.0f), 1e-30f);
  return fma(-mean, fma(ratio, kn_log(ratio), -e), sum);
}

// Hörmann's transformed rejection: PTRS ("The transformed rejection method for generating Poisson random variables",
// Insurance: Mathematics and Economics 12, 1993) and BTRS ("The generation of binomial random variates", Journal of
// Statistical Computation and Simulation 46, 1993), which differ in their constants and in what is drawn. `start` is
// what a proposal's offset is added to, `centre` the mean, both with 20 binary places; `most` the largest count. The
// logarithm of a probability is Loader's sum of small terms ("Fast and accurate computation of binomial probabilities",
// 2000); `shared` is what all counts have of it.
#define KN_NUMBER long
typedef struct {
  ulong count, seed, first;
  long start, centre, most, trials;
  float a, b, squeeze, hat, shared, mean, inverse_mean, rest, inverse_rest;
} kn_counts;
#define KN_LAW kn_counts
static long kn_drawn(ulong position, const KN_LAW law) {
  for (uint round = 1; round <= KN_ROUNDS; ++round) {
    const ulong2 words = kn_words(position, round, law.seed);
    for (int i = 0; i < 2; ++i) {
      const uint2 word = as_uint2(i == 0 ? words.even : words.odd);
      // u is from -1/2 to 1/2, v from 0 to 1.
      const uint size = (word.even >> 31) != 0 ? ~word.even : word.even;
      const float side = (word.even >> 31) != 0 ? -0x1p-32f : 0x1p-32f;
      const float u = (convert_float(size) + 0.5f) * side;
      const float left = (convert_float(0x7fffffffu - size) + 0.5f) * 0x1p-32f;
      const float v = (convert_float(word.odd) + 0.5f) * 0x1p-32f;
      const float steepness = kn_reciprocal(left);
      const float offset = fma(2 * law.a, steepness, law.b) * u;
      if (fabs(offset) >= 0x1p35f) continue;
      const long k = (law.start + (long)floor(offset * 0x1p20f)) >> 20;
      if (k < 0 || k > law.most) continue;
      if (left >= 0.07f && v <= law.squeeze) return k;
      const float distance = convert_float((k << 20) - law.centre) * 0x1p-20f;
      const float height = v * law.hat * kn_reciprocal(fma(law.a * steepness, steepness, law.b));
      float log_probability = kn_less_deviance(law.shared - kn_factorial(k), distance, law.mean, law.inverse_mean);
#if KN_KIND == KN_BINOMIAL
      log_probability -= kn_factorial(law.trials - k);
      log_probability = kn_less_deviance(log_probability, -distance, law.rest, law.inverse_rest);
#endif
      if (kn_log(height) <= log_probability) return k;
    }
  }
  return law.centre >> 20;
}
#endif

#if KN_KIND == KN_GAMMA
#define KN_NAME rejection_gamma
#elif KN_KIND == KN_POISSON
#define KN_NAME rejection_poisson
#else
#define KN_NAME rejection_binomial
#endif

// out[0..count) are the numbers of the positions from `first` on.
__kernel void KN_NAME(__global KN_STORED* restrict out, const KN_LAW parameters) {
  const KN_LAW law = parameters;  // in registers, whatever is written meanwhile
  for (ulong i = get_global_id(0); i < law.count; i += get_global_size(0)) {
    const KN_NUMBER number = kn_drawn(law.first + i, law);
    KN_PUT_NUMBER(number, i, out);
  }
}

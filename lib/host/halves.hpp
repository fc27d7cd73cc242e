// SPDX-License-Identifier: Apache-2.0
// float16 by the processor's conversions, where the file that includes this is compiled for one that has them. It
// stands behind opencl_c.hpp and kernels/common/half.clh, in their namespace, and behind <immintrin.h>.

#if defined(__AVX512F__)
#define KN_HALVES 16
typedef __m512 Floats;
inline Floats host_floats(const void* halves) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(halves)));
}
inline Floats host_floats(const float* x) { return _mm512_loadu_ps(x); }
inline __m256i host_halves(Floats x) { return _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
inline void host_put(void* to, __m256i halves) { _mm256_storeu_si256(static_cast<__m256i*>(to), halves); }
inline void host_put(float* to, Floats x) { _mm512_storeu_ps(to, x); }
inline Floats host_rounded(Floats x) { return _mm512_cvtph_ps(host_halves(x)); }
#elif defined(__F16C__)
#define KN_HALVES 8
typedef __m256 Floats;
inline Floats host_floats(const void* halves) {
  return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(halves)));
}
inline Floats host_floats(const float* x) { return _mm256_loadu_ps(x); }
inline __m128i host_halves(Floats x) { return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
inline void host_put(void* to, __m128i halves) { _mm_storeu_si128(static_cast<__m128i*>(to), halves); }
inline void host_put(float* to, Floats x) { _mm256_storeu_ps(to, x); }
inline Floats host_rounded(Floats x) { return _mm256_cvtph_ps(host_halves(x)); }
#endif

inline void host_load_halves(float* to, const ushort* from, std::size_t count) {
  std::size_t i = 0;
#ifdef KN_HALVES
  for (; count - i >= KN_HALVES; i += KN_HALVES) host_put(to + i, host_floats(static_cast<const void*>(from + i)));
#endif
  for (; i < count; ++i) to[i] = host_float(from[i]);
}

inline void host_store_halves(ushort* to, const float* from, std::size_t count) {
  std::size_t i = 0;
#ifdef KN_HALVES
  for (; count - i >= KN_HALVES; i += KN_HALVES) host_put(to + i, host_halves(host_floats(from + i)));
#endif
  for (; i < count; ++i) to[i] = host_half(from[i]);
}

/// Each to the nearest float16 value.
inline void host_round_halves(float* x, std::size_t count) {
  std::size_t i = 0;
#ifdef KN_HALVES
  for (; count - i >= KN_HALVES; i += KN_HALVES) host_put(x + i, host_rounded(host_floats(x + i)));
#endif
  for (; i < count; ++i) x[i] = kn_round_float16(x[i]);
}

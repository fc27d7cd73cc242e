// SPDX-License-Identifier: Apache-2.0
// What the texts of kernels/common take of OpenCL C, as C++, so that they compile for the host as well: the types and
// built-in functions of single numbers, by the rules of OpenCL C. To be included inside a namespace without a name, in
// front of those texts, after <cfloat>, <climits>, <cmath>, <cstdint>, <limits> and <type_traits>. Complex numbers
// are those of pairs.hpp.

#define KN_W 1
#define KN_CPU
#define KN_FP64 1
#define __global
#define __constant static const

using uchar = std::uint8_t;
using ushort = std::uint16_t;
using uint = std::uint32_t;
using ulong = std::uint64_t;
static_assert(sizeof(long) == 8 && std::is_signed_v<char>, "as in OpenCL C");

// By the compiler's own names: inline functions of the standard library, compiled for instructions that not every
// processor has, might serve the rest of the program.
#define KN_BUILT_IN(result, name)                             \
  inline result name(float x) { return __builtin_##name(x); } \
  inline result name(double x) { return __builtin_##name(x); }
KN_BUILT_IN(int, isfinite)
KN_BUILT_IN(int, isinf)
KN_BUILT_IN(int, isnan)
KN_BUILT_IN(int, signbit)
#undef KN_BUILT_IN
#define KN_BUILT_IN(name)                                       \
  inline float name(float x) { return __builtin_##name##f(x); } \
  inline double name(double x) { return __builtin_##name(x); }
KN_BUILT_IN(ceil)
KN_BUILT_IN(exp)
KN_BUILT_IN(fabs)
KN_BUILT_IN(floor)
KN_BUILT_IN(lgamma)
KN_BUILT_IN(log)
KN_BUILT_IN(log1p)
KN_BUILT_IN(rint)
KN_BUILT_IN(sqrt)
KN_BUILT_IN(tgamma)
KN_BUILT_IN(trunc)
#undef KN_BUILT_IN
#define KN_BUILT_IN(name)                                                   \
  inline float name(float x, float y) { return __builtin_##name##f(x, y); } \
  inline double name(double x, double y) { return __builtin_##name(x, y); }
KN_BUILT_IN(copysign)
#undef KN_BUILT_IN
inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }

template <class T>
inline T min(T a, std::type_identity_t<T> b) {
  return b < a ? b : a;
}
template <class T>
inline T max(T a, std::type_identity_t<T> b) {
  return a < b ? b : a;
}
template <class T>
inline T clamp(T x, std::type_identity_t<T> least, std::type_identity_t<T> most) {
  return min(max(x, least), most);
}
inline ulong mul_hi(ulong a, ulong b) { return static_cast<ulong>(static_cast<unsigned __int128>(a) * b >> 64); }

/// The value as another type: integers wrap, floating ones are cut off. `saturated`: what lies beyond the ends of an
/// integer type becomes that end; NaN was seen to before.
template <class To, class From>
inline To converted(From x) {
  return static_cast<To>(x);
}
template <class To, class From>
inline To saturated(From x) {
  // The first number behind the range is a power of two, which every floating type that converts has.
  constexpr From behind = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * 2;
  if (x >= behind) return std::numeric_limits<To>::max();
  if (x <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  return static_cast<To>(x);
}
/// Toward zero.
inline float convert_float_rtz(double x) {
  const float nearest = static_cast<float>(x);
  if (!(fabs(static_cast<double>(nearest)) > fabs(x))) return nearest;
  return __builtin_bit_cast(float, __builtin_bit_cast(uint, nearest) - 1);
}

#define KN_CONVERSIONS(T)              \
  template <class From>                \
  inline T as_##T(From x) {            \
    return __builtin_bit_cast(T, x);   \
  }                                    \
  template <class From>                \
  inline T convert_##T(From x) {       \
    return converted<T>(x);            \
  }                                    \
  template <class From>                \
  inline T convert_##T##_sat(From x) { \
    return saturated<T>(x);            \
  }
KN_CONVERSIONS(char)
KN_CONVERSIONS(uchar)
KN_CONVERSIONS(short)
KN_CONVERSIONS(ushort)
KN_CONVERSIONS(int)
KN_CONVERSIONS(uint)
KN_CONVERSIONS(long)
KN_CONVERSIONS(ulong)
#undef KN_CONVERSIONS
#define KN_CONVERSIONS(T, Bits)                         \
  template <class From>                                 \
  inline T as_##T(From x) {                             \
    return __builtin_bit_cast(T, static_cast<Bits>(x)); \
  }                                                     \
  template <class From>                                 \
  inline T convert_##T(From x) {                        \
    return converted<T>(x);                             \
  }
KN_CONVERSIONS(float, int)
KN_CONVERSIONS(double, long)
#undef KN_CONVERSIONS

// What lies in memory as 16 bits. A NaN keeps its sign.
inline float host_float(ushort half) {
  const uint sign = (half & 0x8000u) << 16, rest = half & 0x7fffu;
  if (rest >= 0x7c00u) return __builtin_bit_cast(float, sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  if (rest >= 0x400u) return __builtin_bit_cast(float, sign | (rest + (112u << 10)) << 13);
  const float size = static_cast<float>(rest) * 0x1p-24f;
  return __builtin_bit_cast(float, __builtin_bit_cast(uint, size) | sign);
}
/// To the nearest, halves to even.
inline ushort host_half(float x) {
  const uint bits = __builtin_bit_cast(uint, x), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) return static_cast<ushort>(sign | 0x7e00u | (size >> 13 & 0x3ffu));
  if (size >= 0x477ff000u) return static_cast<ushort>(sign | 0x7c00u);
  if (size < 0x38800000u) {
    return static_cast<ushort>(
        sign | (__builtin_bit_cast(uint, __builtin_bit_cast(float, size) + 0.5f) - __builtin_bit_cast(uint, 0.5f)));
  }
  return static_cast<ushort>(sign | ((size + 0xfffu + (size >> 13 & 1u)) >> 13) - (112u << 10));
}

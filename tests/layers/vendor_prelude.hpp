// SPDX-License-Identifier: Apache-2.0
// OpenCL C that tests/layers/vendor.cpp puts before every program.
#pragma once

namespace koine::test {

/// Another vendor's compiler has none of PoCL's faults (lib/cl/quirks.cpp has them), and Koine does not avoid them
/// there: sin, cos, tan and pow of vectors, and exp(double) at the end of its range.
constexpr const char* without_faults = R"(
#define KN_PLAYED inline __attribute__((overloadable, always_inline))
#define KN_PLAYED_VECTORS(f, T)                                      \
  KN_PLAYED T##2 f(T##2 x) { return (T##2)(f(x.x), f(x.y)); }        \
  KN_PLAYED T##3 f(T##3 x) { return (T##3)(f(x.xy), f(x.z)); }       \
  KN_PLAYED T##4 f(T##4 x) { return (T##4)(f(x.lo), f(x.hi)); }      \
  KN_PLAYED T##8 f(T##8 x) { return (T##8)(f(x.lo), f(x.hi)); }      \
  KN_PLAYED T##16 f(T##16 x) { return (T##16)(f(x.lo), f(x.hi)); }
#define KN_PLAYED_PAIRS(f, T)                                                        \
  KN_PLAYED T##2 f(T##2 x, T##2 y) { return (T##2)(f(x.x, y.x), f(x.y, y.y)); }      \
  KN_PLAYED T##3 f(T##3 x, T##3 y) { return (T##3)(f(x.xy, y.xy), f(x.z, y.z)); }    \
  KN_PLAYED T##4 f(T##4 x, T##4 y) { return (T##4)(f(x.lo, y.lo), f(x.hi, y.hi)); }  \
  KN_PLAYED T##8 f(T##8 x, T##8 y) { return (T##8)(f(x.lo, y.lo), f(x.hi, y.hi)); }  \
  KN_PLAYED T##16 f(T##16 x, T##16 y) { return (T##16)(f(x.lo, y.lo), f(x.hi, y.hi)); }
#define KN_PLAYED_TYPE(T)                           \
  KN_PLAYED T kn_played_sin(T x) { return sin(x); }        \
  KN_PLAYED T kn_played_cos(T x) { return cos(x); }        \
  KN_PLAYED T kn_played_tan(T x) { return tan(x); }        \
  KN_PLAYED T kn_played_pow(T x, T y) { return pow(x, y); } \
  KN_PLAYED_VECTORS(kn_played_sin, T)                      \
  KN_PLAYED_VECTORS(kn_played_cos, T)                      \
  KN_PLAYED_VECTORS(kn_played_tan, T)                      \
  KN_PLAYED_VECTORS(kn_played_exp, T)                      \
  KN_PLAYED_PAIRS(kn_played_pow, T)
KN_PLAYED float kn_played_exp(float x) { return exp(x); }
KN_PLAYED_TYPE(float)
#ifdef cl_khr_fp64
KN_PLAYED double kn_played_exp(double x) { return x > 709.0 ? exp(x - 1) * 2.718281828459045235 : exp(x); }
KN_PLAYED_TYPE(double)
#endif
#undef sin
#undef cos
#undef tan
#undef pow
#undef exp
#define sin kn_played_sin
#define cos kn_played_cos
#define tan kn_played_tan
#define pow kn_played_pow
#define exp kn_played_exp
)";

/// A compiler for a device without double precision: the words are errors, and "#ifdef" finds nothing.
constexpr const char* without_fp64 = R"(
#undef cl_khr_fp64
#undef __opencl_c_fp64
#pragma clang poison double double2 double3 double4 double8 double16 as_double convert_double
)";

}  // namespace koine::test

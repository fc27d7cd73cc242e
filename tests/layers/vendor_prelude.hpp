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

/// AMD's matrix instructions, from the layouts that its manuals of the instruction sets give: which lane of a wave has
/// which elements of the operands, and of what is added to. They meet in local memory that the kernel lends.
constexpr const char* matrix_instructions = R"(
#define as_half4(x) (x)
#define as_half16(x) (x)
#define KN_TWIN_MEMORY __local KN_BITS kn_twin_a[256 * KN_EACH], kn_twin_b[256 * KN_EACH];
inline float kn_twin_half(ushort bits) { return vload_half(0, (const half*)&bits); }
inline float kn_twin_bfloat(short bits) { return as_float((uint)(ushort)bits << 16); }
#define KN_TWIN(NAME, PART, BITS, VALUE, EACH, STEPS, WAVE, ADDED, REAL, RESULTS, ROW)                            \
  inline ADDED NAME(PART a, PART b, ADDED sums, __local BITS* all_a, __local BITS* all_b) {                       \
    const int item = get_local_id(0), lane = item % WAVE;                                                         \
    for (int e = 0; e < EACH; ++e) {                                                                              \
      all_a[item * EACH + e] = ((BITS*)&a)[e];                                                                    \
      all_b[item * EACH + e] = ((BITS*)&b)[e];                                                                    \
    }                                                                                                             \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                 \
    __local BITS* wave_a = all_a + (item - lane) * EACH;                                                          \
    __local BITS* wave_b = all_b + (item - lane) * EACH;                                                          \
    for (int i = 0; i < RESULTS; ++i) {                                                                           \
      const int row = ROW, column = lane % 16;                                                                    \
      REAL sum = ((REAL*)&sums)[i];                                                                               \
      for (int k = 0; k < STEPS; ++k)                                                                             \
        sum += VALUE(wave_a[(row + k / EACH * 16) * EACH + k % EACH]) *                                           \
               VALUE(wave_b[(column + k / EACH * 16) * EACH + k % EACH]);                                         \
      ((REAL*)&sums)[i] = sum;                                                                                    \
    }                                                                                                             \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                 \
    return sums;                                                                                                  \
  }
KN_TWIN(kn_mfma_half, ushort4, ushort, kn_twin_half, 4, 16, 64, float4, float, 4, lane / 16 * 4 + i)
KN_TWIN(kn_mfma_bfloat, short4, ushort, kn_twin_bfloat, 4, 16, 64, float4, float, 4, lane / 16 * 4 + i)
KN_TWIN(kn_mfma_float, float, float, , 1, 4, 64, float4, float, 4, lane / 16 * 4 + i)
#ifdef cl_khr_fp64
KN_TWIN(kn_mfma_double, double, double, , 1, 4, 64, double4, double, 4, i * 4 + lane / 16)
#endif
KN_TWIN(kn_wmma_half, ushort16, ushort, kn_twin_half, 16, 16, 32, float8, float, 8, i * 2 + lane / 16)
KN_TWIN(kn_wmma_bfloat, short16, ushort, kn_twin_bfloat, 16, 16, 32, float8, float, 8, i * 2 + lane / 16)
#define __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, x, y, z) kn_mfma_half(a, b, c, kn_twin_a, kn_twin_b)
#define __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, x, y, z) kn_mfma_bfloat(a, b, c, kn_twin_a, kn_twin_b)
#define __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, x, y, z) kn_mfma_float(a, b, c, kn_twin_a, kn_twin_b)
#define __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, c, x, y, z) kn_mfma_double(a, b, c, kn_twin_a, kn_twin_b)
#define __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c) kn_wmma_half(a, b, c, kn_twin_a, kn_twin_b)
#define __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c) kn_wmma_bfloat(a, b, c, kn_twin_a, kn_twin_b)
)";

}  // namespace koine::test

// SPDX-License-Identifier: Apache-2.0
// Vectors of two numbers, by which kernels/common computes complex ones, as C++. To be included behind opencl_c.hpp.
// The texts make them by functions, such as kn_float2, since C++ reads OpenCL C's literals otherwise.

// GCC 12 makes one instruction of a product and of sums and differences in turn, whatever -ffp-contract says.
#if defined(__GNUC__) && !defined(__clang__)
#define KN_ROUNDED(x) __builtin_assoc_barrier(x)
#endif

#define M_PI_F static_cast<float>(M_PI)
#define M_LN2_F static_cast<float>(M_LN2)
#define M_LOG2E_F static_cast<float>(M_LOG2E)
#define M_LOG10E_F static_cast<float>(M_LOG10E)

inline float fmax(float x, float y) { return __builtin_fmaxf(x, y); }
inline double fmax(double x, double y) { return __builtin_fmax(x, y); }
inline float fmin(float x, float y) { return __builtin_fminf(x, y); }
inline double fmin(double x, double y) { return __builtin_fmin(x, y); }

template <class T>
struct HostPair {
  T x, y;

  HostPair operator-() const { return {-x, -y}; }
  friend HostPair operator+(HostPair a, HostPair b) { return {a.x + b.x, a.y + b.y}; }
  friend HostPair operator-(HostPair a, HostPair b) { return {a.x - b.x, a.y - b.y}; }
  friend HostPair operator*(HostPair a, HostPair b) { return {a.x * b.x, a.y * b.y}; }
  friend HostPair operator*(HostPair a, std::type_identity_t<T> b) { return {a.x * b, a.y * b}; }
  friend HostPair operator*(std::type_identity_t<T> a, HostPair b) { return {a * b.x, a * b.y}; }
  friend HostPair operator/(HostPair a, std::type_identity_t<T> b) { return {a.x / b, a.y / b}; }
  HostPair& operator+=(HostPair b) { return *this = *this + b; }
  HostPair& operator*=(T b) { return *this = *this * b; }
  HostPair& operator/=(T b) { return *this = *this / b; }
};
using float2 = HostPair<float>;
using double2 = HostPair<double>;

inline float2 rint(float2 z) { return {rint(z.x), rint(z.y)}; }
inline double2 rint(double2 z) { return {rint(z.x), rint(z.y)}; }
inline float2 convert_float2(double2 z) { return {static_cast<float>(z.x), static_cast<float>(z.y)}; }
inline double2 convert_double2(float2 z) { return {z.x, z.y}; }
/// A real number as a complex one.
template <class T, class From>
inline HostPair<T> pair_of(From x) {
  return {static_cast<T>(x), 0};
}

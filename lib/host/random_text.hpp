// SPDX-License-Identifier: Apache-2.0
// What kernels/common/random.clh, and kernels/rejection.cl around it, need to be C++, for a single number at a time of
// the type that KN_ELEMENT says. To be included before them inside a namespace without a name, by one file for each
// such type and law, as the texts have macros for one.
#include "host/opencl_c.hpp"

template <class T>
struct HostTwo {
  T even, odd;
};
using uint2 = HostTwo<uint>;
using ulong2 = HostTwo<ulong>;
using float2 = HostTwo<float>;
using double2 = HostTwo<double>;
inline uint2 as_uint2(ulong x) { return __builtin_bit_cast(uint2, x); }
inline float2 as_float2(ulong x) { return __builtin_bit_cast(float2, x); }
inline uint mul_hi(uint a, uint b) { return static_cast<uint>(static_cast<ulong>(a) * b >> 32); }

// A kernel is a function, which does the work of all its work-items.
#define __kernel static
#define restrict __restrict
inline ulong get_global_id(uint) { return 0; }
inline ulong get_global_size(uint) { return 1; }

#define KN_BLOCKS 1
#define KN_SINGLY
#define KN_EXACT_SQRT 1

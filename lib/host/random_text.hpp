// SPDX-License-Identifier: Apache-2.0
// kernels/common/random.clh as C++, for a single number at a time, of the type that KN_ELEMENT says. To be included
// inside a namespace without a name, by one file for each such type, as the text has macros for one.
#include "host/opencl_c.hpp"

struct ulong2 {
  ulong even, odd;
};
struct double2 {
  double even, odd;
};
inline uint mul_hi(uint a, uint b) { return static_cast<uint>(static_cast<ulong>(a) * b >> 32); }

#define KN_KIND KN_NORMAL
#define KN_BLOCKS 1
#define KN_SINGLY
#define KN_EXACT_SQRT 1
#include <common/random.clh>

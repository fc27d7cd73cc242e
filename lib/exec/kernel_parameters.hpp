// SPDX-License-Identifier: Apache-2.0
// What the kernels of kernels/*.cl are passed beside their buffers: the structs that they say themselves, as C++.
#pragma once

#include <cstdint>

namespace koine::exec::parameters {

// OpenCL C's names for the types. It lays structs out as C++ does: each field is aligned to its size.
using uint = std::uint32_t;
using ulong = std::uint64_t;
static_assert(sizeof(long) == 8, "a long has 64 bits in OpenCL C");

#include <kernel_parameters.inc>

}  // namespace koine::exec::parameters

// SPDX-License-Identifier: Apache-2.0
// Programs of played devices: what their compilers refuse, and their binaries.
#pragma once

#include "layers/vendor_play.hpp"

namespace koine::test {

/// Puts the functions that make and build programs into the table.
void replace_programs(cl_icd_dispatch& table);

/// Local memory that a kernel declares, in bytes.
cl_ulong local_memory_of(cl_kernel kernel, cl_device_id device);

/// Builds that failed since the process began.
std::uint64_t refused_builds();
/// How many programs were made of a text that holds this one.
std::uint64_t programs_with(const char* text);
/// How many are being built now.
std::uint64_t builds_under_way();

}  // namespace koine::test

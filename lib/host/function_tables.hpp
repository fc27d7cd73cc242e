// SPDX-License-Identifier: Apache-2.0
// The tables of functions: one for each set of instructions that they were compiled for.
#pragma once

#include "host/functions.hpp"

namespace koine::host {

extern const Functions functions_plain;
extern const Functions functions_avx2, functions_avx512;  ///< only where KOINE_HOST_X86 is defined

}  // namespace koine::host

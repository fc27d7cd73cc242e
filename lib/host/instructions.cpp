// SPDX-License-Identifier: Apache-2.0
// Asking the processor what it has.
#include "host/instructions.hpp"

namespace koine::host {

Instructions instructions() noexcept {
#ifdef KOINE_HOST_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return Instructions::avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")) {
    return Instructions::avx2;
  }
#endif
  return Instructions::plain;
}

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// Choosing the functions for small matrices.
#include "host/small_systems.hpp"

#include "host/instructions.hpp"

namespace koine::host {

template <>
const SmallSystemFunctions<float>& small_systems<float>() {
#ifdef KOINE_HOST_X86
  if (instructions() == Instructions::avx512) return small_systems_avx512_float;
  if (instructions() == Instructions::avx2) return small_systems_avx2_float;
#endif
  return small_systems_plain_float;
}

template <>
const SmallSystemFunctions<double>& small_systems<double>() {
#ifdef KOINE_HOST_X86
  if (instructions() == Instructions::avx512) return small_systems_avx512_double;
  if (instructions() == Instructions::avx2) return small_systems_avx2_double;
#endif
  return small_systems_plain_double;
}

}  // namespace koine::host

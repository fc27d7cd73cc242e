// SPDX-License-Identifier: Apache-2.0
// Choosing the functions for two-sided reductions.
#include "host/two_sided.hpp"

#include "host/instructions.hpp"

namespace koine::host {

template <>
const TwoSidedFunctions<float>& two_sided<float>() {
#ifdef KOINE_HOST_X86
  if (instructions() == Instructions::avx512) return two_sided_avx512_float;
  if (instructions() == Instructions::avx2) return two_sided_avx2_float;
#endif
  return two_sided_plain_float;
}

template <>
const TwoSidedFunctions<double>& two_sided<double>() {
#ifdef KOINE_HOST_X86
  if (instructions() == Instructions::avx512) return two_sided_avx512_double;
  if (instructions() == Instructions::avx2) return two_sided_avx2_double;
#endif
  return two_sided_plain_double;
}

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// Choosing the functions for terms of exact sums.
#include "host/whole_terms.hpp"

#include "host/instructions.hpp"

namespace koine::host {

const WholeTermFunctions& whole_terms() {
#ifdef KOINE_HOST_X86
  if (instructions() == Instructions::avx512) return whole_terms_avx512;
  if (instructions() == Instructions::avx2) return whole_terms_avx2;
#endif
  return whole_terms_plain;
}

}  // namespace koine::host

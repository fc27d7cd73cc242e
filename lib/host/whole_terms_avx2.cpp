// SPDX-License-Identifier: Apache-2.0
// Terms of exact sums, in vectors of 32 bytes.
#include "host/whole_terms.hpp"

#define KN_VECTOR_BYTES 32

namespace koine::host {
namespace {

#include "host/whole_terms_text.hpp"

}  // namespace

const WholeTermFunctions whole_terms_avx2 = functions_of_terms;

}  // namespace koine::host

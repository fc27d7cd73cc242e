// SPDX-License-Identifier: Apache-2.0
// Terms of exact sums, in the vectors of any processor.
#include "host/whole_terms.hpp"

#define KN_VECTOR_BYTES 16

namespace koine::host {
namespace {

#include "host/whole_terms_text.hpp"

}  // namespace

const WholeTermFunctions whole_terms_plain = functions_of_terms;

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// Matrices by vectors of reductions, in vectors of 16 bytes.
#include "host/two_sided_core.hpp"

#include <utility>

namespace koine::host {
namespace {

#define KN_VECTOR_BYTES 16
#include "host/two_sided_text.hpp"

}  // namespace

const TwoSidedFunctions<float> two_sided_plain_float = two_sided_functions<float>;
const TwoSidedFunctions<double> two_sided_plain_double = two_sided_functions<double>;

}  // namespace koine::host

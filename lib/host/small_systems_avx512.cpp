// SPDX-License-Identifier: Apache-2.0
// Elimination and reflections in small matrices, in vectors of 64 bytes.
#include "host/small_systems_core.hpp"

#include <utility>

namespace koine::host {
namespace {

#define KN_VECTOR_BYTES 64
#include "host/small_reflections_text.hpp"

}  // namespace

const SmallSystemFunctions<float> small_systems_avx512_float = small_system_functions<float>;
const SmallSystemFunctions<double> small_systems_avx512_double = small_system_functions<double>;

}  // namespace koine::host

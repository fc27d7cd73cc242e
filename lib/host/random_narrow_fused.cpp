// SPDX-License-Identifier: Apache-2.0
// Random numbers of float32, for processors that multiply and add at once.
#include "host/random_lanes.hpp"

#include <cfloat>
#include <climits>
#include <cmath>
#include <limits>
#include <type_traits>

namespace koine::host {
namespace {

#include "host/random_narrow_text.hpp"

}  // namespace

const RandomLaws<float> narrow_laws_fused{normals, exponentials, gammas};

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// Random numbers of float64, for any processor.
#include "host/random_lanes.hpp"

#include <cfloat>
#include <climits>
#include <cmath>
#include <limits>
#include <type_traits>

namespace koine::host {
namespace {

#include "host/random_wide_text.hpp"

}  // namespace

const RandomLaws<double> wide_laws{normals, exponentials, gammas};

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// Words of random streams and uniform numbers, in vectors of 64 bytes.
#include "host/random_lanes.hpp"

#include <cfloat>
#include <climits>
#include <cmath>
#include <limits>
#include <type_traits>

namespace koine::host {
namespace {

#include "host/random_lanes_text.hpp"

}  // namespace

const RandomLanes random_avx512{words, uniform_floats, uniform_doubles};

}  // namespace koine::host

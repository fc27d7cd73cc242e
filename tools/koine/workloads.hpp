// SPDX-License-Identifier: Apache-2.0
// What `koine tune` runs to see what a parameter's values are worth.
#pragma once

#include <string_view>
#include <vector>

#include "timing.hpp"

namespace koine::tool {

/// The workloads of a parameter of tuning/parameters.def, with their data on the default device: short ones where the
/// parameter is about the cost of starting work, long ones otherwise. `quick`: of fewer elements.
std::vector<Workload> workloads_of(std::string_view parameter, bool quick);

}  // namespace koine::tool

// SPDX-License-Identifier: Apache-2.0
// Why a machine shows no device, and what its owner can do.
#pragma once

#include <string>
#include <vector>

namespace koine::cl {

/// The whole story for a machine without a usable device; `problems` is what discovery met.
std::string explain_no_device(const std::vector<std::string>& problems);

/// Cards whose driver is there but not set up for OpenCL; empty if there is none.
std::string explain_missing_drivers();

}  // namespace koine::cl

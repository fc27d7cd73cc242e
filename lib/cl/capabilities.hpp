// SPDX-License-Identifier: Apache-2.0
// What a device is and can do beyond what OpenCL itself says: plain logic over plain values.
#pragma once

#include <string>
#include <string_view>

#include "device/traits.hpp"

namespace koine::cl {

/// The architecture in the name of an AMD chip: "gfx90a" of "gfx90a:sramecc+:xnack-"; empty if it is none.
std::string amd_architecture(std::string_view chip);

/// NVIDIA's word for a compute capability: "sm_90" of 9 and 0.
std::string nvidia_architecture(unsigned major, unsigned minor);

/// Sets the capabilities of a device from its vendor and type, and what the environment says to its driver.
void set_capabilities(DeviceTraits& traits);

}  // namespace koine::cl

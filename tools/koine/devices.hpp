// SPDX-License-Identifier: Apache-2.0
// A device in JSON, as several subcommands write it.
#pragma once

#include <koine/device.hpp>

#include <string>

namespace koine::tool {

/// An object with the device's selector, name, vendor, type, platform, driver, memory in bytes, compute_units, fp64 and
/// fp16.
std::string json_of(const Device& device);

}  // namespace koine::tool

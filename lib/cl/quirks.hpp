// SPDX-License-Identifier: Apache-2.0
// The table of what drivers get wrong.
#pragma once

#include <string_view>
#include <vector>

#include "device/traits.hpp"

namespace koine::cl {

/// Sets the quirks of a device from what it says about itself.
void apply_quirks(DeviceTraits& traits);

/// The reasons of the rows that match a device, for logs.
std::vector<std::string_view> quirk_reasons(const DeviceTraits& traits);

}  // namespace koine::cl

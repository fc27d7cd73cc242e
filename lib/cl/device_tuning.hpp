// SPDX-License-Identifier: Apache-2.0
// Gives devices their tuning: the library's rows, then what a user's file says.
#pragma once

#include <span>

#include "device/traits.hpp"

namespace koine::cl {

/// For devices whose other traits, selectors among them, are set. Throws ValueError if KOINE_TUNING names a file that
/// is not there or has a wrong line; of a file in the usual place such lines are passed over, as KOINE_LOG=device
/// tells.
void set_tuning(std::span<DeviceTraits* const> devices);

}  // namespace koine::cl

// SPDX-License-Identifier: Apache-2.0
// Devices whose work-items run in warps that kernels may speak to.
#pragma once

#include "device/traits.hpp"

namespace koine {

/// Whether kernels may hold PTX for the votes of 32 neighbours (kernels/common/lanes.clh), and a group that has started
/// goes on while others wait for it: NVIDIA's cards from Volta on, whose programming guide promises both.
bool has_warps(const DeviceTraits& traits);
/// Whether these have one instruction for the largest value of a warp: from Ampere on.
bool has_redux(const DeviceTraits& traits);

}  // namespace koine

// SPDX-License-Identifier: Apache-2.0
// Limits of a device that no kernel of the library's own comes near.
#include "cl/launch_limits.hpp"

namespace koine::cl {

LaunchLimits launch_limits(const DeviceEntry& entry) noexcept {
  LaunchLimits limits;
  // More dimensions than three are possible, and of no use.
  std::size_t items[16] = {};
  if (clGetDeviceInfo(entry.device(), CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, nullptr) != CL_SUCCESS) {
    items[0] = items[1] = items[2] = entry.traits.max_group;
  }
  limits.items = {items[0], items[1], items[2]};
  // NVIDIA: the programming guide's table of compute capabilities. AMD's packets hold work-items in 32 bits.
  const std::uint64_t most = UINT32_MAX;
  limits.groups = {most, most, most};
  if (entry.traits.vendor == "nvidia") limits.groups = {INT32_MAX, UINT16_MAX, UINT16_MAX};
  return limits;
}

}  // namespace koine::cl

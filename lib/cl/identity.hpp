// SPDX-License-Identifier: Apache-2.0
// Who made a device, which one ranks first, and which two are the same card: plain logic over plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/traits.hpp"

namespace koine::cl {

/// What a driver says about who it is.
struct VendorClues {
  std::string_view platform_name;
  std::string_view platform_vendor;
  std::string_view device_vendor;
  std::uint32_t vendor_id = 0;
  DeviceClass device_class = DeviceClass::gpu;
};

/// The vendor's word for selectors. The platform comes first: PoCL says 0x8086 (Intel) on any CPU.
std::string vendor_of(const VendorClues& clues);

/// A device as one platform shows it.
struct Candidate {
  DeviceTraits traits;
  std::size_t platform = 0;  ///< which platform, in the loader's order
  std::string pci;           ///< "0000:41:00.0", empty if the driver does not say
  std::string uuid;          ///< empty if the driver does not say
};

/// The candidates that stay when each card counts once, best first: discrete GPUs, integrated GPUs, CPUs, accelerators.
/// The order follows from the hardware, not from the order in which drivers came up.
std::vector<std::size_t> distinct_in_order(std::span<const Candidate> candidates);

/// Gives each device its selector, "vendor:type:index", counting in the given order.
void assign_selectors(std::span<DeviceTraits* const> devices);

}  // namespace koine::cl

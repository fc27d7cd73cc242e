// SPDX-License-Identifier: Apache-2.0
// Finds every device of every platform, once, and chooses among them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cl/device_entry.hpp"

namespace koine::cl {

/// Every device, each physical card once, in an order that does not change from boot to boot. Read from the drivers on
/// first use, never destroyed. Empty if there is none; diagnosis() says why. Throws ValueError if KOINE_LOG is
/// malformed.
const std::vector<const DeviceEntry*>& all_devices();

/// What was looked for and what would help, for a machine without a usable device. Several lines.
std::string diagnosis();

/// What went wrong with platforms and devices that are therefore not among all_devices(), a sentence for each.
const std::vector<std::string>& discovery_problems();

/// Where a device is on the PCI bus, "0000:41:00.0"; empty if its driver does not say.
std::string pci_address(const DeviceEntry& entry);

/// The devices that a selector matches, first match first. `origin` ("KOINE_DEVICE", "devices") is named in errors.
/// Throws ValueError if malformed and DeviceError if nothing matches or there is no device.
std::vector<const DeviceEntry*> select_devices(std::string_view selector, std::string_view origin);

/// What this process may use and in which order: KOINE_DEVICE's matches if it is set, else all devices by rank.
/// Settled at the first call that succeeds. Throws as select_devices() does; never returns an empty list.
const std::vector<const DeviceEntry*>& usable_devices();

/// Throws DeviceError where drivers cannot be used: in a child that was forked since discovery began, for drivers have
/// threads from then on, and past their own end in that of the process.
void check_drivers();

}  // namespace koine::cl

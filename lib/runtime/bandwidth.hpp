// SPDX-License-Identifier: Apache-2.0
// The bandwidth of a device's memory, as it was measured there: in this process, or in one before it.
#pragma once

#include <string>

#include "device/traits.hpp"

namespace koine::runtime {

/// Bytes per second, read and written together; 0 if nobody has measured it.
double known_bandwidth(const DeviceTraits& device);
/// Keeps it for this process and, where programs are kept on disk, beside those for later ones.
void remember_bandwidth(const DeviceTraits& device, double bytes_per_second);
/// A sentence on what is known, and where it comes from.
std::string bandwidth_text(const DeviceTraits& device);

}  // namespace koine::runtime

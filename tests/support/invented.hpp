// SPDX-License-Identifier: Apache-2.0
// Devices that there are not, as far as the host's code knows a device.
#pragma once

#include "device/traits.hpp"

namespace koine::test {

inline DeviceTraits invented_device(const char* vendor, DeviceClass type, const char* name = "",
                                    const char* selector = "") {
  DeviceTraits traits;
  traits.vendor = vendor;
  traits.device_class = type;
  traits.name = name;
  traits.selector = selector;
  return traits;
}

}  // namespace koine::test

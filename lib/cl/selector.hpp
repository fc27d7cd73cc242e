// SPDX-License-Identifier: Apache-2.0
// KOINE_DEVICE's little language, over plain traits: no device is needed to test it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/traits.hpp"

namespace koine::cl {

/// The positions of the devices that `selector` matches, first match first. `devices` is in order of rank with
/// selectors assigned. A term adds what it matches, `!term` takes away wherever it stands, and with nothing but
/// `!terms` the rest is meant. `origin` is named in errors. Throws ValueError if the selector is malformed and
/// DeviceError, which lists every device, if nothing matches.
std::vector<std::size_t> select(std::string_view selector, std::string_view origin,
                                std::span<const DeviceTraits* const> devices);

/// The same, but empty where nothing matches.
std::vector<std::size_t> matching(std::string_view selector, std::string_view origin,
                                  std::span<const DeviceTraits* const> devices);

/// One line for each device: its selector, ready to paste, and its name.
std::string device_list(std::span<const DeviceTraits* const> devices);

}  // namespace koine::cl

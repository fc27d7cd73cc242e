// SPDX-License-Identifier: Apache-2.0
// The graphics and compute cards that Linux sees, whether or not a driver of OpenCL serves them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace koine::tool {

struct Card {
  std::string address;  ///< "0000:41:00.0"
  std::string vendor;   ///< "nvidia", "amd" or "intel"
  std::string driver;   ///< the kernel's driver, such as "amdgpu"; empty if none has taken it
};

/// The cards of these vendors on the PCI bus, by address. `root` is where /sys is looked for.
std::vector<Card> cards(const std::filesystem::path& root);

}  // namespace koine::tool

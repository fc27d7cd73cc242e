// SPDX-License-Identifier: Apache-2.0
// Looks where the OpenCL loader looks, and says what it finds there.
#include "cl/diagnosis.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/env.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "koine/error.hpp"

namespace koine::cl {

namespace {

namespace fs = std::filesystem;

constexpr const char* nvidia_library = "libnvidia-opencl.so.1";

/// Empty if the library loads, otherwise the loader's reason.
std::string load_problem(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    return reason != nullptr ? reason : "it does not load";
  }
  dlclose(handle);
  return {};
}

fs::path vendors_folder() { return base::env("OCL_ICD_VENDORS").value_or("/etc/OpenCL/vendors"); }

/// The driver libraries that the .icd files name, with the file that names each.
std::vector<std::pair<fs::path, std::string>> registered_drivers() {
  std::vector<std::pair<fs::path, std::string>> drivers;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(vendors_folder(), ignored)) {
    if (each.path().extension() != ".icd") continue;
    try {
      const std::string text = base::read_file(each.path(), "devices");
      drivers.emplace_back(each.path(), base::trim(base::split(text, '\n').front()));
    } catch (const IoError&) {
      drivers.emplace_back(each.path(), "");
    }
  }
  std::sort(drivers.begin(), drivers.end());
  return drivers;
}

}  // namespace

std::string explain_no_device(const std::vector<std::string>& problems) {
  std::string text = "no usable OpenCL device was found. What was looked for:";
  const auto drivers = registered_drivers();
  const std::string folder = vendors_folder().string();
  if (drivers.empty()) {
    text += "\n  drivers that the OpenCL loader knows: none; " + folder + " holds no .icd file";
  }
  for (const auto& [file, library] : drivers) {
    text += "\n  " + file.string();
    if (library.empty()) {
      text += " cannot be read or is empty";
    } else if (const std::string problem = load_problem(library); !problem.empty()) {
      text += " names " + library + ", which does not load: " + problem;
    } else {
      text += " names " + library + ", which loads";
    }
  }
  for (const std::string& problem : problems) text += "\n  " + problem;
  if (const std::string hint = explain_missing_drivers(); !hint.empty()) text += "\n" + hint;
  return text +
         "\nPackages that help on Debian and Ubuntu:\n"
         "  any CPU      apt install pocl-opencl-icd\n"
         "  NVIDIA card  apt install nvidia-opencl-icd (Ubuntu: the nvidia-driver package has it)\n"
         "  AMD card     apt install rocm-opencl-runtime (AMD's repository), or mesa-opencl-icd\n"
         "  Intel GPU    apt install intel-opencl-icd\n"
         "`clinfo` (package clinfo) shows what any OpenCL program sees.";
}

std::string explain_missing_drivers() {
  std::string text;
  const auto drivers = registered_drivers();
  const bool nvidia_known = std::any_of(drivers.begin(), drivers.end(), [](const auto& driver) {
    return base::contains_ignoring_case(driver.second, "nvidia-opencl");
  });
  // Containers get the driver's libraries mounted, but often not the file that tells the loader.
  if (!nvidia_known && load_problem(nvidia_library).empty()) {
    const fs::path file = vendors_folder() / "nvidia.icd";
    text += fmt::format(
        "NVIDIA's driver is here ({} loads), but no .icd file names it. This helps:\n  mkdir -p {} && echo {} > {}",
        nvidia_library, vendors_folder().string(), nvidia_library, file.string());
  }
  if (::access("/dev/kfd", F_OK) == 0 && ::access("/dev/kfd", R_OK | W_OK) != 0) {
    if (!text.empty()) text += '\n';
    text +=
        "An AMD card is here, but /dev/kfd may not be opened by this user. This helps, from the next login on:\n"
        "  sudo usermod -aG render,video $USER";
  }
  return text;
}

}  // namespace koine::cl

// SPDX-License-Identifier: Apache-2.0
// Why a machine shows no device, and what its owner can do.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koine::cl {

/// A driver that the OpenCL loader is told of.
struct RegisteredDriver {
  std::string where;    ///< what tells it: the path of an .icd file, or a variable such as "OCL_ICD_VENDORS"
  std::string library;  ///< the library that it names; empty if the file cannot be read or is empty
};

/// The folder in which the loader looks for .icd files: OCL_ICD_VENDORS, OPENCL_VENDOR_PATH, or /etc/OpenCL/vendors.
std::filesystem::path vendors_folder();

/// All drivers that the loader is told of, by files or by its variables, sorted by `where`.
std::vector<RegisteredDriver> registered_drivers();

/// Empty if a library loads, otherwise the reason. load_problem() loads it into this process.
using LoadProblem = std::function<std::string(const std::string& library)>;
std::string load_problem(const std::string& library);

/// Something of this machine that stands between a card and its use, and what to do about it.
struct Obstacle {
  std::string what, step;
};

/// What can be found without a driver: NVIDIA's library without an .icd file, device files of cards that this user may
/// not open. `root` is where /dev is looked for.
std::vector<Obstacle> obstacles(const LoadProblem& problem_of, const std::filesystem::path& root);

/// A package of Debian and Ubuntu with a driver.
struct Package {
  std::string_view vendor;  ///< whose devices it is for, as selectors name them
  std::string_view what;    ///< in words
  std::string_view command;
};
std::span<const Package> packages() noexcept;

/// The whole story for a machine without a usable device; `problems` is what discovery met.
std::string explain_no_device(const std::vector<std::string>& problems);

/// Cards whose driver is there but not set up for OpenCL; empty if there is none.
std::string explain_missing_drivers();

}  // namespace koine::cl

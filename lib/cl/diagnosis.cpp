// SPDX-License-Identifier: Apache-2.0
// Looks where the OpenCL loader looks, and says what it finds there.
#include "cl/diagnosis.hpp"

#include <dlfcn.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "base/env.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "koine/error.hpp"

namespace koine::cl {

namespace {

namespace fs = std::filesystem;

constexpr const char* nvidia_library = "libnvidia-opencl.so.1";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// What the first line of an .icd file names.
RegisteredDriver driver_of(const fs::path& file) {
  try {
    const std::string text = base::read_file(file, "devices");
    return {file, std::string(base::trim(base::split(text, '\n').front()))};
  } catch (const IoError&) {
    return {file, ""};
  }
}

/// What a word of a loader's variable names: an .icd file, else a library.
RegisteredDriver driver_of_word(const std::string& variable, const std::string& word) {
  if (!word.ends_with(".icd")) return {variable, word};
  const fs::path inside = vendors_folder() / word;
  std::error_code ignored;
  const bool bare = word.find('/') == word.npos;
  return driver_of(bare && fs::exists(inside, ignored) ? inside : fs::path(word));
}

bool reaches_card(std::string_view name) {
  constexpr std::string_view nvidia = "nvidia";
  if (name == "kfd" || name == "nvidiactl" || name == "nvidia-uvm" || name.starts_with("renderD")) return true;
  return name.starts_with(nvidia) && name.size() > nvidia.size() &&
         name.find_first_not_of("0123456789", nvidia.size()) == name.npos;
}

/// The files in /dev through which drivers reach cards.
std::vector<fs::path> device_files(const fs::path& root) {
  std::vector<fs::path> files;
  for (const char* const folder : {"dev", "dev/dri"}) {
    std::error_code error;
    for (fs::directory_iterator entry(root / folder, error), end; !error && entry != end; entry.increment(error)) {
      if (reaches_card(entry->path().filename().string())) files.push_back(entry->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// None where the group has no name here.
std::optional<std::string> group_name(gid_t group) {
  struct group entry {
  }, *found = nullptr;
  std::array<char, 4096> text{};
  getgrgid_r(group, &entry, text.data(), text.size(), &found);
  return found != nullptr ? std::optional<std::string>(found->gr_name) : std::nullopt;
}

Obstacle refused(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {file.string() + " cannot be looked at", "Ask who runs this machine"};
  const auto group = group_name(status.st_gid);
  const std::string what =
      fmt::format("{} may not be opened by this user: its mode is {:04o}, its group {}", file.string(),
                  status.st_mode & 07777, group.value_or("number " + std::to_string(status.st_gid)));
  constexpr mode_t group_may = S_IRGRP | S_IWGRP;
  if ((status.st_mode & group_may) != group_may || status.st_gid == 0) {
    return {what, "Ask who runs this machine to give the file to the group render, and that group read and write"};
  }
  if (!group) {
    return {what, fmt::format("The group has no name here, as in a container: start that with --group-add {}",
                              status.st_gid)};
  }
  // ROCm asks for both.
  const std::string groups = *group == "render" || *group == "video" ? "render,video" : *group;
  return {what, "Add yourself to the group, and log in again:\n  sudo usermod -aG " + groups + " $USER"};
}

}  // namespace

std::string load_problem(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    return reason != nullptr ? reason : "it does not load";
  }
  dlclose(handle);
  return {};
}

fs::path vendors_folder() {
  if (const auto named = base::env("OCL_ICD_VENDORS"); named && is_folder(*named)) return *named;
  return base::env("OPENCL_VENDOR_PATH").value_or("/etc/OpenCL/vendors");
}

std::vector<RegisteredDriver> registered_drivers() {
  std::vector<RegisteredDriver> drivers;
  if (const auto words = base::env("OCL_ICD_FILENAMES")) {
    for (const std::string_view word : base::split(*words, ':')) {
      if (!word.empty()) drivers.push_back(driver_of_word("OCL_ICD_FILENAMES", std::string(word)));
    }
  }
  if (const auto word = base::env("OCL_ICD_VENDORS"); word && !is_folder(*word)) {
    drivers.push_back(driver_of_word("OCL_ICD_VENDORS", *word));
  } else {
    std::error_code error;
    for (fs::directory_iterator entry(vendors_folder(), error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().extension() == ".icd") drivers.push_back(driver_of(entry->path()));
    }
  }
  std::sort(drivers.begin(), drivers.end(), [](const auto& a, const auto& b) { return a.where < b.where; });
  return drivers;
}

std::vector<Obstacle> obstacles(const LoadProblem& problem_of, const fs::path& root) {
  std::vector<Obstacle> found;
  const auto drivers = registered_drivers();
  const bool nvidia_known = std::any_of(drivers.begin(), drivers.end(), [](const RegisteredDriver& driver) {
    return base::contains_ignoring_case(driver.library, "nvidia-opencl");
  });
  // Containers get the driver's libraries mounted, but often not the file that tells the loader.
  if (!nvidia_known && problem_of(nvidia_library).empty()) {
    const std::string folder = vendors_folder().string(), file = (vendors_folder() / "nvidia.icd").string();
    found.push_back(
        {fmt::format("NVIDIA's driver is here ({} loads), but no .icd file names it", nvidia_library),
         fmt::format("Tell the loader of it:\n  mkdir -p {} && echo {} > {}", folder, nvidia_library, file)});
  }
  for (const fs::path& file : device_files(root)) {
    if (::access(file.c_str(), R_OK | W_OK) != 0) found.push_back(refused(file));
  }
  return found;
}

std::span<const Package> packages() noexcept {
  static constexpr Package known[] = {
      {"pocl", "any CPU", "apt install pocl-opencl-icd"},
      {"nvidia", "NVIDIA card", "apt install nvidia-opencl-icd (Ubuntu: the nvidia-driver package has it)"},
      {"amd", "AMD card", "apt install rocm-opencl-runtime (AMD's repository), or mesa-opencl-icd"},
      {"intel", "Intel GPU", "apt install intel-opencl-icd"},
  };
  return known;
}

std::string explain_no_device(const std::vector<std::string>& problems) {
  std::string text = "no usable OpenCL device was found. What was looked for:";
  const auto drivers = registered_drivers();
  if (drivers.empty()) {
    text += "\n  drivers that the OpenCL loader knows: none; " + vendors_folder().string() + " holds no .icd file";
  }
  for (const auto& [where, library] : drivers) {
    text += "\n  " + where;
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
  text += "\nPackages that help on Debian and Ubuntu:";
  for (const Package& each : packages()) text += fmt::format("\n  {:<11}  {}", each.what, each.command);
  return text +
         "\n`koine doctor` looks at more, and says what to do next; `clinfo` shows what any OpenCL program sees.";
}

std::string explain_missing_drivers() {
  std::string text;
  for (const Obstacle& each : obstacles(load_problem, "/")) {
    text += (text.empty() ? "" : "\n") + each.what + ". " + each.step;
  }
  return text;
}

}  // namespace koine::cl

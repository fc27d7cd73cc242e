// SPDX-License-Identifier: Apache-2.0
// The sections of a user's file, and the devices that they are for.
#include "cl/device_tuning.hpp"

#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/log.hpp"
#include "cl/selector.hpp"
#include "koine/error.hpp"
#include "tuning/file.hpp"

namespace koine::cl {

namespace {

constexpr const char* variable = "KOINE_TUNING";

void log(const std::string& line) { base::log_line(base::LogTopic::device, line); }

/// The text of the file; empty where there is none in the usual file.
std::string text_of(const tuning::UserFile& file) {
  try {
    return base::read_file(file.path, variable);
  } catch (const FileError& error) {
    if (file.named) throw ValueError(error.what() + std::string("; the variable takes the path of a file, or off"));
    if (error.error() != ENOENT && error.error() != ENOTDIR) log(error.what());
    return {};
  }
}

void apply(const tuning::Section& section, DeviceTraits& device, const std::string& path) {
  for (const tuning::Assignment& each : section.values) {
    device.tuning.*each.parameter->field = each.value;
    if (!base::log_enabled(base::LogTopic::device)) continue;
    log(device.selector + " tuning: " + std::string(each.parameter->name) + " = " + std::to_string(each.value) +
        ", says " + path + ", line " + std::to_string(each.line));
  }
}

}  // namespace

void set_tuning(std::span<DeviceTraits* const> devices) {
  for (DeviceTraits* device : devices) {
    device->tuning =
        tuning::of_rows({device->name, device->architecture, device->vendor, to_string(device->device_class)});
  }
  const auto file = tuning::file_of_environment();
  if (!file) return;
  const auto complain = [&](int line, const std::string& what) {
    const std::string message =
        "[" + std::string(variable) + "] " + file->path + ", line " + std::to_string(line) + ": " + what;
    if (file->named) throw ValueError(message);
    log(message);
  };
  const std::vector<const DeviceTraits*> all(devices.begin(), devices.end());
  for (const tuning::Section& section : tuning::parse(text_of(*file), complain)) {
    try {
      const std::vector<std::size_t> meant = matching(section.selector, "section", all);
      if (meant.empty()) log(file->path + ", line " + std::to_string(section.line) + ": no such device is here");
      for (const std::size_t i : meant) apply(section, *devices[i], file->path);
    } catch (const ValueError& error) {
      complain(section.line, error.what());
    }
  }
}

}  // namespace koine::cl

// SPDX-License-Identifier: Apache-2.0
// `koine devices`: what devices are here, and which one a program would use.
#include <fmt/format.h>
#include <koine/device.hpp>
#include <koine/error.hpp>

#include <memory>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "commands.hpp"
#include "devices.hpp"
#include "table.hpp"

namespace koine::tool {

namespace {

std::string memory_text(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

Row row_of(const Device& device, bool marked) {
  return {(marked ? "* " : "  ") + device.selector(), device.name(), device.vendor(), to_string(device.type()),
          memory_text(device.memory()), std::to_string(device.compute_units()), device.has_fp64() ? "yes" : "no",
          // float16 arrays work everywhere; the question is in what they are computed.
          device.has_fp16() ? "native" : "in float32", device.driver()};
}

void print_json(const std::vector<Device>& listed) {
  std::string items;
  for (const Device& device : listed) items += (items.empty() ? "" : ",\n    ") + json_of(device);
  const Device chosen = default_device();
  fmt::print("{{\n  \"devices\": [\n    {}\n  ],\n  \"default\": {},\n  \"reason\": {}\n}}\n", items,
             base::json_text(chosen.selector()), base::json_text(default_device_reason()));
}

void list_devices(const std::vector<Device>& listed) {
  const Device chosen = default_device();
  std::vector<Row> rows{{"  SELECTOR", "NAME", "VENDOR", "TYPE", "MEMORY", "UNITS", "FP64", "HALF", "DRIVER"}};
  for (const Device& device : listed) rows.push_back(row_of(device, device == chosen));
  print_table(rows);
  fmt::print("\n* the default is {}: {}\n", chosen.selector(), default_device_reason());
}

void show_devices(const std::string& selector, bool json) {
  try {
    const std::vector<Device> listed = selector.empty() ? devices() : devices(selector);
    json ? print_json(listed) : list_devices(listed);
  } catch (const DeviceError& error) {
    if (json) fmt::print("{{\n  \"devices\": [],\n  \"error\": {}\n}}\n", base::json_text(error.what()));
    throw;
  }
}

}  // namespace

std::string json_of(const Device& device) {
  using base::json_text;
  return fmt::format(
      R"({{"selector": {}, "name": {}, "vendor": {}, "type": {}, "platform": {}, "driver": {}, "memory": {}, )"
      R"("compute_units": {}, "fp64": {}, "fp16": {}}})",
      json_text(device.selector()), json_text(device.name()), json_text(device.vendor()),
      json_text(to_string(device.type())), json_text(device.platform()), json_text(device.driver()), device.memory(),
      device.compute_units(), device.has_fp64(), device.has_fp16());
}

void add_devices(CLI::App& app) {
  CLI::App* const devices = app.add_subcommand("devices", "List the devices, and which one is the default and why");
  const auto selector = std::make_shared<std::string>();
  devices->add_option("selector", *selector, "Only those that match, such as nvidia, gpu:1 or \"any;!pocl\"");
  const auto json = std::make_shared<bool>(false);
  devices->add_flag("--json", *json, "Write JSON; memory is in bytes");
  devices->callback([=] { show_devices(*selector, *json); });
}

}  // namespace koine::tool

// SPDX-License-Identifier: Apache-2.0
// `koine devices`: what devices are here, and which one a program would use.
#include <fmt/format.h>
#include <koine/device.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"

namespace koine::tool {

namespace {

constexpr std::size_t columns = 9;
using Row = std::array<std::string, columns>;

std::string memory_text(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

Row row_of(const Device& device) {
  return {device.selector(), device.name(), device.vendor(), to_string(device.type()), memory_text(device.memory()),
          std::to_string(device.compute_units()), device.has_fp64() ? "yes" : "no",
          // float16 arrays work everywhere; the question is in what they are computed.
          device.has_fp16() ? "native" : "in float32", device.driver()};
}

void print_table(const std::vector<Row>& rows, std::size_t marked) {
  std::array<std::size_t, columns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line = i == marked ? "* " : "  ";
    for (std::size_t j = 0; j < columns; ++j) line += fmt::format("{:<{}}  ", rows[i][j], widths[j]);
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
}

void list_devices(const std::string& selector) {
  const std::vector<Device> listed = selector.empty() ? devices() : devices(selector);
  std::vector<Row> rows{{"SELECTOR", "NAME", "VENDOR", "TYPE", "MEMORY", "UNITS", "FP64", "HALF", "DRIVER"}};
  for (const Device& device : listed) rows.push_back(row_of(device));
  const Device chosen = default_device();
  const auto found = std::find(listed.begin(), listed.end(), chosen);
  print_table(rows, found == listed.end() ? rows.size() : static_cast<std::size_t>(found - listed.begin()) + 1);
  fmt::print("\n* the default is {}: {}\n", chosen.selector(), default_device_reason());
}

}  // namespace

void add_devices(CLI::App& app) {
  CLI::App* const devices = app.add_subcommand("devices", "List the devices, and which one is the default and why");
  const auto selector = std::make_shared<std::string>();
  devices->add_option("selector", *selector, "Only those that match, such as nvidia, gpu:1 or \"any;!pocl\"");
  devices->callback([selector] { list_devices(*selector); });
}

}  // namespace koine::tool

// SPDX-License-Identifier: Apache-2.0
// The `koine` command: what devices are here, and which one a program would use.
#include <fmt/format.h>
#include <koine/device.hpp>
#include <koine/error.hpp>
#include <koine/version.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace {

namespace kn = koine;

constexpr std::size_t columns = 9;
using Row = std::array<std::string, columns>;

std::string memory_text(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

Row row_of(const kn::Device& device) {
  return {device.selector(), device.name(), device.vendor(), kn::to_string(device.type()), memory_text(device.memory()),
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
  const std::vector<kn::Device> devices = selector.empty() ? kn::devices() : kn::devices(selector);
  std::vector<Row> rows{{"SELECTOR", "NAME", "VENDOR", "TYPE", "MEMORY", "UNITS", "FP64", "HALF", "DRIVER"}};
  for (const kn::Device& device : devices) rows.push_back(row_of(device));
  const kn::Device chosen = kn::default_device();
  const auto found = std::find(devices.begin(), devices.end(), chosen);
  print_table(rows, found == devices.end() ? rows.size() : static_cast<std::size_t>(found - devices.begin()) + 1);
  fmt::print("\n* the default is {}: {}\n", chosen.selector(), kn::default_device_reason());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Koine: array math on whatever compute device is there"};
  app.name("koine");
  app.set_version_flag("--version", std::string("koine ") + kn::version());
  app.require_subcommand(1);
  std::string selector;
  CLI::App* const devices = app.add_subcommand("devices", "List the devices, and which one is the default and why");
  devices->add_option("selector", selector, "Only those that match, such as nvidia, gpu:1 or \"any;!pocl\"");
  CLI11_PARSE(app, argc, argv);
  try {
    list_devices(selector);
  } catch (const kn::Error& error) {
    fmt::print(stderr, "koine: {}\n", error.what());
    return 1;
  }
  return 0;
}

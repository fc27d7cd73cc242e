// SPDX-License-Identifier: Apache-2.0
// Asks /proc, /sys and nvidia-smi.
#include "machine_memory.hpp"

#include <charconv>
#include <cstdio>
#include <memory>
#include <string_view>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cl/discovery.hpp"
#include "koine/error.hpp"

namespace koine::tool {

namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_in(std::string_view text) {
  text = base::trim(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::string text_of(const fs::path& file) {
  try {
    return base::read_file(file, "monitor");
  } catch (const IoError&) {
    return {};
  }
}

std::optional<MachineMemory> of_host(const fs::path& root) {
  const fs::path file = root / "proc/meminfo";
  std::optional<std::uint64_t> total, free;
  const std::string text = text_of(file);
  for (const std::string_view line : base::split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    if (line.starts_with("MemTotal:")) total = number_in(line.substr(colon + 1));
    if (line.starts_with("MemAvailable:")) free = number_in(line.substr(colon + 1));
  }
  if (!total || !free || *free > *total) return std::nullopt;
  return MachineMemory{(*total - *free) << 10, *total << 10, file};
}

std::optional<MachineMemory> of_amd(const std::string& address, const fs::path& root) {
  const fs::path folder = root / "sys/bus/pci/devices" / address;
  const auto used = number_in(text_of(folder / "mem_info_vram_used")),
             total = number_in(text_of(folder / "mem_info_vram_total"));
  if (!used || !total) return std::nullopt;
  return MachineMemory{*used, *total, folder / "mem_info_vram_used"};
}

/// Lines such as "00000000:41:00.0, 5123, 143771", the last two in MiB.
std::optional<MachineMemory> of_nvidia(const std::string& address) {
  struct Close {
    void operator()(FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<FILE, Close> pipe(popen(
      "nvidia-smi --query-gpu=pci.bus_id,memory.used,memory.total --format=csv,noheader,nounits 2>/dev/null", "re"));
  if (pipe == nullptr) return std::nullopt;
  char line[256];
  while (std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    const auto fields = base::split(line, ',');
    if (fields.size() != 3 || !base::lower(base::trim(fields[0])).ends_with(address)) continue;
    const auto used = number_in(fields[1]), total = number_in(fields[2]);
    if (used && total) return MachineMemory{*used << 20, *total << 20, "nvidia-smi"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<MachineMemory> memory_of_all(const Device& device, const fs::path& root) {
  if (device.type() == DeviceType::cpu) return of_host(root);
  const std::string address = cl::pci_address(device.record());
  if (address.empty()) return std::nullopt;
  if (auto known = of_amd(address, root)) return known;
  return of_nvidia(address);
}

}  // namespace koine::tool

// SPDX-License-Identifier: Apache-2.0
// KOINE_DEVICE, KOINE_MEMORY_LIMIT, KOINE_LOG, KOINE_CACHE, KOINE_CACHE_SIZE, KOINE_CACHE_DIR, and the text of the file
// that KOINE_TUNING names.
#include <koine/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/env.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "cl/selector.hpp"
#include "runtime/disk_cache.hpp"
#include "support/invented.hpp"
#include "targets.hpp"
#include "tuning/file.hpp"

namespace koine::fuzz {
namespace {

using test::invented_device;

void fuzz_selector(const std::string& text) {
  static const DeviceTraits all[] = {invented_device("nvidia", DeviceClass::gpu, "NVIDIA H200", "nvidia:gpu:0"),
                                     invented_device("nvidia", DeviceClass::gpu, "NVIDIA H200", "nvidia:gpu:1"),
                                     invented_device("amd", DeviceClass::gpu, "gfx90a:sramecc+:xnack-", "amd:gpu:0"),
                                     invented_device("pocl", DeviceClass::cpu, "pthread-EPYC", "pocl:cpu:0"),
                                     invented_device("intel", DeviceClass::accelerator, "FPGA", "intel:acc:0")};
  std::vector<const DeviceTraits*> devices;
  for (const DeviceTraits& each : all) devices.push_back(&each);
  try {
    std::vector<std::size_t> chosen = cl::select(text, "KOINE_DEVICE", devices);
    require(!chosen.empty(), "a selector that matches nothing is an error");
    std::sort(chosen.begin(), chosen.end());
    require(chosen.back() < devices.size(), "a device that is there");
    require(std::adjacent_find(chosen.begin(), chosen.end()) == chosen.end(), "each device once");
    // What has no index does not depend on how many there are; whatever is said twice means the same.
    std::vector<std::size_t> twice = cl::select(text + ";" + text, "KOINE_DEVICE", devices);
    std::sort(twice.begin(), twice.end());
    require(twice == chosen, "a selector said twice matches the same");
  } catch (const ValueError& error) {
    require(std::string_view(error.what()).starts_with("[KOINE_DEVICE] "), "the message names the variable");
  } catch (const DeviceError& error) {
    const std::string_view what = error.what();
    require(what.starts_with("[KOINE_DEVICE] ") && what.find("pocl:cpu:0") != what.npos, "the message lists devices");
  }
}

void fuzz_size(const std::string& text) {
  constexpr std::uint64_t whole = std::uint64_t{80} << 30, exact = std::uint64_t{1} << 53;
  const auto bytes = base::parse_bytes(text, whole);
  if (!bytes) return;
  require(*bytes < std::uint64_t{1} << 63, "a size fits");
  require(text.find('%') == text.npos || *bytes <= whole, "a part is no more than the whole");
  if (*bytes < exact) require(base::parse_bytes(std::to_string(*bytes), whole) == *bytes, "a size in bytes is itself");
  require(!base::bytes_text(*bytes).empty(), "a size has a text");
}

/// Calls f(); a ValueError of its says which variable it is about.
template <class F>
void require_named(const std::string& variable, F f) {
  try {
    f();
  } catch (const ValueError& error) {
    require(std::string_view(error.what()).starts_with("[" + variable + "] "), "the message names the variable");
  }
}

void fuzz_cache_settings(const std::string& text) {
  for (const char* name : {"KOINE_CACHE", "KOINE_CACHE_SIZE", "KOINE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
    setenv(name, text.c_str(), 1);
    require_named(name, [] {
      const auto settings = runtime::DiskCache::settings_of_environment();
      require(settings.folder.empty() || settings.folder.is_absolute(), "the folder stays where it is");
    });
    require_named(name, [&] { base::env_flag(name); });
    unsetenv(name);
  }
}

void fuzz_tuning(std::string_view text) {
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  const auto complain = [&](int line, const std::string& what) {
    require(line >= 1 && line <= lines && !what.empty(), "a complaint is about a line that is there");
  };
  for (const tuning::Section& section : tuning::parse(text, complain)) {
    require(!section.selector.empty() && section.line <= lines, "a section has a selector");
    for (const tuning::Assignment& each : section.values) {
      require(each.line > section.line && each.line <= lines, "a value stands below its section's head");
      require(each.parameter->takes(each.value), "a value is one that the parameter takes");
    }
  }
}

}  // namespace

void fuzz_environment(std::string_view bytes) {
  const std::string text(bytes.substr(0, bytes.find('\0')));
  fuzz_selector(text);
  fuzz_size(text);
  fuzz_cache_settings(text);
  fuzz_tuning(bytes);
  require_named("KOINE_LOG", [&] { require(base::log_topics(text) <= 15, "the topics that there are"); });
}

}  // namespace koine::fuzz

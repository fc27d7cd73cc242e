// SPDX-License-Identifier: Apache-2.0
// Asks every platform for its devices, once, and keeps them for the life of the process.
#include "cl/discovery.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "base/env.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cl/diagnosis.hpp"
#include "cl/errors.hpp"
#include "cl/identity.hpp"
#include "cl/quirks.hpp"
#include "cl/selector.hpp"

namespace koine::cl {

namespace {

// Extension queries that older headers lack.
constexpr cl_device_info pci_bus_info_khr = 0x410F, uuid_khr = 0x106A;
constexpr cl_device_info pci_bus_nv = 0x4008, pci_slot_nv = 0x4009, pci_domain_nv = 0x400A;
constexpr cl_device_info topology_amd = 0x4037, board_name_amd = 0x4038;

struct Found {
  Candidate candidate;
  ::cl::Device device;
  ::cl::Platform platform;
};

struct Registry {
  std::vector<std::unique_ptr<DeviceEntry>> entries;
  std::vector<const DeviceEntry*> devices;
  std::vector<const DeviceTraits*> traits;
  std::vector<std::string> problems;
  std::uint32_t generation = 0;
};

template <class T>
std::optional<T> query(cl_device_id device, cl_device_info what) {
  T value{};
  if (clGetDeviceInfo(device, what, sizeof value, &value, nullptr) != CL_SUCCESS) return std::nullopt;
  return value;
}

template <class Get, class Handle, class What>
std::string query_text(Get get, Handle handle, What what) {
  std::size_t size = 0;
  if (get(handle, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (get(handle, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(std::strlen(text.c_str()));
  return std::string(base::trim(text));
}

std::string device_text(cl_device_id device, cl_device_info what) { return query_text(clGetDeviceInfo, device, what); }

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  return query_text(clGetPlatformInfo, platform, what);
}

std::string pci_text(unsigned domain, unsigned bus, unsigned device, unsigned function) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", domain & 0xffff, bus & 0xff, device & 0xff,
                function & 7);
  return text.data();
}

std::string pci_address(cl_device_id device, std::string_view extensions) {
  if (extensions.find("cl_khr_pci_bus_info") != std::string_view::npos) {
    if (const auto info = query<std::array<cl_uint, 4>>(device, pci_bus_info_khr)) {
      return pci_text((*info)[0], (*info)[1], (*info)[2], (*info)[3]);
    }
  }
  if (extensions.find("cl_nv_device_attribute_query") != std::string_view::npos) {
    const auto bus = query<cl_uint>(device, pci_bus_nv), slot = query<cl_uint>(device, pci_slot_nv);
    if (bus && slot) {
      return pci_text(query<cl_uint>(device, pci_domain_nv).value_or(0), *bus, *slot >> 3, *slot & 7);
    }
  }
  if (extensions.find("cl_amd_device_attribute_query") != std::string_view::npos) {
    // struct { cl_uint type; cl_char unused[17]; cl_char bus, device, function; }, type 1 meaning PCI Express
    const auto info = query<std::array<unsigned char, 24>>(device, topology_amd);
    if (info && (*info)[0] == 1) return pci_text(0, (*info)[21], (*info)[22], (*info)[23]);
  }
  return {};
}

std::string uuid(cl_device_id device, std::string_view extensions) {
  if (extensions.find("cl_khr_device_uuid") == std::string_view::npos) return {};
  const auto bytes = query<std::array<unsigned char, 16>>(device, uuid_khr);
  if (!bytes) return {};
  std::string text;
  for (const unsigned char each : *bytes) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", each);
    text += digits.data();
  }
  // Drivers without one fill in zeros.
  return text.find_first_not_of('0') == std::string::npos ? std::string() : text;
}

DeviceClass class_of(cl_device_type type) {
  // Simulators set every bit: they run on the CPU.
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return DeviceClass::cpu;
  return (type & CL_DEVICE_TYPE_GPU) != 0 ? DeviceClass::gpu : DeviceClass::accelerator;
}

std::string device_name(cl_device_id device, std::string_view extensions) {
  std::string name = device_text(device, CL_DEVICE_NAME);
  if (extensions.find("cl_amd_device_attribute_query") == std::string_view::npos) return name;
  // AMD's name is the chip's ("gfx90a:sramecc+:xnack-"); people know the board's.
  const std::string board = device_text(device, board_name_amd);
  return board.empty() || board == name ? name : board + " (" + name + ")";
}

DeviceTraits read_traits(cl_platform_id platform, cl_device_id device, std::string_view extensions) {
  DeviceTraits traits;
  traits.name = device_name(device, extensions);
  traits.platform = platform_text(platform, CL_PLATFORM_NAME);
  traits.platform_version = platform_text(platform, CL_PLATFORM_VERSION);
  traits.driver = device_text(device, CL_DRIVER_VERSION);
  traits.device_class = class_of(query<cl_device_type>(device, CL_DEVICE_TYPE).value_or(CL_DEVICE_TYPE_GPU));
  const std::string platform_vendor = platform_text(platform, CL_PLATFORM_VENDOR);
  const std::string device_vendor = device_text(device, CL_DEVICE_VENDOR);
  traits.vendor = vendor_of({traits.platform, platform_vendor, device_vendor,
                             query<cl_uint>(device, CL_DEVICE_VENDOR_ID).value_or(0), traits.device_class});
  traits.fp64 = query<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG).value_or(0) != 0;
  traits.fp16 = extensions.find("cl_khr_fp16") != std::string_view::npos;
  traits.unified_memory = traits.device_class == DeviceClass::cpu ||
                          query<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY).value_or(CL_FALSE) != CL_FALSE;
  traits.exact_divide = (query<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG).value_or(0) &
                         CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  traits.compute_units = query<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS).value_or(1);
  traits.max_group = static_cast<std::uint32_t>(query<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE).value_or(1));
  traits.max_parameter_bytes =
      static_cast<std::uint32_t>(query<std::size_t>(device, CL_DEVICE_MAX_PARAMETER_SIZE).value_or(1024));
  traits.vector_bytes = query<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT).value_or(4) * 4;
  traits.base_alignment = query<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN).value_or(1024) / 8;  // given in bits
  traits.memory = query<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE).value_or(0);
  traits.max_allocation = query<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE).value_or(0);
  traits.local_memory = query<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE).value_or(0);
  apply_quirks(traits);
  return traits;
}

/// Why a device cannot be used; empty if it can.
std::string obstacle(cl_device_id device) {
  if (query<cl_bool>(device, CL_DEVICE_AVAILABLE).value_or(CL_TRUE) == CL_FALSE) return "is not available";
  if (query<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE).value_or(CL_TRUE) == CL_FALSE) return "has no compiler";
  int major = 0, minor = 0;
  const std::string version = device_text(device, CL_DEVICE_VERSION);  // "OpenCL 1.2 ..."
  if (std::sscanf(version.c_str(), "OpenCL %d.%d", &major, &minor) == 2 && major * 10 + minor < 12) {
    return "speaks " + version + ", and 1.2 is needed";
  }
  return {};
}

void read_platform(cl_platform_id platform, std::size_t number, std::vector<Found>& found, Registry& registry) {
  const std::string name = platform_text(platform, CL_PLATFORM_NAME);
  cl_uint count = 0;
  const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0) {
    registry.problems.push_back("the platform \"" + name + "\" lists no device" +
                                (code == CL_SUCCESS ? "" : " (" + error_name(code) + ")"));
    return;
  }
  std::vector<cl_device_id> ids(count);
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr) != CL_SUCCESS) return;
  for (const cl_device_id id : ids) {
    if (const std::string why = obstacle(id); !why.empty()) {
      registry.problems.push_back("\"" + device_text(id, CL_DEVICE_NAME) + "\" of the platform \"" + name + "\" " +
                                  why);
      continue;
    }
    const std::string extensions = device_text(id, CL_DEVICE_EXTENSIONS);
    found.push_back({{read_traits(platform, id, extensions), number, pci_address(id, extensions), uuid(id, extensions)},
                     ::cl::Device(id, true),
                     ::cl::Platform(platform, true)});
  }
}

void log_devices(const Registry& registry) {
  using base::LogTopic;
  if (!base::log_enabled(LogTopic::device)) return;
  for (const DeviceEntry* entry : registry.devices) {
    const DeviceTraits& traits = entry->traits;
    base::log_line(LogTopic::device,
                   traits.selector + " is " + traits.name + ", " + traits.platform + ", driver " + traits.driver);
    for (const std::string_view reason : quirk_reasons(traits)) {
      base::log_line(LogTopic::device, traits.selector + " quirk: " + std::string(reason));
    }
  }
  for (const std::string& problem : registry.problems) base::log_line(LogTopic::device, problem);
}

Registry* discover() {
  const base::HoldExit hold;  // the first call of OpenCL loads the drivers
  base::watch_forks();
  auto registry = std::make_unique<Registry>();
  registry->generation = base::process_generation();
  cl_uint count = 0;
  std::vector<cl_platform_id> platforms;
  if (clGetPlatformIDs(0, nullptr, &count) == CL_SUCCESS && count > 0) {
    platforms.resize(count);
    if (clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) platforms.clear();
  }
  std::vector<Found> found;
  for (std::size_t i = 0; i < platforms.size(); ++i) read_platform(platforms[i], i, found, *registry);

  std::vector<Candidate> candidates;
  for (const Found& each : found) candidates.push_back(each.candidate);
  std::vector<DeviceTraits*> named;
  for (const std::size_t i : distinct_in_order(candidates)) {
    registry->entries.push_back(std::make_unique<DeviceEntry>(DeviceEntry{
        std::move(found[i].candidate.traits), found[i].device, found[i].platform, registry->entries.size()}));
    DeviceEntry* entry = registry->entries.back().get();
    registry->devices.push_back(entry);
    registry->traits.push_back(&entry->traits);
    named.push_back(&entry->traits);
  }
  assign_selectors(named);
  log_devices(*registry);
  return registry.release();
}

/// Never destroyed: drivers may be gone by the time static objects die.
const Registry& registry() {
  static const Registry& instance = *discover();
  return instance;
}

std::vector<const DeviceEntry*> at(const std::vector<std::size_t>& indices) {
  std::vector<const DeviceEntry*> result;
  for (const std::size_t i : indices) result.push_back(registry().devices[i]);
  return result;
}

}  // namespace

const std::vector<const DeviceEntry*>& all_devices() { return registry().devices; }

std::uint32_t discovery_generation() { return registry().generation; }

std::string diagnosis() { return explain_no_device(registry().problems); }

std::vector<const DeviceEntry*> select_devices(std::string_view selector, std::string_view origin) {
  const Registry& all = registry();
  if (all.devices.empty()) throw DeviceError("[" + std::string(origin) + "] " + diagnosis());
  try {
    return at(select(selector, origin, all.traits));
  } catch (const DeviceError& error) {
    // A card that is there but not set up looks like no match.
    const std::string hint = explain_missing_drivers();
    if (hint.empty()) throw;
    throw DeviceError(error.what() + ("\n" + hint));
  }
}

const std::vector<const DeviceEntry*>& usable_devices() {
  static const auto& usable = *new std::vector<const DeviceEntry*>([] {
    const auto selector = base::env("KOINE_DEVICE");
    if (selector) return select_devices(*selector, "KOINE_DEVICE");
    if (registry().devices.empty()) throw DeviceError("[devices] " + diagnosis());
    return registry().devices;
  }());
  return usable;
}

}  // namespace koine::cl

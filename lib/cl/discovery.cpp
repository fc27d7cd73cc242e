// SPDX-License-Identifier: Apache-2.0
// Asks every platform for its devices, once, and keeps them for the life of the process.
#include "cl/discovery.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "base/env.hpp"
#include "base/first_use.hpp"
#include "base/log.hpp"
#include "base/parallel.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cl/capabilities.hpp"
#include "cl/device_tuning.hpp"
#include "cl/diagnosis.hpp"
#include "cl/errors.hpp"
#include "cl/identity.hpp"
#include "cl/quirks.hpp"
#include "cl/selector.hpp"

namespace koine::cl {

namespace {

// Extension queries that older headers lack.
constexpr cl_device_info pci_bus_info_khr = 0x410F, uuid_khr = 0x106A;
constexpr cl_int no_platform = -1001;
constexpr cl_device_info pci_bus_nv = 0x4008, pci_slot_nv = 0x4009, pci_domain_nv = 0x400A;
constexpr cl_device_info capability_major_nv = 0x4000, capability_minor_nv = 0x4001, warp_size_nv = 0x4003;
// Of OpenCL 2.0 and later.
constexpr cl_device_info svm_capabilities = 0x1053;
constexpr cl_bitfield svm_fine_grain_buffer = 1 << 1;
constexpr cl_device_info topology_amd = 0x4037, board_name_amd = 0x4038, wavefront_width_amd = 0x4043;

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

/// A driver that does not say what every driver has to.
struct Refused {
  cl_int code;
};

/// What not every driver knows; none if this one does not.
template <class T>
std::optional<T> query(cl_device_id device, cl_device_info what) {
  T value{};
  const cl_int code = clGetDeviceInfo(device, what, sizeof value, &value, nullptr);
  if (code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES) throw Refused{code};  // another time it would
  if (code != CL_SUCCESS) return std::nullopt;
  return value;
}

/// What every driver knows. A guess in its place could pick the wrong kernels: throws Refused instead.
template <class T>
T required(cl_device_id device, cl_device_info what) {
  T value{};
  if (const cl_int code = clGetDeviceInfo(device, what, sizeof value, &value, nullptr); code != CL_SUCCESS) {
    throw Refused{code};
  }
  return value;
}

template <class Get, class Handle, class What>
std::string query_text(Get get, Handle handle, What what) {
  std::size_t size = 0;
  cl_int code = get(handle, what, 0, nullptr, &size);
  if (code != CL_SUCCESS) throw Refused{code};
  if (size == 0) return {};
  std::string text(size, '\0');
  code = get(handle, what, size, text.data(), nullptr);
  if (code != CL_SUCCESS) throw Refused{code};
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
  std::string board;
  try {
    board = device_text(device, board_name_amd);
  } catch (const Refused&) {  // it is a name for people
  }
  return board.empty() || board == name ? name : board + " (" + name + ")";
}

/// Who runs the instructions, and how many work-items at a time: known where the vendor has a query for it.
void read_architecture(cl_device_id device, std::string_view extensions, DeviceTraits& traits) {
  if (extensions.find("cl_nv_device_attribute_query") != std::string_view::npos) {
    const auto major = query<cl_uint>(device, capability_major_nv), minor = query<cl_uint>(device, capability_minor_nv);
    if (major && minor) traits.architecture = nvidia_architecture(*major, *minor);
    traits.subgroup = query<cl_uint>(device, warp_size_nv).value_or(0);
  } else if (extensions.find("cl_amd_device_attribute_query") != std::string_view::npos) {
    traits.architecture = amd_architecture(device_text(device, CL_DEVICE_NAME));
    traits.subgroup = query<cl_uint>(device, wavefront_width_amd).value_or(0);
  }
}

DeviceTraits read_traits(cl_platform_id platform, cl_device_id device, std::string_view extensions) {
  DeviceTraits traits;
  traits.name = device_name(device, extensions);
  traits.platform = platform_text(platform, CL_PLATFORM_NAME);
  traits.platform_version = platform_text(platform, CL_PLATFORM_VERSION);
  traits.driver = device_text(device, CL_DRIVER_VERSION);
  traits.device_class = class_of(required<cl_device_type>(device, CL_DEVICE_TYPE));
  const std::string platform_vendor = platform_text(platform, CL_PLATFORM_VENDOR);
  const std::string device_vendor = device_text(device, CL_DEVICE_VENDOR);
  traits.vendor = vendor_of({traits.platform, platform_vendor, device_vendor,
                             required<cl_uint>(device, CL_DEVICE_VENDOR_ID), traits.device_class});
  read_architecture(device, extensions, traits);
  traits.fp64 = query<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG).value_or(0) != 0;
  traits.fp16 = extensions.find("cl_khr_fp16") != std::string_view::npos;
  traits.unified_memory = traits.device_class == DeviceClass::cpu ||
                          query<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY).value_or(CL_FALSE) != CL_FALSE;
  // A CPU that shares single bytes with the host keeps no copy of what it was given.
  traits.host_memory = traits.device_class == DeviceClass::cpu &&
                       (query<cl_bitfield>(device, svm_capabilities).value_or(0) & svm_fine_grain_buffer) != 0;
  traits.host_commands = traits.device_class == DeviceClass::cpu &&
                         (query<cl_device_exec_capabilities>(device, CL_DEVICE_EXECUTION_CAPABILITIES).value_or(0) &
                          CL_EXEC_NATIVE_KERNEL) != 0;
  traits.exact_divide =
      (required<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  traits.compute_units = required<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  traits.max_group = static_cast<std::uint32_t>(required<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  // A buffer counts as 16 bytes (codegen::parameter_bytes). SPIR-V allows 255 of them, and NVIDIA's compiler takes
  // minutes for the 2,000 that its devices could have.
  traits.max_parameter_bytes = static_cast<std::uint32_t>(
      std::min<std::size_t>(required<std::size_t>(device, CL_DEVICE_MAX_PARAMETER_SIZE), 255 * 16));
  traits.vector_bytes = required<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT) * 4;
  traits.base_alignment = required<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;  // given in bits
  traits.memory = required<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  traits.max_allocation = required<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  traits.local_memory = required<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  set_capabilities(traits);
  apply_quirks(traits);
  return traits;
}

/// Why a device cannot be used; empty if it can.
std::string obstacle(cl_device_id device) {
  if (required<cl_bool>(device, CL_DEVICE_AVAILABLE) == CL_FALSE) return "is not available";
  if (required<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) return "has no compiler";
  int major = 0, minor = 0;
  const std::string version = device_text(device, CL_DEVICE_VERSION);  // "OpenCL 1.2 ..."
  if (std::sscanf(version.c_str(), "OpenCL %d.%d", &major, &minor) == 2 && major * 10 + minor < 12) {
    return "speaks " + version + ", and 1.2 is needed";
  }
  return {};
}

void read_device(cl_platform_id platform, std::size_t number, cl_device_id id, std::vector<Found>& found) {
  const std::string extensions = device_text(id, CL_DEVICE_EXTENSIONS);
  found.push_back({{read_traits(platform, id, extensions), number, pci_address(id, extensions), uuid(id, extensions)},
                   ::cl::Device(id, true),
                   ::cl::Platform(platform, true)});
}

void read_platform(cl_platform_id platform, std::size_t number, std::vector<Found>& found, Registry& registry) {
  std::string name = "number " + std::to_string(number);
  const auto problem = [&](const std::string& what, cl_int code) {
    registry.problems.push_back(what + (code == CL_SUCCESS ? "" : " (" + error_name(code) + ")"));
  };
  cl_uint count = 0;
  std::vector<cl_device_id> ids;
  try {
    name = platform_text(platform, CL_PLATFORM_NAME);
    const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    if (code != CL_SUCCESS || count == 0) return problem("the platform \"" + name + "\" lists no device", code);
    ids.resize(count);
    if (const cl_int listed = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
        listed != CL_SUCCESS) {
      throw Refused{listed};
    }
  } catch (const Refused& refused) {
    return problem("the platform \"" + name + "\" does not say what it has", refused.code);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::string device = "device " + std::to_string(i);
    try {
      device = "\"" + device_text(ids[i], CL_DEVICE_NAME) + "\"";
      if (const std::string why = obstacle(ids[i]); !why.empty()) {
        problem(device + " of the platform \"" + name + "\" " + why, CL_SUCCESS);
      } else {
        read_device(platform, number, ids[i], found);
      }
    } catch (const Refused& refused) {
      problem(device + " of the platform \"" + name + "\" does not say what it can do", refused.code);
    }
  }
}

void log_devices(const Registry& registry) {
  using base::LogTopic;
  if (!base::log_enabled(LogTopic::device)) return;
  for (const DeviceEntry* entry : registry.devices) {
    const DeviceTraits& traits = entry->traits;
    base::log_line(LogTopic::device,
                   traits.selector + " is " + traits.name + ", " + traits.platform + ", driver " + traits.driver +
                       (traits.architecture.empty() ? "" : ", architecture " + traits.architecture) +
                       (traits.subgroup == 0 ? "" : ", sub-groups of " + std::to_string(traits.subgroup)));
    for (const std::string_view reason : quirk_reasons(traits)) {
      base::log_line(LogTopic::device, traits.selector + " quirk: " + std::string(reason));
    }
  }
  for (const std::string& problem : registry.problems) base::log_line(LogTopic::device, problem);
}

[[noreturn]] void throw_forked() {
  throw DeviceError(
      "[device] this process was forked from one that had used OpenCL, whose drivers do not survive a fork. Use "
      "devices "
      "only after the fork, or start a new program (exec)");
}

/// While this lives, PoCL is told how many cores the process may run on, where those are a part of the machine's. It
/// counts the machine's, and as many threads would take turns on these. Told of two cores of a Xeon's sixteen, a chain
/// of small kernels takes 0.6 of the time, and kernels of a million elements, which more threads share more evenly, 1.1
/// on average. Not where the user has told it a number.
class UsableCoresForPocl {
 public:
  UsableCoresForPocl() {
    const int cores = base::usable_cores();
    if (cores >= sysconf(_SC_NPROCESSORS_ONLN)) return;
    if (std::ranges::any_of(names_, [](const char* name) { return base::env(name).has_value(); })) return;
    for (std::size_t i = 0; i < count_; ++i) variables_[i].emplace(names_[i] + ("=" + std::to_string(cores)));
  }

 private:
  static constexpr std::size_t count_ = 2;
  // Up to PoCL 3.1 and since; the former is deprecated.
  static constexpr std::array<const char*, count_> names_{"POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"};
  std::array<std::optional<base::OneMoreVariable>, count_> variables_;
};

Registry* discover() {
  base::log_topics_of_environment();    // throws here where it is malformed
  const base::Undisturbed undisturbed;  // the first call of OpenCL loads the drivers
  base::watch_end();
  const UsableCoresForPocl cores;
  auto registry = std::make_unique<Registry>();
  registry->generation = base::process_generation();
  cl_uint count = 0;
  std::vector<cl_platform_id> platforms;
  cl_int code = clGetPlatformIDs(0, nullptr, &count);
  if (code == CL_SUCCESS && count > 0) {
    platforms.resize(count);
    code = clGetPlatformIDs(count, platforms.data(), nullptr);
    if (code != CL_SUCCESS) platforms.clear();
  }
  if (code != CL_SUCCESS && code != no_platform) {
    registry->problems.push_back("the OpenCL loader lists no platforms (" + error_name(code) + ")");
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
  set_tuning(named);
  log_devices(*registry);
  return registry.release();
}

/// Never destroyed: drivers may be gone by the time static objects die. No guard of the language's, nor a lock before
/// the process is known to be the one that took it: a fork on another thread leaves both held in the child.
const Registry& registry() {
  static constinit std::atomic<const Registry*> known{nullptr};
  if (const Registry* const instance = known.load(std::memory_order_acquire)) return *instance;
  static constinit std::atomic<std::uint32_t> begun{0};
  const std::uint32_t here = base::process_generation() + 1;
  std::uint32_t before = 0;
  if (!begun.compare_exchange_strong(before, here) && before != here) throw_forked();
  static constinit std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (known.load(std::memory_order_relaxed) == nullptr) known.store(discover(), std::memory_order_release);
  return *known.load(std::memory_order_relaxed);
}

std::vector<const DeviceEntry*> at(const std::vector<std::size_t>& indices) {
  std::vector<const DeviceEntry*> result;
  for (const std::size_t i : indices) result.push_back(registry().devices[i]);
  return result;
}

}  // namespace

const std::vector<const DeviceEntry*>& all_devices() { return registry().devices; }

void check_drivers() {
  if (registry().generation != base::process_generation()) throw_forked();
  if (base::drivers_gone()) {
    base::await_end();
    throw DeviceError(
        "[device] the process is ending, and its drivers are gone. Compute in destructors of static objects only if "
        "those "
        "were made after the first use of a device");
  }
}

const std::vector<std::string>& discovery_problems() { return registry().problems; }

std::string pci_address(const DeviceEntry& entry) {
  try {
    return pci_address(entry.device(), device_text(entry.device(), CL_DEVICE_EXTENSIONS));
  } catch (const Refused&) {
    return {};
  }
}

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
  static constinit base::FirstUse<const std::vector<const DeviceEntry*>> usable;
  return usable.get([] {
    const auto selector = base::env("KOINE_DEVICE");
    if (selector) return select_devices(*selector, "KOINE_DEVICE");
    if (registry().devices.empty()) throw DeviceError("[devices] " + diagnosis());
    return registry().devices;
  });
}

}  // namespace koine::cl

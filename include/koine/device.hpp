// SPDX-License-Identifier: Apache-2.0
// Devices: what is there, which one is used by default, and how to choose another.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "koine/export.hpp"

namespace koine {

namespace detail {
struct DeviceRecord;
}

/// The three kinds of device.
enum class DeviceType { gpu, cpu, accelerator };

/// The word that selectors use for a type: "gpu", "cpu" or "acc".
KOINE_API const char* to_string(DeviceType type) noexcept;

/// One compute device. A value as cheap as a pointer; valid for the life of the process.
class KOINE_API Device {
 public:
  /// For the library's own use: devices() and default_device() are where devices come from.
  explicit Device(const detail::DeviceRecord& record) noexcept : record_(&record) {}
  /// The best device that a selector matches: `x.to_device("cpu")`, `.device = "nvidia:gpu:1"`. Throws as
  /// devices(selector).
  Device(std::string_view selector);                                           // NOLINT: implicit by design
  Device(const char* selector) : Device(std::string_view(selector)) {}         // NOLINT
  Device(const std::string& selector) : Device(std::string_view(selector)) {}  // NOLINT

  /// The device's name, such as "NVIDIA H200".
  const std::string& name() const noexcept;
  /// The vendor in one lower-case word as selectors use it: "nvidia", "amd", "intel", "pocl", ...
  const std::string& vendor() const noexcept;
  /// GPU, CPU or another accelerator.
  DeviceType type() const noexcept;
  /// The name of the OpenCL platform (the driver) that serves the device.
  const std::string& platform() const noexcept;
  /// The driver's version.
  const std::string& driver() const noexcept;
  /// The selector that names exactly this device, such as "nvidia:gpu:0"; KOINE_DEVICE and devices() take it.
  const std::string& selector() const noexcept;
  /// The device's memory in bytes.
  std::uint64_t memory() const noexcept;
  /// How many multiprocessors or cores the device has.
  int compute_units() const noexcept;
  /// Whether float64 and complex128 work on this device.
  bool has_fp64() const noexcept;
  /// Whether the device computes in half precision. (float16 arrays work on every device, computed in float32.)
  bool has_fp16() const noexcept;

  /// The same device.
  friend bool operator==(const Device& a, const Device& b) noexcept { return a.record_ == b.record_; }

  /// For the library's own use.
  const detail::DeviceRecord& record() const noexcept { return *record_; }

 private:
  const detail::DeviceRecord* record_;
};

/// Prints the selector and the name: "pocl:cpu:0 (AMD EPYC ...)".
KOINE_API std::ostream& operator<<(std::ostream& stream, const Device& device);

/// Every usable device, best first: those that KOINE_DEVICE matches if it is set, otherwise all of them.
/// Throws DeviceError with a diagnosis if there is none, ValueError if KOINE_DEVICE is malformed.
KOINE_API std::vector<Device> devices();

/// The devices that a selector matches, best first, whatever KOINE_DEVICE says. The selector is `term[;term...]`, a
/// term being `vendor[:type[:which]]`, `type[:which]` or `!term`; see the README's table. Throws DeviceError if nothing
/// matches, ValueError if the selector is malformed.
KOINE_API std::vector<Device> devices(std::string_view selector);

/// The device that new arrays go to: the innermost DeviceScope of this thread, else set_default_device()'s, else the
/// first match of KOINE_DEVICE, else the best by rank (discrete GPU, integrated GPU, CPU).
KOINE_API Device default_device();

/// Why default_device() is what it is, as a short phrase: "KOINE_DEVICE=amd", "the first discrete GPU", ...
KOINE_API std::string default_device_reason();

/// Makes a device the default of all threads that are in no DeviceScope.
KOINE_API void set_default_device(const Device& device) noexcept;

/// Makes a device the default of this thread while the scope lives. Scopes nest.
class KOINE_API DeviceScope {
 public:
  explicit DeviceScope(const Device& device) noexcept;
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  const detail::DeviceRecord* previous_;
};

}  // namespace koine

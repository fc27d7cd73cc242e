// SPDX-License-Identifier: Apache-2.0
// The public device functions, and who decides which device is the default.
#include "koine/device.hpp"

#include <atomic>
#include <ostream>

#include "api/choices.hpp"
#include "base/env.hpp"
#include "cl/discovery.hpp"

namespace koine {

namespace {

using Record = detail::DeviceRecord;

constinit std::atomic<const Record*> chosen{nullptr};

std::vector<Device> to_devices(const std::vector<const Record*>& records) {
  std::vector<Device> result;
  result.reserve(records.size());
  for (const Record* record : records) result.emplace_back(*record);
  return result;
}

}  // namespace

Device::Device(std::string_view selector) : record_(cl::select_devices(selector, "Device").front()) {}

const std::string& Device::name() const noexcept { return record_->traits.name; }
const std::string& Device::vendor() const noexcept { return record_->traits.vendor; }
DeviceType Device::type() const noexcept { return record_->traits.device_class; }
const std::string& Device::platform() const noexcept { return record_->traits.platform; }
const std::string& Device::driver() const noexcept { return record_->traits.driver; }
const std::string& Device::selector() const noexcept { return record_->traits.selector; }
std::uint64_t Device::memory() const noexcept { return record_->traits.memory; }
int Device::compute_units() const noexcept { return static_cast<int>(record_->traits.compute_units); }
bool Device::has_fp64() const noexcept { return record_->traits.fp64; }
bool Device::has_fp16() const noexcept { return record_->traits.fp16; }

std::ostream& operator<<(std::ostream& stream, const Device& device) {
  return stream << device.selector() << " (" << device.name() << ')';
}

std::vector<Device> devices() { return to_devices(cl::usable_devices()); }

std::vector<Device> devices(std::string_view selector) { return to_devices(cl::select_devices(selector, "devices")); }

Device default_device() {
  if (const Record* record = api::choices().device) return Device(*record);
  if (const Record* record = chosen.load(std::memory_order_acquire)) return Device(*record);
  return Device(*cl::usable_devices().front());
}

std::string default_device_reason() {
  if (api::choices().device != nullptr) return "chosen by a DeviceScope";
  if (chosen.load(std::memory_order_acquire) != nullptr) return "chosen by set_default_device";
  const Record& record = *cl::usable_devices().front();
  if (const auto selector = base::env("KOINE_DEVICE")) return "the first match of KOINE_DEVICE=" + *selector;
  switch (record.traits.device_class) {
    case DeviceType::gpu:
      return record.traits.unified_memory ? "the best here: an integrated GPU, and no discrete one"
                                          : "the best here: a discrete GPU";
    case DeviceType::cpu: return "the best here: a CPU, and no GPU";
    case DeviceType::accelerator: return "the only kind here";
  }
  return {};
}

void set_default_device(const Device& device) noexcept { chosen.store(&device.record(), std::memory_order_release); }

DeviceScope::DeviceScope(const Device& device) noexcept : previous_(api::choices().device) {
  api::choices().device = &device.record();
}

DeviceScope::~DeviceScope() { api::choices().device = previous_; }

}  // namespace koine

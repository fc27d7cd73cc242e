// SPDX-License-Identifier: Apache-2.0
// The words for device types, which selectors and messages of all layers use.
#include "base/device_traits.hpp"

namespace koine {

const char* to_string(DeviceType type) noexcept {
  switch (type) {
    case DeviceType::gpu: return "gpu";
    case DeviceType::cpu: return "cpu";
    case DeviceType::accelerator: return "acc";
  }
  return "?";
}

}  // namespace koine

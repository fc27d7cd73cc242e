// SPDX-License-Identifier: Apache-2.0
// The words for device types, which selectors and messages of all layers use, and what follows from quirks.
#include "device/traits.hpp"

namespace koine {

const char* to_string(DeviceType type) noexcept {
  switch (type) {
    case DeviceType::gpu: return "gpu";
    case DeviceType::cpu: return "cpu";
    case DeviceType::accelerator: return "acc";
  }
  return "?";
}

bool DeviceTraits::cpu_loops() const { return device_class == DeviceClass::cpu && !quirks.loops_end_early; }

std::int64_t DeviceTraits::fewest_shares(std::int64_t rounds) const {
  if (!quirks.loops_end_early) return 1;
  // Rounds of loops inside an element's own work count too: pow of two int64 at a time takes 126.
  constexpr std::int64_t most_rounds = 65535, rounds_inside = 128;
  return rounds / (most_rounds / rounds_inside) + 1;
}

}  // namespace koine

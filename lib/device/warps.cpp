// SPDX-License-Identifier: Apache-2.0
// Warps by the architecture's number.
#include "device/warps.hpp"

#include <cstdlib>
#include <string_view>

namespace koine {

bool has_warps(const DeviceTraits& traits) {
  constexpr std::string_view prefix = "sm_";
  return traits.architecture.starts_with(prefix) && std::atoi(traits.architecture.c_str() + prefix.size()) >= 70;
}

}  // namespace koine

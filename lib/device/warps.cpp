// SPDX-License-Identifier: Apache-2.0
// Warps by the architecture's number.
#include "device/warps.hpp"

#include <cstdlib>
#include <string_view>

namespace koine {

namespace {

bool is_from(const DeviceTraits& traits, int number) {
  constexpr std::string_view prefix = "sm_";
  return traits.architecture.starts_with(prefix) && std::atoi(traits.architecture.c_str() + prefix.size()) >= number;
}

}  // namespace

bool has_warps(const DeviceTraits& traits) { return is_from(traits, 70); }
bool has_redux(const DeviceTraits& traits) { return is_from(traits, 80); }

}  // namespace koine

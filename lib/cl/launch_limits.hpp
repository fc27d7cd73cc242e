// SPDX-License-Identifier: Apache-2.0
// How large a launch may be, for those that users ask for: Koine's own stay far below.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cl/device_entry.hpp"

namespace koine::cl {

struct LaunchLimits {
  std::array<std::size_t, 3> items{};     ///< work-items of a work-group along each dimension
  std::array<std::uint64_t, 3> groups{};  ///< work-groups along each dimension
};

/// What the driver says, and of work-groups, which OpenCL has no question for, what the cards' makers document.
LaunchLimits launch_limits(const DeviceEntry& entry) noexcept;

/// Work-groups of a launch in all: a day's work at some 3e9 a second. A driver of a CPU refuses no number and would be
/// at it for ever.
inline constexpr std::uint64_t most_groups = std::uint64_t{1} << 48;

}  // namespace koine::cl

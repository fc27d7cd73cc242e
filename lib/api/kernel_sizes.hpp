// SPDX-License-Identifier: Apache-2.0
// Whether a launch of a user's kernel is one that the device can do, before a driver sees it.
#pragma once

#include "api/kernel_state.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace koine::api {

/// Sizes of a launch as OpenCL takes them.
struct LaunchSizes {
  std::vector<std::size_t> global, local, offset;  ///< local and offset may be empty
  bool empty = false;                              ///< there is nothing to run
};

/// Throws LaunchError where the sizes do not fit each other, the kernel or the device; the message names the limit.
/// `local_bytes` is what the arguments take of local memory.
LaunchSizes checked_sizes(const detail::KernelState& kernel, const LaunchOptions& options, std::uint64_t local_bytes);

}  // namespace koine::api

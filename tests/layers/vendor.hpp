// SPDX-License-Identifier: Apache-2.0
// What tests/layers/vendor.cpp offers the process that it is loaded into: how often it held a device to its answers.
#pragma once

#include <cstdint>

namespace koine::test {

/// What a played device refused since the process began, because it is beyond what the device says of itself.
struct Refused {
  std::uint64_t buffers = 0;   ///< larger than one may be
  std::uint64_t memory = 0;    ///< buffers for which the device had no memory left
  std::uint64_t builds = 0;    ///< double without fp64, or more local memory or larger groups than there are
  std::uint64_t launches = 0;  ///< groups, local memory or parameters
};

struct VendorLayer {
  /// Of all devices together.
  Refused (*refused)();
  /// Bytes of a device's live buffers, by the device's place in the play; pinned host memory does not count.
  std::uint64_t (*live_bytes)(unsigned place);
  /// How often kernels ran, whoever launched them, and the work-items of the largest group that was asked for.
  std::uint64_t (*launches)();
  std::uint64_t (*largest_group)();
  /// The work-items of all launches together.
  std::uint64_t (*work_items)();
  /// How many programs were made of a text that holds this one.
  std::uint64_t (*programs_with)(const char* text);
  /// How many programs are being compiled now.
  std::uint64_t (*builds_under_way)();
};

/// The one symbol that the layer exports beside OpenCL's two.
constexpr const char* vendor_layer_symbol = "koine_vendor_layer";

}  // namespace koine::test

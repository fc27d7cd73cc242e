// SPDX-License-Identifier: Apache-2.0
// One discovered device: its traits and its OpenCL handles, at a stable address for the life of the process.
#pragma once

#include <cstddef>

#include "cl/opencl.hpp"
#include "device/traits.hpp"

namespace koine::detail {

/// What a public koine::Device points to.
struct DeviceRecord {
  DeviceTraits traits;
  ::cl::Device device;
  ::cl::Platform platform;
  std::size_t index = 0;  ///< position in cl::all_devices()
};

}  // namespace koine::detail

namespace koine::cl {

using DeviceEntry = detail::DeviceRecord;

}  // namespace koine::cl

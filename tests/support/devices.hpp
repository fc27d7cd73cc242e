// SPDX-License-Identifier: Apache-2.0
// Runs a test on every device that KOINE_DEVICE allows, by default on all of them.
#pragma once

#include <doctest/doctest.h>
#include <koine/device.hpp>
#include <koine/dtype.hpp>

#include <cstdlib>
#include <string_view>

namespace koine::test {

/// Calls `test` with each device in turn as the default; devices that cannot compute in `type` are left out.
template <class F>
void on_each_device(DType type, F test) {
  for (const Device& device : devices()) {
    if ((type == float64 || type == complex128) && !device.has_fp64()) continue;
    CAPTURE(device.selector());
    const DeviceScope scope(device);
    test();
  }
}

template <class F>
void on_each_device(F test) {
  on_each_device(float32, test);
}

/// Whether KOINE_TEST_EXHAUSTIVE asks for the long run.
inline bool exhaustive() {
  const char* value = std::getenv("KOINE_TEST_EXHAUSTIVE");
  return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
}

}  // namespace koine::test

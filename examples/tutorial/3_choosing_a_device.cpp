// SPDX-License-Identifier: Apache-2.0
// Lesson 3: what devices there are, which one is used, and how to use another.
#include <cstdio>
#include <koine/koine.hpp>

#include "common.hpp"

namespace kn = koine;

int main() {
  for (const kn::Device& device : kn::devices()) {
    std::printf("%-12s %s: %d units, %.1f GiB\n", device.selector().c_str(), device.name().c_str(),
                device.compute_units(), static_cast<double>(device.memory()) / (1 << 30));
  }
  const kn::Device chosen = kn::default_device();
  std::printf("the default is %s: %s\n", chosen.selector().c_str(), kn::default_device_reason().c_str());

  // An array lives on the device that was the default when it was made, or on the one that is named.
  const kn::Array here = kn::arange(5);
  const kn::Array there = kn::arange(5, {.device = kn::devices().back()});
  std::printf("here is on %s, there on %s\n", here.device().selector().c_str(), there.device().selector().c_str());

  // A scope changes the default of this thread while it lives.
  {
    const kn::DeviceScope scope(kn::devices().back());
    check(kn::ones(3).device() == kn::devices().back(), "the scope's device is the default");
  }
  check(kn::ones(3).device() == chosen, "and it is no more after the scope");

  // A selector that matches nothing is an error, which lists what there is.
  try {
    kn::Device("nosuchvendor:gpu:3");
    check(false, "a device that is not there is an error");
  } catch (const kn::DeviceError& error) {
    std::printf("\n%s\n", error.what());
  }
}

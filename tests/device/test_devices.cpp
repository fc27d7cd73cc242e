// SPDX-License-Identifier: Apache-2.0
// Devices as a program sees them.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <sstream>
#include <thread>

#include "support/arrays.hpp"

namespace kn = koine;
using kn::test::has;
using kn::test::message_of;

TEST_CASE("every device says who it is, and its selector finds it") {
  const auto devices = kn::devices();
  REQUIRE_FALSE(devices.empty());
  for (const kn::Device& device : devices) {
    CAPTURE(device.selector());
    CHECK_FALSE(device.name().empty());
    CHECK_FALSE(device.vendor().empty());
    CHECK_FALSE(device.platform().empty());
    CHECK_FALSE(device.driver().empty());
    CHECK(device.memory() > 0);
    CHECK(device.compute_units() > 0);
    CHECK(device.selector().starts_with(device.vendor() + ":" + kn::to_string(device.type()) + ":"));
    const auto found = kn::devices(device.selector());
    REQUIRE(found.size() == 1);
    CHECK(found.front() == device);
    std::ostringstream text;
    text << device;
    CHECK(text.str() == device.selector() + " (" + device.name() + ")");
  }
}

TEST_CASE("the program's own choice goes before all, the innermost scope first, each thread its own") {
  const kn::Device first = kn::devices().front();
  CHECK(kn::default_device() == first);
  CHECK_FALSE(kn::default_device_reason().empty());
  {
    const kn::DeviceScope outer(kn::devices().back());
    CHECK(kn::default_device() == kn::devices().back());
    {
      const kn::DeviceScope inner(first);
      CHECK(kn::default_device() == first);
      CHECK(has(kn::default_device_reason(), "DeviceScope"));
    }
    CHECK(kn::default_device() == kn::devices().back());
    std::thread([] { CHECK_FALSE(has(kn::default_device_reason(), "DeviceScope")); }).join();
  }
  CHECK(kn::default_device() == first);
}

TEST_CASE("selectors that fail leave the devices as they were") {
  CHECK_THROWS_AS(kn::devices("nobody"), kn::DeviceError);
  CHECK_THROWS_AS(kn::devices("gpu:"), kn::ValueError);
  CHECK(has(message_of<kn::DeviceError>([] { kn::devices("nobody"); }), kn::default_device().selector()));
  CHECK_FALSE(kn::devices().empty());
}

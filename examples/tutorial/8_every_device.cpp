// SPDX-License-Identifier: Apache-2.0
// Lesson 8: the same program on every device that there is. Inside a `reproducible` scope all give the same bits.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <koine/koine.hpp>
#include <optional>

#include "common.hpp"

namespace kn = koine;

int main() {
  constexpr std::int64_t n = 1 << 22;
  std::optional<float> before;
  std::printf("%-14s %12s %12s %10s\n", "device", "sum", "bits", "time");
  for (const kn::Device& device : kn::devices()) {
    const kn::DeviceScope on(device);
    const kn::reproducible same_bits;
    float value = 0;
    const auto run = [&] {
      const kn::Array x = kn::random::Generator(3).uniform({n});
      value = kn::sum(x * x).item<float>();
    };
    run();
    const double time = milliseconds(run);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    std::printf("%-14s %12.3f %12x %7.2f ms\n", device.selector().c_str(), static_cast<double>(value), bits, time);
    check(!before || std::memcmp(&*before, &value, sizeof value) == 0, "all devices give the same bits");
    before = value;
  }
}

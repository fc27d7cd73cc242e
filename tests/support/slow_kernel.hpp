// SPDX-License-Identifier: Apache-2.0
// A kernel that takes its time, so that what does not wait for it reads too early.
#pragma once

#include <koine/device.hpp>

#include <cstdint>

namespace koine::test {

/// Adds `value` to each of sixteen elements of x, after a while that grows with `turns`.
inline constexpr const char* slow_kernel = R"(
kernel void test(global uint* x, uint turns, uint value) {
  uint y = x[get_global_id(0)] | 1;
  for (uint i = 0; i < turns; ++i) y = y * 1664525 + (y >> 3);
  x[get_global_id(0)] += y == 0 ? 1 : value;
}
)";

/// A tenth of a second or so: a CPU goes through a group's work-items one after another.
inline std::uint32_t slow_turns() { return default_device().type() == DeviceType::cpu ? 2'000'000 : 20'000'000; }

}  // namespace koine::test

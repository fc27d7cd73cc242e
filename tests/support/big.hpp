// SPDX-License-Identifier: Apache-2.0
// Arrays of more elements than 32 bits count: their values, comparing them on every core, and the devices that hold
// them.
#pragma once

#include <koine/koine.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/devices.hpp"
#include "support/inner.hpp"

namespace koine::test {

inline constexpr std::int64_t two31 = std::int64_t{1} << 31, two32 = std::int64_t{1} << 32;
/// Depends on every byte of a position, so that a position that wrapped anywhere gives another value.
constexpr std::uint8_t pattern(std::int64_t i) {
  return static_cast<std::uint8_t>(i ^ (i >> 8) ^ (i >> 16) ^ (i >> 24) ^ ((i >> 32) * 37));
}

/// Calls f(first, last) for the parts of a range, on every core: the host's side takes longer than the card's.
template <class F>
void in_parts(std::int64_t size, F f) {
  const std::int64_t parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::int64_t part = 0; part < parts; ++part) {
    threads.emplace_back([=, &f] { f(size / parts * part, part + 1 == parts ? size : size / parts * (part + 1)); });
  }
}

/// How many of an array's elements differ from f(i), and where the first is.
template <class T, class F>
std::string differing(const std::vector<T>& got, std::int64_t size, F f) {
  if (static_cast<std::int64_t>(got.size()) != size) return std::to_string(got.size()) + " elements";
  std::mutex mutex;
  std::int64_t count = 0, least = size;
  in_parts(size, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      if (got[i] == f(i)) continue;
      const std::lock_guard lock(mutex);
      ++count;
      least = std::min(least, i);
    }
  });
  return count == 0 ? "" : std::to_string(count) + " differ, the first at " + std::to_string(least);
}

/// Runs a test on each device that can hold `bytes` in one buffer and four times that at once.
inline void on_large_devices(std::int64_t bytes, const std::function<void()>& test) {
  on_each_device([&] {
    const Device device = default_device();
    const std::uint64_t largest = facts_of(device).largest_buffer;
    const auto needed = static_cast<std::uint64_t>(bytes);
    std::ostringstream why;
    if (needed > largest) {
      why << "one buffer holds " << bytes_text(largest);
    } else if (4 * needed > memory_stats(device).limit) {
      why << "the memory to use is " << bytes_text(memory_stats(device).limit);
    } else if (device.type() == DeviceType::cpu && !exhaustive()) {
      why << "on a CPU it takes minutes: KOINE_TEST_EXHAUSTIVE=1 runs it";
    } else {
      return test();
    }
    leave_out(device.selector() + ", arrays of " + bytes_text(needed) + ": " + why.str());
  });
}

}  // namespace koine::test

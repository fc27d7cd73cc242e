// SPDX-License-Identifier: Apache-2.0
// Repeats work until a clock can tell how long it takes.
#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace koine::tool {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double seconds_of(const Workload& workload, double least, int samples) {
  using Clock = std::chrono::steady_clock;
  const auto timed = [&](std::int64_t runs) {
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < runs; ++i) workload();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  timed(2);
  std::int64_t runs = 1;
  while (timed(runs) < least) runs *= 2;
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i) seconds.push_back(timed(runs) / static_cast<double>(runs));
  return median(seconds);
}

}  // namespace koine::tool

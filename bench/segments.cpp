// SPDX-License-Identifier: Apache-2.0
// Values added up by the ids of their groups: few groups, sorted ids, rows, and many groups.
#include "bench.hpp"

namespace koine::bench {

void add_segments() {
  const int log = on_cpu() ? 24 : 26;
  const std::int64_t n = std::int64_t{1} << log;
  const auto ids = [](std::int64_t count, std::int64_t groups) {
    return astype(random::Generator(7).integers(0, groups, {count}), int32).eval();
  };
  const auto summed = [=](const std::string& work, const Shape& shape, std::int64_t groups, bool sorted) {
    add(
        "segments/" + work + "/koine",
        [=] {
          const Array drawn = ids(shape[0], groups), which = sorted ? sort(drawn).eval() : drawn, x = uniform(shape);
          return [=] {
            segment_sum(x, which, {.count = groups}).eval();
            finish();
          };
        },
        4.0 * static_cast<double>(n + shape[0]));
  };
  const std::string size = "2^" + std::to_string(log);
  summed("sum of " + size + " into 10", {n}, 10, false);
  summed("sum of " + size + " into 1000", {n}, 1000, false);
  summed("sum of " + size + " into 1000, sorted", {n}, 1000, true);
  summed("sum of " + size + " into 10^6", {n}, 1'000'000, false);
  summed("sum of " + size + " as rows of 64 into 1000", {n / 64, 64}, 1000, false);
  add(
      "segments/bincount of " + size + " with weights/koine",
      [=] {
        const Array which = ids(n, 1000), x = uniform({n});
        return [=] {
          bincount(which, {.weights = x}).eval();
          finish();
        };
      },
      8.0 * static_cast<double>(n));
}

}  // namespace koine::bench

// SPDX-License-Identifier: Apache-2.0
// Elements picked by masks and by positions.
#include "bench.hpp"

namespace koine::bench {

void add_indexing() {
  constexpr std::int64_t n = 1 << 24;
  const auto picked = [](const std::string& name, double bytes, const std::function<Array(const Array&)>& index) {
    add(
        "indexing/" + name + " 2^24/koine",
        [=] {
          const Array x = uniform({n}), at = index(x).eval();
          return [=] {
            x(at).eval();
            finish();
          };
        },
        bytes);
  };
  picked("mask, half", 7.0 * n, [](const Array& x) { return x < 0.5; });
  picked("positions, random", 16.0 * n, [](const Array&) { return random::Generator(3).integers(0, n, {n}); });
}

}  // namespace koine::bench

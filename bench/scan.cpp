// SPDX-License-Identifier: Apache-2.0
// Running sums along a long row, along many rows, and across them; exponentials of rows.
#include "bench.hpp"

namespace koine::bench {

void add_scans() {
  const auto scanned = [](const std::string& name, const Shape& shape, int axis) {
    add(
        "scan/cumulative_sum " + name + "/koine",
        [=] {
          const Array x = uniform(shape);
          return [=] {
            cumulative_sum(x, {.axis = axis}).eval();
            finish();
          };
        },
        8.0 * static_cast<double>(shape.elements()));
  };
  scanned("2^24", {1 << 24}, 0);
  scanned("axis 0 of 4096^2", {4096, 4096}, 0);
  scanned("axis 1 of 4096^2", {4096, 4096}, 1);
  const auto shares = [](const std::string& name, const Shape& shape) {
    add(
        "scan/softmax " + name + "/koine",
        [=] {
          const Array x = uniform(shape);
          return [=] {
            softmax(x, {.axis = -1}).eval();
            finish();
          };
        },
        8.0 * static_cast<double>(shape.elements()));
  };
  shares("rows of 1024", {16384, 1024});
  shares("rows of 64", {262144, 64});
}

}  // namespace koine::bench

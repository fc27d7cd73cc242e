// SPDX-License-Identifier: Apache-2.0
// Products of square matrices.
#include "bench.hpp"

namespace koine::bench {

void add_matmul() {
  for (const DType type : {float32, float64, float16}) {
    if (type == float64 && !default_device().has_fp64()) continue;
    for (const std::int64_t n : {1024, 2048, 4096}) {
      if (n > 2048 && on_cpu()) continue;
      add_both_orders(
          "matmul/" + std::string(name(type)) + " " + std::to_string(n),
          [=] {
            const Array a = uniform({n, n}, type), b = uniform({n, n}, type);
            return [=] {
              const Array c = matmul(a, b);
              c.eval();
              finish();
            };
          },
          0, 2.0 * static_cast<double>(n * n * n));
    }
  }
  const std::int64_t side = on_cpu() ? 4096 : 16384;
  add_both_orders(
      "matmul/float32 " + std::to_string(side) + "^2 by a vector",
      [=] {
        const Array a = uniform({side, side}), b = uniform({side});
        return [=] {
          const Array c = matmul(a, b);
          c.eval();
          finish();
        };
      },
      4.0 * static_cast<double>(side * side));
}

}  // namespace koine::bench

// SPDX-License-Identifier: Apache-2.0
// Reductions of large arrays.
#include "bench.hpp"

namespace koine::bench {

namespace {

void add_reduction(const std::string& work, const Shape& shape, const std::function<Array(const Array&)>& function) {
  add_both_orders(
      "reduce/" + work,
      [=] {
        const Array x = uniform(shape);
        return [=] {
          const Array result = function(x);
          result.eval();
          finish();
        };
      },
      4.0 * static_cast<double>(shape.elements()));
}

}  // namespace

void add_reduce() {
  const int log_side = on_cpu() ? 12 : 14;
  const std::int64_t side = std::int64_t{1} << log_side, n = side * side;
  const std::string line = " 2^" + std::to_string(2 * log_side), square = std::to_string(side) + "^2";
  if (!on_cpu()) add_reduction("sum 2^24", {1 << 24}, [](const Array& x) { return sum(x); });
  add_reduction("sum" + line, {n}, [](const Array& x) { return sum(x); });
  add_reduction("mean" + line, {n}, [](const Array& x) { return mean(x); });
  add_reduction("argmax" + line, {n}, [](const Array& x) { return argmax(x); });
  add_reduction("sum axis 0 of " + square, {side, side}, [](const Array& x) { return sum(x, {.axis = 0}); });
  add_reduction("sum axis 1 of " + square, {side, side}, [](const Array& x) { return sum(x, {.axis = 1}); });
}

}  // namespace koine::bench

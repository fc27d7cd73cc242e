// SPDX-License-Identifier: Apache-2.0
// Sorts of large arrays, of many rows and of short ones.
#include "bench.hpp"

namespace koine::bench {

namespace {

void add_sort(const std::string& work, const Shape& shape, const std::function<Array(const Array&)>& function) {
  add(
      "sort/" + work + "/koine",
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

void add_sorts() {
  const int log_count = on_cpu() ? 22 : 26;
  const std::int64_t count = std::int64_t{1} << log_count;
  const std::string line = " 2^" + std::to_string(log_count);
  add_sort("sort" + line, {count}, [](const Array& x) { return sort(x); });
  add_sort("argsort" + line, {count}, [](const Array& x) { return argsort(x); });
  add_sort("unique of 1000 among" + line, {count}, [](const Array& x) { return unique_values(floor(x * 1000)); });
  add_sort("unique and inverse of 1000 among" + line, {count}, [](const Array& x) {
    const auto [values, inverse] = unique_inverse(floor(x * 1000));
    eval(values, inverse);
    return inverse;
  });
  add_sort("topk 10 of rows of 1000", {count / 1000, 1000}, [](const Array& x) {
    const auto [values, places] = topk(x, 10);
    eval(values, places);
    return places;
  });
  add_sort("topk 10 of" + line, {count}, [](const Array& x) {
    const auto [values, places] = topk(x, 10);
    eval(values, places);
    return places;
  });
  add_sort("sort of rows of 1000", {count / 1000, 1000}, [](const Array& x) { return sort(x); });
  add_sort("sort of rows of 10", {count / 10, 10}, [](const Array& x) { return sort(x); });
}

}  // namespace koine::bench

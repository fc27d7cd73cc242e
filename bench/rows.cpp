// SPDX-License-Identifier: Apache-2.0
// Reductions of rows and what reads them: softmax, norms and standard scores, of rows of several lengths.
#include "bench.hpp"

namespace koine::bench {

void add_rows() {
  const int log = on_cpu() ? 24 : 26;
  const std::int64_t count = std::int64_t{1} << log;
  for (const std::int64_t length : {64, 256, 1024, 8192}) {
    // `elements` says whether there is a result for each element rather than for each row.
    const auto compare = [=](const std::string& work, const std::function<Array(const Array&)>& step, bool elements) {
      add(
          "rows/" + work + " of " + std::to_string(length) + "/koine",
          [=] {
            const Array x = uniform({count / length, length});
            return [=] {
              step(x).eval();
              finish();
            };
          },
          (elements ? 8.0 : 4.0) * static_cast<double>(count));
    };
    const auto mean_of = [](const Array& x) { return mean(x, {.axis = -1, .keepdims = true}); };
    compare(
        "softmax", [](const Array& x) { return softmax(x, {.axis = -1}); }, true);
    compare(
        "layer norm",
        [=](const Array& x) {
          const Array distance = x - mean_of(x);
          return distance / sqrt(mean_of(distance * distance) + 1e-5f);
        },
        true);
    compare(
        "shares of norm", [=](const Array& x) { return x / sqrt(mean_of(x * x)); }, true);
    compare(
        "logsumexp", [](const Array& x) { return logsumexp(x, {.axis = -1}); }, false);
    compare(
        "var", [](const Array& x) { return var(x, {.axis = -1}); }, false);
    compare(
        "norm", [](const Array& x) { return sqrt(sum(x * x, {.axis = -1})); }, false);
    compare(
        "sum", [](const Array& x) { return sum(x, {.axis = -1}); }, false);
  }
}

}  // namespace koine::bench

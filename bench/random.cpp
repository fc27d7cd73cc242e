// SPDX-License-Identifier: Apache-2.0
// Random numbers of every law, and random orders.
#include "bench.hpp"

namespace koine::bench {

void add_random() {
  // As many as NumPy, which draws on one core, makes in a second or less.
  const std::int64_t log = on_cpu() ? 22 : 26, n = std::int64_t{1} << log;
  const auto drawn = [&](const std::string& name, double size, const std::function<Array(random::Generator&)>& draw) {
    add(
        "random/" + name + " 2^" + std::to_string(log) + "/koine",
        [=] {
          return [=, g = random::Generator(42)]() mutable {
            draw(g).eval();
            finish();
          };
        },
        size * static_cast<double>(n));
  };
  using random::Generator;
  drawn("uniform", 4, [=](Generator& g) { return g.uniform({n}); });
  drawn("normal", 4, [=](Generator& g) { return g.normal({n}); });
  drawn("exponential", 4, [=](Generator& g) { return g.exponential({n}); });
  drawn("gamma of 2.5", 4, [=](Generator& g) { return g.gamma(2.5, {n}); });
  drawn("poisson of 3", 8, [=](Generator& g) { return g.poisson(3, {n}); });
  drawn("poisson of 100", 8, [=](Generator& g) { return g.poisson(100, {n}); });
  drawn("poisson of 1000", 8, [=](Generator& g) { return g.poisson(1000, {n}); });
  drawn("binomial of 100 and 0.3", 8, [=](Generator& g) { return g.binomial(100, 0.3, {n}); });
  drawn("permutation", 8, [=](Generator& g) { return g.permutation(n); });
}

}  // namespace koine::bench

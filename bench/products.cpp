// SPDX-License-Identifier: Apache-2.0
// Products of arrays by their axes, and what is made of windows and takes: convolution, padding, interpolation.
#include "bench.hpp"

namespace koine::bench {

namespace {

void add_product(const std::string& work, const std::vector<Shape>& shapes, double bytes, double operations,
                 const std::function<Array(const std::vector<Array>&)>& function) {
  add(
      "products/" + work + "/koine",
      [=] {
        std::vector<Array> inputs;
        for (const Shape& shape : shapes) inputs.push_back(uniform(shape));
        return [=] {
          const Array result = function(inputs);
          result.eval();
          finish();
        };
      },
      bytes, operations);
}

}  // namespace

void add_products() {
  constexpr double mebi = 1 << 20;
  add_product("outer 2^12 by 2^12", {{4096}, {4096}}, 64 * mebi, 0,
              [](const std::vector<Array>& x) { return outer(x[0], x[1]); });
  add_product("tensordot (64, 32, 64) (32, 64, 512)", {{64, 32, 64}, {32, 64, 512}}, 0, 128 * mebi,
              [](const std::vector<Array>& x) {
                return tensordot(x[0], x[1], {.axes = {{1, 2}, {0, 1}}});
              });
  add_product("einsum ij,jk->ik 1024", {{1024, 1024}, {1024, 1024}}, 0, 2048 * mebi,
              [](const std::vector<Array>& x) { return einsum("ij,jk->ik", x); });
  add_product("einsum ij,jk,kl->il 4096 64 4096 64", {{4096, 64}, {64, 4096}, {4096, 64}}, 0, 64 * mebi,
              [](const std::vector<Array>& x) { return einsum("ij,jk,kl->il", x); });
  add_product("einsum bij,bij->b 256 by 256^2", {{256, 256, 256}, {256, 256, 256}}, 128 * mebi, 0,
              [](const std::vector<Array>& x) { return einsum("bij,bij->b", x); });
  add_product("einsum ij,j->i 4096", {{4096, 4096}, {4096}}, 64 * mebi, 0,
              [](const std::vector<Array>& x) { return einsum("ij,j->i", x); });
  add_product("einsum ii 4096", {{4096, 4096}}, 0, 0, [](const std::vector<Array>& x) { return einsum("ii", x); });
  add_product("convolve 2^20 with 2^6", {{1 << 20}, {64}}, 0, 128 * mebi,
              [](const std::vector<Array>& x) { return convolve(x[0], x[1]); });
  add_product("correlate 2^20 with 2^6", {{1 << 20}, {64}}, 0, 128 * mebi,
              [](const std::vector<Array>& x) { return correlate(x[0], x[1]); });
  add_product("pad 4096^2 by a constant", {{4096, 4096}}, 128 * mebi, 0,
              [](const std::vector<Array>& x) { return pad(x[0], 8); });
  add_product("pad 4096^2, reflected", {{4096, 4096}}, 128 * mebi, 0,
              [](const std::vector<Array>& x) { return pad(x[0], 8, {.mode = "reflect"}); });
  add_product("interp 2^20 among 1000", {{1 << 20}, {1000}}, 0, 0,
              [](const std::vector<Array>& x) { return interp(x[0], arange(1000) * 0.001, x[1]); });
}

}  // namespace koine::bench

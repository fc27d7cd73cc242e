// SPDX-License-Identifier: Apache-2.0
// Products of matrices: square ones of each type, and on GPUs those of other shapes.
#include "bench.hpp"

namespace koine::bench {
namespace {

/// A product of matrices of these shapes, of which the last two axes may be exchanged first.
struct Product {
  std::string work;
  Shape a, b;
  DType type = float32;
  const char* precision = "float32";
  bool a_across = false, b_across = false;
};

void add_product(const Product& product) {
  const std::int64_t rows = product.a.size() > 1 ? product.a[product.a.size() - 2] : 1, depth = product.a.back();
  const std::int64_t columns = product.b.size() > 1 ? product.b.back() : 1;
  const std::int64_t count = product.a.size() > 2 ? product.a[0] : 1;
  add(
      "matmul/" + product.work + "/koine",
      [=] {
        Array a = uniform(product.a, product.type), b = uniform(product.b, product.type);
        if (product.a_across) a = a.mT();
        if (product.b_across) b = b.mT();
        return [=] {
          const Array c = matmul(a, b, {.precision = product.precision});
          c.eval();
          finish();
        };
      },
      0, 2.0 * static_cast<double>(count * rows * depth * columns));
}

void add_products_of_gpus() {
  const std::int64_t many = 1 << 20;
  const auto square = [](const char* kind, std::int64_t n, DType type, const char* precision = "float32") {
    add_product({std::string(kind) + " " + std::to_string(n), {n, n}, {n, n}, type, precision});
  };
  // 1001 and 4001: rows that are no multiple of 16 bytes.
  for (const std::int64_t n : {512, 1001, 8192}) square("float32", n, float32);
  for (const std::int64_t n : {1024, 2048, 4096, 8192}) square("3xtf32", n, float32, "3xtf32");
  for (const std::int64_t n : {1001, 1024, 2048, 4001, 4096, 8192}) square("tf32", n, float32, "tf32");
  for (const std::int64_t n : {1024, 2048, 4096, 8192}) square("bfloat16", n, bfloat16);
  for (const std::int64_t n : {512, 1001, 8192}) square("float16", n, float16);
  for (const std::int64_t n : {512, 1001, 8192}) {
    if (default_device().has_fp64()) square("float64", n, float64);
  }
  for (const Product& product : {
           Product{"float32 4096, the first transposed", {4096, 4096}, {4096, 4096}, float32, "float32", true},
           Product{"float32 4096, the second transposed", {4096, 4096}, {4096, 4096}, float32, "float32", false, true},
           Product{"tf32 4096, the first transposed", {4096, 4096}, {4096, 4096}, float32, "tf32", true},
           Product{"tf32 4096, the second transposed", {4096, 4096}, {4096, 4096}, float32, "tf32", false, true},
           Product{"float16 64 of 512", {64, 512, 512}, {64, 512, 512}, float16},
           Product{"float16 16384 of 64", {16384, 64, 64}, {16384, 64, 64}, float16},
           Product{"float16 64 x 2^20 by 2^20 x 64", {64, many}, {many, 64}, float16},
           Product{"float32 64 x 2^20 by 2^20 x 64", {64, many}, {many, 64}},
           Product{"float32 2^21 of 3", {2 * many, 3, 3}, {2 * many, 3, 3}},
           Product{"float32 2^20 of 8", {many, 8, 8}, {many, 8, 8}},
           Product{"float32 2^18 of 16", {many / 4, 16, 16}, {many / 4, 16, 16}},
           Product{"float32 16384 of 64", {16384, 64, 64}, {16384, 64, 64}},
           Product{"float32 2^20 x 64 by 64 x 64", {many, 64}, {64, 64}},
           Product{"float32 2^20 x 64 by 64 x 4", {many, 64}, {64, 4}},
           Product{"float32 2^20 x 64 by a vector", {many, 64}, {64}},
           Product{"float32 2^21 x 32 by a vector", {2 * many, 32}, {32}},
           Product{"float32 8192^2 by a vector", {8192, 8192}, {8192}},
           Product{"float32 a vector by 8192^2", {8192}, {8192, 8192}},
       }) {
    add_product(product);
  }
}

}  // namespace

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
  if (!on_cpu()) add_products_of_gpus();
}

}  // namespace koine::bench

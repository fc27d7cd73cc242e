// SPDX-License-Identifier: Apache-2.0
// Products of the types and sizes that matrix units of cards take: tiles that end anywhere, rows and bases that the
// copy engine of such a card cannot read, batches. On every device they are what plain loops give.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/products.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::check_product;
using kn::test::matrix;
using kn::test::on_each_device;
using kn::test::Way;

namespace {

/// An array that begins `first` elements behind its memory's start, in rows of `columns + gap` elements.
template <class T>
Array within(std::int64_t rows, std::int64_t columns, std::int64_t first, std::int64_t gap) {
  const std::int64_t pitch = columns + gap, elements = first + rows * pitch;
  std::vector<T> values;
  for (std::int64_t i = 0; i < elements; ++i) values.push_back(kn::test::random_value<T>());
  const Array flat = kn::asarray(values, {elements});
  return kn::reshape(flat(kn::slice(first, kn::none)), {rows, pitch})(kn::all, kn::slice(0, columns));
}

template <class T>
void check_type() {
  on_each_device(kn::dtype_of<T>, [] {
    const auto check = [](const kn::Shape& a, Way a_way, const kn::Shape& b, Way b_way) {
      check_product<T>(matrix<T>(a, a_way), matrix<T>(b, b_way));
    };
    // Round the edges of tiles, in every way that operands lie; rows of a multiple of 16 bytes, and not.
    check({128, 64}, Way::contiguous, {64, 128}, Way::contiguous);
    check({136, 72}, Way::transposed, {72, 264}, Way::contiguous);
    check({129, 80}, Way::contiguous, {80, 136}, Way::transposed);
    check({131, 67}, Way::transposed, {67, 257}, Way::transposed);
    check({37, 65}, Way::contiguous, {65, 41}, Way::contiguous);
    check({130, 31}, Way::stepped, {31, 129}, Way::repeated);
    check({32, 16}, Way::contiguous, {16, 32}, Way::contiguous);
    // More of the depth than a ring of stages holds.
    check({33, 700}, Way::contiguous, {700, 48}, Way::contiguous);
    // And more than one running sum takes: blocks of the depth, and a rest.
    check({40, 9000}, Way::contiguous, {9000, 48}, Way::contiguous);
    // Views: of a base that is a multiple of 16 bytes, and of one that is not; rows with a gap.
    check_product<T>(within<T>(130, 64, 16, 64), within<T>(64, 136, 48, 16));
    check_product<T>(within<T>(130, 50, 1, 14), within<T>(50, 140, 3, 0));
    check_product<T>(within<T>(130, 50, 8, 3).mT(), within<T>(130, 40, 5, 2));
    // Batches: walked evenly, shared on either side, broadcast both ways, in reverse.
    check({3, 40, 48}, Way::contiguous, {3, 48, 56}, Way::contiguous);
    check({3, 40, 33}, Way::transposed, {33, 56}, Way::contiguous);
    check({2, 1, 40, 48}, Way::contiguous, {3, 48, 56}, Way::transposed);
    check({2, 1, 2, 32, 16}, Way::contiguous, {2, 1, 16, 40}, Way::contiguous);
    // So many small ones that a work-group takes one after the other, each with a single step of the depth.
    check({528, 64, 16}, Way::contiguous, {528, 16, 64}, Way::contiguous);
    check_product<T>(kn::flip(matrix<T>({3, 40, 48}, Way::contiguous), {0}), matrix<T>({3, 48, 33}, Way::contiguous));
  });
}

}  // namespace

TEST_CASE("products for matrix units: float16") { check_type<kn::float16_t>(); }
TEST_CASE("products for matrix units: bfloat16") { check_type<kn::bfloat16_t>(); }
TEST_CASE("products for matrix units: float64") { check_type<double>(); }
TEST_CASE("products for matrix units: float32 in tf32, which is exact for whole numbers") {
  const kn::matmul_precision scope("tf32");
  check_type<float>();
}

TEST_CASE("products of small float32 matrices, as many as a card takes at a time and more") {
  on_each_device(kn::float32, [] {
    const std::int64_t many = kn::default_device().type() == kn::DeviceType::gpu ? 700 : 6;
    const auto check = [](const kn::Shape& a, Way a_way, const kn::Shape& b, Way b_way) {
      check_product<float>(matrix<float>(a, a_way), matrix<float>(b, b_way));
    };
    check({many, 36, 40}, Way::contiguous, {many, 40, 64}, Way::contiguous);
    check({many, 36, 40}, Way::transposed, {40, 44}, Way::transposed);
    check({2 * many, 32, 16}, Way::contiguous, {2 * many, 16, 36}, Way::transposed);
    check({2, many, 64, 20}, Way::transposed, {many, 20, 60}, Way::contiguous);
    // The tiles of a warp that cover a matrix of up to 96 lines with the least beside it.
    check({many, 44, 20}, Way::contiguous, {many, 20, 48}, Way::transposed);
    check({many, 76, 36}, Way::transposed, {many, 36, 80}, Way::contiguous);
    check({many, 96, 40}, Way::contiguous, {many, 40, 88}, Way::contiguous);
    // More of the depth than a ring of stages holds; results whose rows begin anywhere.
    check({many, 32, 132}, Way::contiguous, {many, 132, 33}, Way::transposed);
  });
}

TEST_CASE("products of float32 whose tiles are no whole number of turns of a card's units") {
  on_each_device(kn::float32, [] {
    const auto check = [](const kn::Shape& a, Way a_way, const kn::Shape& b, Way b_way) {
      check_product<float>(matrix<float>(a, a_way), matrix<float>(b, b_way));
    };
    check({520, 500}, Way::contiguous, {500, 300}, Way::contiguous);
    check({333, 900}, Way::transposed, {900, 260}, Way::transposed);
    check({3, 301, 205}, Way::contiguous, {3, 205, 270}, Way::transposed);
    // Tall: of up to 16 columns, and of up to 32.
    check({1300, 412}, Way::contiguous, {412, 9}, Way::contiguous);
    check({1300, 412}, Way::transposed, {412, 25}, Way::transposed);
  });
}

TEST_CASE("products of float32 whose rows begin anywhere") {
  on_each_device(kn::float32, [] {
    const std::int64_t many = kn::default_device().type() == kn::DeviceType::gpu ? 300 : 3;
    const auto check = [](const kn::Shape& a, Way a_way, const kn::Shape& b, Way b_way) {
      check_product<float>(matrix<float>(a, a_way), matrix<float>(b, b_way));
    };
    for (const Way a : {Way::contiguous, Way::transposed}) {
      for (const Way b : {Way::contiguous, Way::transposed}) {
        // Each size of tile with an end in it, and more of the depth than a ring of stages holds.
        check({707, 277}, a, {277, 391}, b);
        check({12, 197, 38}, a, {12, 38, 67}, b);
        // Blocks of the depth: of one matrix, and of several.
        check({65, 1501}, a, {1501, 70}, b);
        if (a == b) check({2, 3, 64, 900}, a, {3, 900, 35}, b);
        check({many, 90, 37}, a, {many, 37, 77}, b);
        // One of the operands alone.
        check({many, 100, 30}, a, {30, 100}, b);
        check({75, 36}, a, {30, 36, 85}, b);
      }
    }
    check_product<float>(kn::flip(matrix<float>({30, 75, 50}, Way::contiguous), {1}), within<float>(50, 85, 3, 4));
    check_product<float>(within<float>(91, 50, 1, 14), kn::flip(matrix<float>({30, 50, 85}, Way::transposed), {0, 2}));
  });
}

TEST_CASE("matrices by their own transposes, of which a card computes a part and mirrors it") {
  on_each_device(kn::float32, [] {
    const std::int64_t many = kn::default_device().type() == kn::DeviceType::gpu ? 700 : 6;
    for (const kn::Shape& shape : {kn::Shape{many, 40, 36}, kn::Shape{many, 64, 64}, kn::Shape{2, many, 132, 60}}) {
      const Array x = matrix<float>(shape, Way::contiguous), part = x(kn::ellipsis, kn::slice(0, 33));
      for (const Array& each : {x, part}) {
        check_product<float>(each.mT(), each);
        if (each.shape(-2) <= 64) check_product<float>(each, each.mT());
      }
      // The same memory, but not the same matrix.
      check_product<float>(kn::flip(x, {0}).mT(), x);
    }
  });
}

TEST_CASE("a deep matrix by its own transpose has the bits of a product with a copy") {
  on_each_device(kn::float32, [] {
    std::mt19937_64 generator(5);
    std::normal_distribution<float> normal;
    // On cards so many blocks of the depth that each has a warp.
    const std::int64_t blocks = kn::default_device().type() == kn::DeviceType::gpu ? 560 : 5;
    const std::int64_t depth = 2048 * blocks + 40, columns = 36;
    std::vector<float> values(static_cast<std::size_t>(depth * columns));
    for (float& value : values) value = normal(generator);
    const Array x = kn::asarray(values, {depth, columns}), copy = kn::asarray(values, {depth, columns});
    const auto same = [&] {
      return kn::matmul(x.mT(), x).to_vector<float>() == kn::matmul(x.mT(), copy).to_vector<float>();
    };
    // A BLAS adds up a triangle in another order.
    if (kn::default_device().type() == kn::DeviceType::gpu) CHECK(same());
    const kn::reproducible scope;
    CHECK(same());
  });
}

TEST_CASE("products for matrix units: float32 as sums of two of tf32") {
  const kn::matmul_precision scope("3xtf32");
  on_each_device(kn::float32, [] {
    check_product<float>(matrix<float>({300, 257}, Way::contiguous), matrix<float>({257, 260}, Way::contiguous));
    check_product<float>(matrix<float>({257, 333}, Way::transposed), matrix<float>({333, 301}, Way::stepped));
    check_product<float>(matrix<float>({3, 256, 256}, Way::contiguous), matrix<float>({256, 264}, Way::transposed));
  });
}

TEST_CASE("products of real numbers are near those in double precision, with the same bits each time") {
  on_each_device([] {
    std::mt19937_64 generator(3);
    std::normal_distribution<float> normal;
    const auto numbers = [&](const kn::Shape& shape, kn::DType type) {
      std::vector<float> values;
      for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(normal(generator));
      const Array x = kn::asarray(values, shape, type);
      return type == kn::float64 ? x / 3 : x;  // of all digits
    };
    constexpr std::int64_t m = 270, n = 260, k = 1030;
    // The last: float32 operands of 11 digits.
    const std::pair<kn::DType, const char*> kinds[] = {{kn::float16, "float32"}, {kn::bfloat16, "float32"},
                                                       {kn::float64, "float32"}, {kn::float32, "float32"},
                                                       {kn::float32, "3xtf32"},  {kn::float32, "tf32"}};
    for (const auto& [type, precision] : kinds) {
      if (!kn::test::computes(type)) continue;
      CAPTURE(kn::name(type));
      CAPTURE(std::string(precision));
      const kn::MatmulOptions options{.precision = precision};
      const Array a = numbers({m, k}, type), b = numbers({k, n}, type);
      const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>(),
                                got = kn::matmul(a, b, options).to_vector<double>();
      CHECK(kn::matmul(a, b, options).to_vector<double>() == got);
      // Half a unit in the last place of the result, and what sums and rounded operands add to it.
      const bool single = type == kn::float32;
      const double last = type == kn::float16 ? 0x1p-11 : type == kn::bfloat16 ? 0x1p-8 : single ? 0x1p-24 : 0x1p-53;
      const double sums = type == kn::float64                          ? 0x1p-48
                          : single && precision == std::string("tf32") ? 0x1p-11
                                                                       : 0x1p-17;
      double worst = 0;
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          double sum = 0, size = 0;
          for (std::int64_t d = 0; d < k; ++d) {
            const double product = x[static_cast<std::size_t>(i * k + d)] * y[static_cast<std::size_t>(d * n + j)];
            sum += product;
            size += std::abs(product);
          }
          const double error = std::abs(got[static_cast<std::size_t>(i * n + j)] - sum);
          worst = std::max(worst, error / (std::abs(sum) * last + size * sums));
        }
      }
      CHECK(worst <= 1);
    }
  });
}

TEST_CASE("3xtf32 is off by at most four times as much as float32, as the root of the mean square") {
  on_each_device([] {
    std::mt19937_64 generator(7);
    std::normal_distribution<float> normal;
    const auto numbers = [&](std::int64_t rows, std::int64_t columns) {
      std::vector<float> values(static_cast<std::size_t>(rows * columns));
      for (float& value : values) value = normal(generator);
      return values;
    };
    struct Size {
      std::int64_t m, n, k;
    };
    for (const Size size : {Size{512, 512, 64}, {300, 264, 1030}, {1024, 512, 4096}, {256, 256, 40'000}}) {
      const std::int64_t m = size.m, n = size.n, k = size.k;
      CAPTURE(m);
      CAPTURE(n);
      CAPTURE(k);
      const std::vector<float> x = numbers(m, k), y = numbers(k, n);
      const Array a = kn::asarray(x, {m, k}), b = kn::asarray(y, {k, n});
      const std::vector<double> full = kn::matmul(a, b, {.precision = "float32"}).to_vector<double>(),
                                split = kn::matmul(a, b, {.precision = "3xtf32"}).to_vector<double>();
      if (split == full) {
        kn::test::leave_out(kn::default_device().selector() + " multiplies these by float32 where 3xtf32 is asked for");
        continue;
      }
      double full_squares = 0, split_squares = 0;
      for (std::int64_t i = 0; i < m; i += m / 8) {  // some rows tell enough
        std::vector<double> exact(static_cast<std::size_t>(n), 0);
        for (std::int64_t d = 0; d < k; ++d) {
          const double factor = x[static_cast<std::size_t>(i * k + d)];
          for (std::int64_t j = 0; j < n; ++j) {
            exact[static_cast<std::size_t>(j)] += factor * y[static_cast<std::size_t>(d * n + j)];
          }
        }
        for (std::int64_t j = 0; j < n; ++j) {
          const auto at = static_cast<std::size_t>(i * n + j);
          full_squares += std::pow(full[at] - exact[static_cast<std::size_t>(j)], 2);
          split_squares += std::pow(split[at] - exact[static_cast<std::size_t>(j)], 2);
        }
      }
      CHECK(full_squares > 0);
      CHECK(std::sqrt(split_squares) <= 4 * std::sqrt(full_squares));
    }
  });
}

TEST_CASE("precision: words, scopes and options") {
  const Array x = kn::ones({2, 2});
  for (const char* word : {"", "TF32", "float16", "3x"}) {
    CAPTURE(std::string(word));
    CHECK(kn::test::message_of<kn::ValueError>([&] { kn::matmul(x, x, {.precision = word}); }) ==
          "[matmul] .precision \"" + std::string(word) +
              "\" is no precision of float32 operands; write \"float32\", \"tf32\" or \"3xtf32\"");
    CHECK(kn::test::message_of<kn::ValueError>([&] { const kn::matmul_precision scope(word); }) ==
          "[matmul_precision] \"" + std::string(word) +
              "\" is no precision of float32 operands; write \"float32\", \"tf32\" or \"3xtf32\"");
  }
  CHECK_THROWS_AS(kn::matmul(x, kn::ones({3, 2}), {.precision = "tf32"}), kn::ShapeError);
}

TEST_CASE("a scope's precision ends with it, and an option goes before it") {
  on_each_device([] {
    // 1 + 2^-12 has 13 digits: rounded to 11 it is 1.
    constexpr std::int64_t n = 128;
    const float fine = 1 + 0x1p-12f;
    const Array x = kn::full({n, n}, fine, kn::float32) + 0, identity = kn::eye(n, {.dtype = kn::float32}) + 0;
    kn::eval(x, identity);
    const auto value = [&](const kn::MatmulOptions& options) {
      return kn::max(kn::matmul(x, identity, options)).item<float>();
    };
    CHECK(value({}) == fine);
    const float rounded = value({.precision = "tf32"});
    CHECK((rounded == 1 || rounded == fine));  // where there are no such units, all digits count
    {
      const kn::matmul_precision outer("tf32");
      CHECK(value({}) == rounded);
      CHECK(value({.precision = "float32"}) == fine);
      {
        const kn::matmul_precision inner("float32");
        CHECK(value({}) == fine);
      }
      CHECK(value({}) == rounded);
      const Array later = kn::matmul(x, identity);
      const kn::matmul_precision after("float32");
      CHECK(kn::max(later).item<float>() == rounded);  // what held when it was built
      const kn::reproducible scope;
      CHECK(value({.precision = "tf32"}) == fine);
    }
    CHECK(value({}) == fine);
  });
}

TEST_CASE("child: products in tf32" * doctest::skip()) {
  const float fine = 1 + 0x1p-12f;
  const Array x = kn::full({128, 128}, fine, kn::float32) + 0, identity = kn::eye(128, {.dtype = kn::float32}) + 0;
  const auto largest = [&](const Array& product) { return kn::max(product).item<float>(); };
  CHECK(largest(kn::matmul(x, identity)) == largest(kn::matmul(x, identity, {.precision = "tf32"})));
  CHECK(largest(kn::matmul(x, identity, {.precision = "float32"})) == fine);
}

TEST_CASE("KOINE_MATMUL_PRECISION holds outside of scopes") {
  kn::test::check_child("child: products in tf32", {{"KOINE_MATMUL_PRECISION", " TF32 "}});
}

// SPDX-License-Identifier: Apache-2.0
// A matrix by a vector, by the calling thread and its helpers: whole numbers, whose sums are exact, against plain
// loops.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/devices.hpp"
#include "support/host_steps.hpp"
#include "support/inner.hpp"
#include "support/small_numbers.hpp"

namespace kn = koine;
using kn::Array;
using kn::slice;
using kn::test::small_number;
using kn::test::small_numbers;

namespace {

template <class T>
void check(std::int64_t rows, std::int64_t depth) {
  // More than is asked for, so that parts can be taken.
  CAPTURE(rows);
  CAPTURE(depth);
  const Array whole = small_numbers<T>({rows + 1, depth + 3}), turned = small_numbers<T>({depth + 1, rows + 3}),
              line = small_numbers<T>({2 * depth});
  kn::synchronize();
  const Array a = whole(slice(0, rows), slice(2, depth + 2)), t = turned(slice(1, depth + 1), slice(0, rows)).T(),
              x = line(slice(0, depth)), apart = line(slice(kn::none, kn::none, 2));
  const auto expected = [&](bool transposed, std::int64_t step) {
    std::vector<T> sums(static_cast<std::size_t>(rows));
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t k = 0; k < depth; ++k) {
        const std::int64_t at = transposed ? (k + 1) * (rows + 3) + r : r * (depth + 3) + k + 2;
        sums[static_cast<std::size_t>(r)] += static_cast<T>(small_number(at) * small_number(k * step));
      }
    }
    return sums;
  };
  const auto launches = kn::test::activity_of().launches, steps = kn::test::host_steps_of();
  CHECK(kn::matmul(a, x).template to_vector<T>() == expected(false, 1));
  CHECK(kn::matmul(x, a.T()).template to_vector<T>() == expected(false, 1));
  CHECK(kn::matmul(a, apart).template to_vector<T>() == expected(false, 2));
  CHECK(kn::matmul(t, x).template to_vector<T>() == expected(true, 1));
  CHECK(kn::matmul(apart, t.T()).template to_vector<T>() == expected(true, 2));
  CHECK(kn::test::activity_of().launches == launches);
  CHECK(kn::test::host_steps_of() == steps + 5);
}

}  // namespace

TEST_CASE("products of any sizes and layouts") {
  if (kn::test::host_steps_of() == 0) {
    (kn::ones({2}) + 1).eval();
    if (kn::test::host_steps_of() == 0) return kn::test::leave_out("the host does no steps of this device");
  }
  for (const std::int64_t rows : {2, 9, 70, 1001}) {
    for (const std::int64_t depth : {9, 16, 65, 1025}) check<float>(rows, depth);
  }
  check<float>(5, 40'000);
  check<float>(30'000, 12);
  check<double>(33, 5000);
  check<double>(300, 700);
}

TEST_CASE("products of 16 bits are added up as float32, and rounded once") {
  (kn::ones({2}) + 1).eval();
  if (kn::test::host_steps_of() == 0) return kn::test::leave_out("the host does no steps of this device");
  for (const auto& [type, digits] : {std::pair{kn::float16, 11}, std::pair{kn::bfloat16, 8}}) {
    for (const auto& [rows, depth] : {std::pair{1, 9}, {7, 1025}, {70, 65}, {400, 2100}, {3, 4'100}}) {
      CAPTURE(type);
      CAPTURE(rows);
      CAPTURE(depth);
      const Array a = small_numbers<float>({rows + 1, depth + 3}), x = small_numbers<float>({2 * depth});
      const Array narrow = a.astype(type).eval(), line = x.astype(type).eval();
      const Array part = narrow(slice(0, rows), slice(2, depth + 2)), turned = kn::matrix_transpose(part).copy().eval();
      kn::synchronize();
      // Sums of whole numbers are exact in float32, and are then rounded to so many binary digits, ties to even.
      const auto expected = [&](std::int64_t step) {
        std::vector<float> sums;
        for (std::int64_t r = 0; r < rows; ++r) {
          std::int64_t sum = 0;
          for (std::int64_t k = 0; k < depth; ++k) {
            sum += small_number(r * (depth + 3) + k + 2) * small_number(k * step);
          }
          int exponent = 0;
          std::frexp(static_cast<double>(sum), &exponent);
          const double last = std::ldexp(1.0, std::max(exponent - digits, 0));
          sums.push_back(static_cast<float>(std::nearbyint(static_cast<double>(sum) / last) * last));
        }
        return sums;
      };
      const auto launches = kn::test::activity_of().launches;
      CHECK(kn::matmul(part, line(slice(0, depth))).to_vector<float>() == expected(1));
      CHECK(kn::matmul(line(slice(0, depth)), part.T()).to_vector<float>() == expected(1));
      CHECK(kn::matmul(part, line(slice(kn::none, kn::none, 2))).to_vector<float>() == expected(2));
      CHECK(kn::matmul(turned.T(), line(slice(0, depth))).to_vector<float>() == expected(1));
      CHECK(kn::test::activity_of().launches == launches);
    }
  }
}

TEST_CASE("many matrices by vectors of their own, or by one") {
  (kn::ones({2}) + 1).eval();
  if (kn::test::host_steps_of() == 0) return kn::test::leave_out("the host does no steps of this device");
  // So small that threads take many, some, and so large that threads share each.
  for (const auto& [count, rows, depth] :
       {std::tuple{1000, 3, 5}, {37, 33, 70}, {3, 9, 1100}, {2, 700, 1300}, {5000, 1, 7}, {4, 50, 1}}) {
    CAPTURE(count);
    CAPTURE(rows);
    CAPTURE(depth);
    const Array a = small_numbers<float>({count, rows, depth}), x = small_numbers<float>({count, depth});
    const auto expected = [&](bool one) {
      std::vector<float> sums;
      for (std::int64_t line = 0; line < count * rows; ++line) {
        std::int64_t sum = 0;
        for (std::int64_t k = 0; k < depth; ++k) {
          sum += small_number(line * depth + k) * small_number((one ? 0 : line / rows * depth) + k);
        }
        sums.push_back(static_cast<float>(sum));
      }
      return sums;
    };
    const Array columns = kn::matrix_transpose(kn::matrix_transpose(a).copy().eval());
    const Array narrow = a.astype(kn::bfloat16).eval(), line = x.astype(kn::bfloat16).eval();
    kn::synchronize();
    const auto launches = kn::test::activity_of().launches;
    for (const Array& matrices : {a, columns}) {
      CHECK(kn::einsum("bij,bj->bi", {matrices, x}).to_vector<float>() == expected(false));
      CHECK(kn::einsum("bj,bij->bi", {x, matrices}).to_vector<float>() == expected(false));
      CHECK(kn::matmul(matrices, x(0)).to_vector<float>() == expected(true));
    }
    // Sums of so few are exact in bfloat16, too.
    if (depth <= 7) CHECK(kn::einsum("bij,bj->bi", {narrow, line}).to_vector<float>() == expected(false));
    CHECK(kn::test::activity_of().launches == launches);
  }
}

TEST_CASE("sums of rows are added up in one order, which decides their bits") {
  (kn::ones({2}) + 1).eval();
  if (kn::test::host_steps_of() == 0) return kn::test::leave_out("the host does no steps of this device");
  constexpr std::size_t rows = 7, lanes = 16, block = 1024;  // lanes: 64 bytes
  std::mt19937 random(1);
  const auto fractions = [&](std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-31F;
    return values;
  };
  for (const std::size_t depth : {9, 16, 65, 100, 1500}) {
    CAPTURE(depth);
    const std::vector<float> a = fractions(rows * depth), x = fractions(depth);
    std::vector<float> expected(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t first = 0; first < depth; first += block) {
        float running[lanes] = {};
        for (std::size_t k = 0; k < std::min(block, depth - first); ++k) {
          const volatile float product = a[row * depth + first + k] * x[first + k];  // rounded
          running[k % lanes] += product;
        }
        for (std::size_t half = lanes / 2; half > 0; half /= 2) {
          for (std::size_t l = 0; l < half; ++l) running[l] += running[l + half];
        }
        expected[row] += running[0];
      }
    }
    const auto n = static_cast<std::int64_t>(depth);
    CHECK(kn::matmul(kn::asarray(a, {std::int64_t{rows}, n}), kn::asarray(x)).to_vector<float>() == expected);
  }
}

TEST_CASE("a program of products and steps launches nothing, and what is large is one command") {
  (kn::ones({2}) + 1).eval();
  if (kn::test::host_steps_of() == 0) return kn::test::leave_out("the host does no steps of this device");
  const Array a = small_numbers<float>({200, 200});
  Array x = kn::ones({200}).eval();
  kn::synchronize();
  const auto launches = kn::test::activity_of().launches;
  for (int i = 0; i < 3; ++i) {
    const Array y = kn::matmul(a, x);
    x = y / kn::sqrt(kn::sum(y * y));
    x.eval();
  }
  CHECK(kn::sum(x * x).item<double>() == doctest::Approx(1));
  CHECK(kn::test::activity_of().launches == launches);
  const kn::test::HostStepWork small(10);
  const Array ones = kn::ones({200}).eval();
  const Array product = kn::matmul(a, ones).eval();
  CHECK(kn::test::activity_of().launches == launches + 1);
  std::vector<float> sums(200);
  for (std::int64_t i = 0; i < 40'000; ++i)
    sums[static_cast<std::size_t>(i / 200)] += static_cast<float>(small_number(i));
  CHECK(product.to_vector<float>() == sums);
}

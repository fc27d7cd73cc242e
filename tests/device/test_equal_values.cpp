// SPDX-License-Identifier: Apache-2.0
// Expressions that a program writes twice: kernels compute them once, and values are as if each were computed by
// itself.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::newaxis;
using kn::test::on_each_device;
using kn::test::work_of;

namespace {

constexpr std::int64_t rows = 300, columns = 40;

int number(std::int64_t row, std::int64_t column) { return static_cast<int>((row * 31 + column * 17) % 23); }

Array numbers() {
  std::vector<std::int32_t> values;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) values.push_back(number(i, j));
  }
  return kn::asarray(values, {rows, columns});
}

}  // namespace

TEST_CASE("elements added at the same positions, time and again") {
  on_each_device([] {
    const Array bins = numbers();
    std::vector<Array> tables;
    // The third time a kept plan is followed.
    for (int time = 0; time < 3; ++time) {
      tables.clear();
      for (int k = 0; k < 3; ++k) {
        Array table = kn::zeros({columns, 23}, kn::int32);
        table.at(kn::arange(columns), bins).add(bins + k);
        tables.push_back(table);
      }
      kn::eval(tables);
    }
    for (int k = 0; k < 3; ++k) {
      std::vector<std::int32_t> expected(columns * 23, 0);
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          expected[static_cast<std::size_t>(j * 23 + number(i, j))] += number(i, j) + k;
        }
      }
      CHECK(tables[static_cast<std::size_t>(k)].to_vector<std::int32_t>() == expected);
    }
  });
}

TEST_CASE("a reduction that is written twice, and held by somebody who asks for it later") {
  on_each_device([] {
    const Array x = numbers().astype(kn::float32).eval(), y = kn::flip(x, 0);
    for (int time = 0; time < 3; ++time) {
      CAPTURE(time);
      const Array held = kn::sum(x * y, 0);
      const Array result = x / (1 + kn::sum(x * y, 0)) + held(newaxis, all);
      const auto work = work_of([&] { result.eval(); });
      CHECK(work.kernels == work_of([&] { (x / (1 + held) + held(newaxis, all)).eval(); }).kernels + 1);
      std::vector<float> sums(columns, 0.0f), expected;
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          sums[static_cast<std::size_t>(j)] += static_cast<float>(number(i, j) * number(rows - 1 - i, j));
        }
      }
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          const float total = sums[static_cast<std::size_t>(j)];
          expected.push_back(static_cast<float>(number(i, j)) / (1 + total) + total);
        }
      }
      CHECK(kn::allclose(result, kn::asarray(expected, {rows, columns}), {.rtol = 1e-6}));
      CHECK(held.to_vector<float>() == sums);
    }
  });
}

TEST_CASE("running sums and products that are written twice take the kernels of one") {
  on_each_device([] {
    const Array x = numbers().astype(kn::float32).eval();
    const auto running = [&] { return kn::cumulative_sum(x * 2.0, 0); };
    const auto product = [&] { return kn::matmul(kn::flip(x, 0).T(), x + 1.0); };
    const Array sums = running().eval(), products = product().eval();
    for (int time = 0; time < 3; ++time) {
      CAPTURE(time);
      const Array both = running() * 3.0 + kn::sqrt(running()), one = running() * 3.0 + kn::sqrt(sums);
      CHECK(work_of([&] { both.eval(); }).kernels == work_of([&] { one.eval(); }).kernels);
      const Array two = kn::sin(product()) + kn::cos(product()), single = kn::sin(product()) + kn::cos(products);
      CHECK(work_of([&] { two.eval(); }).kernels <= work_of([&] { single.eval(); }).kernels + 1);
      CHECK(kn::all(both == one).item<bool>());
      CHECK(kn::all(two == single).item<bool>());
    }
  });
}

TEST_CASE("what only looks equal is not") {
  on_each_device([] {
    const Array x = numbers();
    const Array both = kn::sum(x, 0) - kn::mean(x.astype(kn::float64), 0) + kn::cumulative_sum(x, 0)(-1) -
                       kn::cumulative_prod(x * 0 + 1, 0)(-1);
    const Array at = kn::take(x, kn::arange(3), 0) + kn::take(x, kn::arange(3) + 1, 0);
    kn::random::Generator random(3);
    const Array first = random.normal({columns}), second = random.normal({columns});
    CHECK(kn::any(kn::sum(kn::stack({first, first}), 0) != kn::sum(kn::stack({first, second}), 0)).item<bool>());
    const std::vector<double> values = both.to_vector<double>();
    const std::vector<std::int32_t> taken = at.to_vector<std::int32_t>();
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < rows; ++i) sum += number(i, j);
      CHECK(values[static_cast<std::size_t>(j)] == doctest::Approx(2 * sum - sum / rows - 1));
      CHECK(taken[static_cast<std::size_t>(j)] == number(0, j) + number(1, j));
    }
  });
}

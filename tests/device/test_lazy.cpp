// SPDX-License-Identifier: Apache-2.0
// What becomes one kernel, what is computed once, and which programs are needed: counted by the device's context.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::slice;
using kn::test::check_array;
using kn::test::kernels_of;
using kn::test::numbered;
using kn::test::on_each_device;
using kn::test::work_of;

namespace {

bool stored(const Array& x) { return kn::test::is_computed(x); }

Array ramp(std::int64_t count) { return (kn::arange(count) / double(count)).eval(); }

/// Operands that a kernel of row-major arrays can have: a pointer and an offset each, beside the loop's own bounds.
std::int64_t most_operands() {
  const auto bytes = static_cast<std::int64_t>(kn::test::facts_of().parameter_bytes);
  return (std::int64_t{bytes} - 64) / 16;
}

}  // namespace

TEST_CASE("nothing runs before a value is asked for") {
  on_each_device([] {
    const Array x = ramp(100);
    Array y;
    const kn::test::Work work = work_of([&] {
      y = kn::sum(kn::exp(x) * 2.0 + x(slice(none, none, -1)), {.axis = 0});
      y = kn::where(y > 3, y, -y).astype(kn::float16);
    });
    CHECK(work.kernels == 0);
    CHECK(work.programs == 0);
    CHECK_FALSE(stored(y));
  });
}

TEST_CASE("an element-wise expression is one kernel, whatever it is made of") {
  on_each_device([] {
    const Array x = ramp(1000), row = ramp(40);
    const Array matrix = reshape(x, {25, 40});
    CHECK(kernels_of(kn::exp(-x * x) * 2.0 + 1.0) == 1);
    CHECK(kernels_of(kn::where(x > 0.5, kn::sqrt(x), kn::square(x)).astype(kn::int32) + kn::arange(1000)) == 1);
    CHECK(kernels_of(matrix * row + matrix(all, slice(0, 1)) - kn::flip(matrix)) == 1);
    CHECK(kernels_of(kn::clip(kn::maximum(matrix.T()(3), 0.25), 0, 1) + kn::ones({25})) == 1);
    CHECK(kernels_of(kn::broadcast_to(row * 2, {25, 40}) + matrix) == 1);
    CHECK(kernels_of(kn::tril(matrix) + kn::eye(25, 40)) == 1);
  });
}

TEST_CASE("a chain of any depth is one kernel") {
  on_each_device([] {
    const std::vector<int> depths = kn::test::exhaustive() ? std::vector{1, 10, 100, 500} : std::vector{1, 10, 100};
    const Array x = numbered<std::int64_t>({50});
    for (const int depth : depths) {
      CAPTURE(depth);
      Array y = x;
      for (int i = 0; i < depth; ++i) y = kn::negative(y) - x;
      CHECK(kernels_of(y) == 1);
      check_array(y, {50}, kn::test::by_position<std::int64_t>({50}, [&](auto& p) {
                    std::int64_t value = p[0];
                    for (int i = 0; i < depth; ++i) value = -value - p[0];
                    return value;
                  }));
    }
  });
}

TEST_CASE("a wide expression is as few kernels as the device's parameters allow") {
  on_each_device([] {
    constexpr std::int64_t count = 200;
    std::vector<Array> arrays;
    for (std::int64_t i = 0; i < count; ++i) arrays.push_back((kn::arange(300) + i).eval());
    Array left = arrays[0];
    for (std::size_t i = 1; i < arrays.size(); ++i) left = left + arrays[i];
    std::vector<Array> level = arrays;
    while (level.size() > 1) {
      std::vector<Array> next;
      for (std::size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(level[i] + level[i + 1]);
      if (level.size() % 2) next.push_back(level.back());
      level = next;
    }
    // A kernel with n operands turns n - 1 arrays into one.
    const std::int64_t fewest = (count - 1 + most_operands() - 3) / (most_operands() - 2);
    CHECK(kernels_of(left) == fewest);
    CHECK(kernels_of(level[0]) <= 2 * fewest);
    const auto sum = kn::test::by_position<std::int64_t>({300}, [](auto& p) { return 200 * p[0] + 199 * 100; });
    check_array(left, {300}, sum);
    check_array(level[0], {300}, sum);
  });
}

TEST_CASE("constants past the parameter limit make another kernel, not an error") {
  on_each_device([] {
    const Array x = numbered<std::int64_t>({64});
    Array y = x;
    for (int i = 0; i < 150; ++i) y = y * 3 + i;
    const std::int64_t fewest = (300 + most_operands() - 3) / (most_operands() - 2);
    CHECK(kernels_of(y) <= 2 * fewest + 1);
    check_array(y, {64}, kn::test::by_position<std::int64_t>({64}, [](auto& p) {
                  auto value = static_cast<std::uint64_t>(p[0]);
                  for (unsigned i = 0; i < 150; ++i) value = value * 3 + i;
                  return static_cast<std::int64_t>(value);
                }));
  });
}

TEST_CASE("results that share work come from one kernel") {
  on_each_device([] {
    const Array x = ramp(500);
    const Array shared = kn::exp(x) + kn::sin(x), a = shared * 2, b = kn::sqrt(shared), c = a - b;
    CHECK(work_of([&] { kn::eval(a, b, c); }).kernels == 1);
    CHECK(stored(a));
    CHECK(stored(b));
    const Array d = kn::cos(x) + 1, e = d * d;
    CHECK(work_of([&] { kn::eval(d, e); }).kernels == 1);
    CHECK(stored(d));
    CHECK(std::abs(e(0).item<float>() - 4) < 1e-6);
    // Neither shares anything with the other, but they cover the same elements.
    const Array f = x + 1, g = kn::ones({500}) * 3;
    CHECK(work_of([&] { kn::eval(f, g); }).kernels == 1);
    CHECK(work_of([&] { kn::eval(f, g); }).kernels == 0);
    const std::vector<float> values = c.to_vector<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double t = std::exp(i / 500.0) + std::sin(i / 500.0);
      if (std::abs(values[i] - (2 * t - std::sqrt(t))) > 1e-5) FAIL_CHECK("element ", i, " is ", values[i]);
    }
  });
}

TEST_CASE("a number that is asked for beside what reads it") {
  struct Row {
    Array (*reads)(const Array& x, const Array& number);
    std::vector<float> gives;
  };
  const Row rows[] = {
      {[](const Array& x, const Array& k) { return x * 2 + k; }, {0.5f, 2.5f, 4.5f, 6.5f, 8.5f, 10.5f}},
      {[](const Array& x, const Array& k) { return kn::roll(x, 1) + k; }, {4.5f, -0.5f, 0.5f, 1.5f, 2.5f, 3.5f}},
      {[](const Array& x, const Array& k) {
         return kn::sum(kn::reshape(x, {2, 3}) + k, {1});
       },
       {1.5f, 10.5f}},
      {[](const Array& x, const Array& k) { return (x + k) - kn::max(x + k); }, {-5, -4, -3, -2, -1, 0}}};
  on_each_device([&] {
    const Array x = kn::asarray(std::vector<float>{1, 2, 3, 4, 5, 6});
    for (const Row& row : rows) {
      const Array number = kn::full({}, -1.5f), y = row.reads(x, number);
      kn::eval(y, number);
      CHECK(y.to_vector<float>() == row.gives);
      CHECK(number.item<float>() == -1.5f);
    }
  });
}

TEST_CASE("an expensive result with several readers is computed once") {
  on_each_device([] {
    const Array x = ramp(1 << 17);
    // Read at two shifts by one kernel.
    const Array a = kn::exp(x) * kn::sin(x) + kn::log1p(x);
    const Array difference = a(slice(1, none)) - a(slice(none, -1));
    CHECK(kernels_of(difference) == 2);
    CHECK(stored(a));
    CHECK(kernels_of(a * 2) == 1);
    // Waited for by something that is not asked for yet.
    const Array b = kn::exp(x) * kn::cos(x) + kn::log1p(x), first = b + 1, second = b * 2;
    CHECK(kernels_of(first) == 1);
    CHECK(stored(b));
    CHECK(kernels_of(second) == 1);
    // Who comes after the result was used up computes it again, and keeps it this time.
    const Array c = kn::exp(x) - kn::cos(x);
    CHECK(kernels_of(c + 1) == 1);
    CHECK_FALSE(stored(c));
    CHECK(kernels_of(c + 2) == 1);
    CHECK(stored(c));
    // Repeated along a new axis.
    const Array row = kn::exp(x(slice(512))) + kn::sin(x(slice(512)));
    const Array table = reshape(x, {256, 512}) * row;
    CHECK(kernels_of(table) == 2);
    // Read by two reductions that no kernel computes together.
    const Array d = kn::exp(x) + kn::log1p(x), low = kn::min(d), spread = kn::var(d);
    kn::eval(low, spread);
    CHECK(stored(d));
  });
}

TEST_CASE("a cheap result is computed again where that costs less than storing it") {
  on_each_device([] {
    const Array x = ramp(10'000), y = x + 1;
    CHECK(kernels_of(y(slice(1, none)) * y(slice(none, -1))) == 1);
    CHECK_FALSE(stored(y));
    const kn::Array positions = kn::arange(10'000) * 2;
    CHECK(kernels_of(positions(slice(1, none)) + positions(slice(none, -1))) == 1);
  });
}

TEST_CASE("a reduction takes the expression in") {
  on_each_device([] {
    const kn::Device device = kn::default_device();
    const std::int64_t count = 1 << 20;
    const Array x = ramp(count), y = kn::ones({count}) + x;
    y.eval();
    kn::synchronize();
    const std::uint64_t before = kn::memory_stats(device).in_use;
    const Array dot = kn::sum(x * y - 0.5 * x);
    const kn::test::Work work = work_of([&] { dot.eval(); });
    CHECK(work.kernels <= 2);  // blocks, and the blocks' sums
    CHECK(kn::memory_stats(device).in_use < before + count);
    double expected = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double t = double(i) / double(count);
      expected += t * (1 + t) - 0.5 * t;
    }
    CHECK(std::abs(dot.item<double>() - expected) < 1e-5 * expected);
    // Small ones are a single kernel, and work on the result joins the next kernel.
    CHECK(kernels_of(kn::sum(reshape(x, {1024, 1024})(slice(8)) * 2.0, {.axis = 1})) == 1);
    // What reads a reduction of rows shares its kernel; one of columns comes first.
    const Array m = reshape(x, {1024, 1024});
    CHECK(kernels_of((m - kn::mean(m, {.axis = 1, .keepdims = true})) * 2.0) == 1);
    CHECK(kernels_of((m - kn::mean(m, {.axis = 0, .keepdims = true})) * 2.0) >= 2);
  });
}

TEST_CASE("what a product or a take reads is computed before it, though both meet again in one expression") {
  on_each_device([] {
    const Array whole = kn::asarray(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
    const auto same = [](const Array& got, const std::vector<float>& want) { CHECK(got.to_vector<float>() == want); };
    const Array row = kn::abs(whole(0, all));
    same(kn::abs(kn::matmul(row, whole(0, all)) + row), {15, 16, 17});
    const Array matrix = kn::abs(whole);
    same(kn::matmul(matrix, matrix.mT()) + matrix(all, slice(2)), {15, 34, 36, 82});
    const Array square = kn::abs(whole(all, slice(2)));
    same(kn::matmul(square, square) + square, {10, 14, 28, 38});
    const Array places = kn::asarray(std::vector<std::int64_t>{1, 0});
    same(kn::take(square, places, {.axis = 0}) - square, {3, 3, -3, -3});
    // An alias is one more result; what it shows is read in place as well.
    const Array other = kn::abs(whole), turned = other.mT(), sum = kn::sum(turned) + other;
    kn::eval(sum, turned);
    same(sum, {22, 23, 24, 25, 26, 27});
    same(turned, {1, 4, 2, 5, 3, 6});
  });
}

TEST_CASE("an expression takes memory for its result alone") {
  on_each_device([] {
    const kn::Device device = kn::default_device();
    const std::int64_t count = 1 << 18, bytes = 4 * count;
    const Array x = ramp(count);
    const std::uint64_t before = kn::memory_stats(device).in_use;
    const Array y = kn::exp(-x * x) * kn::sin(x) + kn::cos(x * 3.0) / 2.0;
    CHECK(kn::memory_stats(device).in_use == before);
    y.eval();
    CHECK(kn::memory_stats(device).in_use == before + static_cast<std::uint64_t>(bytes));
  });
}

TEST_CASE("kernels between two reductions do not wait for each other") {
  on_each_device([] {
    const Array a = ramp(100).eval(), b = (ramp(100) + 1).eval(), c = (ramp(100) * 2).eval(),
                d = (ramp(100) - 3).eval();
    const auto check = [&](auto divided) {
      const Array n = a + b, p = n * c, u = p * n, v = divided(u), s = p * d;
      kn::eval(v, s);
      CHECK(s(5).item<double>() == doctest::Approx(-0.3245));
      CHECK(u(5).item<double>() == doctest::Approx(0.121));
    };
    check([](const Array& u) { return u / kn::sum(u); });
    check([](const Array& u) { return kn::sum(u) + kn::max(u); });
  });
}

TEST_CASE("other sizes, strides and constants need no other program") {
  on_each_device([] {
    const auto expression = [](const Array& x, double a, int b) { return kn::where(x > a, x * a + b, x); };
    const auto programs = [&](const Array& x, double a, int b) {
      return work_of([&] { expression(x, a, b).eval(); }).programs;
    };
    const Array x = ramp(6000);
    programs(x, 2.0, 1);
    CHECK(programs(x, 3.5, -7) == 0);
    CHECK(programs(x, 1.0, 1) == 0);  // numbers that happen to be equal
    CHECK(programs(ramp(17), 1.0, 2) == 0);
    CHECK(programs(reshape(x, {20, 30, 10}), 1.0, 2) == 0);
    CHECK(programs(x(slice(100, 200)), 1.0, 2) == 0);
    programs(x(slice(none, none, 3)), 1.0, 2);
    CHECK(programs(x(slice(7, none, 5)), 2.0, 3) == 0);
    programs(x(slice(none, none, -1)), 3.0, 2);  // a card takes it in vectors, as what else lies side by side
    CHECK(programs(x(slice(77, none, -1)), 1.0, 2) == 0);
    programs(reshape(x, {60, 100})(all, slice(50)), 1.0, 1);  // a card takes short rows in vectors of two
    if (kn::test::facts_of().cpu_loops) {
      const Array part = reshape(x, {5, 4, 30, 10})(slice(1, none), slice(1, none), slice(1, none), slice(2, 8));
      CHECK(programs(part, 1.0, 2) == 0);
      const std::vector<float> got = expression(part, 0.5, 2).to_vector<float>();
      std::size_t k = 0;
      kn::test::each_position(part.shape(), [&](const kn::Shape& p) {
        const double value = double((p[0] + 1) * 1200 + (p[1] + 1) * 300 + (p[2] + 1) * 10 + p[3] + 2) / 6000;
        CHECK(got[k++] == doctest::Approx(value > 0.5 ? value * 0.5 + 2 : value));
      });
    }
    CHECK(programs(reshape(x, {10, 600})(slice(1, 5), slice(4, 62)), 1.0, 1) == 0);
    programs(reshape(x, {60, 100})(all, slice(1, 78)), 1.0, 1);  // in vectors, too, which go on from row to row
    CHECK(programs(reshape(x, {10, 600})(slice(1, 5), slice(3, 202)), 1.0, 1) == 0);
    const auto total = [](const Array& v) { return work_of([&] { kn::sum(v * 2.0).eval(); }).programs; };
    // A card has programs for rows that are whole numbers of its vectors, and for few or many of them.
    for (const int count : {100'000, 99'999, 80'000}) total(ramp(count));
    CHECK(total(ramp(99'997)) == 0);
    CHECK(total(reshape(ramp(80'000), {200, 400})) == 0);
  });
}

TEST_CASE("elements that are only moved take one program for all types of their size") {
  on_each_device([] {
    const auto check = [](std::initializer_list<kn::DType> types) {
      bool first = true;
      for (const kn::DType type : types) {
        if (!kn::test::computes(type)) continue;
        CAPTURE(kn::name(type));
        std::vector<float> values, turned, rows;
        for (int i = 0; i < 6 * 51; ++i) {
          values.push_back(static_cast<float>(i % 2));
          turned.push_back(static_cast<float>((i % 6 * 51 + i / 6) % 2));
        }
        for (const int row : {5, 0, 4}) rows.insert(rows.end(), &values[row * 51u], &values[row * 51u] + 51);
        const Array x = kn::asarray(values, {6, 51}, type);
        const Array places = kn::asarray(std::vector<std::int64_t>{5, 0, -2}).eval();
        Array copy, taken;
        const auto work = work_of([&] {
          copy = x.T().copy().eval();
          taken = kn::take(x, places, {.axis = 0}).eval();
        });
        if (!first) CHECK(work.programs == 0);
        first = false;
        CHECK(copy.dtype() == type);
        using C = std::complex<float>;
        CHECK(copy.to_vector<C>() == std::vector<C>(turned.begin(), turned.end()));
        CHECK(taken.to_vector<C>() == std::vector<C>(rows.begin(), rows.end()));
      }
    };
    check({kn::bool_, kn::int8, kn::uint8});
    check({kn::int16, kn::float16, kn::bfloat16});
    check({kn::float32, kn::int32, kn::uint32});
    check({kn::int64, kn::complex64, kn::float64});
  });
}

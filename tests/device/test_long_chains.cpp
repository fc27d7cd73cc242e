// SPDX-License-Identifier: Apache-2.0
// The bounds on laziness: chains of any length take bounded stack and memory, and time and kernels linear in their
// length, whatever the steps read. KOINE_TEST_EXHAUSTIVE runs the million steps.
#include <doctest/doctest.h>
#include <time.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::all;
using kn::Array;
using kn::none;
using kn::slice;
using kn::test::check_array;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

/// Seconds of a processor that this thread took, which other programs do not add to.
double own_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Cost {
  kn::test::Work work;
  double seconds;
};

template <class F>
Cost cost_of(F f) {
  kn::synchronize();
  const double start = own_seconds();
  const auto work = kn::test::work_of([&] {
    f();
    kn::synchronize();
  });
  return {work, own_seconds() - start};
}

/// Checks that `run(steps)` takes kernels in proportion to the steps, at the most `per_step`, the host's work roughly
/// so, and few programs, all of which are built the first time.
template <class F>
void check_linear(int most, double per_step, F run) {
  constexpr int times = 8;
  const int least = most / times;
  run(least);
  const Cost first = cost_of([&] { run(most); });
  const Cost few = cost_of([&] { run(least); }), many = cost_of([&] { run(most); });
  CAPTURE(few.seconds);
  CAPTURE(many.seconds);
  CHECK(first.work.programs <= 10);
  CHECK(many.work.programs == 0);
  CHECK(static_cast<double>(many.work.kernels) <= per_step * most + 8);
  CHECK(many.seconds < times * times / 2 * few.seconds + 0.05);  // quadratic would be times * times
}

std::uint64_t in_use() { return kn::memory_stats(kn::default_device()).in_use; }

}  // namespace

TEST_CASE("a chain of a million steps") {
  on_each_device([] {
    const int steps = kn::test::exhaustive() ? 1'000'000 : 100'000;
    const Array x = numbered<std::int64_t>({1000});
    kn::synchronize();
    const std::uint64_t before = in_use();
    std::uint64_t most = 0;
    Array y = x;
    for (int i = 0; i < steps; ++i) {
      y = y * 3 + 7;
      if (i % 1000 == 0) most = std::max(most, in_use());
    }
    CHECK(most - before <= 4 * 8000);
    check_array(y, {1000}, kn::test::by_position<std::int64_t>({1000}, [&](auto& p) {
                  auto value = static_cast<std::uint64_t>(p[0]);
                  for (int i = 0; i < steps; ++i) value = value * 3 + 7;
                  return static_cast<std::int64_t>(value);
                }));
    kn::synchronize();
    CHECK(in_use() - before <= 8192);
  });
}

TEST_CASE("long chains that nobody asks for are dropped") {
  on_each_device([] {
    const Array x = numbered({16});
    Array y = x;
    for (int i = 0; i < 20'000; ++i) y = kn::abs(y) - x;
    y = Array();
    std::vector<Array> all_of_them;
    Array z = x;
    for (int i = 0; i < 5'000; ++i) all_of_them.push_back(z = z + x);
    CHECK(all_of_them[4'321](3).item<int>() == 3 * 4'323);
    all_of_them.clear();
    CHECK(z(3).item<int>() == 3 * 5'001);
  });
}

TEST_CASE("chains of every kind take kernels and time in proportion to their length") {
  on_each_device([] {
    const Array x = numbered<std::int64_t>({64, 64});
    SUBCASE("arithmetic with an array") {
      check_linear(20'480, 1 / 512.0, [&](int steps) {
        Array y = x;
        for (int i = 0; i < steps; ++i) y = x - y;
        CHECK(y(0, 5).item<int>() == (steps % 2 ? 0 : 5));
      });
    }
    SUBCASE("each value used twice") {
      if (kn::test::without_variants("what the two before show")) return;
      check_linear(8'192, 1 / 256.0, [&](int steps) {
        Array y = x;
        for (int i = 0; i < steps; ++i) y = y * y + y;
        y.eval();
      });
    }
    SUBCASE("the two before") {
      check_linear(8'192, 1 / 256.0, [&](int steps) {
        Array a = x, b = x;
        for (int i = 0; i < steps; ++i) {
          const Array next = a + b;
          a = b;
          b = next;
        }
        std::uint64_t fa = 1, fb = 1;
        for (int i = 0; i < steps; ++i) fa = std::exchange(fb, fa + fb);
        CHECK(b(0, 1).item<std::int64_t>() == static_cast<std::int64_t>(fb));
      });
    }
    SUBCASE("views alone") {
      check_linear(8'192, 1 / 256.0, [&](int steps) {
        Array y = x + 1;
        for (int i = 0; i < steps; ++i) y = y.T()(slice(none, none, -1));
        y.eval();
      });
    }
    SUBCASE("turned around at each step") {
      check_linear(1'200, 1, [&](int steps) {
        Array y = x;
        for (int i = 0; i < steps; ++i) y = y.T() + kn::flip(y);
        y.eval();
      });
    }
    SUBCASE("a mean at each step") {
      // Two kernels for a mean (partial sums and their sum) where its rows make several blocks, and one for the rest.
      check_linear(1'200, 3, [&](int steps) {
        Array y = x.astype(kn::float32);
        for (int i = 0; i < steps; ++i) y = y - kn::mean(y, {.axis = 0}) * 0.5;
        y.eval();
      });
    }
    SUBCASE("another shape at each step") {
      if (kn::test::without_variants("what is turned around shows")) return;
      // One more where work is submitted within a step.
      check_linear(1'200, 1.02, [&](int steps) {
        Array y = x;
        for (int i = 0; i < steps; ++i) y = kn::reshape(kn::reshape(y, {4096}) + 1, {64, 64}).T();
        y.eval();
      });
    }
    SUBCASE("new data at each step") {
      check_linear(4'096, 1 / 50.0, [&](int steps) {
        Array y = kn::zeros({256});
        const std::vector<float> ones(256, 1.f);
        for (int i = 0; i < steps; ++i) y = y + kn::asarray(ones);
        CHECK(y(7).item<int>() == steps);
      });
    }
  });
}

namespace {

constexpr std::int64_t rows = 40, columns = 50;

/// The stencil in plain C++: each inner point becomes the mean of its four neighbours and itself.
std::vector<double> relaxed(std::vector<double> u, int steps) {
  std::vector<double> next = u;
  for (int step = 0; step < steps; ++step) {
    for (std::int64_t i = 1; i + 1 < rows; ++i) {
      for (std::int64_t j = 1; j + 1 < columns; ++j) {
        const auto at = static_cast<std::size_t>(i * columns + j);
        next[at] = 0.2 * (u[at] + u[at - columns] + u[at + columns] + u[at - 1] + u[at + 1]);
      }
    }
    std::swap(u, next);
  }
  return u;
}

std::vector<double> hot_edge() {
  std::vector<double> u(rows * columns, 0.0);
  for (std::size_t j = 0; j < columns; ++j) u[j] = 100;
  for (std::size_t i = 0; i < rows; ++i) u[i * columns] = 50;
  return u;
}

Array mean_of_five(const Array& u) {
  return 0.2 * (u(slice(1, -1), slice(1, -1)) + u(slice(none, -2), slice(1, -1)) + u(slice(2, none), slice(1, -1)) +
                u(slice(1, -1), slice(none, -2)) + u(slice(1, -1), slice(2, none)));
}

void check_relaxed(const Array& u, int steps) {
  const std::vector<double> expected = relaxed(hot_edge(), steps);
  const std::vector<float> got = u.to_vector<float>();
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - expected[i]));
  CHECK(worst < 1e-3);
}

}  // namespace

TEST_CASE("a five-point stencil, a thousand times, in place") {
  on_each_device([] {
    check_linear(1'000, 3, [](int steps) {
      Array u = kn::asarray(hot_edge(), {rows, columns}, {.dtype = kn::float32});
      for (int i = 0; i < steps; ++i) u(slice(1, -1), slice(1, -1)) = mean_of_five(u);
      check_relaxed(u, steps);
    });
  });
}

TEST_CASE("a five-point stencil, a thousand times, into a new array at each step") {
  on_each_device([] {
    check_linear(1'000, 3, [](int steps) {
      Array u = kn::asarray(hot_edge(), {rows, columns}, {.dtype = kn::float32});
      for (int i = 0; i < steps; ++i) {
        Array next = u;
        next(slice(1, -1), slice(1, -1)) = mean_of_five(u);
        u = next;
      }
      check_relaxed(u, steps);
    });
  });
}

TEST_CASE("a five-point stencil, a thousand times, padded at each step") {
  if (kn::test::without_variants("stencils that are padded")) return;
  on_each_device([] {
    check_linear(1'000, 3, [](int steps) {
      const std::vector<double> start = hot_edge();
      const Array edge = kn::asarray(start, {rows, columns}, {.dtype = kn::float32});
      Array u = edge(slice(1, -1), slice(1, -1));
      for (int i = 0; i < steps; ++i) {
        Array padded = edge;
        padded(slice(1, -1), slice(1, -1)) = u;
        u = mean_of_five(padded);
      }
      Array whole = edge;
      whole(slice(1, -1), slice(1, -1)) = u;
      check_relaxed(whole, steps);
    });
  });
}

TEST_CASE("a stencil of slices alone, each step smaller by its rim") {
  on_each_device([] {
    check_linear(240, 1, [](int steps) {
      Array u = numbered<std::int64_t>({500, 500});
      for (int i = 0; i < steps; ++i) {
        u = u(slice(1, -1), slice(1, -1)) + u(slice(none, -2), slice(1, -1)) - u(slice(2, none), slice(1, -1)) +
            u(slice(1, -1), slice(none, -2)) - u(slice(1, -1), slice(2, none));
      }
      // Of a plane a·i + b·j each step takes 2a and 2b.
      CHECK(u.shape() == kn::Shape{500 - 2 * steps, 500 - 2 * steps});
      const std::int64_t corner = steps * 501 - steps * 1002;
      CHECK(u(0, 0).item<std::int64_t>() == corner);
      CHECK(u(7, 3).item<std::int64_t>() == corner + 7 * 500 + 3);
    });
  });
}

// SPDX-License-Identifier: Apache-2.0
// Loops that nobody evaluates: what is submitted on the way is the same work each time, so that a thousand steps need
// the programs of the first hundred, launches per step stay few, and memory does not grow.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::on_each_device;

namespace {

constexpr std::int64_t rows = 20, columns = 17;
constexpr int steps = 1000;

std::uint64_t in_use() { return kn::memory_stats(kn::default_device()).in_use; }

/// Numbers between 0 and 1 that are not smooth, the same each time.
std::vector<float> noise(unsigned seed) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values.push_back(static_cast<float>(seed >> 8) / 16777216.0f);
  }
  return values;
}

Array array_of(const std::vector<float>& values) { return kn::asarray(values, {rows, columns}); }

/// The element that lies `down` rows and `right` columns away, on a torus.
float at(const std::vector<float>& values, std::int64_t i, std::int64_t j) {
  return values[static_cast<std::size_t>((i + rows) % rows * columns + (j + columns) % columns)];
}

struct Water {
  static constexpr double most_kernels = 1.5;
  std::array<std::vector<float>, 3> values{noise(1), noise(2), noise(3)};
  Array h = array_of(values[0]), u = array_of(values[1]), v = array_of(values[2]);

  void step() {
    const auto roll = [](const Array& x, int shift, int axis) { return kn::roll(x, shift, {.axis = axis}); };
    const Array x = u * h, y = v * h;
    const Array du =
        roll(h, -1, 1) - roll(h, 1, 1) + u * (roll(u, -1, 1) - roll(u, 1, 1)) + v * (roll(u, -1, 0) - roll(u, 1, 0));
    const Array dv =
        roll(h, -1, 0) - roll(h, 1, 0) + u * (roll(v, -1, 1) - roll(v, 1, 1)) + v * (roll(v, -1, 0) - roll(v, 1, 0));
    const Array dh = roll(x, -1, 1) - roll(x, 1, 1) + roll(y, -1, 0) - roll(y, 1, 0);
    h = h - 0.0001 * dh;
    u = u - 0.0001 * du;
    v = v - 0.0001 * dv;
  }
  void reference_step() {
    const auto [h, u, v] = values;
    std::size_t k = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j, ++k) {
        const auto product = [&](const std::vector<float>& a, std::int64_t row, std::int64_t column) {
          return at(a, row, column) * at(h, row, column);
        };
        const float du = at(h, i, j + 1) - at(h, i, j - 1) + u[k] * (at(u, i, j + 1) - at(u, i, j - 1)) +
                         v[k] * (at(u, i + 1, j) - at(u, i - 1, j));
        const float dv = at(h, i + 1, j) - at(h, i - 1, j) + u[k] * (at(v, i, j + 1) - at(v, i, j - 1)) +
                         v[k] * (at(v, i + 1, j) - at(v, i - 1, j));
        const float dh = product(u, i, j + 1) - product(u, i, j - 1) + product(v, i + 1, j) - product(v, i - 1, j);
        values[0][k] = h[k] - 0.0001f * dh;
        values[1][k] = u[k] - 0.0001f * du;
        values[2][k] = v[k] - 0.0001f * dv;
      }
    }
  }
  void check() const {
    CHECK(h.to_vector<float>() == values[0]);
    CHECK(u.to_vector<float>() == values[1]);
    CHECK(v.to_vector<float>() == values[2]);
  }
};

struct Life {
  static constexpr double most_kernels = 1.5;
  std::vector<float> values = [] {
    std::vector<float> start = noise(4);
    for (float& value : start) value = value > 0.5f ? 1.0f : 0.0f;
    return start;
  }();
  Array cells = kn::astype(array_of(values), kn::int32);

  void step() {
    Array around = kn::zeros_like(cells);
    for (int i = -1; i < 2; ++i) {
      for (int j = -1; j < 2; ++j) {
        if (i != 0 || j != 0) around = around + kn::roll(cells, {i, j}, {.axis = {0, 1}});
      }
    }
    cells = kn::astype(around == 3 || (cells == 1 && around == 2), kn::int32);
  }
  void reference_step() {
    const std::vector<float> old = values;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        float around = 0;
        for (int k = 0; k < 9; ++k) around += k == 4 ? 0 : at(old, i + k / 3 - 1, j + k % 3 - 1);
        values[static_cast<std::size_t>(i * columns + j)] =
            around == 3 || (at(old, i, j) == 1 && around == 2) ? 1.0f : 0.0f;
      }
    }
  }
  void check() const { CHECK(kn::astype(cells, kn::float32).to_vector<float>() == values); }
};

struct Mandelbrot {
  static constexpr double most_kernels = 0.05;
  std::vector<float> re = noise(5), im = noise(6), xs = re, ys = im, counts = std::vector<float>(re.size(), 0.0f);
  Array a = array_of(re), b = array_of(im), x = a, y = b, count = kn::zeros_like(a);

  void step() {
    const Array inside = x * x + y * y < 4.0, next = x * x - y * y + a;
    y = kn::where(inside, 2.0 * x * y + b, y);
    x = kn::where(inside, next, x);
    count = count + kn::astype(inside, kn::float32);
  }
  void reference_step() {
    for (std::size_t k = 0; k < re.size(); ++k) {
      if (!(xs[k] * xs[k] + ys[k] * ys[k] < 4.0f)) continue;
      const float next = xs[k] * xs[k] - ys[k] * ys[k] + re[k];
      ys[k] = 2.0f * xs[k] * ys[k] + im[k];
      xs[k] = next;
      counts[k] += 1;
    }
  }
  void check() const { CHECK(count.to_vector<float>() == counts); }
};

struct Jacobi {
  static constexpr double most_kernels = 1;
  std::vector<float> values = noise(7);
  Array p = array_of(values);

  void step() {
    const kn::Slice lo = kn::slice(0, -2), mid = kn::slice(1, -1), hi = kn::slice(2, kn::none);
    p(mid, mid) = 0.25 * (p(lo, mid) + p(hi, mid) + p(mid, lo) + p(mid, hi));
  }
  void reference_step() {
    const std::vector<float> old = values;
    for (std::int64_t i = 1; i + 1 < rows; ++i) {
      for (std::int64_t j = 1; j + 1 < columns; ++j) {
        values[static_cast<std::size_t>(i * columns + j)] =
            0.25f * (at(old, i - 1, j) + at(old, i + 1, j) + at(old, i, j - 1) + at(old, i, j + 1));
      }
    }
  }
  void check() const { CHECK(p.to_vector<float>() == values); }
};

/// Looks at a number of each step, and so evaluates what the next is built upon without asking for it.
struct Descent {
  static constexpr double most_kernels = 2;
  std::vector<float> truth = noise(9), values = noise(10);
  Array t = array_of(truth), w = array_of(values);
  double seen = 0;

  void step() {
    w = w - 0.1 * (w * w * w - t);
    seen = kn::max(w).item<double>();
  }
  void reference_step() {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const float w = values[k], slope = w * w * w - truth[k];
      values[k] = w - 0.1f * slope;
    }
  }
  void check() const {
    CHECK(w.to_vector<float>() == values);
    CHECK(seen == *std::max_element(values.begin(), values.end()));
  }
};

/// Assigns what the next step is built upon to a row of an array that holds all.
struct Average {
  static constexpr double most_kernels = 1;
  std::vector<float> values = noise(11), state = std::vector<float>(columns, 0.0f), rows_seen = values;
  Array x = array_of(values), out = array_of(values), s = kn::zeros({columns});
  std::int64_t now = 0, then = 0;

  void step() {
    s = s + 0.25 * (x[now] - s);
    out[now] = s;
    now = (now + 1) % rows;
  }
  void reference_step() {
    for (std::int64_t j = 0; j < columns; ++j) {
      float& each = state[static_cast<std::size_t>(j)];
      each = each + 0.25f * (at(values, then, j) - each);
      rows_seen[static_cast<std::size_t>(then * columns + j)] = each;
    }
    then = (then + 1) % rows;
  }
  void check() const {
    CHECK(out.to_vector<float>() == rows_seen);
    CHECK(s.to_vector<float>() == state);
  }
};

/// A thousand steps of a model, of which the last nine hundred build nothing.
template <class Model>
void check_stable() {
  on_each_device([] {
    Model model;
    for (int step = 0; step < 100; ++step) model.step();
    kn::synchronize();
    const std::uint64_t before = in_use();
    std::uint64_t most = before;
    const auto work = kn::test::work_of([&] {
      for (int step = 100; step < steps; ++step) {
        model.step();
        most = std::max(most, in_use());
      }
    });
    CHECK(work.programs == 0);
    CHECK(static_cast<double>(work.kernels) <= Model::most_kernels * (steps - 100) + 8);
    // A few values of each of the steps that are not submitted yet, and those of a submission.
    CHECK(most <= before + 64 * sizeof(float) * rows * columns);
    for (int step = 0; step < steps; ++step) model.reference_step();
    model.check();
  });
}

}  // namespace

TEST_CASE("a shallow-water model needs no program after its first hundred steps") { check_stable<Water>(); }
TEST_CASE("a game of life needs no program after its first hundred steps") { check_stable<Life>(); }
TEST_CASE("a Mandelbrot iteration needs no program after its first hundred steps") { check_stable<Mandelbrot>(); }
TEST_CASE("Jacobi's iteration in place needs no program after its first hundred steps") { check_stable<Jacobi>(); }

TEST_CASE("a descent whose steps are looked at needs no program after its first hundred") { check_stable<Descent>(); }
TEST_CASE("an average that is kept row by row needs no program after its first hundred") { check_stable<Average>(); }

TEST_CASE("loops that take turns as they like need the programs that each needs alone") {
  on_each_device([] {
    Life life;
    Mandelbrot mandelbrot;
    int turns = 0;
    const auto run = [&](int first, int last) {
      for (int step = first; step < last; ++step) {
        mandelbrot.step();
        mandelbrot.reference_step();
        if (step * 7 % 5 > 1) continue;
        ++turns;
        life.step();
        life.reference_step();
      }
    };
    run(0, 250);
    CHECK(kn::test::work_of([&] { run(250, 900); }).programs == 0);
    CHECK(turns == 360);
    mandelbrot.check();
    life.check();
  });
}

TEST_CASE("threads with loops of their own need the programs that one needs") {
  on_each_device([] {
    const kn::Device device = kn::default_device();
    std::array<Mandelbrot, 3> models;
    const auto run = [&](Mandelbrot& model, int steps_each) {
      const kn::DeviceScope scope(device);
      for (int step = 0; step < steps_each; ++step) {
        model.step();
        model.reference_step();
      }
    };
    for (Mandelbrot& model : models) run(model, 100);
    CHECK(kn::test::work_of([&] {
            std::vector<std::thread> threads;
            for (Mandelbrot& model : models) threads.emplace_back([&] { run(model, 300); });
            for (std::thread& thread : threads) thread.join();
          }).programs == 0);
    for (const Mandelbrot& model : models) model.check();
  });
}

TEST_CASE("a long loop that is built and evaluated again takes the kernels of the first time") {
  on_each_device([] {
    const kn::Device device = kn::default_device();
    const std::vector<float> values = noise(12);
    const Array input = array_of(values);
    constexpr int rounds = 150;
    std::vector<Array> results;
    std::vector<kn::test::Work> work;
    // On a thread that has built nothing before.
    std::thread([&] {
      const kn::DeviceScope scope(device);
      for (int time = 0; time < 5; ++time) {
        work.push_back(kn::test::work_of([&] {
          const Array wide = kn::pad(input * 0.5 + 0.25, {{0, 0}, {0, rounds}});
          Array x = kn::pad(input, 1), most = kn::zeros({rows});
          for (int round = 0; round < rounds; ++round) {
            const Array limit = wide(kn::all, kn::slice(round, round + columns));
            const Array inner = x(kn::slice(1, -1), kn::slice(1, -1)),
                        beside = x(kn::slice(1, -1), kn::slice(2, kn::none));
            const Array next = kn::where(beside > limit, 0.5 * inner + 0.25 * beside, inner + 0.125);
            most = kn::maximum(most, kn::max(next, 1));
            x = kn::pad(next, 1);
          }
          results.push_back(most.eval());
        }));
      }
    }).join();
    for (std::size_t time = 1; time < work.size(); ++time) {
      CAPTURE(time);
      CHECK(work[time].programs == 0);
      CHECK(work[time].kernels == work[0].kernels);
    }
    std::vector<float> now = values, most(rows, 0.0f);
    for (int round = 0; round < rounds; ++round) {
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          float& inner = now[static_cast<std::size_t>(i * columns + j)];
          const float beside = j + 1 < columns ? (&inner)[1] : 0.0f;
          const float limit = j + round < columns ? 0.5f * at(values, i, j + round) + 0.25f : 0.0f;
          inner = beside > limit ? 0.5f * inner + 0.25f * beside : inner + 0.125f;
          most[static_cast<std::size_t>(i)] = std::max(most[static_cast<std::size_t>(i)], inner);
        }
      }
    }
    for (const Array& result : results) CHECK(result.to_vector<float>() == most);
  });
}

TEST_CASE("what goes on while other values are asked for is submitted, too") {
  on_each_device([] {
    const std::vector<float> values = noise(13);
    const Array x = array_of(values);
    Array sum = kn::zeros_like(x);
    constexpr int rounds = 2000;
    const auto work = kn::test::work_of([&] {
      for (int round = 0; round < rounds; ++round) {
        sum = 0.5 * sum + x;
        // Enough work to be remembered.
        Array asked = x;
        for (int k = 0; k < 24; ++k) asked = asked * 0.5 + 0.25;
        asked.eval();
      }
    });
    // One for each round, and for each few hundred of the sum's.
    CHECK(work.kernels > rounds + 3);
    CHECK(work.kernels < rounds + 40);
    std::vector<float> expected(values.size(), 0.0f);
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t k = 0; k < values.size(); ++k) expected[k] = 0.5f * expected[k] + values[k];
    }
    CHECK(sum.to_vector<float>() == expected);
  });
}

TEST_CASE("values that are held, and much in a list, are computed once and right") {
  on_each_device([] {
    // Each value of the chain is held, and a result of each besides; nobody asks before the end.
    std::vector<Array> chain, sums;
    Array z = array_of(noise(8));
    for (int step = 0; step < 600; ++step) {
      z = z * 0.5 + 1.0;
      chain.push_back(z);
      sums.push_back(kn::sum(z, {.axis = 0}));
    }
    std::vector<float> expected = noise(8);
    for (int step = 0; step < 600; ++step) {
      for (float& value : expected) value = value * 0.5f + 1.0f;
      if (step % 97 != 0) continue;
      CAPTURE(step);
      CHECK(chain[static_cast<std::size_t>(step)].to_vector<float>() == expected);
      double total = 0;
      for (std::int64_t i = 0; i < rows; ++i) total += at(expected, i, 3);
      CHECK(sums[static_cast<std::size_t>(step)](3).item<double>() == doctest::Approx(total));
    }
  });
}

TEST_CASE("child: a chain over new data on a device with little memory" * doctest::skip()) {
  const kn::Device device = kn::default_device();
  constexpr std::uint64_t mebibyte = 1 << 20;
  if (device.memory() > 2048 * mebibyte) {
    MESSAGE("left out: the device has much memory");
    return;
  }
  const std::vector<float> ones(2 * mebibyte, 1.0f);
  Array sum = kn::zeros({2 * std::int64_t{mebibyte}});
  for (int step = 0; step < 100; ++step) sum = sum + kn::asarray(ones);
  // An eighth of the memory is kept alive by pending work at the most, beside what a submission takes.
  CHECK(kn::memory_stats(device).peak <= device.memory() / 8 + 64 * mebibyte);
  CHECK(sum(12'345).item<float>() == 100);
}

TEST_CASE("pending work keeps no more than an eighth of the memory alive") {
  kn::test::check_child("child: a chain over new data on a device with little memory", {{"POCL_MEMORY_LIMIT", "1"}});
}

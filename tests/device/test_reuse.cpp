// SPDX-License-Identifier: Apache-2.0
// What is used again: programs, whatever the shapes, strides, offsets and constants, and memory, in loops and in
// training.
//
// A program may depend on these things beside the operations and types: how each operand moves along the innermost axis
// (contiguous, strided, or not at all: broadcast, or a single element); how many axes do not collapse into their
// neighbours; whether counting needs 64 bits; on a GPU, whether vectors are aligned. A reduction adds which axes go,
// whether one pass is enough, on a GPU how many work-items share a row, and on a CPU how many columns one takes at
// once. Everything else is an argument.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "../examples/digits/network.hpp"
#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/work.hpp"

using kn::all;
using kn::Array;
using kn::newaxis;
using kn::none;
using kn::Shape;
using kn::slice;
using kn::test::by_position;
using kn::test::check_child;
using kn::test::number_of;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

bool on_cpu() { return kn::test::facts_of().cpu_loops; }

template <class F>
std::int64_t programs_of(F f) {
  return kn::test::work_of(f).programs;
}

std::int64_t peak() { return static_cast<std::int64_t>(kn::memory_stats(kn::default_device()).peak); }

}  // namespace

TEST_CASE("element-wise kernels serve all shapes, offsets and constants") {
  on_each_device([] {
    // Aligned and unaligned vectors are two programs on a GPU.
    const std::int64_t most = on_cpu() ? 1 : 2;
    const Array x = numbered({5000}).eval();
    double constant = 0.25;
    const auto check = [&](const Array& part, std::int64_t first, std::int64_t step) {
      constant += 1.5;
      const Array y = part * constant - (constant + 7);
      CHECK(kn::test::difference(y.to_vector<float>(), by_position<float>(part.shape(), [&](const Shape& p) {
                                   return float(first + step * number_of(p, part.shape())) * float(constant) -
                                          float(constant + 7);
                                 })) == "");
    };
    const Array f = x.astype(kn::float32).eval();
    SUBCASE("contiguous, of any number of axes") {
      const std::int64_t programs = programs_of([&] {
        check(f, 0, 1);
        for (int size : {1, 2, 3, 17, 64, 1000, 4999}) check(f(slice(0, size)), 0, 1);
        for (int start : {1, 2, 3, 16, 77, 1024}) check(f(slice(start, start + 100)), start, 1);
        check(kn::reshape(f, {50, 100}), 0, 1);
        check(kn::reshape(f, {2, 5, 10, 5, 10}), 0, 1);
        check(kn::reshape(f, {50, 100})(slice(10, 20)), 1000, 1);
        check(kn::reshape(f, {1, 5000, 1}), 0, 1);
      });
      CHECK(programs >= 1);
      CHECK(programs <= most);
    }
    SUBCASE("strided") {
      CHECK(programs_of([&] {
              for (int step : {2, 3, 7, 100}) check(f(slice(0, none, step)), 0, step);
              for (int start : {1, 5, 99}) check(f(slice(start, none, 3)), start, 3);
              check(f(slice(none, 100, -4)), 4999, -4);
              check(kn::reshape(f, {50, 100})(all, 7), 7, 100);
            }) == (on_cpu() ? 2 : 1));  // a CPU reads every second element in vectors
      // A card takes neighbours in vectors, whichever way round they lie.
      CHECK(programs_of([&] {
              for (int start : {4999, 100, 64}) check(f(slice(start, none, -1)), start, -1);
            }) <= 1);
    }
    SUBCASE("rows of a matrix, which do not collapse") {
      const std::int64_t programs = programs_of([&] {
        for (int rows : {10, 20, 50}) {
          for (int columns : {8, 24, 92}) {
            const Array part = kn::reshape(f, {50, 100})(slice(0, rows), slice(4, 4 + columns));
            const Array y = part * columns + rows;
            CHECK(kn::test::difference(y.to_vector<float>(), by_position<float>({rows, columns}, [&](const Shape& p) {
                                         return float((100 * p[0] + 4 + p[1]) * columns + rows);
                                       })) == "");
          }
        }
      });
      CHECK(programs >= 1);
      CHECK(programs <= most);
    }
    SUBCASE("a matrix and its transpose, and a row against a column") {
      CHECK(programs_of([&] {
              for (int n : {3, 10, 64}) {
                const Array a = kn::reshape(f(slice(0, n * n)), {n, n});
                CHECK((a - a.T())(n - 1, 0).item<int>() == n * (n - 1) - (n - 1));
              }
            }) <= most);
      CHECK(programs_of([&] {
              for (int n : {3, 10, 64}) {
                const Array row = f(slice(0, n)), column = f(slice(0, n))(all, newaxis);
                CHECK((row - 2 * column)(n - 1, 1).item<int>() == 1 - 2 * (n - 1));
              }
            }) <= most);
    }
  });
}

TEST_CASE("assigning to a part takes one program, whichever part and value") {
  on_each_device([] {
    Array x = kn::zeros({40, 50}).eval();
    std::vector<float> expected(2000, 0.0f);
    const auto assign = [&](int first, int last, int value) {
      x(slice(first, last), slice(first, last)) = value;
      for (int i = first; i < last; ++i) {
        for (int j = first; j < last; ++j) expected[static_cast<std::size_t>(50 * i + j)] = static_cast<float>(value);
      }
    };
    assign(0, 4, 1);  // the first time, the zeros get memory; later parts are squares too, of 2 by 2 and more
    CHECK(programs_of([&] {
            for (int i = 2; i < 20; ++i) assign(i, 2 * i, 3 * i);
          }) <= (on_cpu() ? 0 : 1));
    CHECK(x.to_vector<float>() == expected);
  });
}

TEST_CASE("reductions serve all shapes of a kind") {
  on_each_device(kn::float64, [] {
    const Array x = numbered({300'000}).astype(kn::float64).eval();
    const auto sum_of = [](std::int64_t first, std::int64_t count) {
      return double(count) * double(2 * first + count - 1) / 2;
    };
    // One block each; on a GPU the work-items that share a row are 1, 4, 32 or 256, aligned or not.
    CHECK(programs_of([&] {
            for (int n : {2, 10, 100, 1000, 20'000}) CHECK(kn::sum(x(slice(0, n))).item<double>() == sum_of(0, n));
            for (int first : {1, 3, 64, 1000})
              CHECK(kn::sum(x(slice(first, first + 512))).item<double>() == sum_of(first, 512));
          }) <= (on_cpu() ? 2 : 8));
    // Two passes.
    CHECK(programs_of([&] {
            for (int n : {100'000, 150'001, 300'000}) CHECK(kn::sum(x(slice(0, n))).item<double>() == sum_of(0, n));
          }) <= (on_cpu() ? 2 : 4));
    const auto rows = [&](int n, int m) {
      const auto sums = kn::sum(kn::reshape(x(slice(0, n * m)), {n, m}), {.axis = 1}).to_vector<double>();
      CHECK(sums == by_position<double>({n}, [&](const Shape& p) { return sum_of(p[0] * m, m); }));
    };
    // A CPU's vector takes as many rows as it has elements, if there are so many.
    rows(3, 128);
    rows(20, 128);
    rows(20, 160);  // on a GPU a row may be all that its work-items have room for, or less
    CHECK(programs_of([&] {
            for (int n : {2, 10, 77}) rows(n, 128);
            for (int n : {2, 10, 77}) rows(n, 160);
          }) == 0);
    const auto columns = [&](int n, int m) {
      const auto sums = kn::sum(kn::reshape(x(slice(0, n * m)), {n, m}), {.axis = 0}).to_vector<double>();
      CHECK(sums == by_position<double>(
                        {m}, [&](const Shape& p) { return double(n) * (double(p[0]) + double(n - 1) * m / 2); }));
    };
    // On a GPU more work-items share a column where columns are few or long.
    for (const int m : {256, 1024}) columns(5, m);
    CHECK(programs_of([&] {
            for (int n : {3, 10, 31}) columns(n, 256);
            for (int n : {3, 10, 31}) columns(n, 1024);
          }) <= (on_cpu() ? 0 : 1));
  });
}

TEST_CASE("matrix products and random numbers serve all sizes") {
  on_each_device([] {
    kn::random::Generator generator(1);
    const auto multiply = [&](int m, int k, int n) {
      const Array a = kn::ones({m, k}).eval(), b = (kn::ones({k, n}) * 2).eval();
      CHECK(kn::matmul(a, b).to_vector<float>() ==
            std::vector<float>(static_cast<std::size_t>(m * n), 2.0f * float(k)));
    };
    const auto draw = [&](int n, double scale) {
      CHECK(generator.normal({n}, {.loc = scale, .scale = scale}).to_vector<float>().size() == std::size_t(n));
    };
    multiply(3, 4, 5);
    draw(10, 1);
    CHECK(programs_of([&] {
            for (int size : {2, 7, 16, 50}) {
              multiply(size, size + 1, 2 * size);
              draw(size * size, size);
            }
          }) == 0);
  });
}

// Each in a process of its own: the peak of a device is counted from its first use.

TEST_CASE("child: a loop holds few buffers" * doctest::skip()) {
  constexpr std::int64_t bytes = 1 << 20;
  const std::int64_t count = bytes / 4;
  Array x = numbered({count});
  const bool asked = std::getenv("KOINE_TEST_EVAL") != nullptr;
  std::int64_t early = 0;
  constexpr int steps = 10'000;
  for (int i = 0; i < steps; ++i) {
    x = x * 3 + 1;
    if (asked) x.eval();
    if (i == steps / 10) early = peak();
  }
  CAPTURE(peak());
  // Work that nobody asks for is submitted now and then, and stores the step before the last as well.
  const std::int64_t most = (asked ? 2 : 3) * bytes;
  CHECK(peak() <= most);
  CHECK(peak() == early);
  const auto values = x.to_vector<std::int32_t>();
  for (const std::uint32_t start : {0u, 1u, 12'345u, std::uint32_t(count - 1)}) {
    std::uint32_t value = start;
    for (int i = 0; i < steps; ++i) value = value * 3 + 1;
    CHECK(static_cast<std::uint32_t>(values[start]) == value);
  }
  CHECK(peak() <= most);
}

TEST_CASE("x = x * 3 + 1 ten thousand times holds two buffers, and three where nobody evaluates it") {
  check_child("child: a loop holds few buffers", {{"KOINE_TEST_EVAL", "1"}});
  check_child("child: a loop holds few buffers");
}

namespace {

/// Pictures of 8x8 grey pixels: ten random patterns, each with noise of its own. Returns the patterns' numbers too.
struct Pictures {
  Array images, labels;
};

Pictures draw_pictures(std::int64_t count, unsigned seed) {
  std::mt19937 patterns(5), random(seed);
  std::vector<std::vector<float>> digits(10, std::vector<float>(64));
  for (auto& digit : digits) {
    for (float& pixel : digit) pixel = patterns() % 2 == 0 ? 0.0f : 1.0f;
  }
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
  std::normal_distribution<float> noise(0, 0.3f);
  for (std::int64_t i = 0; i < count; ++i) {
    labels.push_back(static_cast<std::int64_t>(random() % 10));
    for (const float pixel : digits[static_cast<std::size_t>(labels.back())]) pixels.push_back(pixel + noise(random));
  }
  return {kn::asarray(pixels, {count, 64}), kn::asarray(labels)};
}

constexpr std::int64_t batch = 64, batches = 22, hidden = 256;

}  // namespace

TEST_CASE("child: training" * doctest::skip()) {
  const Pictures training = draw_pictures(batch * batches, 1), test = draw_pictures(360, 2);
  kn::random::Generator random(1);
  Network network(random, 64, hidden, 10);
  const auto accuracy = [&] {
    return kn::mean((network.predict(test.images) == test.labels).astype(kn::float32)).item<double>();
  };
  // The bytes of the arrays that variables hold from step to step: the pictures, and each layer's weights, biases and
  // their speeds. Those of one step, such as the hidden layer's values, come on top.
  const std::int64_t parameters = 64 * hidden + hidden + hidden * 10 + 10;
  const std::int64_t live = training.images.nbytes() + training.labels.nbytes() + test.images.nbytes() +
                            test.labels.nbytes() + 2 * parameters * std::int64_t{sizeof(float)};
  constexpr int epochs = 10;
  std::vector<std::int64_t> programs;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    programs.push_back(programs_of([&] {
      for (std::int64_t k = 0; k < batches; ++k) {
        const auto rows = slice(k, batch * batches, batches);
        network.train(training.images(rows) + random.normal({batch, 64}, {.scale = 0.2}), training.labels(rows),
                      0.1 * (epochs - epoch) / epochs);
      }
      if (epoch == 0) CHECK(peak() < 2 * live);
      accuracy();
    }));
  }
  CHECK(accuracy() > 0.95);
  CHECK(programs[0] > 5);
  CHECK(programs[0] < 40);
  for (int epoch = 1; epoch < epochs; ++epoch) CHECK(programs[static_cast<std::size_t>(epoch)] == 0);
  // The accuracy needs the hidden layer's values for all test pictures at once, which are as large as all else.
  const std::int64_t read = test.images.shape(0) * hidden * std::int64_t{sizeof(float)};
  CHECK(peak() < 2 * (live + read));
  CHECK(static_cast<std::int64_t>(kn::memory_stats(kn::default_device()).in_use) < live * 5 / 4);
}

TEST_CASE("training ten epochs builds no more programs than one, and its peak is under twice its live arrays") {
  check_child("child: training");
}

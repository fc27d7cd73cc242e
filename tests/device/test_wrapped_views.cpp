// SPDX-License-Identifier: Apache-2.0
// roll as a view: read inside the kernels of what uses it, alone, behind and before other views, along every axis.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <random>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;

namespace {

/// An array beside its values on the host, which each step moves by plain index arithmetic.
struct Both {
  kn::Array array;
  std::vector<float> values;
};

std::int64_t wrapped(std::int64_t position, std::int64_t size) { return ((position % size) + size) % size; }

/// The values at the positions that `from` gives for those of `shape`.
template <class From>
std::vector<float> moved(const Both& x, const kn::Shape& shape, From from) {
  std::vector<float> result;
  kn::Shape at = kn::Shape::filled(shape.size(), 0);
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    std::int64_t rest = i;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) at[axis] = rest % shape[axis];
    const kn::Shape source = from(at);
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < source.size(); ++axis) flat = flat * x.array.shape()[axis] + source[axis];
    result.push_back(x.values[static_cast<std::size_t>(flat)]);
  }
  return result;
}

Both rolled(const Both& x, std::int64_t shift, std::size_t axis) {
  const kn::Shape shape = x.array.shape();
  auto values = moved(x, shape, [&](kn::Shape at) {
    at[axis] = wrapped(at[axis] - shift, shape[axis]);
    return at;
  });
  return {kn::roll(x.array, shift, {.axis = axis}), std::move(values)};
}

Both flipped(const Both& x, std::size_t axis) {
  const kn::Shape shape = x.array.shape();
  auto values = moved(x, shape, [&](kn::Shape at) {
    at[axis] = shape[axis] - 1 - at[axis];
    return at;
  });
  return {kn::flip(x.array, {.axis = axis}), std::move(values)};
}

Both sliced(const Both& x, std::int64_t start, std::int64_t step, std::size_t axis) {
  kn::Shape shape = x.array.shape();
  shape[axis] = (shape[axis] - start + step - 1) / step;
  auto values = moved(x, shape, [&](kn::Shape at) {
    at[axis] = start + step * at[axis];
    return at;
  });
  std::vector<kn::Index> indices(axis, kn::all);
  indices.emplace_back(kn::slice(start, kn::none, step));
  return {x.array.get(indices), std::move(values)};
}

Both swapped(const Both& x) {
  const kn::Shape shape{x.array.shape()[1], x.array.shape()[0]};
  auto values = moved(x, shape, [&](const kn::Shape& at) { return kn::Shape{at[1], at[0]}; });
  return {x.array.T(), std::move(values)};
}

Both twice_and_one(const Both& x) {
  Both result{x.array * 2.0f + 1.0f, x.values};
  for (float& value : result.values) value = value * 2 + 1;
  return result;
}

Both numbers(const kn::Shape& shape, std::mt19937& random) {
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  for (float& value : values) value = static_cast<float>(random() % 1000);
  return {kn::asarray(values, shape), values};
}

}  // namespace

TEST_CASE("rolls, flips, slices and transposes of each other, in one kernel") {
  std::mt19937 random(7);
  for (int round = 0; round < (kn::test::without_variants() ? 8 : 60); ++round) {
    CAPTURE(round);
    // Long rows cross the segments that a CPU's work-items take.
    const std::int64_t columns = round % 10 == 0 ? 9000 : 1 + std::int64_t(random() % 40);
    Both x = numbers({1 + std::int64_t(random() % 12), columns}, random);
    const Both other = numbers(x.array.shape(), random);
    const bool square = x.array.shape()[0] == x.array.shape()[1];
    const int steps = 1 + static_cast<int>(random() % 6);
    for (int step = 0; step < steps; ++step) {
      const std::size_t axis = random() % 2;
      const std::int64_t size = x.array.shape()[axis];
      switch (random() % 6) {
        case 0: x = flipped(x, axis); break;
        case 1:
          if (size > 3) x = sliced(x, std::int64_t(random() % 3), 1 + std::int64_t(random() % 2), axis);
          break;
        case 2: x = swapped(x); break;
        case 3: x = twice_and_one(x); break;
        default: x = rolled(x, std::int64_t(random() % 23) - 11, axis);
      }
    }
    CHECK(x.array.to_vector<float>() == x.values);
    if (x.array.shape() == other.array.shape() && !square) {
      const Both back = rolled(x, 3, 1);
      std::vector<float> sums;
      for (std::size_t i = 0; i < other.values.size(); ++i) {
        sums.push_back(x.values[i] + back.values[i] * other.values[i]);
      }
      CHECK((x.array + back.array * other.array).to_vector<float>() == sums);
    }
    if (round % 4 > 0 && !kn::test::all_variants()) continue;
    const Both once = rolled(twice_and_one(x), 5, 0);
    double sum = 0;
    for (std::size_t i = 0; i < once.values.size(); ++i) sum += double(once.values[i]) * double(i % 7);
    std::vector<double> weights;
    for (std::size_t i = 0; i < once.values.size(); ++i) weights.push_back(double(i % 7));
    CHECK(kn::sum(kn::astype(kn::reshape(once.array, {-1}), kn::float64) * kn::asarray(weights)).item<double>() == sum);
  }
}

TEST_CASE("rolls of broadcasts, positions and windows") {
  const kn::Array row = kn::arange(5, {.dtype = kn::float32});
  const kn::Array wide = kn::roll(kn::broadcast_to(row, {3, 5}), kn::Shape{1, 2}, {.axis = {0, 1}});
  CHECK((wide + 0.0f).to_vector<float>() == std::vector<float>{3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2});
  const kn::Array positions = kn::roll(kn::arange(40), 13);
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < 40; ++i) expected.push_back(wrapped(i - 13, 40) * 3);
  CHECK((positions * 3).to_vector<std::int64_t>() == expected);
  const kn::Array ones = kn::ones({3});
  CHECK(kn::convolve(kn::roll(row, 1), ones, {.mode = "valid"}).to_vector<float>() == std::vector<float>{5, 3, 6});
  CHECK(kn::roll(kn::zeros({0, 3}), 1, {.axis = 0}).shape() == kn::Shape{0, 3});
  CHECK(kn::reshape(kn::roll(kn::reshape(row, {5, 1}), 2, {.axis = 0}), {1, 5}).to_vector<float>() ==
        std::vector<float>{3, 4, 0, 1, 2});
}

TEST_CASE("what a roll reads is not overwritten by it") {
  kn::Array x = kn::arange(100, {.dtype = kn::float32});
  x.eval();
  x = kn::roll(x, 1);
  x = kn::roll(x, 1) + kn::roll(x, -1);
  std::vector<float> expected;
  for (std::int64_t i = 0; i < 100; ++i) {
    expected.push_back(static_cast<float>(wrapped(i - 2, 100) + wrapped(i, 100)));
  }
  CHECK(x.to_vector<float>() == expected);
}

TEST_CASE("assignment to most of an array from its neighbours is one kernel") {
  std::mt19937 random(9);
  for (int round = 0; round < 12; ++round) {
    CAPTURE(round);
    const std::int64_t rows = 6 + std::int64_t(random() % 30), columns = 6 + std::int64_t(random() % 30);
    Both x = numbers({rows, columns}, random);
    const auto at = [&](std::int64_t i, std::int64_t j) { return x.values[static_cast<std::size_t>(i * columns + j)]; };
    std::vector<float> expected = x.values;
    for (std::int64_t i = 1; i + 1 < rows; ++i) {
      for (std::int64_t j = 1; j + 1 < columns; ++j) {
        expected[static_cast<std::size_t>(i * columns + j)] = at(i - 1, j) + at(i + 1, j) - at(i, j - 1) * at(i, j + 1);
      }
    }
    const kn::Slice lo = kn::slice(0, -2), mid = kn::slice(1, -1), hi = kn::slice(2, kn::none);
    kn::Array& p = x.array;
    const kn::Array before = p;
    p.eval();
    const auto work = kn::test::work_of([&] { p(mid, mid) = p(lo, mid) + p(hi, mid) - p(mid, lo) * p(mid, hi); });
    CHECK(work.kernels == 1);
    CHECK(p.to_vector<float>() == expected);
    CHECK(before.to_vector<float>() == x.values);
    // Along one axis, turned round, and a value that repeats.
    x.values = expected;
    kn::Array whole = p;
    whole(kn::slice(1, kn::none)) = kn::flip(p(kn::slice(0, -1)), {.axis = 0}) * 2.0f;
    for (std::int64_t i = 1; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        expected[static_cast<std::size_t>(i * columns + j)] = 2 * at(rows - 1 - i, j);
      }
    }
    CHECK(whole.to_vector<float>() == expected);
    p(kn::all, kn::slice(kn::none, 0, -1)) = p(0, kn::slice(1, kn::none)) + 1.0f;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 1; j < columns; ++j) {
        expected[static_cast<std::size_t>(i * columns + j)] = at(0, columns - j) + 1;
      }
      expected[static_cast<std::size_t>(i * columns)] = at(i, 0);
    }
    CHECK(p.to_vector<float>() == expected);
  }
}

TEST_CASE("an iteration in place takes turns between two buffers") {
  const kn::Device device = kn::default_device();
  const kn::Slice lo = kn::slice(0, -2), mid = kn::slice(1, -1), hi = kn::slice(2, kn::none);
  kn::Array p = kn::random::Generator(3).uniform({200, 200}).eval();
  kn::synchronize();
  const kn::MemoryStats before = kn::memory_stats(device);
  kn::set_memory_limit(device, before.in_use);  // the pool is to hold nothing
  kn::set_memory_limit(device, before.limit);
  for (int step = 0; step < 5; ++step) {
    const auto work =
        kn::test::work_of([&] { p(mid, mid) = 0.25 * (p(lo, mid) + p(hi, mid) + p(mid, lo) + p(mid, hi)); });
    CHECK(work.kernels == 1);
  }
  kn::synchronize();
  const kn::MemoryStats after = kn::memory_stats(device);
  CHECK(after.in_use + after.held <= before.in_use + 256 * 200 * sizeof(float));
}

TEST_CASE("parts of equal shape are written by one kernel") {
  const kn::Array x = kn::arange(12, {.dtype = kn::float32}), y = kn::reshape(x, {4, 3});
  x.eval();
  const auto rows = kn::test::work_of([&] { kn::stack({x * 2, x + 1, kn::flip(x)}).eval(); });
  CHECK(rows.kernels == 1);
  std::vector<kn::Array> parts;
  std::vector<float> all;
  for (int part = 0; part < 8; ++part) {
    parts.push_back(y * part);
    for (int i = 0; i < 12; ++i) all.push_back(static_cast<float>(i * part));
  }
  kn::Array eight;
  const auto joining = kn::test::work_of([&] { eight = kn::concat(parts).eval(); });
  CHECK(joining.kernels == 1);
  CHECK(eight.to_vector<float>() == all);
  const kn::Array stacked = kn::stack({y * 2, y + 1, y}, {.axis = -1});
  const kn::Array joined = kn::concat({y * 2, y + 1}, {.axis = 1});
  std::vector<float> stack, concat;
  for (int i = 0; i < 12; ++i) stack.insert(stack.end(), {2.0f * i, i + 1.0f, 1.0f * i});
  for (int row = 0; row < 4; ++row) {
    for (int i = 3 * row; i < 3 * row + 3; ++i) concat.push_back(2.0f * i);
    for (int i = 3 * row; i < 3 * row + 3; ++i) concat.push_back(i + 1.0f);
  }
  CHECK(stacked.to_vector<float>() == stack);
  CHECK(joined.to_vector<float>() == concat);
}

TEST_CASE("models take few kernels") {
  CHECK(kn::test::work_of([] {
          const kn::Array x = kn::random::Generator(42).normal({1'000'000});
          kn::mean(kn::exp(-x * x) * 2.0 + 1.0).eval();
        }).kernels <= 2);
  kn::random::Generator random(1);
  const kn::Shape shape{60, 50};
  kn::Array h = random.uniform(shape), u = random.uniform(shape), v = random.uniform(shape);
  kn::eval(h, u, v);
  const auto kernels = [](auto f) { return kn::test::work_of(f).kernels; };
  const auto roll = [](const kn::Array& x, int shift, int axis) { return kn::roll(x, shift, {.axis = axis}); };
  // Shallow water on a torus: three fields, twenty rolls.
  CHECK(kernels([&] {
          const kn::Array x = u * h, y = v * h;
          const kn::Array du = roll(h, -1, 1) - roll(h, 1, 1) + u * (roll(u, -1, 1) - roll(u, 1, 1)) +
                               v * (roll(u, -1, 0) - roll(u, 1, 0));
          const kn::Array dv = roll(h, -1, 0) - roll(h, 1, 0) + u * (roll(v, -1, 1) - roll(v, 1, 1)) +
                               v * (roll(v, -1, 0) - roll(v, 1, 0));
          const kn::Array dh = roll(x, -1, 1) - roll(x, 1, 1) + roll(y, -1, 0) - roll(y, 1, 0) + roll(h, 1, 0) +
                               roll(h, -1, 0) + roll(h, 1, 1) + roll(h, -1, 1) - 4.0 * h;
          h = h - 0.1 * dh;
          u = u - 0.1 * du;
          v = v - 0.1 * dv;
          kn::eval(h, u, v);
        }) <= 3);
  kn::Array cells = kn::astype(random.uniform(shape) > 0.5, kn::int32).eval();
  CHECK(kernels([&] {
          kn::Array around = kn::zeros_like(cells);
          for (int i = -1; i < 2; ++i) {
            for (int j = -1; j < 2; ++j) {
              if (i != 0 || j != 0) around = around + kn::roll(cells, {i, j}, {.axis = {0, 1}});
            }
          }
          cells = kn::astype(around == 3 || (cells == 1 && around == 2), kn::int32);
          cells.eval();
        }) <= 2);
  const kn::Array re = random.uniform(shape).eval(), im = random.uniform(shape).eval();
  CHECK(kernels([&] {
          kn::Array x = re, y = im, steps = kn::zeros_like(re);
          for (int i = 0; i < 50; ++i) {
            const kn::Array inside = x * x + y * y < 4.0, next = x * x - y * y + re;
            y = kn::where(inside, 2.0 * x * y + im, y);
            x = kn::where(inside, next, x);
            steps = steps + kn::astype(inside, kn::float32);
          }
          kn::eval(x, y, steps);
        }) <= 2);
}

// SPDX-License-Identifier: Apache-2.0
// Reshapes that no strides express (tile, repeat, a transposed array made flat) and pad: read inside the kernels of
// what uses them, behind and before other views, beside a reference that moves values by plain index arithmetic.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::Shape;
using kn::test::kernels_of;
using kn::test::on_each_device;

namespace {

/// An array beside its values on the host.
struct Both {
  Array array;
  std::vector<double> values;
};

constexpr double outside = 7;  // what constants are

/// The values at the flat positions, or -1, that `from` gives for each position of `shape`.
template <class From>
std::vector<double> moved(const Both& x, const Shape& shape, From from) {
  std::vector<double> result;
  Shape at = Shape::filled(shape.size(), 0);
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    std::int64_t rest = i;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) at[axis] = rest % shape[axis];
    const Shape source = from(at);
    const Shape sizes = x.array.shape();
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < sizes.size() && flat >= 0; ++axis) {
      flat = source[axis] < 0 ? -1 : flat * sizes[axis] + source[axis];
    }
    result.push_back(flat < 0 ? outside : x.values[static_cast<std::size_t>(flat)]);
  }
  return result;
}

/// The same along one axis, whose size becomes `size`.
template <class From>
std::vector<double> moved_along(const Both& x, std::size_t axis, std::int64_t size, From from) {
  Shape shape = x.array.shape();
  shape[axis] = size;
  return moved(x, shape, [&](Shape at) {
    at[axis] = from(at[axis]);
    return at;
  });
}

std::int64_t modulo(std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; }

Both tiled(const Both& x, std::int64_t times, std::size_t axis) {
  const std::int64_t size = x.array.shape()[axis];
  Shape repetitions = Shape::filled(x.array.shape().size(), 1);
  repetitions[axis] = times;
  return {kn::tile(x.array, repetitions), moved_along(x, axis, size * times, [&](auto i) { return i % size; })};
}

Both repeated(const Both& x, std::int64_t times, std::size_t axis) {
  return {kn::repeat(x.array, times, {.axis = axis}),
          moved_along(x, axis, x.array.shape()[axis] * times, [&](auto i) { return i / times; })};
}

Both rolled(const Both& x, std::int64_t shift, std::size_t axis) {
  const std::int64_t size = x.array.shape()[axis];
  return {kn::roll(x.array, shift, {.axis = axis}),
          moved_along(x, axis, size, [&](auto i) { return modulo(i - shift, size); })};
}

Both flipped(const Both& x, std::size_t axis) {
  const std::int64_t size = x.array.shape()[axis];
  return {kn::flip(x.array, {.axis = axis}), moved_along(x, axis, size, [&](auto i) { return size - 1 - i; })};
}

Both sliced(const Both& x, std::int64_t start, std::int64_t step, std::size_t axis) {
  const std::int64_t size = (x.array.shape()[axis] - start + step - 1) / step;
  std::vector<kn::Index> indices(axis, kn::all);
  indices.emplace_back(kn::slice(start, kn::none, step));
  return {x.array.get(indices), moved_along(x, axis, size, [&](auto i) { return start + step * i; })};
}

constexpr std::string_view modes[] = {"constant", "edge", "reflect", "symmetric", "wrap"};

/// The position of an axis of `size` that position `at` of the padded axis means; -1 for none.
std::int64_t source(std::int64_t at, std::int64_t size, std::string_view mode) {
  if (mode == "constant") return at >= 0 && at < size ? at : -1;
  if (mode == "wrap") return modulo(at, size);
  while (mode != "edge" && size > 1 && (at < 0 || at >= size)) {
    const std::int64_t mirror = mode == "reflect" ? 0 : 1;
    at = at < 0 ? -at - mirror : 2 * size - 2 + mirror - at;
  }
  return std::clamp<std::int64_t>(at, 0, size - 1);
}

Both padded(const Both& x, std::int64_t before, std::int64_t after, std::size_t axis, std::string_view mode) {
  const std::int64_t size = x.array.shape()[axis];
  std::vector<kn::PadWidths::Pair> widths(x.array.shape().size(), {0, 0});
  widths[axis] = {before, after};
  return {kn::pad(x.array, widths, {.mode = mode, .constant_values = outside}),
          moved_along(x, axis, size + before + after, [&](auto i) { return source(i - before, size, mode); })};
}

Both reshaped(const Both& x, const Shape& shape) { return {kn::reshape(x.array, shape), x.values}; }

Both turned(const Both& x) {
  Shape shape;
  std::vector<std::int64_t> order;
  for (std::size_t axis = x.array.shape().size(); axis-- > 0;) {
    shape.push_back(x.array.shape()[axis]);
    order.push_back(static_cast<std::int64_t>(axis));
  }
  auto values = moved(x, shape, [](const Shape& at) {
    Shape back;
    for (std::size_t axis = at.size(); axis-- > 0;) back.push_back(at[axis]);
    return back;
  });
  return {kn::permute_dims(x.array, order), std::move(values)};
}

Both numbers(const Shape& shape, std::mt19937& random, kn::DType type = kn::float32) {
  std::vector<double> values(static_cast<std::size_t>(shape.elements()));
  for (double& value : values) value = static_cast<double>(random() % 50);
  const Array array = kn::asarray(values, shape, type);
  array.eval();
  return {array, values};
}

/// 2 x + y, of whole numbers that every type holds.
Both combined(const Both& x, const Both& y) {
  Both result{x.array * 2 + y.array, x.values};
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] = 2 * x.values[i] + y.values[i];
  return result;
}

void check(const Both& x) { CHECK(x.array.to_vector<double>() == x.values); }

/// The sums along each axis, and that of all elements times their number, which depends on where each is.
void check_sums(const Both& x) {
  const Shape shape = x.array.shape();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::int64_t behind = 1;
    for (std::size_t other = axis + 1; other < shape.size(); ++other) behind *= shape[other];
    const std::int64_t size = shape[axis];
    std::vector<double> sums(x.values.size() / static_cast<std::size_t>(size), 0.0), largest(sums.size(), -1.0);
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
      const auto at = static_cast<std::size_t>(i / (behind * size) * behind + i % behind);
      const double value = x.values[static_cast<std::size_t>(i)];
      sums[at] += value;
      largest[at] = std::max(largest[at], value);
    }
    CHECK(kn::sum(x.array, {.axis = axis}).to_vector<double>() == sums);
    if (axis > 0 && kn::test::without_variants("extremes along further axes, which are read as sums are")) continue;
    CHECK(kn::max(x.array, {.axis = axis}).to_vector<double>() == largest);
  }
  double sum = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) sum += x.values[i] * static_cast<double>(i % 7);
  std::vector<double> weights;
  for (std::size_t i = 0; i < x.values.size(); ++i) weights.push_back(static_cast<double>(i % 7));
  CHECK(kn::sum(kn::reshape(x.array, {-1}).astype(kn::float64) * kn::asarray(weights)).item<double>() == sum);
  const auto first = std::max_element(x.values.begin(), x.values.end()) - x.values.begin();
  CHECK(kn::argmax(x.array).item<std::int64_t>() == first);
}

}  // namespace

TEST_CASE("chains of movement with arithmetic between, and their sums") {
  on_each_device([] {
    std::mt19937 random(11);
    for (int round = 0; round < (kn::test::all_variants() ? 30 : 4); ++round) {
      CAPTURE(round);
      Shape shape;
      for (std::size_t axes = 1 + random() % 3; axes > 0; --axes) shape.push_back(1 + std::int64_t(random() % 6));
      if (round % 3 == 0) shape[shape.size() - 1] = 16 + std::int64_t(random() % 20);
      Both x = numbers(shape, random);
      std::string steps;
      for (int step = 0; step < 5 && x.array.size() < 3000; ++step) {
        const Shape now = x.array.shape();
        const std::size_t axis = random() % now.size();
        const std::int64_t some = 1 + std::int64_t(random() % 3);
        const auto kind = random() % 9;
        steps += std::to_string(kind) + " ";
        switch (kind) {
          case 0: x = tiled(x, some, axis); break;
          case 1: x = repeated(x, some, axis); break;
          case 2: x = turned(x); break;
          case 3: x = rolled(x, some, axis); break;
          case 4: x = padded(x, some - 1, std::int64_t(random() % 9), axis, modes[random() % 5]); break;
          case 5: x = reshaped(x, random() % 2 ? Shape{now.elements()} : Shape{now[0], now.elements() / now[0]}); break;
          case 6: x = flipped(x, axis); break;
          case 7:
            if (now[axis] > 3) x = sliced(x, some - 1, some, axis);
            break;
          default: x = combined(x, numbers(now, random));
        }
      }
      CAPTURE(steps);
      if (round % 4 == 0) x.array.eval();
      check(x);
      check(combined(x, numbers(x.array.shape(), random)));
      if (round % 3 == 0) check_sums(x);
    }
  });
}

TEST_CASE("tile, repeat and flattening of what is turned are one kernel with what reads them") {
  on_each_device([] {
    std::mt19937 random(3);
    const Both x = numbers({20, 32}, random), row = numbers({32}, random), flat = numbers({640}, random);
    const auto one = [](const Both& result) {
      CHECK(kernels_of(result.array) == 1);
      check(result);
    };
    one(combined(tiled(row, 20, 0), flat));
    one(combined(repeated(numbers({20}, random), 32, 0), flat));
    one(combined(tiled(tiled(numbers({10, 16}, random), 2, 0), 2, 1), x));
    one(combined(repeated(numbers({10, 32}, random), 2, 0), x));
    one(combined(reshaped(turned(x), {640}), flat));
    one(combined(reshaped(turned(combined(x, x)), {640}), flat));
    one(combined(turned(reshaped(turned(numbers({3, 4, 20}, random)), {20, 12})), numbers({12, 20}, random)));
    // Folded, too: the reduced axis is two then.
    const Both product = combined(tiled(numbers({512}, random), 40, 0), numbers({20480}, random));
    double sum = 0;
    for (const double value : product.values) sum += value;
    const Array total = kn::sum(product.array);
    CHECK(kernels_of(total) == 1);
    CHECK(total.item<double>() == sum);
  });
}

TEST_CASE("a short row repeated is stored rather than walked row by row") {
  std::mt19937 random(4);
  const Both three = numbers({3}, random), flat = numbers({600}, random);
  const Both result = combined(tiled(three, 200, 0), flat);
  CHECK(kernels_of(result.array) == 2);
  check(result);
  // A card takes rows that are whole vectors of eight bytes.
  on_each_device([&] {
    const bool cpu = kn::default_device().type() == kn::DeviceType::cpu;
    const Both pairs = combined(repeated(numbers({20, 16}, random), 2, 1), numbers({20, 32}, random));
    CHECK(kernels_of(pairs.array) == (cpu ? 2 : 1));
    check(pairs);
    const Both both = combined(repeated(repeated(numbers({10, 8}, random), 2, 0), 4, 1), numbers({20, 32}, random));
    CHECK(kernels_of(both.array) == (cpu ? 2 : 1));
    check(both);
  });
}

TEST_CASE("a reshape of results of an operation of its own is copied where it is a part of a whole") {
  on_each_device([] {
    const auto sums = [](double from) {
      return kn::cumulative_sum(kn::reshape(kn::arange(from, from + 4), {2, 2}), {.axis = 1});
    };
    const Array parts = kn::stack({sums(0), sums(4)});
    CHECK(parts.to_vector<double>() == std::vector<double>{0, 1, 2, 5, 4, 9, 6, 13});
  });
}

TEST_CASE("reshapes that have no common split, and rolls across one") {
  on_each_device([] {
    std::mt19937 random(5);
    const Both a = numbers({40, 60}, random), b = numbers({60, 40}, random);
    check(combined(reshaped(turned(a), {40, 60}), numbers({40, 60}, random)));
    // Each alone splits the domain, but not both.
    const Both flat = numbers({2400}, random);
    check(combined(combined(reshaped(turned(a), {2400}), reshaped(turned(numbers({50, 48}, random)), {2400})), flat));
    // A seam within a split axis.
    check(combined(combined(rolled(flat, 7, 0), reshaped(turned(b), {2400})), flat));
    check(rolled(combined(reshaped(turned(b), {2400}), flat), 1000, 0));
    check(reshaped(combined(rolled(a, 9, 1), rolled(a, 3, 0)), {2400}));
  });
}

TEST_CASE("running sums and rows of what is split") {
  on_each_device([] {
    std::mt19937 random(6);
    const Both x = numbers({24, 40}, random);
    const Both flat = combined(reshaped(turned(x), {960}), numbers({960}, random));
    std::vector<double> running;
    for (const double value : flat.values) running.push_back(value + (running.empty() ? 0 : running.back()));
    CHECK(kn::cumulative_sum(flat.array).to_vector<double>() == running);
    // The axis of the scan stays as it is while another is split.
    const Both tall = combined(tiled(x, 3, 0), numbers({72, 40}, random));
    std::vector<double> along = tall.values;
    for (std::size_t i = 0; i < along.size(); ++i) along[i] += i % 40 ? along[i - 1] : 0;
    CHECK(kn::cumulative_sum(tall.array, {.axis = 1}).to_vector<double>() == along);
    const Array shares = kn::softmax(tall.array / 100, {.axis = 1});
    const std::vector<float> got = shares.to_vector<float>();
    for (std::size_t row = 0; row < 72; ++row) {
      double sum = 0;
      for (std::size_t i = 40 * row; i < 40 * row + 40; ++i) sum += std::exp(tall.values[i] / 100);
      for (std::size_t i = 40 * row; i < 40 * row + 40; ++i) {
        const double want = std::exp(tall.values[i] / 100) / sum;
        if (std::abs(got[i] - want) > 2e-6 * want) FAIL_CHECK("row " << row << ": " << got[i] << " for " << want);
      }
    }
  });
}

TEST_CASE("a reproducible sum of split axes has the bits of the stored one") {
  std::mt19937 random(8);
  std::vector<float> values(70 * 90);
  for (float& value : values) value = static_cast<float>(random()) * 1e-9f - 2.0f;
  const Array x = kn::asarray(values, {70, 90}), flat = kn::reshape(x.T(), {6300}), stored = flat + 0.0f;
  x.eval();
  stored.eval();
  const kn::reproducible scope;
  CHECK(kn::sum(flat * 1.5f).item<float>() == kn::sum(stored * 1.5f).item<float>());
  const Array tiles = kn::tile(x, {3, 1}), tiled = kn::asarray((tiles + 0.0f).to_vector<float>(), {210, 90});
  for (const std::int64_t axis : {0, 1}) {
    CHECK(kn::sum(tiles * 1.5f, {.axis = axis}).to_vector<float>() ==
          kn::sum(tiled * 1.5f, {.axis = axis}).to_vector<float>());
  }
}

TEST_CASE("pad is one kernel, alone and with what reads it") {
  on_each_device([] {
    std::mt19937 random(7);
    const Both x = numbers({19, 23}, random);
    for (const std::string_view mode : modes) {
      CAPTURE(mode);
      const Both wide = padded(padded(x, 2, 3, 0, mode), 1, 4, 1, mode);
      CHECK(kernels_of(kn::pad(x.array, {{2, 3}, {1, 4}}, {.mode = mode, .constant_values = outside})) == 1);
      check(wide);
      const Array p = kn::pad(x.array, 1, {.mode = mode, .constant_values = outside});
      const Both at = padded(padded(x, 1, 1, 0, mode), 1, 1, 1, mode);
      Array sum = x.array * 10;
      std::vector<double> sums = x.values;
      for (double& value : sums) value *= 10;
      for (std::int64_t i = 0; i < 3; ++i) {
        for (std::int64_t j = 0; j < 3; ++j) {
          sum = sum + p(kn::slice(i, i + 19), kn::slice(j, j + 23)) * (3 * i + j);
          for (std::int64_t k = 0; k < 19 * 23; ++k) {
            const auto from = static_cast<std::size_t>((k / 23 + i) * 25 + k % 23 + j);
            sums[static_cast<std::size_t>(k)] += at.values[from] * static_cast<double>(3 * i + j);
          }
        }
      }
      CHECK(kernels_of(sum) == 1);
      check({sum, sums});
      if (mode != "constant" && !kn::test::all_variants()) continue;
      const auto lo = kn::slice(0, -2), mid = kn::slice(1, -1), hi = kn::slice(2, kn::none);
      CHECK(kernels_of(p(lo, mid) + p(hi, mid) + p(mid, lo) + p(mid, hi) - 4 * x.array) == 1);
    }
  });
}

TEST_CASE("pads of pads, of rolls, of tiles and of what is turned") {
  on_each_device([] {
    std::mt19937 random(9);
    for (const std::string_view mode : modes) {
      CAPTURE(mode);
      const Both x = numbers({5, 18}, random);
      Both chain = turned(padded(rolled(x, 4, 1), 3, 2, 1, mode));
      chain = padded(tiled(chain, 2, 0), 40, 50, 1, mode);
      check(combined(chain, numbers(chain.array.shape(), random)));
      if (mode == "reflect" || kn::test::all_variants()) {
        check(flipped(padded(padded(x, 3, 3, 1, "edge"), 2, 25, 1, mode), 1));
        check(sliced(padded(sliced(x, 1, 2, 1), 7, 5, 1, mode), 2, 3, 1));
        check(padded(numbers({1}, random), 5, 6, 0, mode));
        check(padded(combined(x, x), 60, 70, 1, mode));
        check_sums(padded(padded(x, 1, 2, 1, mode), 4, 0, 0, mode));
      }
      // Long rows cross what a CPU's work-item takes at once.
      const Both line = numbers({9000}, random);
      check(combined(padded(line, 300, 500, 0, mode), numbers({9800}, random)));
    }
  });
}

TEST_CASE("every type, and the array that a pad reads afterwards") {
  on_each_device([] {
    std::mt19937 random(10);
    for (const kn::DType type : kn::test::usual_and({kn::bool_, kn::float16, kn::complex64},
                                                    {kn::uint8, kn::int16, kn::int64, kn::bfloat16})) {
      CAPTURE(type);
      std::vector<double> values(40);
      for (double& value : values) value = static_cast<double>(random() % 2);
      const Both x{kn::asarray(values, {40}, type).eval(), values};
      const Both wide = padded(reshaped(turned(reshaped(x, {2, 20})), {40}), 4, 19, 0, "symmetric");
      std::vector<double> got;
      for (const std::complex<double> value : wide.array.to_vector<std::complex<double>>()) got.push_back(value.real());
      CHECK(got == wide.values);
    }
    // Neither is a result written over the array that it reads elsewhere, nor does a write reach it.
    Both x = numbers({30, 16}, random);
    const Both before = x, same = reshaped(turned(x), {30, 16});
    x.array = kn::Array();
    check(combined(combined(same, flipped(same, 0)), same));
    Both y = padded(before, 0, 3, 0, "edge");
    y.array = y.array(kn::slice(3, kn::none));
    y.values.erase(y.values.begin(), y.values.begin() + 48);
    Array changed = before.array;
    changed(0) = 100;
    check(y);
    check(before);
  });
}

TEST_CASE("widths of zero, empty axes, and constants that are pending") {
  const Array x = kn::arange(6, {.dtype = kn::float32}), none = kn::zeros({0, 2});
  CHECK(kernels_of(kn::pad(x, 0, {.mode = "wrap"})) <= 1);
  CHECK(kn::pad(x, {0, 2}, {.constant_values = kn::sum(x)}).to_vector<float>() ==
        std::vector<float>{0, 1, 2, 3, 4, 5, 15, 15});
  CHECK(kn::pad(none, 1, {.constant_values = 4}).to_vector<float>() == std::vector<float>(8, 4));
  CHECK((kn::tile(none, {3, 2}) + 1).shape() == Shape{0, 4});
  CHECK((kn::repeat(none, 0, {.axis = 1}) * 2).shape() == Shape{0, 0});
  CHECK(kn::reshape(kn::pad(none, {{0, 0}, {3, 1}}).T(), {0}).to_vector<float>().empty());
}

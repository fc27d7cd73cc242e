// SPDX-License-Identifier: Apache-2.0
// Reductions, scans and softmax of rolled and padded arrays, which their kernels read piece by piece.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::kernels_of;

namespace {

/// Whole numbers, whose sums are exact in any order, times a factor.
Array numbers(const kn::Shape& shape, float factor = 1) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(static_cast<float>(i * 7919 % 1009) * factor);
  return kn::asarray(values, shape);
}

/// Each as it is lazily, and stored, which has one piece.
std::vector<std::pair<Array, Array>> in_pieces(const Array& x) {
  std::vector<std::pair<Array, Array>> result;
  const auto add = [&](const std::function<Array()>& make) {
    Array stored = make();
    stored.eval();
    result.emplace_back(make(), stored);
  };
  const std::int64_t last = x.ndim() - 1;
  add([&] { return kn::roll(kn::roll(x, 2, {.axis = 0}), 9, {.axis = last}); });
  add([&] { return kn::flip(kn::roll(x, -5, {.axis = last}), {.axis = last}) - kn::roll(x, 3, {.axis = 0}) * 2; });
  add([&] { return kn::pad(x, {4, 3}, {.mode = "reflect"}); });
  return result;
}

void check_same(const Array& got, const Array& expected) {
  CHECK(got.shape() == expected.shape());
  CHECK(got.to_vector<double>() == expected.to_vector<double>());
}

}  // namespace

TEST_CASE("folds of what lies in pieces have the values of folds of its copy") {
  for (const kn::Shape& shape : kn::test::usual_and<kn::Shape>({{37, 61}}, {{1500}})) {
    CAPTURE(shape.elements());
    const auto pieces = in_pieces(numbers(shape));
    for (const auto& [lazy, stored] : pieces) {
      check_same(kn::argmax(lazy), kn::argmax(stored));
      if (&lazy == &pieces[1].first && kn::test::without_variants("what is computed of two that lie in pieces"))
        continue;
      for (std::int64_t axis = 0; axis < std::int64_t(shape.size()); ++axis) {
        CAPTURE(axis);
        check_same(kn::sum(lazy, {.axis = axis}), kn::sum(stored, {.axis = axis}));
        check_same(kn::cumulative_sum(lazy, {.axis = axis}), kn::cumulative_sum(stored, {.axis = axis}));
        check_same(lazy - kn::max(lazy, {.axis = axis, .keepdims = true}),
                   stored - kn::max(stored, {.axis = axis, .keepdims = true}));
      }
    }
  }
}

TEST_CASE("one kernel reads the pieces and folds them") {
  const Array v = numbers({4000}), x = numbers({16, 600});
  CHECK(kernels_of(kn::sum(kn::square(kn::roll(v, 1) - 2 * v + kn::roll(v, -1)))) == 1);
  CHECK(kernels_of(kn::sum(kn::pad(x, {1, 1}, {.mode = "reflect"}), {.axis = 0})) == 1);
  CHECK(kernels_of(kn::cumulative_sum(kn::roll(v, 3))) == 1);
  CHECK(kernels_of(kn::var(kn::roll(x, 3, {.axis = 1}), {.axis = 1})) == 1);
  CHECK(kernels_of(kn::softmax(kn::roll(x, 3, {.axis = 1}), {.axis = 1})) == 1);
}

TEST_CASE("softmax, moments and norms of pieces, against the host") {
  const std::int64_t rows = 5, count = 700, shift = 41;
  const Array x = numbers({rows, count}, 0.002f);
  const std::vector<float> values = x.to_vector<float>();
  const Array rolled = kn::roll(x, shift, {.axis = 1});
  const std::vector<float> soft = kn::softmax(rolled, {.axis = 1}).to_vector<float>();
  const std::vector<float> spread = kn::var(rolled, {.axis = 1}).to_vector<float>();
  const std::vector<float> unit =
      (rolled / kn::sqrt(kn::sum(kn::square(rolled), {.axis = 1, .keepdims = true}))).to_vector<float>();
  for (std::int64_t i = 0; i < rows; ++i) {
    double exponentials = 0, sum = 0, squares = 0;
    const auto at = [&](std::int64_t j) {
      return double(values[static_cast<std::size_t>(i * count + (j + count - shift) % count)]);
    };
    for (std::int64_t j = 0; j < count; ++j) {
      exponentials += std::exp(at(j));
      sum += at(j);
      squares += at(j) * at(j);
    }
    const double mean = sum / double(count);
    CHECK(spread[static_cast<std::size_t>(i)] == doctest::Approx(squares / double(count) - mean * mean).epsilon(1e-5));
    for (std::int64_t j = 0; j < count; ++j) {
      const auto k = static_cast<std::size_t>(i * count + j);
      CHECK(soft[k] == doctest::Approx(std::exp(at(j)) / exponentials).epsilon(1e-5));
      CHECK(unit[k] == doctest::Approx(at(j) / std::sqrt(squares)).epsilon(1e-5));
    }
  }
}

TEST_CASE("a reproducible sum of pieces has the bits of the stored one") {
  const kn::reproducible scope;
  for (const auto& [lazy, stored] : in_pieces(numbers({70, 90}, 0.37f))) {
    for (std::int64_t axis = 0; axis < 2; ++axis) {
      CHECK(kn::sum(lazy * 1.1f, {.axis = axis}).to_vector<float>() ==
            kn::sum(stored * 1.1f, {.axis = axis}).to_vector<float>());
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// matmul against plain loops, operands lying in memory in every way. Values are such that every sum is exact, so
// results compare bit for bit.
#pragma once

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/numbers.hpp"

namespace koine::test {

inline std::mt19937_64 generator(7);

/// Integers of all magnitudes, because they wrap; small whole numbers of the other types.
template <class T>
T random_value() {
  const auto small = [] { return static_cast<float>(static_cast<int>(generator() % 7) - 3); };
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(generator());
  } else if constexpr (is_complex_float<T>) {
    const float real = small();
    return T(real, small());
  } else {
    return T(small());
  }
}

enum class Way { contiguous, transposed, stepped, repeated };

/// An array of a shape whose last two axes lie in memory in one of these ways.
template <class T>
Array matrix(const Shape& shape, Way way) {
  Shape stored = shape;
  std::int64_t &rows = stored[shape.size() - 2], &columns = stored[shape.size() - 1];
  if (way == Way::transposed) std::swap(rows, columns);
  if (way == Way::stepped) rows = 2 * rows + 1, columns *= 3;
  if (way == Way::repeated) rows = 1;
  std::vector<T> values;
  for (std::int64_t i = 0; i < stored.elements(); ++i) values.push_back(random_value<T>());
  const Array x = asarray(values, stored);
  switch (way) {
    case Way::contiguous: return x;
    case Way::transposed: return x.mT();
    case Way::stepped: return x(ellipsis, slice(1, none, 2), slice(none, none, -3));
    case Way::repeated: return broadcast_to(x, shape);
  }
  return x;
}

template <class T>
T multiply(const std::vector<T>& a, std::int64_t a_start, const std::vector<T>& b, std::int64_t b_start,
           std::int64_t b_step, std::int64_t count) {
  const auto each = [&](auto zero) {
    using Sum = decltype(zero);
    for (std::int64_t d = 0; d < count; ++d) zero += Sum(a[a_start + d]) * Sum(b[b_start + d * b_step]);
    return zero;
  };
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(each(std::uint64_t{0}));
  } else if constexpr (is_small_float<T>) {
    return T(each(0.0f));
  } else {
    return each(T(0));
  }
}

/// Compares with a product in loops, which reads the operands as contiguous copies.
template <class T>
void check_product(const Array& a, const Array& b) {
  CAPTURE(name(dtype_of<T>));
  CAPTURE(a.shape());
  CAPTURE(b.shape());
  const std::int64_t m = a.shape(-2), k = a.shape(-1), n = b.shape(-1);
  Shape a_batch = a.shape(), b_batch = b.shape();
  for (int i = 0; i < 2; ++i) a_batch.erase(a_batch.size() - 1), b_batch.erase(b_batch.size() - 1);
  Shape shape = broadcast_shapes({a_batch, b_batch});
  const std::int64_t batches = shape.elements();
  const auto spread = [&](const Array& x, std::int64_t rows, std::int64_t columns) {
    Shape full = shape;
    full.push_back(rows);
    full.push_back(columns);
    return broadcast_to(x, full).template to_vector<T>();
  };
  const std::vector<T> av = spread(a, m, k), bv = spread(b, k, n);
  std::vector<T> expected;
  for (std::int64_t i = 0; i < batches * m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) expected.push_back(multiply(av, i * k, bv, i / m * k * n + j, n, k));
  }
  shape.push_back(m);
  shape.push_back(n);
  check_array(matmul(a, b), shape, expected);
}

}  // namespace koine::test

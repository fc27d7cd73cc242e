// SPDX-License-Identifier: Apache-2.0
// Arrays of small whole numbers, whose sums of products are exact in every floating type.
#pragma once

#include <koine/koine.hpp>

#include <cstdint>
#include <vector>

namespace koine::test {

/// Element i of such an array in row-major order, from -6 to 6.
inline int small_number(std::int64_t i) { return static_cast<int>(i * 7919 % 13) - 6; }

template <class T>
Array small_numbers(const Shape& shape) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(static_cast<T>(small_number(i)));
  return asarray(values, shape).eval();
}

/// Element i of an array of whole numbers from 0 to 60 that tell positions apart.
inline double value_at(std::int64_t i) { return static_cast<double>((i * 37 + i / 11) % 61); }

inline Array numbers(const Shape& shape, DType type) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(value_at(i));
  return asarray(values, shape, type).eval();
}

}  // namespace koine::test

// SPDX-License-Identifier: Apache-2.0
// Products of operands that are cast, beside products of what the host has converted before.
#pragma once

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/fourier.hpp"

namespace koine::test {

inline const std::vector<DType> real_types = {bool_,  int8,   int16,   int32,    int64,   uint8,  uint16,
                                              uint32, uint64, float16, bfloat16, float32, float64};

/// Ends of a type's range, what no other type holds, and numbers of any size.
inline Array any_numbers(const Shape& shape, DType type) {
  const auto count = static_cast<std::size_t>(shape.elements());
  std::vector<double> values = noise<double>(shape.elements(), 3);
  if (is_integer(type) || is_bool(type)) {
    // Odd numbers of all lengths, up to what float64 tells apart: more digits than float32 has.
    const int bits = std::min<int>(static_cast<int>(size_of(type)) * 8, 53) - (is_signed_integer(type) ? 1 : 0);
    std::vector<std::int64_t> whole(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int length = static_cast<int>(i) % bits;
      const auto high = std::int64_t{1} << length;
      whole[i] = (high | (static_cast<std::int64_t>(std::fabs(values[i]) * 0x1p52) & (high - 1)) | 1);
      if (is_signed_integer(type) && i % 3 == 1) whole[i] = -whole[i];
      if (is_bool(type)) whole[i] = static_cast<std::int64_t>(i % 3 != 0);
    }
    return asarray(whole, shape, type);
  }
  for (std::size_t i = 0; i < count; ++i) values[i] = std::ldexp(values[i], static_cast<int>(i % 40) - 24);
  return asarray(values, shape, type);
}

/// An array of its own that the host has converted.
template <class T>
Array cast_before(const Array& x) {
  return asarray(x.to_vector<T>(), x.shape());
}

/// Casts of a matrix by a vector and of a vector by a matrix have the bits of products with what is cast before.
template <class T>
void check_cast_vectors(DType stored) {
  const DType type = dtype_of<T>;
  CAPTURE(name(stored));
  CAPTURE(name(type));
  const Array x = any_numbers({37, 61}, stored), line = any_numbers({61}, stored);
  const Array other = asarray(noise<T>(61, 5), {61}, type), first = cast_before<T>(x);
  const std::vector<T> expected = matmul(first, other).template to_vector<T>();
  CHECK(matmul(x.astype(type), other).template to_vector<T>() == expected);
  CHECK(matmul(first, line.astype(type)).template to_vector<T>() ==
        matmul(first, cast_before<T>(line)).template to_vector<T>());
  // Columns side by side.
  const Array turned = any_numbers({61, 37}, stored);
  CHECK(matmul(other, turned.astype(type)).template to_vector<T>() ==
        matmul(other, cast_before<T>(turned)).template to_vector<T>());
  // By one column of an identity: each element as it is, whatever is added up in what order.
  const Array ones = asarray(std::vector<T>{1}, {1, 1}), column = any_numbers({200, 1}, stored);
  CHECK(matmul(column.astype(type), ones).template to_vector<T>() == column.to_vector<T>());
}

}  // namespace koine::test

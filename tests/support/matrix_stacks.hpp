// SPDX-License-Identifier: Apache-2.0
// Stacks of matrices for tests of linear algebra: drawn ones, arrays as matrices on the host, what errors may come to,
// and both ways of computing.
#pragma once

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/devices.hpp"
#include "support/matrices.hpp"

namespace koine::test {

/// The elements, converted here: a device may have no float64.
inline std::vector<Matrix::Number> numbers_of(const Array& x) {
  const auto as = [&]<class T>(T) {
    const std::vector<T> values = x.to_vector<T>();
    return std::vector<Matrix::Number>(values.begin(), values.end());
  };
  switch (x.dtype()) {
    case float32: return as(float{});
    case float64: return as(double{});
    case complex64: return as(std::complex<float>{});
    default: return as(std::complex<double>{});
  }
}

/// A hash of results' bits, the same on every device whose results are (FNV-1a by numbers): -0 counts as 0.
class BitsHash {
 public:
  void add(const Array& result) {
    for (const Matrix::Number& value : numbers_of(result)) {
      for (const double part : {value.real(), value.imag()}) {
        value_ = (value_ ^ (part == 0 ? 0 : std::bit_cast<std::uint64_t>(part))) * 1099511628211u;
      }
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037u;
};

/// The matrices of a stack.
inline std::vector<Matrix> matrices_of(const Array& x) {
  const std::vector<Matrix::Number> values = numbers_of(x);
  std::vector<Matrix> all;
  const auto m = static_cast<std::size_t>(x.shape(-2)), n = static_cast<std::size_t>(x.shape(-1));
  for (auto from = values.begin(); from != values.end(); from += static_cast<std::ptrdiff_t>(m * n)) {
    std::copy_n(from, m * n, all.emplace_back(m, n).at.begin());
  }
  return all;
}
inline Matrix matrix_of(const Array& x) {
  const std::vector<Matrix> all = matrices_of(x);
  REQUIRE(all.size() == 1);
  return all[0];
}

enum class MatrixKind { random, graded, deficient, zero, near_singular };

/// Elements as an array of a type, converted here: a kernel would be compiled for each type.
inline Array array_of(const std::vector<Matrix::Number>& values, const Shape& shape, DType type) {
  if (is_complex(type)) return asarray(values, shape, type);
  std::vector<double> real;
  for (const Matrix::Number& value : values) real.push_back(value.real());
  return asarray(real, shape, type);
}
inline Array array_of(const Matrix& a, DType type) {
  return array_of(a.at, {static_cast<std::int64_t>(a.rows), static_cast<std::int64_t>(a.columns)}, type);
}
/// Matrices of one shape.
inline Array stack_of(const std::vector<Matrix>& all, DType type) {
  std::vector<Matrix::Number> values;
  for (const Matrix& each : all) values.insert(values.end(), each.at.begin(), each.at.end());
  return array_of(values,
                  {static_cast<std::int64_t>(all.size()), static_cast<std::int64_t>(all[0].rows),
                   static_cast<std::int64_t>(all[0].columns)},
                  type);
}

/// Matrices of a kind, with parts between -1 and 1 that every type holds.
inline Array matrices(const Shape& shape, DType type, MatrixKind kind, unsigned seed = 1) {
  std::mt19937 random(seed);
  const std::int64_t m = shape[shape.size() - 2], n = shape.back();
  std::vector<std::complex<float>> values;
  values.reserve(static_cast<std::size_t>(shape.elements()));
  for (std::int64_t at = 0; at < shape.elements(); ++at) {
    const std::int64_t i = at / n % m, j = at % n;
    const auto part = [&] { return static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 1024; };
    const float real = part();
    std::complex<float> value(real, is_complex(type) ? part() : 0.f);
    if (kind == MatrixKind::graded) value *= std::exp2(static_cast<float>(-(i + j) % 40));
    if (kind == MatrixKind::deficient && j > 0 && j % 3 == 0) value = values[values.size() - 1];
    if (kind == MatrixKind::near_singular && j == n - 1 && n > 1) {
      value = values[values.size() - 1] * (1 + std::exp2(-20.f) * part());
    }
    if (kind == MatrixKind::zero) value = 0;
    values.push_back(value);
  }
  return array_of({values.begin(), values.end()}, shape, type);
}

/// Random matrices plus a multiple of the identity, which keeps what is solved small.
inline Array dominant(const Shape& shape, DType type, double diagonal) {
  std::vector<Matrix::Number> values = numbers_of(matrices(shape, type, MatrixKind::random));
  const auto n = static_cast<std::size_t>(shape.back());
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (at / n % n == at % n) values[at] += diagonal;
  }
  return array_of(values, shape, type);
}

/// Hermitian matrices whose eigenvalues are 1 or larger: full ones, each the identity and a product of low rank.
inline Array definite(const Shape& shape, DType type, unsigned seed = 3) {
  const std::int64_t n = shape.back();
  std::mt19937 random(seed);
  std::vector<Matrix> all;
  for (std::int64_t left = shape.elements() / (n * n); left > 0; --left) {
    Matrix b(n, std::min<std::int64_t>(n, 8));
    const auto part = [&] { return static_cast<double>(static_cast<int>(random() % 2001) - 1000) / 1024; };
    for (Matrix::Number& value : b.at) {
      const double real = part();
      value = {real, is_complex(type) ? part() : 0};
    }
    Matrix& a = all.emplace_back(b * adjoint(b));
    for (std::int64_t i = 0; i < n; ++i) a(i, i) += 1;
  }
  std::vector<Matrix::Number> values;
  for (const Matrix& each : all) values.insert(values.end(), each.at.begin(), each.at.end());
  return array_of(values, shape, type);
}

/// What errors may come to for matrices of such a size.
inline double tolerance(DType type, std::size_t size) {
  const bool narrow = type == float32 || type == complex64;
  const double epsilon = narrow ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return 30 * static_cast<double>(size) * epsilon;
}

/// Those sizes, or around all that algorithms are cut at where they are not large.
inline std::vector<std::int64_t> sizes_or_all(std::vector<std::int64_t> usual) {
  return exhaustive() ? std::vector<std::int64_t>{1, 2, 3, 31, 32, 33, 100} : usual;
}

inline constexpr DType matrix_types[] = {float32, float64, complex64, complex128};

/// Calls test on each device, inside a reproducible scope and outside.
template <class F>
void by_both_ways(F test) {
  on_each_device([&] {
    for (const bool reproducible : {false, true}) {
      CAPTURE(reproducible);
      const koine::reproducible scope(reproducible);
      test();
    }
  });
}

}  // namespace koine::test

// SPDX-License-Identifier: Apache-2.0
// Matrices of the classes that LAPACK's own tests take (xLATMS, xLATB4): of singular or eigenvalues that are known, of
// norms near the ends of the range, with zero rows and columns, and graded.
#pragma once

#include <koine/koine.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "support/matrices.hpp"

namespace koine::test {

enum class LapackClass {
  zero,
  identity,
  diagonal,
  upper,
  lower,
  one_large,
  one_small,
  geometric,
  arithmetic,
  clustered,
  ill_conditioned,
  first_column_zero,
  last_column_zero,
  half_zero,
  row_zero,
  near_underflow,
  near_overflow,
  graded_rows,
  graded_columns
};
inline constexpr std::size_t lapack_classes = static_cast<std::size_t>(LapackClass::graded_columns) + 1;

inline bool is_singular(LapackClass kind) {
  return kind == LapackClass::zero || (kind >= LapackClass::first_column_zero && kind <= LapackClass::row_zero);
}

/// One of these classes, in the range and precision of a type.
class LapackMatrix {
 public:
  LapackMatrix(LapackClass kind, std::size_t n, DType type, unsigned seed = 1)
      : kind_(kind), n_(n), type_(type), random_(seed) {
    const bool narrow = type == float32 || type == complex64;
    epsilon_ = narrow ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    smallest_ = narrow ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  }

  /// Of singular values of the class.
  Array general() {
    const std::vector<double> values = spectrum();
    Matrix a(n_, n_);
    for (std::size_t i = 0; i < n_; ++i) a(i, i) = values[i];
    if (!is_diagonal()) {
      const std::vector<Reflection> left = reflections(), right = reflections();
      for (const Reflection& v : left) from_left(a, v);
      for (const Reflection& v : right) from_right(a, v);
    }
    return array(shaped(a));
  }

  /// Hermitian, of eigenvalues of the class, with both signs or, for a `definite` one, as they are.
  Array hermitian(bool definite) {
    const std::vector<double> values = spectrum();
    Matrix a(n_, n_);
    for (std::size_t i = 0; i < n_; ++i) a(i, i) = i % 2 == 1 && !definite ? -values[i] : values[i];
    if (!is_diagonal()) {
      for (const Reflection& v : reflections()) {
        from_left(a, v);
        from_right(a, v);
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < i; ++j) a(j, i) = std::conj(a(i, j));
    }
    return array(a);
  }

 private:
  using Number = Matrix::Number;
  using Reflection = std::vector<Number>;  // I - 2 v v^H, of length 1

  bool is_diagonal() const { return kind_ <= LapackClass::diagonal; }

  std::vector<double> spectrum() const {
    const double most = 0.1 / epsilon_, condition = std::min(kind_ == LapackClass::ill_conditioned ? most : 1e12, most);
    std::vector<double> values(n_, 1.0);
    for (std::size_t i = 0; i < n_; ++i) {
      const double part = n_ == 1 ? 0 : static_cast<double>(i) / static_cast<double>(n_ - 1);
      switch (kind_) {
        case LapackClass::zero: values[i] = 0; break;
        case LapackClass::identity: break;
        case LapackClass::one_large: values[i] = i == 0 ? 1 : 1 / condition; break;
        case LapackClass::one_small: values[i] = i + 1 < n_ || i == 0 ? 1 : 1 / condition; break;
        case LapackClass::arithmetic: values[i] = 1 - part * (1 - 1 / condition); break;
        case LapackClass::clustered:
          values[i] = (2 * i < n_ ? 3 : 2) * (1 + epsilon_ * static_cast<double>(i % 3));
          break;
        case LapackClass::geometric:
        case LapackClass::ill_conditioned: values[i] = std::pow(condition, -part); break;
        default: values[i] = 1 - part / 2; break;
      }
      // As LAPACK has them, 4 times as far from the ends of the range as a single rounding would need.
      if (kind_ == LapackClass::near_underflow) values[i] *= smallest_ / epsilon_ / 4;
      if (kind_ == LapackClass::near_overflow) values[i] *= epsilon_ / smallest_ * 4;
    }
    return values;
  }

  /// Three of them are as good as any orthogonal matrix: no element is 0.
  std::array<Reflection, 3> drawn() {
    std::normal_distribution<double> normal;
    std::array<Reflection, 3> all;
    for (Reflection& v : all) {
      double square = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        const double re = normal(random_);
        v.emplace_back(re, is_complex(type_) ? normal(random_) : 0.0);
        square += std::norm(v.back());
      }
      for (Number& x : v) x /= std::sqrt(square);
    }
    return all;
  }
  std::vector<Reflection> reflections() {
    const auto all = drawn();
    return {all.begin(), all.end()};
  }

  void from_left(Matrix& a, const Reflection& v) const {
    std::vector<Number> sums(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) sums[j] += std::conj(v[i]) * a(i, j);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) a(i, j) -= 2.0 * v[i] * sums[j];
    }
  }
  void from_right(Matrix& a, const Reflection& v) const {
    for (std::size_t i = 0; i < n_; ++i) {
      Number sum = 0;
      for (std::size_t j = 0; j < n_; ++j) sum += a(i, j) * v[j];
      for (std::size_t j = 0; j < n_; ++j) a(i, j) -= 2.0 * sum * std::conj(v[j]);
    }
  }

  Matrix shaped(Matrix a) const {
    const double steps = std::log2(epsilon_) / static_cast<double>(n_) * 2;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) {
        const bool zero = (kind_ == LapackClass::first_column_zero && j == 0) ||
                          (kind_ == LapackClass::last_column_zero && j + 1 == n_) ||
                          (kind_ == LapackClass::half_zero && 2 * j >= n_) ||
                          (kind_ == LapackClass::row_zero && i == n_ / 2) || (kind_ == LapackClass::upper && j < i) ||
                          (kind_ == LapackClass::lower && j > i);
        if (zero) a(i, j) = 0;
        if (kind_ == LapackClass::graded_rows) a(i, j) *= std::exp2(steps * static_cast<double>(i));
        if (kind_ == LapackClass::graded_columns) a(i, j) *= std::exp2(steps * static_cast<double>(j));
      }
    }
    return a;
  }

  Array array(const Matrix& a) const {
    const auto as = [&]<class T>(T) {
      std::vector<T> values;
      for (const Number& x : a.at) {
        if constexpr (std::is_floating_point_v<T>) {
          values.push_back(static_cast<T>(x.real()));
        } else {
          values.emplace_back(x);
        }
      }
      return asarray(values, {static_cast<std::int64_t>(n_), static_cast<std::int64_t>(n_)});
    };
    switch (type_) {
      case float32: return as(float{});
      case float64: return as(double{});
      case complex64: return as(std::complex<float>{});
      default: return as(std::complex<double>{});
    }
  }

  const LapackClass kind_;
  const std::size_t n_;
  const DType type_;
  std::mt19937 random_;
  double epsilon_, smallest_;
};

}  // namespace koine::test

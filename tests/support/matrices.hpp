// SPDX-License-Identifier: Apache-2.0
// Matrices on the host, of complex128, by which tests of linear algebra compute what must hold of a result.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

namespace koine::test {

/// In row-major order.
struct Matrix {
  using Number = std::complex<double>;

  std::size_t rows, columns;
  std::vector<Number> at;

  Matrix(std::size_t m, std::size_t n) : rows(m), columns(n), at(m * n) {}
  Number& operator()(std::size_t i, std::size_t k) { return at[i * columns + k]; }
  const Number& operator()(std::size_t i, std::size_t k) const { return at[i * columns + k]; }
  double norm() const {
    double sum = 0;
    for (const Number& x : at) sum += std::norm(x);
    return std::sqrt(sum);
  }
};

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) {
      // Not by the numbers' own product, which looks for infinities, and in pairs of doubles, as which complex numbers
      // may be read: where tests are compiled without optimisation, half of their time went into functions of these
      // numbers.
      const double re = a(i, j).real(), im = a(i, j).imag();
      const auto* x = reinterpret_cast<const double*>(b.at.data() + j * b.columns);
      auto* y = reinterpret_cast<double*>(c.at.data() + i * c.columns);
      for (std::size_t k = 0; k < 2 * b.columns; k += 2) {
        y[k] += re * x[k] - im * x[k + 1];
        y[k + 1] += re * x[k + 1] + im * x[k];
      }
    }
  }
  return c;
}

inline Matrix operator-(Matrix a, const Matrix& b) {
  for (std::size_t i = 0; i < a.at.size(); ++i) a.at[i] -= b.at[i];
  return a;
}

/// The absolute value of the largest element.
inline double largest(const Matrix& a) {
  double most = 0;
  for (const Matrix::Number& x : a.at) most = std::max(most, std::abs(x));
  return most;
}

inline Matrix adjoint(const Matrix& a) {
  Matrix b(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.columns; ++k) b(k, i) = std::conj(a(i, k));
  }
  return b;
}

/// Whether all elements on one side of the diagonal are 0: `above` it, or below.
inline bool is_triangle(const Matrix& a, bool above) {
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) {
      if ((above ? j > i : j < i) && a(i, j) != Matrix::Number(0)) return false;
    }
  }
  return true;
}

/// The elements on one side of the diagonal and along it, and `other` beyond.
inline Matrix triangle(Matrix a, bool lower, Matrix::Number other = 0) {
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) {
      if (lower ? j > i : j < i) a(i, j) = other;
    }
  }
  return a;
}

inline Matrix identity(std::size_t n) {
  Matrix a(n, n);
  for (std::size_t i = 0; i < n; ++i) a(i, i) = 1;
  return a;
}

}  // namespace koine::test

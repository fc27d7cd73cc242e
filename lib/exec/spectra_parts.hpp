// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values of one large real matrix by several threads, in the steps of LAPACK's syevd and
// gesdd: a reduction, the vectors of what is left, and products of these with reflections, which divide into columns,
// or rows, of the result.
#pragma once

#include "exec/bidiagonal_halves.hpp"
#include "exec/reflections.hpp"
#include "exec/tridiagonal_halves.hpp"
#include "exec/two_sided_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace koine::exec {

/// Matrices are in column-major order, in the type T, float or double, with LAPACK's integers of type I. Those that are
/// read have leading() elements from one column to the next, and memory begins at multiples of 64 bytes.
template <class T, class I>
class SpectraParts {
 public:
  /// Rows from which several threads are worth their start.
  static constexpr std::int64_t least = 256;

  SpectraParts(const HostLapack& lapack, DType type) : calls_(lapack, type) {}

  bool complete() const { return calls_.complete(); }

  static std::int64_t leading(std::int64_t rows) { return TwoSided<T, I>::leading(rows); }

  /// A power of two by which elements, of which that is the largest magnitude, may be multiplied so that no sum of
  /// squares overflows or vanishes.
  static T factor(T largest) {
    // As LAPACK has it.
    const T least_number = std::sqrt(std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon());
    const bool in_range = largest == 0 || (largest >= least_number && largest <= 1 / least_number);
    return in_range ? T(1) : std::ldexp(T(1), std::min(-std::ilogb(largest), std::numeric_limits<T>::max_exponent - 1));
  }

  /// Elements of work and integers that eigen() takes, for n rows, ...
  static std::int64_t eigen_work(std::int64_t n) {
    return 2 * leading(n) +
           std::max({TwoSided<T, I>::room(n), TridiagonalHalves<T, I>::room(n), Reflections<T, I>::room(n, n, n)});
  }
  static std::int64_t eigen_integers(std::int64_t n) { return TridiagonalHalves<T, I>::integers(n); }
  /// ... and singular(), for n columns and m >= n rows.
  static std::int64_t singular_work(std::int64_t m, std::int64_t n) {
    return 3 * leading(n) +
           std::max({TwoSided<T, I>::room(m), BidiagonalHalves<T, I>::room(n), Reflections<T, I>::room(m, n, n)});
  }
  static std::int64_t singular_integers(std::int64_t n) { return BidiagonalHalves<T, I>::integers(n); }

  /// Of a symmetric matrix, of which the upper triangle is read and lost, the eigenvalues, which rise, and the vectors
  /// as columns of z. Gives LAPACK's info.
  I eigen(int threads, std::int64_t n, T* a, T* values, T* z, T* memory, I* integers) const {
    const std::int64_t step = leading(n);
    T *const off_diagonal = memory, *const tau = memory + step, *const work = memory + 2 * step;
    TwoSided<T, I>(calls_, threads).tridiagonal(n, a, values, off_diagonal, tau, work);
    const TridiagonalHalves<T, I> halves(calls_, threads);
    if (const I info = halves.solve(n, values, off_diagonal, z, work, integers); info != 0) return info;
    // The last column's comes first, and ends above the diagonal.
    const Reflections<T, I> reflections(calls_, threads, n, n - 1, 0, true, work, [&](std::int64_t k, T* v) {
      const std::int64_t column = n - 1 - k;
      std::copy_n(a + column * step, column - 1, v);
      v[column - 1] = 1;
      return tau[column - 1];
    });
    reflections.from_left(n, z, n);
    return 0;
  }

  /// Of an m x n matrix with m >= n, which is lost, with zeros to the ends of its columns, the singular values, which
  /// fall, U, m x n, and V^T, n x n. Gives LAPACK's info.
  I singular(int threads, std::int64_t m, std::int64_t n, T* a, T* values, T* u, T* vt, T* memory, I* integers) const {
    const std::int64_t step = leading(m), of_columns = leading(n);
    T *const off_diagonal = memory, *const tau_q = memory + of_columns, *const tau_p = tau_q + of_columns,
             *const work = tau_p + of_columns;
    TwoSided<T, I>(calls_, threads).bidiagonal(m, n, a, values, off_diagonal, tau_q, tau_p, work);
    std::fill_n(u, m * n, T(0));
    const BidiagonalHalves<T, I> halves(calls_, threads);
    if (const I info = halves.solve(n, values, off_diagonal, u, m, vt, work, integers); info != 0) return info;
    // Columns' begin on the diagonal, rows' beside it.
    Reflections<T, I>(calls_, threads, m, n, 0, false, work, [&](std::int64_t k, T* v) {
      v[k] = 1;
      std::copy_n(a + k * step + k + 1, m - k - 1, v + k + 1);
      return tau_q[k];
    }).from_left(n, u, m);
    Reflections<T, I>(calls_, threads, n, n - 1, 1, false, work, [&](std::int64_t k, T* v) {
      v[k + 1] = 1;
      for (std::int64_t j = k + 2; j < n; ++j) v[j] = a[j * step + k];
      return tau_p[k];
    }).from_right(n, vt, n);
    return 0;
  }

 private:
  const SpectraCalls<T, I> calls_;
};

}  // namespace koine::exec

// SPDX-License-Identifier: Apache-2.0
// Elimination and reflections in many small matrices at once, each of which is a lane of a vector. Compiled once for
// each set of instructions, so nothing here calls functions of the standard library.
#pragma once

#include <cstdint>

namespace koine::host {

/// A stack of matrices of n rows and columns, in row-major order, and of right sides of so many columns. Pivots are
/// chosen as LAPACK's getrf does, by the largest of a column.
template <class T>
struct SmallSystems {
  std::int64_t matrices, n, columns;
  const T* from;
  const T* right;  ///< null: those of the identity
  T* to;           ///< solutions, or both factors as one matrix
};

/// A stack of m x n matrices, and its factors: `columns` columns of Q, min(m, n) or m, and as many rows of R.
template <class T>
struct SmallReflections {
  std::int64_t matrices, m, n, columns;
  const T* from;
  T *q, *r;
};

/// A block is as many matrices as there are lanes. `room` lies at a multiple of 64 bytes: lanes * n * (n + columns)
/// elements, of reflections lanes * (m * (n + columns) + m).
template <class T>
struct SmallSystemFunctions {
  std::int64_t lanes;
  /// zeros[lane] is the row of the first zero on the diagonal of the upper factor, or -1.
  void (*solve)(const SmallSystems<T>& job, std::int64_t block, T* room, std::int64_t* zeros);
  /// pivots[row * lanes + lane] is the row, from 0, that `row` was exchanged with.
  void (*factorise)(const SmallSystems<T>& job, std::int64_t block, T* room, std::int32_t* pivots);
  void (*orthogonalise)(const SmallReflections<T>& job, std::int64_t block, T* room);
};

extern const SmallSystemFunctions<float> small_systems_plain_float, small_systems_avx2_float,
    small_systems_avx512_float;
extern const SmallSystemFunctions<double> small_systems_plain_double, small_systems_avx2_double,
    small_systems_avx512_double;

}  // namespace koine::host

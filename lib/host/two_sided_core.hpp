// SPDX-License-Identifier: Apache-2.0
// Matrices by vectors as reductions to tridiagonal and bidiagonal form need them: each element is read once. Compiled
// once for each set of instructions, so nothing here calls functions of the standard library.
#pragma once

#include <cstdint>

namespace koine::host {

/// Matrices lie column after column, `leading` elements apart. These, vectors and columns begin at multiples of 64
/// bytes, and go on to the next one, with zeros in matrices and in vectors that are read.
template <class T>
struct TwoSidedFunctions {
  std::int64_t lanes;

  /// y += A x, of what columns from `first` to before `last` of the upper triangle of a symmetric matrix say. `first`
  /// is a multiple of 4.
  void (*symmetric)(const T* a, std::int64_t leading, std::int64_t first, std::int64_t last, const T* x, T* y);

  /// For each column a of so many: y = scale (a · u - y), r = a[row] - r - y, and then z += a r.
  void (*both_sides)(const T* a, std::int64_t leading, std::int64_t rows, std::int64_t columns, std::int64_t row,
                     const T* u, T scale, T* y, T* r, T* z);
};

extern const TwoSidedFunctions<float> two_sided_plain_float, two_sided_avx2_float, two_sided_avx512_float;
extern const TwoSidedFunctions<double> two_sided_plain_double, two_sided_avx2_double, two_sided_avx512_double;

}  // namespace koine::host

// SPDX-License-Identifier: Apache-2.0
// QR factorisations by Householder reflections (Golub and Van Loan, Matrix Computations, 5.2), a matrix in each lane of
// vectors of KN_VECTOR_BYTES; and the table of these functions and those for elimination. To be included inside a
// namespace without a name, after host/small_systems_core.hpp and <utility>.

#include "host/small_systems_text.hpp"

template <class T>
V<T> roots(V<T> x) {
  for (int lane = 0; lane < Lanes<T>::count; ++lane) {
    if constexpr (sizeof(T) == sizeof(double)) {
      x[lane] = __builtin_sqrt(x[lane]);
    } else {
      x[lane] = __builtin_sqrtf(x[lane]);
    }
  }
  return x;
}

/// x, rows of `step`, of which rows k and below and columns from `first` to before `last` are reflected by
/// I - tau v v^T; v has 1 in row k, and is column k of `vectors`, rows of `vector_step`, below.
template <class T>
void reflect(V<T>* x, std::int64_t step, std::int64_t first, std::int64_t last, const V<T>* vectors,
             std::int64_t vector_step, std::int64_t k, std::int64_t rows, V<T> tau) {
  constexpr std::int64_t together = 8;
  for (std::int64_t j = first; j < last; j += together) {
    const std::int64_t width = less(together, last - j);
    V<T> sums[together];
    for (std::int64_t c = 0; c < width; ++c) sums[c] = x[k * step + j + c];
    for (std::int64_t i = k + 1; i < rows; ++i) {
      const V<T> v = vectors[i * vector_step + k];
      for (std::int64_t c = 0; c < width; ++c) sums[c] += v * x[i * step + j + c];
    }
    for (std::int64_t c = 0; c < width; ++c) {
      sums[c] *= tau;
      x[k * step + j + c] -= sums[c];
    }
    for (std::int64_t i = k + 1; i < rows; ++i) {
      const V<T> v = vectors[i * vector_step + k];
      for (std::int64_t c = 0; c < width; ++c) x[i * step + j + c] -= sums[c] * v;
    }
  }
}

/// Column k of x becomes a diagonal element and, below it, v. Gives tau.
template <class T>
V<T> reflection(V<T>* x, std::int64_t step, std::int64_t k, std::int64_t rows) {
  V<T> largest{};
  for (std::int64_t i = k; i < rows; ++i) {
    const V<T> value = magnitudes<T>(x[i * step + k]);
    largest = value > largest ? value : largest;
  }
  // Squares of what is divided by the largest neither overflow nor vanish together.
  const V<T> scale = largest > 0 ? largest : largest + 1;
  V<T> below{};
  for (std::int64_t i = k + 1; i < rows; ++i) {
    V<T>& value = x[i * step + k];
    value /= scale;
    below += value * value;
  }
  const V<T> alpha = x[k * step + k] / scale, norm = roots<T>(alpha * alpha + below), beta = alpha > 0 ? -norm : norm;
  // What has nothing below its diagonal stays as it is; a NaN does not.
  const auto still = below == 0;
  const V<T> divisor = still ? below + 1 : alpha - beta;
  for (std::int64_t i = k + 1; i < rows; ++i) x[i * step + k] /= divisor;
  x[k * step + k] = (still ? alpha : beta) * scale;
  return still ? below : (beta - alpha) / beta;
}

template <class T>
void orthogonalise(const SmallReflections<T>& job, std::int64_t block, T* room) {
  constexpr int lanes = Lanes<T>::count;
  const std::int64_t m = job.m, n = job.n, columns = job.columns, first = block * lanes, count = less(m, n);
  const int matrices = static_cast<int>(less(lanes, job.matrices - first));
  V<T>*const x = reinterpret_cast<V<T>*>(room), *const q = x + m * n, *const taus = q + m * columns;
  load_matrices<T>(job.from + first * m * n, matrices, m, n, x, n);
  for (std::int64_t k = 0; k < count; ++k) {
    taus[k] = reflection<T>(x, n, k, m);
    reflect<T>(x, n, k + 1, n, x, n, k, m, taus[k]);
  }
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) q[i * columns + j] = V<T>{} + static_cast<T>(i == j ? 1 : 0);
  }
  for (std::int64_t k = count; k-- > 0;) reflect<T>(q, columns, k, columns, x, n, k, m, taus[k]);
  for (std::int64_t i = 0; i < columns; ++i) {
    for (std::int64_t j = 0; j < less(i, n); ++j) x[i * n + j] = V<T>{};
  }
  store_matrices<T>(q, columns, matrices, m, columns, job.q + first * m * columns);
  store_matrices<T>(x, n, matrices, columns, n, job.r + first * columns * n);
}

template <class T>
constexpr SmallSystemFunctions<T> small_system_functions = {Lanes<T>::count, solve<T>, factorise<T>, orthogonalise<T>};

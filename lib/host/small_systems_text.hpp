// SPDX-License-Identifier: Apache-2.0
// The functions of host/small_systems_core.hpp for vectors of KN_VECTOR_BYTES. To be included inside a namespace
// without a name, after host/small_systems_core.hpp and <utility>.

#include "host/lanes_text.hpp"

/// The block's matrices of rows by columns: element (i, j) goes to x[i * step + j], a lane for each matrix.
template <class T>
void load_matrices(const T* from, int count, std::int64_t rows, std::int64_t columns, V<T>* x, std::int64_t step) {
  constexpr int lanes = Lanes<T>::count;
  const std::int64_t size = rows * columns;
  std::int64_t i = 0, j = 0, at = 0;
  const auto next = [&]() -> V<T>& {
    V<T>& element = x[i * step + j];
    if (++j == columns) ++i, j = 0;
    return element;
  };
  for (; count == lanes && at + lanes <= size; at += lanes) {
    V<T> tile[lanes];
    KN_UNROLL for (int lane = 0; lane < lanes; ++lane) tile[lane] = load(from + lane * size + at);
    transpose<T>(tile);
    KN_UNROLL for (int k = 0; k < lanes; ++k) next() = tile[k];
  }
  for (; at < size; ++at) {
    T values[lanes] = {};
    for (int lane = 0; lane < count; ++lane) values[lane] = from[lane * size + at];
    next() = load(values);
  }
}

/// And back.
template <class T>
void store_matrices(const V<T>* x, std::int64_t step, int count, std::int64_t rows, std::int64_t columns, T* to) {
  constexpr int lanes = Lanes<T>::count;
  const std::int64_t size = rows * columns;
  std::int64_t i = 0, j = 0, at = 0;
  const auto next = [&]() -> V<T> {
    const V<T> element = x[i * step + j];
    if (++j == columns) ++i, j = 0;
    return element;
  };
  for (; count == lanes && at + lanes <= size; at += lanes) {
    V<T> tile[lanes];
    KN_UNROLL for (int k = 0; k < lanes; ++k) tile[k] = next();
    transpose<T>(tile);
    KN_UNROLL for (int lane = 0; lane < lanes; ++lane) store<T>(to + lane * size + at, tile[lane]);
  }
  for (; at < size; ++at) {
    T values[lanes];
    store<T>(values, next());
    for (int lane = 0; lane < count; ++lane) to[lane * size + at] = values[lane];
  }
}

template <class T>
V<T> magnitudes(V<T> x) {
  return x < 0 ? -x : x;
}

/// Of rows k and below that with the largest element of column k changes places with row k, from column `first` on.
/// Gives its number in each lane.
template <class T>
V<T> exchange_rows(V<T>* x, std::int64_t n, std::int64_t step, std::int64_t k, std::int64_t first) {
  V<T> largest = magnitudes<T>(x[k * step + k]), pivot = V<T>{} + static_cast<T>(k);
  for (std::int64_t i = k + 1; i < n; ++i) {
    const V<T> value = magnitudes<T>(x[i * step + k]);
    const auto larger = value > largest;
    largest = larger ? value : largest;
    pivot = larger ? V<T>{} + static_cast<T>(i) : pivot;
  }
  for (std::int64_t i = k + 1; i < n; ++i) {
    const auto chosen = pivot == static_cast<T>(i);
    V<T>*const a = x + k * step, *const b = x + i * step;
    for (std::int64_t j = first; j < step; ++j) {
      const V<T> upper = a[j], lower = b[j];
      a[j] = chosen ? lower : upper;
      b[j] = chosen ? upper : lower;
    }
  }
  return pivot;
}

/// Row k times a factor, which takes the place of its element k, is taken away from each row below.
template <class T>
void eliminate(V<T>* x, std::int64_t n, std::int64_t step, std::int64_t k) {
  const V<T> pivot = x[k * step + k], divisor = pivot == 0 ? pivot + 1 : pivot;
  for (std::int64_t i = k + 1; i < n; ++i) {
    V<T>* const row = x + i * step;
    const V<T> factor = row[k] / divisor;
    row[k] = factor;
    for (std::int64_t j = k + 1; j < step; ++j) row[j] -= factor * x[k * step + j];
  }
}

template <class T>
void factorise(const SmallSystems<T>& job, std::int64_t block, T* room, std::int32_t* pivots) {
  constexpr int lanes = Lanes<T>::count;
  const std::int64_t n = job.n, first = block * lanes;
  const int count = static_cast<int>(less(lanes, job.matrices - first));
  V<T>* const x = reinterpret_cast<V<T>*>(room);
  load_matrices<T>(job.from + first * n * n, count, n, n, x, n);
  for (std::int64_t k = 0; k < n; ++k) {
    const V<T> pivot = exchange_rows<T>(x, n, n, k, 0);
    for (int lane = 0; lane < lanes; ++lane) pivots[k * lanes + lane] = static_cast<std::int32_t>(pivot[lane]);
    eliminate<T>(x, n, n, k);
  }
  store_matrices<T>(x, n, count, n, n, job.to + first * n * n);
}

template <class T>
void solve(const SmallSystems<T>& job, std::int64_t block, T* room, std::int64_t* zeros) {
  constexpr int lanes = Lanes<T>::count;
  const std::int64_t n = job.n, columns = job.columns, step = n + columns, first = block * lanes;
  const int count = static_cast<int>(less(lanes, job.matrices - first));
  V<T>* const x = reinterpret_cast<V<T>*>(room);
  load_matrices<T>(job.from + first * n * n, count, n, n, x, step);
  if (job.right != nullptr) {
    load_matrices<T>(job.right + first * n * columns, count, n, columns, x + n, step);
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) x[i * step + n + j] = V<T>{} + static_cast<T>(i == j ? 1 : 0);
    }
  }
  for (std::int64_t k = 0; k + 1 < n; ++k) {
    exchange_rows<T>(x, n, step, k, k);
    eliminate<T>(x, n, step, k);
  }
  for (int lane = 0; lane < lanes; ++lane) zeros[lane] = -1;
  for (std::int64_t k = n; k-- > 0;) {
    const V<T>* const row = x + k * step;
    const auto zero = row[k] == 0;
    for (int lane = 0; lane < count; ++lane) {
      if (zero[lane]) zeros[lane] = k;
    }
    V<T>* const solved = x + k * step + n;
    for (std::int64_t j = 0; j < columns; ++j) {
      V<T> sum = solved[j];
      for (std::int64_t i = k + 1; i < n; ++i) sum -= row[i] * x[i * step + n + j];
      solved[j] = sum / row[k];
    }
  }
  store_matrices<T>(x + n, step, count, n, columns, job.to + first * n * columns);
}
